/** `lodeline import KIND [PATH]` and `lodeline export toon [PATH]`. Whoever runs them is taken for the person. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createApp } from '../app.ts';
import { parseClassification, parseRoot, terminalPorts, UsageError } from '../terminal.ts';
import type { Imported } from '../tools/memory/import.ts';
import { IMPORT_KINDS } from '../tools/memory/importPlaces.ts';

export const IMPORT_HELP = `Usage: lodeline import KIND [PATH] [options]
       lodeline export toon [PATH] [options]

  KIND             toon, copilot, claude, basic-memory or server-memory
  PATH             the file or folder; where the tool keeps its memories when not given
                   (toon: .toon-memory/memory/data.toon under the root)

  --root DIR       the workspace folder (default: the current one)
  --classification LEVEL
                   import: the level of what comes in; export: which levels are counted as left out
                   (default: the folder's, which is also the highest that is written)

TOON_MEMORY_KEY    the key of a sealed .toon file, 64 hex characters

Imported again, nothing changes twice. The exit code is 1 when something could not be taken; the rest was.`;

/** Runs `import` or `export toon` with the rest of the command line. */
export async function runImporting(command: 'import' | 'export', args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      root: { type: 'string' },
      classification: { type: 'string' },
      clear: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  if (values.help === true) return console.log(IMPORT_HELP);
  const [kind, path, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError(`${command} takes one path.`);
  if (kind === undefined || (command === 'import' && !IMPORT_KINDS.some((known) => known === kind)))
    throw new UsageError(`import takes one of ${IMPORT_KINDS.join(', ')}.`);
  if (values.clear === true && command === 'import') throw new UsageError('--clear belongs to export.');
  const root = parseRoot(values.root);
  const key = takeKey(process.env);
  const app = createApp({ root, ports: terminalPorts(root) });
  try {
    const input = {
      ...(path === undefined ? {} : { path: resolve(path) }),
      ...(key === undefined ? {} : { key }),
    };
    const tool = command === 'import' ? 'memory_import' : 'memory_export_toon';
    const { text, data, isError } = await app.registry.invoke(
      tool,
      command === 'import' ? { kind, ...input } : { ...input, clear: values.clear ?? false },
      {
        door: 'cli',
        actor: 'person',
        level: parseClassification(values.classification) ?? app.defaultLevel,
        session: `cli:${process.pid}`,
        source: 'cli',
        signal: new AbortController().signal,
        approve: async () => 'unavailable',
      },
    );
    if (isError) throw new Error(text);
    console.log(text);
    const damaged = command === 'import' ? (data as Imported).damaged.length : 0;
    if (damaged > 0) throw new Error(`Damaged rows: ${damaged} could not be imported; the rest was.`);
  } finally {
    await app.close();
  }
}

/** Reads the key of sealed files and takes it out of the environment, so that no child process has it. */
function takeKey(env: NodeJS.ProcessEnv): string | undefined {
  const { TOON_MEMORY_KEY: key } = env;
  delete env.TOON_MEMORY_KEY;
  return key;
}
