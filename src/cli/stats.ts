/** `lodeline stats`: the figures of a folder's memory, from the tool that agents have for it. */
import { parseArgs } from 'node:util';
import { type App, createApp } from '../app.ts';
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

/** Prints the figures with the rest of the command line. */
export async function runStats(args: readonly string[]): Promise<void> {
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
    console.log(STATS_HELP);
    return;
  }
  const level = parseClassification(values.classification);
  const { text, data } = await withApp(parseRoot(values.root), (app) => readStats(app, level));
  console.log(values.json ? JSON.stringify(data, null, 2) : text);
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
