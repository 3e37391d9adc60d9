/** `lodeline encrypt` and `lodeline decrypt`: whether what is kept of a folder is sealed as a whole. */
import { parseArgs } from 'node:util';
import { createApp } from '../app.ts';
import { parseRoot, terminalPorts } from '../terminal.ts';

const TOOLS = { encrypt: 'memory_encrypt', decrypt: 'memory_decrypt' } as const;

const HELP = `Usage: lodeline encrypt [--root DIR]
       lodeline decrypt [--root DIR]

Encrypts everything that is kept of a folder, or stores it in the clear again. The key is printed once, and only to a
terminal; it is kept in ~/.lodeline/keys. Set LODELINE_KEY (64 hexadecimal digits) to use a key of your own.

  --root DIR   the workspace folder (default: the current one)`;

/** Runs one of them with the rest of the command line. */
export async function runEncrypt(command: keyof typeof TOOLS, args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { root: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help === true) {
    console.log(HELP);
    return;
  }
  const root = parseRoot(values.root);
  let shown: string | undefined;
  const ports = terminalPorts(root);
  const showKey = (key: string): void => {
    shown = key;
  };
  const app = createApp({ root, ports: process.stdout.isTTY ? { ...ports, showKey } : ports });
  try {
    const { text, isError } = await app.registry.invoke(
      TOOLS[command],
      {},
      {
        ...{ door: 'cli', actor: 'person', level: app.defaultLevel, source: 'cli' },
        session: `cli:${process.pid}`,
        signal: new AbortController().signal,
        // Whoever types the command has decided.
        approve: async () => 'approved',
      },
    );
    if (isError) throw new Error(text);
    console.log(text);
    if (shown !== undefined) console.log(`\n${shown}`);
  } finally {
    await app.close();
  }
}
