/** A process in which a chat spawns a session, until nothing is left to do, or it is killed. Run by spawned.test.ts. */
import { appendFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { KeyRing } from '../../../src/journal/keys.ts';
import { SessionAccess } from '../../../src/messaging/access.ts';
import { Messaging } from '../../../src/messaging/messaging.ts';
import type { ModelPart, ModelRequest } from '../../../src/session/chatModel.ts';
import { textMessage } from '../../../src/session/messages.ts';
import { idOf } from '../../../src/session/sessionId.ts';
import type { TranscriptSeam } from '../../../src/session/transcript.ts';
import type { LoopTools } from '../../../src/session/turnCalls.ts';
import { BusyError } from '../../../src/worker/api.ts';
import { SessionService } from '../../../src/worker/sessions.ts';
import { type ChildOptions, KEYS } from './common.ts';

const child = JSON.parse(process.argv[2] ?? '') as ChildOptions;
let steps = 0;

/** Something after which the process may be gone. */
function step(): void {
  if (++steps !== child.death) return;
  process.kill(process.pid, 'SIGKILL');
  // The signal may take a moment.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
}

const seam: TranscriptSeam = {
  step,
  write(fd, bytes, offset, length) {
    step();
    // A write in two parts can break off between them.
    return writeSync(fd, bytes, offset, Math.max(1, length >> 1));
  },
};

/** Does something once, says so, and has a note on it. */
async function* say({ messages, tools }: ModelRequest): AsyncGenerator<ModelPart> {
  step();
  const last = messages.at(-1);
  if (last?.content[0]?.type === 'tool_result') yield { type: 'text', text: 'It is done.' };
  else if (tools.length === 0) yield { type: 'text', text: 'A note.' };
  else yield { type: 'tool_use', id: `c${messages.length}`, name: 'effect', input: {} };
}

const tools: LoopTools = {
  specs: () => [{ name: 'effect', description: '', inputSchema: { type: 'object' } }],
  isExclusive: () => true,
  call: async () => {
    step();
    appendFileSync(child.effects, 'effect\n');
    step();
    return { text: 'effect', isError: false };
  },
};

const keys = new KeyRing({ dir: child.keys });
const sessions = new SessionService({ dir: child.dir, keys, defaultLevel: 'PUBLIC', now: Date.now, seam });
const settings = { get: () => undefined };
const access = new SessionAccess({ sessions, settings, now: Date.now });
const model = { name: 'scripted', send: say };
const messaging = new Messaging({
  ...{ root: dirname(child.dir), storeDir: dirname(child.dir), defaultLevel: 'PUBLIC', now: Date.now },
  ...{ sessions, settings, access },
  log: { info: () => {}, warn: (text) => console.error(text), error: (text) => console.error(text) },
  trusted: () => true,
  chatModel: async () => model,
  loopAgent: async () => ({ system: '', tools, model: async () => model }),
  isBusy: (error) => error instanceof BusyError,
  notify: () => {},
});

if (!child.isLast && (await messaging.runs({ level: 'RESTRICTED' })).length === 0) {
  const session = { key: KEYS.a, kind: 'participant', source: 'test', level: 'PUBLIC' } as const;
  const known = await sessions.sessionsBrowse({ level: 'RESTRICTED' });
  if (!known.some(({ id }) => id === idOf(KEYS.a))) {
    const hello = { type: 'message', message: textMessage('user', 'hello') } as const;
    const { id } = await sessions.turnBegin(session, [hello]);
    await sessions.turnEnd(id, [], { reason: 'completed' });
  }
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
await messaging.resume();
await messaging.idle();
await messaging.close();
sessions.close();
writeSync(2, `steps ${steps}`);
