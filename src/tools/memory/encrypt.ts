import { z } from 'zod';
import { phrase } from '../../worker/api.ts';
import type { SealOutcome } from '../../worker/sealingApi.ts';
import { defineTool, question, type RevealedKey } from '../tool.ts';

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
      phrase('Without its key nobody can read it again, so keep a copy of the key in a safe place.'),
      false,
    ),
  async run(_input, _call, context) {
    const outcome = await context.sealing.seal();
    if (outcome.already) return { text: 'Encryption is already enabled', data: told(outcome) };
    const key = await context.revealKey(outcome.key);
    const text = ['🔐 Encryption enabled', keyLine(key, outcome.key), ...othersLines(outcome)].join('\n');
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
  async run(_input, _call, context) {
    const outcome = await context.sealing.unseal();
    if (outcome.already) return { text: 'Encryption is not enabled', data: told(outcome) };
    return { text: ['🔓 Encryption disabled', ...othersLines(outcome)].join('\n'), data: told(outcome) };
  },
});

function told({ state, key, already, others }: SealOutcome) {
  return { state, key, already, others };
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
