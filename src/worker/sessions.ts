import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { canFlowTo, type Level } from '../policy/level.ts';
import type { CheckpointView, SessionRow, TodoPhase, TodoView } from '../protocol.ts';
import type { CheckpointMachine } from '../session/checkpoint.ts';
import { Inbox } from '../session/inbox.ts';
import type { LiveSession } from '../session/liveSession.ts';
import type { Draft } from '../session/record.ts';
import { type RegistryOptions, SessionRegistry, type SessionSummary } from '../session/registry.ts';
import { resumeSession, startSession } from '../session/resume.ts';
import type { TodoFold } from '../session/todoState.ts';
import type { TranscriptOptions } from '../session/transcript.ts';
import { autoClear, type Finished } from '../todo/autoClear.ts';
import { type Applied, applyOps, isOpen, keepTasks, type Phase } from '../todo/list.ts';
import { editReminder } from '../todo/reminder.ts';
import { applySteps, type Step } from '../todo/steps.ts';
import { StoreError } from './api.ts';
import { FollowedSession } from './followedSession.ts';
import type {
  CheckpointOutcome,
  ExportedSession,
  SessionApi,
  SessionCaller,
  SessionReader,
  TodoWritten,
} from './sessionApi.ts';

/** A session that this process has not written to for so long is left to others. */
const IDLE = 2 * 60_000;
const LISTED = 50;

/** A session this process writes to. */
interface Held {
  readonly live: LiveSession;
  lastUsed: number;
}

/** A list as the records have it, and what is left of it. */
interface Cleared {
  readonly source: readonly Phase[];
  readonly phases: readonly Phase[];
  readonly finished: Finished;
}

/** The sessions of one folder: lists and checkpoints, over their transcripts. Lives in the store's thread. */
export class SessionService implements SessionApi {
  readonly #options: RegistryOptions;
  readonly #registry: SessionRegistry;
  readonly #held = new Map<string, Held>();
  readonly #followed = new Map<string, FollowedSession>();
  readonly #lists = new Map<string, Cleared>();

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#registry = new SessionRegistry(options);
  }

  async todoWrite(caller: SessionCaller, ops: unknown, clearDelay: number): Promise<TodoWritten> {
    const { id, held } = this.#hold(caller);
    const before = this.#cleared(id, held.live.todo.phases, clearDelay);
    const { known, phases } = held.live.todo;
    const notice =
      known === phases
        ? undefined
        : editReminder({ action: 'in the todo panel', before: withoutCleared(known, before), after: before });
    const applied = applyOps(before, ops);
    if (applied.phases !== before) {
      this.#append(held, [{ type: 'todo', todo: { phases: applied.phases }, level: caller.level }]);
    }
    held.live.todo.told();
    // What was finished now is cleared some time from now.
    this.#cleared(id, held.live.todo.phases, clearDelay);
    return { ...applied, notice };
  }

  async todoShow(id: string | undefined, reader: SessionReader, clearDelay: number): Promise<TodoView> {
    const { session, sessions } = this.#choose(id, reader);
    if (session === null) return { session, sessions, phases: [] };
    const phases = this.#cleared(session.id, this.#state(session.id).todo.phases, clearDelay);
    return { session, sessions, phases: phases.map(shown) };
  }

  async todoEdit(id: string, steps: readonly Step[], clearDelay: number): Promise<Applied> {
    const before = this.#cleared(id, this.#state(id).todo.phases, clearDelay);
    const applied = applySteps(before, steps);
    if (applied.errors.length > 0) return applied;
    const draft = { type: 'todo_edit', todo_edit: { by: 'person', phases: applied.phases } } as const;
    const held = this.#held.get(id);
    if (held !== undefined) this.#append(held, [draft]);
    else new Inbox(this.#transcript(id)).deliver({ ...draft, level: this.#summary(id).level });
    this.#cleared(id, this.#state(id).todo.phases, clearDelay);
    return applied;
  }

  async checkpoint(caller: SessionCaller, goal: string): Promise<CheckpointOutcome> {
    const { held } = this.#hold(caller);
    const answer = held.live.checkpoint.create(goal, { depth: held.live.info?.depth ?? 0 });
    if (!answer.ok) return answer;
    this.#append(held, at(caller.level, answer.drafts));
    return { ok: true, text: answer.text, report: undefined };
  }

  async rewind(caller: SessionCaller, report: string): Promise<CheckpointOutcome> {
    return this.#rewind(this.#hold(caller).held, report, caller.level);
  }

  async checkpointShow(id: string | undefined, reader: SessionReader) {
    const { session, sessions } = this.#choose(id, reader);
    const machine = session === null ? undefined : this.#state(session.id).checkpoint;
    const active = machine?.active;
    return {
      session,
      sessions,
      active:
        active === undefined
          ? null
          : {
              goal: active.goal,
              startedAt: Date.parse(active.startedAt),
              since: active.since,
              pending: active.report !== undefined,
            },
      history: machine === undefined ? [] : historyOf(machine),
    };
  }

  async exportSessions(reader: SessionReader): Promise<readonly ExportedSession[]> {
    return this.#choose(undefined, reader, Number.POSITIVE_INFINITY).sessions.map((session) => {
      const { todo, checkpoint } = this.#state(session.id);
      return { session, phases: todo.phases.map(shown), checkpoints: historyOf(checkpoint) };
    });
  }

  async eraseSessions(): Promise<void> {
    this.close();
    this.#followed.clear();
    this.#lists.clear();
    rmSync(this.#options.dir, { recursive: true, force: true });
  }

  async checkpointSettle(id: string, report: string | undefined): Promise<CheckpointOutcome> {
    const known = this.#held.get(id);
    const held = known ?? this.#open(this.#summary(id));
    try {
      if (report !== undefined) return this.#rewind(held, report);
      const drafts = held.live.checkpoint.cancel();
      if (drafts.length === 0) return { ok: false, error: 'There is no open checkpoint to cancel.' };
      this.#append(held, drafts);
      return {
        ok: true,
        text: 'Checkpoint cancelled. What was explored stays in the conversation.',
        report: undefined,
      };
    } finally {
      // The agent's process must find it free.
      if (known === undefined) this.#release(id, held);
    }
  }

  /** Takes in what other processes wrote; true when a list or a checkpoint changed since the last call. */
  poll(): boolean {
    let changed = false;
    for (const [id, held] of this.#held) {
      if (take(held.live.takeInbox())) changed = true;
      if (this.#options.now() - held.lastUsed > IDLE) this.#release(id, held);
    }
    for (const [id, followed] of this.#followed) {
      try {
        if (followed.refresh()) changed = true;
      } catch {
        // It cannot be read for now; whoever asks for it is told why.
        this.#followed.delete(id);
      }
    }
    return changed;
  }

  close(): void {
    for (const [id, held] of this.#held) this.#release(id, held);
  }

  #rewind(held: Held, report: string, level = held.live.writer.level): CheckpointOutcome {
    const answer = held.live.checkpoint.rewind(report, { depth: held.live.info?.depth ?? 0 });
    if (!answer.ok) return answer;
    this.#append(held, at(level, answer.drafts));
    // We do not own this conversation's turns: the branch is recorded at once.
    this.#append(held, held.live.checkpoint.turnEnd());
    return { ok: true, text: answer.text, report: answer.details?.report };
  }

  #append(held: Held, drafts: Parameters<LiveSession['append']>[0]): void {
    const result = held.live.append(drafts);
    const error = result.ok ? held.live.sync() : result.error;
    if (error === undefined) return;
    // Let go, so that this process or another can open it anew.
    for (const [id, other] of this.#held) if (other === held) this.#release(id, held);
    throw new StoreError(
      `Nothing was saved: ${error.message} Try again; if it keeps failing, check the disk.`,
    );
  }

  /** The caller's session, open for writing; a new one when there is none. */
  #hold({ key, kind, source, level }: SessionCaller): { id: string; held: Held } {
    const id = idOf(key);
    let held = this.#held.get(id);
    if (held === undefined) {
      const known = this.#registry.list('RESTRICTED').find((summary) => summary.id === id);
      held =
        known === undefined
          ? this.#start(id, { key, kind, source, level, started: this.#options.now() })
          : this.#open(known);
    }
    if (!canFlowTo(held.live.writer.level, level)) {
      throw new StoreError(
        `This session holds a plan at ${held.live.writer.level}, above this call's level. Use a session key of its own.`,
      );
    }
    take(held.live.takeInbox());
    held.lastUsed = this.#options.now();
    return { id, held };
  }

  #start(id: string, caller: SessionCaller & { started: number }): Held {
    const { key, kind, source, level, started } = caller;
    const opened = startSession(this.#transcript(id), { key, kind, source, started, depth: 0 }, level);
    if (opened.session === undefined) throw inUse();
    return this.#keep(id, opened.session);
  }

  #open({ id, agentId }: SessionSummary): Held {
    if (agentId !== undefined)
      throw new StoreError('This is a subagent’s session; its list belongs to its parent.');
    const opened = resumeSession(this.#transcript(id));
    if (opened.session === undefined) throw inUse();
    return this.#keep(id, opened.session);
  }

  #keep(id: string, live: LiveSession): Held {
    const held = { live, lastUsed: this.#options.now() };
    this.#held.set(id, held);
    this.#followed.delete(id);
    return held;
  }

  #release(id: string, held: Held): void {
    this.#held.delete(id);
    held.live.close();
  }

  /** Lists and checkpoint of any session, ours or followed, with what waits in its inbox. */
  #state(id: string): { todo: TodoFold; checkpoint: CheckpointMachine } {
    const held = this.#held.get(id);
    if (held !== undefined) {
      take(held.live.takeInbox());
      return held.live;
    }
    this.#summary(id);
    let followed = this.#followed.get(id);
    if (followed === undefined) {
      followed = new FollowedSession(this.#transcript(id));
      this.#followed.set(id, followed);
    }
    followed.refresh();
    return followed;
  }

  /** The list without what was finished a while ago. The transcript keeps it; the next write leaves it out. */
  #cleared(id: string, phases: readonly Phase[], delay: number): readonly Phase[] {
    const known = this.#lists.get(id);
    const cleared = autoClear({
      phases: known?.source === phases ? known.phases : phases,
      finished: known?.finished ?? new Map(),
      now: this.#options.now(),
      delay,
    });
    this.#lists.set(id, { source: phases, phases: cleared.phases, finished: cleared.finished });
    return cleared.phases;
  }

  #choose(
    id: string | undefined,
    reader: SessionReader,
    most = LISTED,
  ): { session: SessionRow | null; sessions: SessionRow[] } {
    const sessions = this.#registry
      .list(reader.level)
      .filter(({ agentId }) => agentId === undefined)
      .slice(0, most)
      .map(({ id: session, title, source, live, lastActive }) => ({
        id: session,
        title: title ?? '',
        source,
        live,
        lastActive,
      }));
    return { session: sessions.find((row) => id === undefined || row.id === id) ?? null, sessions };
  }

  #summary(id: string): SessionSummary {
    const found = this.#registry
      .list('RESTRICTED')
      .find((summary) => summary.id === id && summary.agentId === undefined);
    if (found === undefined) throw new StoreError('This session is not there any more.');
    return found;
  }

  #transcript(id: string): TranscriptOptions {
    const { dir, keys, defaultLevel, now } = this.#options;
    return { dir, id, keys, defaultLevel, now };
  }
}

function shown({ name, tasks }: Phase): TodoPhase {
  return { name, tasks: tasks.map(({ notes = [], ...task }) => ({ ...task, notes })) };
}

/** Ended checkpoints, newest first. */
function historyOf({ ended }: CheckpointMachine): CheckpointView['history'] {
  return ended
    .map(({ goal, report = null, since, startedAt, endedAt }) => ({
      goal,
      report,
      since,
      startedAt: Date.parse(startedAt),
      endedAt: Date.parse(endedAt),
    }))
    .reverse();
}

/** Finished tasks that time has cleared are not what a person took out. */
function withoutCleared(known: readonly Phase[], now: readonly Phase[]): readonly Phase[] {
  const present = new Set(now.flatMap(({ tasks }) => tasks.map(({ content }) => content)));
  return keepTasks(known, (task) => isOpen(task) || present.has(task.content));
}

/** A record has at least the level of the call that made it. */
function at(level: Level, drafts: readonly Draft[]): Draft[] {
  return drafts.map((draft) => ({ ...draft, level }));
}

/** Keys hold any characters; ids must be safe in paths. */
function idOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}

/** Whether an inbox held something. */
function take(result: ReturnType<LiveSession['takeInbox']>): boolean {
  return result.ok && result.records.length > 0;
}

function inUse(): StoreError {
  return new StoreError(
    'Another process works on this session. End it there, or give this one a session key of its own.',
  );
}
