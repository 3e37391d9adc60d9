import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { phrase } from '../../worker/api.ts';
import type { SealOutcome, SwitchedBy } from '../../worker/sealingApi.ts';
import { defineTool, question, type RevealedKey, type ToolCall, ToolError } from '../tool.ts';

export const memoryEncrypt = defineTool({
  name: 'memory_encrypt',
  family: 'memory',
  profile: 'full',
  effect: 'destructive',
  title: 'Encrypt Memory',
  description:
    "Encrypt everything Lodeline keeps of this folder (AES-256-GCM): memories with their history, backups, captured activity, chats, plans and messages. Other windows and agents follow by themselves. Needs the person's approval. The key is never part of the answer: the person gets it once, and every door finds it in ~/.lodeline/keys or LODELINE_KEY. memory_decrypt undoes it.",
  input: z.object({}),
  confirm: () =>
    question(
      phrase('Encrypt everything Lodeline keeps of this folder?'),
      phrase(
        'Its key stays in ~/.lodeline/keys. Without it nobody, not even you, can read the memory again: keep a copy in a safe place. Decrypting undoes it.',
      ),
      false,
    ),
  async run(_input, call, context) {
    // Clear text in the work tree and a sealed store beside it would only look safe.
    if (context.settings.get('memory.files') === true)
      throw new ToolError(
        phrase(
          'Nothing was encrypted: memory is also kept as Markdown files in .lodeline/memory, which are clear text (setting memory.files). Turn that off first, and decide what becomes of the files.',
        ),
      );
    // A large store takes a moment to open; from the switch on there is no way back but to decrypt.
    await context.sealing.sealStatus();
    call.signal.throwIfAborted();
    const outcome = await context.sealing.seal(switchedBy('memory_encrypt', call));
    if (outcome.already) return { text: alreadyText(outcome), data: told(outcome) };
    const key = await context.revealKey(outcome.key);
    const text = [
      '🔐 Encryption enabled',
      keyLine(key, outcome.key),
      ...othersLines(outcome),
      ...filesLines(context.workTree),
      'The user-wide memory (~/.lodeline) is a store of its own and stays as it is.',
    ].join('\n');
    return { text, data: { ...told(outcome), keyAt: key } };
  },
});

export const memoryDecrypt = defineTool({
  name: 'memory_decrypt',
  family: 'memory',
  profile: 'full',
  effect: 'destructive',
  title: 'Decrypt Memory',
  description:
    "Undo memory_encrypt: what Lodeline keeps of this folder is stored in the clear again, except what its level or its nature (secrets) keeps sealed. Takes no key: it is found in ~/.lodeline/keys or LODELINE_KEY. Needs the person's approval.",
  input: z.object({}),
  confirm: () =>
    question(
      phrase('Store what Lodeline keeps of this folder in the clear again?'),
      phrase('Whoever can read the files of this folder can then read it.'),
      false,
    ),
  async run(_input, call, context) {
    await context.sealing.sealStatus();
    call.signal.throwIfAborted();
    const outcome = await context.sealing.unseal(switchedBy('memory_decrypt', call));
    if (outcome.already) return { text: 'Encryption is not enabled', data: told(outcome) };
    return { text: ['🔓 Encryption disabled', ...othersLines(outcome)].join('\n'), data: told(outcome) };
  },
});

/** What the answer of either tool has as data. */
export interface Switched extends SealOutcome {
  /** How the person got the key, where a new one was taken into use. */
  readonly keyAt?: RevealedKey | undefined;
}

function told({ state, key, missing, already, others }: SealOutcome): Switched {
  return { state, key, already, others, ...(missing === undefined ? {} : { missing }) };
}

function alreadyText({ missing }: SealOutcome): string {
  const text = 'Encryption is already enabled';
  return missing === undefined ? text : `${text}. ${missing}`;
}

function switchedBy(tool: string, { level, actor, session, source }: ToolCall): SwitchedBy {
  return { tool, level, actor, session, source };
}

/** Files that were written while they were wanted belong to the person, and perhaps to git. */
function filesLines(workTree: string): string[] {
  try {
    if (!readdirSync(join(workTree, '.lodeline', 'memory')).some((name) => name.endsWith('.md'))) return [];
  } catch {
    return [];
  }
  return [
    'The Markdown files in .lodeline/memory stay as they are, in the clear: ask the person what is to become of them.',
  ];
}

function keyLine(key: RevealedKey, id: string): string {
  if (key.how === 'given')
    return `⚠️ The key ${id} is the one in LODELINE_KEY. Keep it: it cannot be recovered.`;
  if (key.how === 'shown') return `⚠️ The key ${id} is shown to the person, once. It cannot be recovered.`;
  return `⚠️ Keep the key ${id}, it cannot be recovered. It is in ${key.file}, which only this user can read: ask the person to put a copy in a safe place.`;
}

function othersLines({ others }: SealOutcome): string[] {
  if (others === 0) return [];
  return [
    `${others} ${others === 1 ? 'file is' : 'files are'} written by another running process, which follows within a moment or once it ends.`,
  ];
}
