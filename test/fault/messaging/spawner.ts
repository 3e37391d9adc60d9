/** A process in which a chat spawns a session, until nothing is left to do, or it is killed. Run by spawned.test.ts. */
import type { ModelPart, ModelRequest } from '../../../src/session/chatModel.ts';
import { KEYS } from './common.ts';
import { child, openMessages, step } from './mortal.ts';

/** Does something once, says so, and has a note on it. */
async function* say({ messages, tools }: ModelRequest): AsyncGenerator<ModelPart> {
  step();
  const last = messages.at(-1);
  if (last?.content[0]?.type === 'tool_result') yield { type: 'text', text: 'It is done.' };
  else if (tools.length === 0) yield { type: 'text', text: 'A note.' };
  else yield { type: 'tool_use', id: `c${messages.length}`, name: 'effect', input: { of: 'effect' } };
}

const { access, messaging, chat, finish } = openMessages(say);

if (!child.isLast && (await messaging.runs({ level: 'RESTRICTED' })).length === 0) {
  const session = await chat(KEYS.a);
  const { key, agentId, level } = await access.requester({
    ...{ door: 'editor', actor: 'agent', level: 'PUBLIC', session: KEYS.a, loop: { depth: 0 } },
  });
  const answer = await messaging.spawn(
    {
      ...{ task: 'Have the effect.', label: undefined, agentId, model: undefined, runTimeoutSeconds: 0 },
      ...{ thread: false, mode: 'run', cleanup: 'keep', attachments: [] },
    },
    { key, agentId, level, channel: 'webchat', session },
  );
  if (answer.status !== 'accepted') throw new Error(answer.error);
}
await finish();
