/** A process that runs a session, or gets in the way of one, until it is done or killed. Run by family.ts. */
import { existsSync, writeSync } from 'node:fs';
import { KeyRing } from '../../../src/journal/keys.ts';
import { Inbox } from '../../../src/session/inbox.ts';
import type { LiveSession } from '../../../src/session/liveSession.ts';
import type { Draft, SessionRecord } from '../../../src/session/record.ts';
import { resumeSession, startSession } from '../../../src/session/resume.ts';
import {
  openTranscript,
  type TranscriptOptions,
  type TranscriptSeam,
} from '../../../src/session/transcript.ts';
import { type ChildOptions, randomFrom } from './common.ts';

const child = JSON.parse(process.argv[2] ?? '') as ChildOptions;
const random = randomFrom(child.seed);

let writes = 0;
let steps = 0;

function die(): void {
  process.kill(process.pid, 'SIGKILL');
  // The signal may take a moment.
  sleep(60_000);
}

const seam: TranscriptSeam = {
  step() {
    steps++;
    if (child.death?.how === 'step' && child.death.at === steps) die();
  },
  write(fd, bytes, offset, length) {
    writes++;
    const death = child.death?.at === writes ? child.death.how : undefined;
    if (death === 'before') die();
    const done = writeSync(fd, bytes, offset, death === 'within' ? Math.ceil(length * random()) : length);
    if (death === 'within' || death === 'after') die();
    return done;
  },
};

const options: TranscriptOptions = {
  dir: child.dir,
  id: 's',
  keys: new KeyRing({ dir: child.keys }),
  defaultLevel: 'PUBLIC',
  now: Date.now,
  seam,
};

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function acknowledge(uuids: readonly string[]): void {
  if (uuids.length > 0) writeSync(1, `${uuids.join('\n')}\n`);
}

/** Runs turns as an agent would: calls, parallel results, now and then a checkpoint and a rewind. */
function turns(): void {
  const opened = existsSync(`${child.dir}/s.jsonl`) ? resumeSession(options) : undefined;
  const session =
    opened?.session ??
    startSession(options, { key: 'k', kind: 'participant', source: 'test', started: 0, depth: 0 }).session;
  if (!session) throw new Error('held');
  for (let turn = 0; turn < child.count; turn++) oneTurn(session, `${child.label}.${turn}`, turn);
  session.close();
  writeSync(2, `writes ${writes} steps ${steps}`);
}

function oneTurn(session: LiveSession, name: string, turn: number): void {
  const fresh: string[] = [];
  const append = (...drafts: Draft[]) => {
    const result = session.append(drafts);
    if (!result.ok) throw new Error(result.error.message);
    fresh.push(...result.records.map((record: SessionRecord) => record.uuid));
  };
  const text = (text: string) => ({ type: 'text', text }) as const;
  const call = (id: string, tool: string) => ({ type: 'tool_use', id, name: tool, input: {} }) as const;
  const result = (id: string) =>
    ({ type: 'tool_result', tool_use_id: id, content: [text(`of ${id}`)] }) as const;
  const level = turn % 7 === 6 ? ({ level: 'CONFIDENTIAL' } as const) : {};
  append({ type: 'message', message: { role: 'user', content: [text(`prompt ${name}`)] }, ...level });
  for (let round = 0; round < 2; round++) {
    const [a, b] = [`${name}.${round}.a`, `${name}.${round}.b`];
    const tool =
      round === 0 && turn % 3 === 0 ? 'checkpoint' : round === 1 && turn % 3 === 1 ? 'rewind' : 'read';
    append({
      type: 'message',
      message: { role: 'assistant', content: [text(`look ${name}`), call(a, tool), call(b, 'read')] },
    });
    if (tool !== 'read') {
      const answer =
        tool === 'checkpoint'
          ? session.checkpoint.create(`goal ${name}`, { depth: 0, callId: a })
          : session.checkpoint.rewind(`report ${name}`, { depth: 0, callId: a });
      if (answer.ok) append(...answer.drafts);
    }
    append({ type: 'message', message: { role: 'user', content: [result(a)] } });
    append({ type: 'message', message: { role: 'user', content: [result(b)] } });
  }
  append({ type: 'message', message: { role: 'assistant', content: [text(`done ${name}`)] } });
  const outcome = session.endTurn({ reason: 'completed' });
  if (outcome.reason !== 'completed') throw new Error(outcome.detail);
  acknowledge(fresh);
}

/** Takes the transcript from whoever has it, alive or not, and writes until it is itself robbed. */
function fight(): void {
  const rough = { ...options, seam: { ...seam, alive: () => random() < 0.5 } };
  for (let round = 0; round < child.count && !existsSync(child.stop); round++) {
    const { writer } = openTranscript(rough);
    if (!writer) {
      sleep(random() * 5);
      continue;
    }
    for (let turn = 0; turn < 5; turn++) {
      const drafts = [0, 1].map((k): Draft => {
        const content = [{ type: 'text', text: `${child.label}.${round}.${turn}.${k}` } as const];
        return { type: 'message', message: { role: 'user', content } };
      });
      const result = writer.append(drafts);
      sleep(random() * 2);
      if (!result.ok || writer.sync()) break;
      acknowledge(result.records.map(({ uuid }) => uuid));
    }
    // Now and then it just forgets about it.
    if (random() < 0.7) writer.close();
  }
}

function give(): void {
  const inbox = new Inbox(options);
  for (let n = 0; n < child.count; n++) {
    const phases = [{ name: `${child.label}.${n}`, tasks: [] }];
    const uuid = `${child.label}-${n}`;
    inbox.deliver({ type: 'todo_edit', uuid, todo_edit: { by: 'person', phases } });
    acknowledge([uuid]);
    sleep(random() * 3);
  }
}

function own(): void {
  while (!existsSync(child.stop)) {
    const { session } = resumeSession(options);
    for (let look = 0; session && look < 5; look++) {
      const result = session.takeInbox();
      if (!result.ok) throw new Error(result.error.message);
      sleep(random() * 3);
    }
    session?.close();
    sleep(random() * 3);
  }
}

if (child.role === 'turns') turns();
else if (child.role === 'resume') resumeSession(options).session?.close();
else if (child.role === 'fight') fight();
else if (child.role === 'give') give();
else own();
