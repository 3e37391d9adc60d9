// @ts-check
/** From the tool definitions to what package.json contributes for them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { getEncoding } from 'js-tiktoken';

const NAME = /^(?!copilot_|vscode_)[\w-]{1,64}$/;
/** Copilot cuts longer strings in schemas for some models. */
const MAX_DESCRIPTION = 1024;
const MAX_CORE_TOOLS = 20;
const MAX_CORE_TOKENS = 3000;

/** @typedef {{ name: string, title: string, description: string, profile: string, family: string, setting?: string, unless?: { setting: string, is: string }, schema: Record<string, unknown> }} Tool */

/** The tools that agents may see, with their inputs as JSON schema. @param {string} root @returns {Promise<Tool[]>} */
export async function readTools(root) {
  const folder = await mkdtemp(join(root, 'node_modules', '.lodeline-tools-'));
  try {
    const { outputFiles } = await build({
      stdin: {
        contents: `import { TOOLS } from './src/tools/catalog.ts';
          import { inputSchemaOf } from './src/tools/inputSchema.ts';
          export const tools = TOOLS.filter(({ profile }) => profile === 'core' || profile === 'full').map((tool) => {
            const { name, title, description, profile, family, setting, unless } = tool;
            return { name, title, description, profile, family, setting, unless, schema: inputSchemaOf(tool) };
          });`,
        resolveDir: root,
        loader: 'ts',
      },
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      logLevel: 'warning',
    });
    const file = join(folder, 'tools.mjs');
    await writeFile(file, outputFiles[0]?.contents ?? '');
    return (await import(pathToFileURL(file).href)).tools;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** @type {Record<string, string>} */
const ICONS = {
  memory: '$(bookmark)',
  context: '$(note)',
  session: '$(checklist)',
  subagent: '$(organization)',
};

/** One entry of `contributes.languageModelTools`. @param {Tool} tool */
export function contributionOf({ name, description, profile, family, setting, unless, schema }) {
  const when = [
    ...(profile === 'full' ? ['config.lodeline.tools.profile == full'] : []),
    ...(setting === undefined ? [] : [`config.lodeline.${setting}`]),
    ...(unless === undefined ? [] : [`config.lodeline.${unless.setting} != ${unless.is}`]),
  ].join(' && ');
  return {
    name,
    toolReferenceName: name,
    canBeReferencedInPrompt: true,
    displayName: `%tool.${name}.title%`,
    userDescription: `%tool.${name}.description%`,
    modelDescription: description,
    icon: ICONS[family],
    tags: ['lodeline', family],
    ...(when === '' ? {} : { when }),
    inputSchema: schema,
  };
}

/** What breaks Copilot's limits or ours. @param {Tool[]} tools @returns {string[]} */
export function checkTools(tools) {
  const problems = tools.flatMap(({ name, description, schema }) => [
    ...(NAME.test(name) ? [] : [`${name}: not a name the editor accepts`]),
    ...(schema.type === 'object' ? [] : [`${name}: the input is not an object`]),
    ...longStrings({ description, schema }).map(
      (text) => `${name}: longer than ${MAX_DESCRIPTION} characters: ${text.slice(0, 60)}…`,
    ),
  ]);
  const core = tools.filter(({ profile }) => profile === 'core');
  const tokens = coreTokens(tools);
  if (core.length > MAX_CORE_TOOLS) problems.push(`${core.length} core tools; at most ${MAX_CORE_TOOLS}`);
  if (tokens > MAX_CORE_TOKENS)
    problems.push(`core definitions take ${tokens} tokens; at most ${MAX_CORE_TOKENS}`);
  return problems;
}

/** cl100k tokens of what a model is shown of the core tools. @param {Tool[]} tools */
export function coreTokens(tools) {
  const shown = tools
    .filter(({ profile }) => profile === 'core')
    .map(({ name, description, schema }) => ({ name, description, parameters: schema }));
  return getEncoding('cl100k_base').encode(JSON.stringify(shown)).length;
}

/** @param {unknown} value @returns {string[]} */
function longStrings(value) {
  if (typeof value === 'string') return value.length > MAX_DESCRIPTION ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(longStrings) : [];
}
