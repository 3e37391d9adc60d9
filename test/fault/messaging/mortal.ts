/** A process that works on the messages of a folder until nothing is left to do, or it is killed. */
import { appendFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KeyRing } from '../../../src/journal/keys.ts';
import { SessionAccess } from '../../../src/messaging/access.ts';
import { Messaging } from '../../../src/messaging/messaging.ts';
import { Taint } from '../../../src/policy/taint.ts';
import type { ChatModel } from '../../../src/session/chatModel.ts';
import { textMessage } from '../../../src/session/messages.ts';
import { idOf } from '../../../src/session/sessionId.ts';
import type { TranscriptSeam } from '../../../src/session/transcript.ts';
import type { LoopTools } from '../../../src/session/turnCalls.ts';
import { BusyError } from '../../../src/worker/api.ts';
import { SessionService } from '../../../src/worker/sessions.ts';
import type { ChildOptions } from './common.ts';

export const child = JSON.parse(process.argv[2] ?? '') as ChildOptions;
let steps = 0;

/** Something after which the process may be gone. */
export function step(): void {
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

/** The sessions and messages of the folder; agents have one tool, `effect`, whose effects are counted. */
export function openMessages(say: ChatModel['send'], settings: Readonly<Record<string, unknown>> = {}) {
  const shared = { defaultLevel: 'PUBLIC', now: Date.now } as const;
  const keys = new KeyRing({ dir: child.keys });
  const sessions = new SessionService({ ...shared, dir: child.dir, keys, seam });
  const read = { get: (key: string) => settings[key] };
  const taint = new Taint({
    dir: join(dirname(child.dir), 'taint'),
    keys: () => keys,
    audit: { record: () => {} },
  });
  const access = new SessionAccess({ sessions, taint, settings: read, now: Date.now });
  const model = { name: 'scripted', send: say };
  const messaging = new Messaging({
    ...{
      ...shared,
      root: dirname(child.dir),
      storeDir: dirname(child.dir),
      sessions,
      settings: read,
      access,
    },
    log: { info: () => {}, warn: (text) => console.error(text), error: (text) => console.error(text) },
    trusted: () => true,
    chatModel: async () => model,
    loopAgent: async () => ({ system: '', tools, model: async () => model }),
    isBusy: (error) => error instanceof BusyError,
    notify: () => {},
  });
  return {
    ...{ sessions, access, messaging },
    /** Begins a chat of ours, unless it is there. */
    async chat(key: string) {
      const owner = { key, kind: 'participant', source: 'test', level: 'PUBLIC' } as const;
      const known = await sessions.sessionsBrowse({ level: 'RESTRICTED' });
      if (known.some(({ id }) => id === idOf(key))) return owner;
      const hello = { type: 'message', message: textMessage('user', 'hello') } as const;
      const { id } = await sessions.turnBegin(owner, [hello]);
      await sessions.turnEnd(id, [], { reason: 'completed' });
      return owner;
    },
    /** Goes on with everything that was left, and says how many steps it all took. */
    async finish(): Promise<void> {
      await messaging.resume();
      await messaging.idle();
      await messaging.close();
      sessions.close();
      writeSync(2, `steps ${steps}`);
    },
  };
}
