/** A process in which sessions write to each other until nothing is left to do, or it is killed. Run by killed.test.ts. */
import type { ModelPart, ModelRequest } from '../../../src/session/chatModel.ts';
import { textOf } from '../../../src/session/messages.ts';
import { KEYS, SENDS } from './common.ts';
import { child, openMessages, step } from './mortal.ts';

/** Calls a tool that has an effect for each message and each announcement, and answers an answer once. */
async function* say({ messages }: ModelRequest): AsyncGenerator<ModelPart> {
  step();
  const last = messages.at(-1);
  const block = last?.content[0];
  if (block?.type === 'tool_result') {
    const text = textOf({ role: 'user', content: block.content });
    yield { type: 'text', text: `did ${text}` };
    return;
  }
  const text = last ? textOf(last) : '';
  const [, name] = /message (\w+)/.exec(text) ?? [];
  if (text.includes('automatic turn')) {
    yield { type: 'text', text: text.includes('turn 1 ') ? `thanks for message ${name}` : 'REPLY_SKIP' };
    return;
  }
  const of = text.includes('The request:') ? `announce ${name}` : `message ${name}`;
  yield { type: 'tool_use', id: `c${messages.length}`, name: 'effect', input: { of } };
}

const { sessions, messaging, chat, finish } = openMessages(say, { 'tools.sessions.visibility': 'all' });

if (!child.isLast) {
  for (const key of [KEYS.a, KEYS.b]) await chat(key);
  const observed = { key: KEYS.observed, kind: 'mcp', source: 'test', level: 'PUBLIC' } as const;
  await sessions.sessionStart(observed);
  for (const { id, from, to } of SENDS) {
    const session = KEYS[from];
    const call = { door: 'editor', actor: 'agent', level: 'PUBLIC', session, loop: { depth: 0 } } as const;
    const input = { id, sessionKey: KEYS[to], message: `message ${id}`, timeoutSeconds: 0 };
    const { status, error } = await messaging.send(input, call, AbortSignal.timeout(60_000));
    if (status !== 'accepted' && status !== 'ok' && !/interrupted/.test(error ?? '')) throw new Error(error);
  }
}
await finish();
