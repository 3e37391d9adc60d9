/** A process in which sessions write to each other until nothing is left to do, or it is killed. Run by killed.test.ts. */
import type { ModelPart, ModelRequest } from '../../../src/session/chatModel.ts';
import { type Block, textOf } from '../../../src/session/messages.ts';
import { KEYS, SENDS } from './common.ts';
import { child, openMessages, step } from './mortal.ts';

/**
 * Calls a tool that has an effect for each message and each announcement, and answers an answer once. What an earlier
 * process left open is first acknowledged, as tools with effects are refused until then.
 */
async function* say({ messages }: ModelRequest): AsyncGenerator<ModelPart> {
  step();
  const results = messages.at(-1)?.content.filter(({ type }) => type === 'tool_result') ?? [];
  const result = results.map((block) => textOf({ role: 'user', content: blocksIn(block) })).join('\n');
  const open = /took effect: (.*?)\. Look first/.exec(result)?.[1];
  if (open !== undefined) {
    for (const [index, [, call]] of [...open.matchAll(/\(([^)]+)\)/g)].entries())
      yield {
        ...{ type: 'tool_use', id: `a${messages.length}-${index}`, name: 'acknowledge' },
        input: { call: call ?? '', finding: 'unknown', evidence: 'There is nothing to look at.' },
      };
    return;
  }
  if (results.length > 0 && !result.startsWith('Noted')) {
    yield { type: 'text', text: `did ${result}` };
    return;
  }
  const asked = messages.findLast(({ role, content }) => role !== 'assistant' && content[0]?.type === 'text');
  const text = asked ? textOf(asked) : '';
  const [, name] = /message (\w+)/.exec(text) ?? [];
  if (text.includes('automatic turn')) {
    yield { type: 'text', text: text.includes('turn 1 ') ? `thanks for message ${name}` : 'REPLY_SKIP' };
    return;
  }
  const of = text.includes('The request:') ? `announce ${name}` : `message ${name}`;
  yield { type: 'tool_use', id: `c${messages.length}`, name: 'effect', input: { of } };
}

function blocksIn(block: Block): readonly Block[] {
  return block.type === 'tool_result' ? block.content : [];
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
