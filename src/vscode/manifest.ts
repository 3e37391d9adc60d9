/** Reading the manifests of extensions, which the editor hands out without a type. */

/** Names of the language model tools that an extension's package.json contributes. */
export function contributedTools(packageJSON: unknown): readonly string[] {
  const tools = property(property(packageJSON, 'contributes'), 'languageModelTools');
  if (!Array.isArray(tools)) return [];
  return tools.map((tool: unknown) => property(tool, 'name')).filter((name) => typeof name === 'string');
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
