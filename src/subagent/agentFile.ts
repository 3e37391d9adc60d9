/** An agent's file: Markdown whose front matter says what the agent is; the rest is its system prompt. */
import { parse } from 'yaml';
import { quoted } from './text.ts';

export type AgentSource = 'project' | 'user' | 'bundled';

/** Names of the agents that an agent may start; `*` is any. */
export type Spawns = '*' | readonly string[];

export const THINKING_LEVELS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const;
export type ThinkingLevel = (typeof THINKING_LEVELS)[number];

export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  /** Names of its tools, always with `yield`; undefined means every tool that a subagent can have. */
  readonly tools?: readonly string[] | undefined;
  readonly spawns: Spawns;
  /** Names of models, the preferred one first. */
  readonly models: readonly string[];
  readonly thinking?: ThinkingLevel | undefined;
  /** What it hands over, as JTD or JSON Schema; not checked yet. */
  readonly output?: unknown;
  /** The caller waits for it even where tasks run in the background. */
  readonly blocking: boolean;
  readonly prompt: string;
  readonly source: AgentSource;
  /** Where it was read from; undefined for bundled ones. */
  readonly file?: string | undefined;
}

/** A file that describes no agent; the message says what to change. */
export class AgentFileError extends Error {
  override readonly name = 'AgentFileError';
}

/** Room for an output schema. A reader of YAML takes long over much nonsense. */
const FRONT_MATTER_CHARACTERS = 64 * 1024;
const FRONT_MATTER = /^---[ \t]*\n([\s\S]*?)\n---[ \t]*(?:\n|$)/;
/** A name stands in lists that are split at commas, in quotes and in tags. */
const NAME = /^[^\p{C}\p{Zl}\p{Zp},<>"'`\\*]{1,64}$/u;

/** What other agents' files call the tools that exist here under another name. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['grep', 'search'],
  ['glob', 'find'],
  ['ls', 'list'],
  ['bash', 'run'],
  ['multiedit', 'edit'],
  ['lsp', 'diagnostics'],
  ['webfetch', 'fetch'],
  ['web_fetch', 'fetch'],
]);

/**
 * Reads the text of an agent's file. The fields are those of seed 000's reference: `name` and `description`
 * (required), `tools`, `spawns`, `model`, `thinking` (also `thinkingLevel`, `thinking-level`), `output`, `blocking`;
 * others are ignored.
 * @throws AgentFileError
 */
export function parseAgentFile(text: string, source: AgentSource, file?: string): AgentDefinition {
  const lines = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const match = FRONT_MATTER.exec(lines);
  if (!match)
    throw new AgentFileError('has no front matter: start it with --- lines around name and description');
  if (match[0].length > FRONT_MATTER_CHARACTERS)
    throw new AgentFileError(`front matter is longer than ${FRONT_MATTER_CHARACTERS} characters`);
  const fields = readFields(match[1] ?? '');
  const name = requiredText(fields, 'name').normalize('NFC');
  if (!NAME.test(name))
    throw new AgentFileError('name must be 1 to 64 characters on one line, without , < > " \' ` \\ or *');
  const listed = toolNames(fields.tools);
  const spawns = readSpawns(fields.spawns, listed);
  return {
    name,
    description: requiredText(fields, 'description'),
    tools: listed && [...new Set([...listed, ...(spawns.length > 0 ? ['task'] : []), 'yield'])],
    spawns,
    models: names(fields.model, 'model') ?? [],
    thinking: readThinking(fields.thinking ?? fields.thinkingLevel ?? fields['thinking-level']),
    output: fields.output ?? undefined,
    blocking: readBlocking(fields.blocking),
    prompt: lines.slice(match[0].length).trim(),
    source,
    file,
  };
}

function readFields(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parse(text, { schema: 'core', maxAliasCount: 20, logLevel: 'error' });
  } catch (error) {
    // The first line says what and where; the others repeat the file's text.
    const reason = String(error instanceof Error ? error.message : error).split('\n')[0];
    throw new AgentFileError(`front matter is not valid YAML: ${reason}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new AgentFileError('front matter must be fields such as "name: …"');
  // Without a prototype, so that only what the file says is found.
  return Object.assign(Object.create(null), value);
}

function requiredText(fields: Readonly<Record<string, unknown>>, field: string): string {
  const value = fields[field];
  if (value === undefined || value === null) throw new AgentFileError(`front matter has no ${field}`);
  if (typeof value !== 'string' || value.trim() === '')
    throw new AgentFileError(`${field} must be a text that is not blank`);
  return value.trim().toWellFormed();
}

/** A list as an array of texts or as one text with commas. */
function names(value: unknown, field: string): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const parts: unknown = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(parts) || !parts.every((part) => typeof part === 'string'))
    throw new AgentFileError(`${field} must be a list of names, or names with commas between them`);
  return [
    ...new Set(parts.map((part: string) => part.trim().normalize('NFC')).filter((part) => part !== '')),
  ];
}

function toolNames(value: unknown): string[] | undefined {
  const listed = names(value, 'tools')?.map((tool) => tool.toLowerCase());
  if (listed?.includes('*')) return undefined;
  return listed?.map((tool) => OTHER_NAMES.get(tool) ?? tool);
}

/** Without `spawns`, an agent that lists the tool `task` may start any other. */
function readSpawns(value: unknown, tools: readonly string[] | undefined): Spawns {
  const listed = names(value, 'spawns');
  if (!listed) return tools?.includes('task') ? '*' : [];
  return listed.includes('*') ? '*' : listed;
}

function readThinking(value: unknown): ThinkingLevel | undefined {
  if (value === undefined || value === null) return undefined;
  const level = THINKING_LEVELS.find((one) => one === value);
  if (!level)
    throw new AgentFileError(
      `thinking is ${quoted(String(value))}; use one of ${THINKING_LEVELS.join(', ')}`,
    );
  return level;
}

function readBlocking(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw new AgentFileError('blocking must be true or false');
  return value;
}
