/** A process that runs a session, or gets in the way of one, until it is done or killed. Run by family.ts. */
import { existsSync, writeSync } from 'node:fs';
import { KeyRing } from '../../../src/journal/keys.ts';
import { Inbox } from '../../../src/session/inbox.ts';
import type { Message } from '../../../src/session/messages.ts';
import type { Draft } from '../../../src/session/record.ts';
import { resumeSession } from '../../../src/session/resume.ts';
import {
  openTranscript,
  type TranscriptOptions,
  type TranscriptSeam,
} from '../../../src/session/transcript.ts';
import { BusyError } from '../../../src/worker/api.ts';
import { SessionService } from '../../../src/worker/sessions.ts';
import { type ChildOptions, ID, KEY, randomFrom } from './common.ts';

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
  id: ID,
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

/**
 * Runs turns as an agent's loop would: calls, parallel results, now and then a checkpoint and a rewind, a list, a
 * person's edit that waits in the inbox, and going back to the turn before the last.
 */
async function turns(): Promise<void> {
  const sessions = new SessionService({ ...options, seam });
  const ends: string[] = [];
  for (let turn = 0; turn < child.count; turn++) {
    ends.push(await oneTurn(sessions, `${child.label}.${turn}`, turn, ends));
  }
  sessions.close();
  writeSync(2, `writes ${writes} steps ${steps}`);
}

async function oneTurn(
  sessions: SessionService,
  name: string,
  turn: number,
  ends: readonly string[],
): Promise<string> {
  const fresh: string[] = [];
  const draft = (message: Message): Draft => {
    const uuid = `${name}-${fresh.length}`;
    fresh.push(uuid);
    return { type: 'message', uuid, message };
  };
  const text = (text: string) => ({ type: 'text', text }) as const;
  const call = (id: string, tool: string) => ({ type: 'tool_use', id, name: tool, input: {} }) as const;
  const result = (id: string) =>
    draft({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: [text(`of ${id}`)] }] });
  const prompt = draft({ role: 'user', content: [text(`prompt ${name}`)] });
  const level = turn < 6 ? 'PUBLIC' : 'CONFIDENTIAL';
  const returnTo = turn % 5 === 4 ? ends.at(-2) : undefined;
  const owner = { key: KEY, kind: 'participant', source: 'test', level } as const;
  const { id } = await sessions.turnBegin({ ...owner, returnTo }, [prompt]);
  for (let round = 0; round < 2; round++) {
    const [a, b] = [`${name}.${round}.a`, `${name}.${round}.b`];
    const tool =
      round === 0 && turn % 3 === 0 ? 'checkpoint' : round === 1 && turn % 3 === 1 ? 'rewind' : 'read';
    const content = [text(`look ${name}`), call(a, tool), call(b, 'read')];
    await sessions.turnStep(id, [draft({ role: 'assistant', content })]);
    const caller = { ...owner, loop: { callId: a, depth: 0 } };
    if (tool === 'checkpoint') await sessions.checkpoint(caller, `goal ${name}`);
    else if (tool === 'rewind') await sessions.rewind(caller, `report ${name}`);
    else await sessions.todoWrite(caller, [{ op: 'append', phase: 'P', items: [`${name} ${round}`] }], 60);
    if (round === 1 && turn % 2 === 0) {
      const uuid = `${name}-edit`;
      const steps = [{ op: 'append', phase: 'P', items: [`mine ${name}`] }];
      new Inbox(options).give({ type: 'todo_steps', uuid, todo_steps: { by: 'person', steps } });
      fresh.push(uuid);
    }
    await sessions.turnStep(id, [result(a), result(b)]);
  }
  const done = draft({ role: 'assistant', content: [text(`done ${name}`)] });
  let outcome = await sessions.turnStop(id, [done], { reminders: 1 });
  if (!('reason' in outcome)) outcome = await sessions.turnEnd(id, [], { reason: 'completed' });
  if (outcome.reason !== 'completed' || outcome.turn === undefined) throw new Error(outcome.detail);
  acknowledge(fresh);
  return outcome.turn;
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
    inbox.give({ type: 'todo_edit', uuid, todo_edit: { by: 'person', phases } });
    // If nobody has the session, what was given is taken in here.
    resumeSession(options).session?.close();
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

/** Has the session: idle, writing to it every moment, or in the middle of a turn. */
async function stay(): Promise<void> {
  const sessions = new SessionService(options);
  const owner = { key: KEY, kind: 'participant', source: 'test', level: 'PUBLIC' } as const;
  await sessions.todoWrite(owner, [{ op: 'append', phase: 'P', items: [child.label] }], 60);
  if (child.role === 'busy') await sessions.turnBegin(owner, []);
  for (let at = 0; !existsSync(child.stop); at++) {
    sleep(100);
    sessions.poll();
    if (child.role !== 'steady') continue;
    sleep(100);
    const note = [{ op: 'note', task: child.label, text: `${at}` }];
    // Whoever waits for it may have it at this moment.
    await sessions.todoWrite(owner, note, 60).catch((error: unknown) => {
      if (!(error instanceof BusyError)) throw error;
    });
  }
  sessions.close();
}

if (child.role === 'turns') await turns();
else if (child.role === 'idle' || child.role === 'steady' || child.role === 'busy') await stay();
else if (child.role === 'resume') resumeSession(options).session?.close();
else if (child.role === 'fight') fight();
else if (child.role === 'give') give();
else own();
