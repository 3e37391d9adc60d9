/** `lodeline stats`: the figures of a folder's memory, from the tool that agents have for it. */
import { parseArgs } from 'node:util';
import { createApp } from '../app.ts';
import type { App } from '../appApi.ts';
import type { Level } from '../policy/level.ts';
import { parseClassification, parseRoot, terminalPorts } from '../terminal.ts';
import type { Stats } from '../worker/api.ts';

const STATS_HELP = `Usage: lodeline stats [--root DIR] [--classification LEVEL] [--json]

Counts what is remembered.

  --root DIR               the workspace folder (default: the current one)
  --classification LEVEL   highest level it counts (default: the folder's)
  --json                   answer with JSON`;

/** A tool's answer. */
interface Answer {
  readonly text: string;
  readonly data: unknown;
}

/** What a command that shows something of a folder is asked. */
interface Asked {
  readonly root: string;
  /** Highest level that counts; the folder's when undefined. */
  readonly level: Level | undefined;
  readonly json: boolean;
}

/** Prints the figures with the rest of the command line. */
export async function runStats(args: readonly string[]): Promise<void> {
  const asked = parseAsked(args, STATS_HELP);
  if (asked === undefined) return;
  const { text, data } = await withApp(asked.root, (app) => readStats(app, asked.level));
  console.log(asked.json ? JSON.stringify(data, null, 2) : text);
}

/** Reads the options of such a command; undefined when it was asked for its help, which is then printed. @throws UsageError */
export function parseAsked(args: readonly string[], help: string): Asked | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      root: { type: 'string' },
      classification: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) {
    console.log(help);
    return undefined;
  }
  const { root, classification, json } = values;
  return { root: parseRoot(root), level: parseClassification(classification), json };
}

/** The figures of a folder's memory. @param level highest level that counts; the folder's when undefined */
export async function readStats(
  app: App,
  level: Level | undefined,
): Promise<Answer & { readonly data: Stats }> {
  const { text, data } = await asPerson(app, 'memory_stats', level);
  return { text, data: data as Stats };
}

/** Runs something with the app of a folder, and closes it. */
export async function withApp<T>(root: string, run: (app: App) => Promise<T>): Promise<T> {
  const app = createApp({ root, ports: terminalPorts(root) });
  try {
    return await run(app);
  } finally {
    await app.close();
  }
}

/** Calls a tool without input for the person at the terminal. @throws when it fails */
export async function asPerson(app: App, tool: string, level: Level | undefined): Promise<Answer> {
  const { text, data, isError } = await app.registry.invoke(
    tool,
    {},
    {
      ...{ door: 'cli', actor: 'person', level: level ?? app.defaultLevel, source: 'cli' },
      session: `cli:${process.pid}`,
      signal: new AbortController().signal,
      approve: async () => 'unavailable',
    },
  );
  if (isError) throw new Error(text);
  return { text, data };
}
