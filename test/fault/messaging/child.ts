/** A process in which sessions write to each other until nothing is left to do, or it is killed. Run by killed.test.ts. */
import { appendFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { KeyRing } from '../../../src/journal/keys.ts';
import { SessionAccess } from '../../../src/messaging/access.ts';
import { Messaging } from '../../../src/messaging/messaging.ts';
import type { ModelPart, ModelRequest } from '../../../src/session/chatModel.ts';
import { textMessage, textOf } from '../../../src/session/messages.ts';
import { idOf } from '../../../src/session/sessionId.ts';
import type { TranscriptSeam } from '../../../src/session/transcript.ts';
import type { LoopTools } from '../../../src/session/turnCalls.ts';
import { BusyError } from '../../../src/worker/api.ts';
import { SessionService } from '../../../src/worker/sessions.ts';
import { type ChildOptions, KEYS, SENDS } from './common.ts';

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

const tools: LoopTools = {
  specs: () => [{ name: 'effect', description: '', inputSchema: { type: 'object' } }],
  isExclusive: () => true,
  call: async ({ input }) => {
    const { of } = input as { of: string };
    step();
    appendFileSync(child.effects, `${of}\n`);
    step();
    return { text: of, isError: false };
  },
};

const keys = new KeyRing({ dir: child.keys });
const sessions = new SessionService({ dir: child.dir, keys, defaultLevel: 'PUBLIC', now: Date.now, seam });
const settings = {
  get: (key: string) => (key === 'tools.sessions.visibility' ? 'all' : undefined),
};
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

async function startChat(key: string): Promise<void> {
  const owner = { key, kind: 'participant', source: 'test', level: 'PUBLIC' } as const;
  const { id } = await sessions.turnBegin(owner, [
    { type: 'message', message: textMessage('user', 'hello') },
  ]);
  await sessions.turnEnd(id, [], { reason: 'completed' });
}

if (!child.isLast) {
  const known = new Set((await sessions.sessionsBrowse({ level: 'RESTRICTED' })).map(({ id }) => id));
  for (const key of [KEYS.a, KEYS.b]) if (!known.has(idOf(key))) await startChat(key);
  const observed = { key: KEYS.observed, kind: 'mcp', source: 'test', level: 'PUBLIC' } as const;
  if (!known.has(idOf(KEYS.observed))) await sessions.sessionStart(observed);
  for (const { id, from, to } of SENDS) {
    const call = {
      door: 'editor',
      actor: 'agent',
      level: 'PUBLIC',
      session: KEYS[from],
      loop: { depth: 0 },
    } as const;
    const input = { id, sessionKey: KEYS[to], message: `message ${id}`, timeoutSeconds: 0 };
    const { status, error } = await messaging.send(input, call, AbortSignal.timeout(60_000));
    if (status !== 'accepted' && status !== 'ok' && !/interrupted/.test(error ?? '')) throw new Error(error);
  }
}
await messaging.resume();
await messaging.idle();
await messaging.close();
sessions.close();
writeSync(2, `steps ${steps}`);
