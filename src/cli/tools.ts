/** Commands that call one tool and print its answer. */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createApp } from '../app.ts';
import { parseClassification, parseRoot, terminalPorts, UsageError } from '../terminal.ts';

/** Runs `export` or `call` with the rest of the command line. */
export async function runTool(command: 'export' | 'call', args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      root: { type: 'string' },
      classification: { type: 'string' },
      out: { type: 'string' },
      clear: { type: 'boolean' },
      open: { type: 'string' },
    },
    allowPositionals: command === 'call',
  });
  for (const name of ['out', 'clear', 'open'] as const)
    if (values[name] !== undefined && command !== 'export')
      throw new UsageError(`--${name} belongs to export.`);
  const { tool, input, actor } = request(command, positionals, values);
  const root = parseRoot(values.root);
  const app = createApp({ root, ports: terminalPorts(root) });
  try {
    const { text, isError } = await app.registry.invoke(tool, input, {
      door: 'cli',
      actor,
      level: parseClassification(values.classification) ?? app.defaultLevel,
      session: `cli:${process.pid}`,
      source: 'cli',
      signal: new AbortController().signal,
      approve: async () => 'unavailable',
    });
    if (isError) throw new Error(text);
    if (values.out === undefined) console.log(text);
    else await writeFile(values.out, `${text}\n`, { mode: 0o600 });
  } finally {
    await app.close();
  }
}

interface Request {
  readonly tool: string;
  readonly input: unknown;
  /** Scripts and agents use `call`, so it has an agent's rights. */
  readonly actor: 'person' | 'agent';
}

function request(
  command: 'export' | 'call',
  positionals: readonly string[],
  { clear = false, open }: { readonly clear?: boolean | undefined; readonly open?: string | undefined },
): Request {
  if (command === 'export' && open !== undefined)
    return { tool: 'memory_export_open', input: { path: resolve(open) }, actor: 'person' };
  if (command === 'export') return { tool: 'memory_export', input: { clear }, actor: 'person' };
  const [tool, json = '{}', ...rest] = positionals;
  if (tool === undefined || rest.length > 0)
    throw new UsageError('call takes a tool and its input as one JSON text.');
  try {
    return { tool, input: JSON.parse(json), actor: 'agent' };
  } catch (error) {
    throw new UsageError(
      `call: the input is not JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
