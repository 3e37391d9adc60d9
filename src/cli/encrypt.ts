/** `lodeline encrypt` and `lodeline decrypt`: whether what is kept of a folder is sealed as a whole. */
import { parseArgs } from 'node:util';
import { createApp } from '../app.ts';
import { parseRoot, terminalPorts } from '../terminal.ts';
import type { Switched } from '../tools/memory/encrypt.ts';

type Command = 'encrypt' | 'decrypt';
const TOOLS = { encrypt: 'memory_encrypt', decrypt: 'memory_decrypt' } as const;

const HELP = `Usage: lodeline encrypt [--root DIR]
       lodeline decrypt [--root DIR]

encrypt: everything that is kept of the folder is stored sealed (AES-256-GCM): memories with their history, backups,
captured activity, chats, plans, messages and what subagents made. Other windows and agents follow by themselves.
decrypt: it is stored in the clear again, except what its level or its nature (secrets) keeps sealed.

The key is kept in ~/.lodeline/keys, in a file that only you can read. On a terminal it is also printed, once; anywhere
else its file is named. Without the key nobody can read the memory again: put a copy in a safe place.

  --root DIR     the workspace folder (default: the current one)

  LODELINE_KEY   a key of your own, 64 hexadecimal digits, instead of a new one; to decrypt, or after the key was lost
                 from ~/.lodeline/keys, the key that the folder is encrypted with

The exit code is 0 when the folder is as asked for, also when it was before; 1 when it is not or when its key is not
here, with the reason; 2 for a wrong command line.`;

/** Runs one of them with the rest of the command line. */
export async function runEncrypt(command: Command, args: readonly string[]): Promise<void> {
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
    const { text, data, isError } = await app.registry.invoke(
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
    const outcome = data as Switched;
    if (outcome.missing !== undefined)
      throw new Error(`This folder is encrypted already. ${outcome.missing}`);
    console.log(describe(command, outcome, shown).join('\n'));
  } finally {
    await app.close();
  }
}

/** What a person at a shell reads. */
function describe(command: Command, { already, others, key, keyAt }: Switched, shown?: string): string[] {
  const how = command === 'encrypt' ? 'encrypted' : 'in the clear';
  if (already) return [`What Lodeline keeps of this folder is ${how} already. Nothing was changed.`];
  return [
    `What Lodeline keeps of this folder is ${command === 'encrypt' ? how : `${how} again`}.`,
    ...(others === 0
      ? []
      : [
          `${others} ${others === 1 ? 'file' : 'files'} of other running processes will follow, within a moment or once they end.${command === 'decrypt' ? ' Keep the key until then.' : ''}`,
        ]),
    ...keyLines(key, keyAt, shown),
  ];
}

function keyLines(id: string, keyAt: Switched['keyAt'], shown?: string): string[] {
  const keep =
    'Without it nobody can read this memory again: put a copy in a safe place, outside of this folder.';
  if (keyAt === undefined) return [];
  if (keyAt.how === 'given') return [`Its key is the one in LODELINE_KEY (${id}). ${keep}`];
  if (keyAt.how === 'file') return [`Its key is in ${keyAt.file}, which only you can read. ${keep}`];
  return [
    `Its key, shown only now:`,
    '',
    `    ${shown}`,
    '',
    `On this computer it is kept in ~/.lodeline/keys. ${keep}`,
  ];
}
