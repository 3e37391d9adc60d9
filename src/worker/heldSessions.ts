import { rmSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { canFlowTo } from '../policy/level.ts';
import { Inbox } from '../session/inbox.ts';
import { transcriptFile } from '../session/place.ts';
import type { Draft, SessionInfo } from '../session/record.ts';
import { type RegistryOptions, SessionRegistry, type SessionSummary } from '../session/registry.ts';
import { type OpenedSession, resumeSession, startSession } from '../session/resume.ts';
import { idOf } from '../session/sessionId.ts';
import type { TranscriptOptions, TranscriptSeam } from '../session/transcript.ts';
import { type Damage, phrase, StoreError } from './api.ts';
import { FollowedSession, type SessionState } from './followedSession.ts';
import type { Held, HeldHooks } from './held.ts';
import type { SessionCaller, SessionReader, TurnOwner } from './sessionApi.ts';
import { inUse, locked, notThere, TranscriptLost, transcriptLost, writeFailed } from './sessionErrors.ts';
import { agentPlace, topOf } from './sessionIds.ts';
import { SessionRefit } from './sessionRefit.ts';

/**
 * A session that this process has not written to for so long is left to others: the process of a window that was
 * loaded again can live on beside the new one. Outside a turn it is left to them as soon as they ask.
 */
const IDLE = 5_000;
const HEARTBEAT = 60_000;

export interface HeldOptions extends RegistryOptions {
  /** Top folder of the work tree, where other programs may keep presence of theirs. */
  readonly root?: string | undefined;
  /** Where tests reach in: nothing else sets it. */
  readonly seam?: TranscriptSeam | undefined;
}

type Starter = Pick<TurnOwner, 'key' | 'kind' | 'source' | 'level' | 'title' | 'step' | 'born'> &
  Pick<SessionCaller, 'loop'>;

/** Which sessions of a folder this process writes to, and which it only follows. */
export class HeldSessions {
  readonly registry: SessionRegistry;
  readonly #options: HeldOptions;
  readonly #hooks: HeldHooks;
  readonly #held = new Map<string, Held>();
  readonly #followed = new Map<string, FollowedSession>();
  readonly #damage: Damage[] = [];
  #folderTime: number;
  #hasNews = false;
  readonly #refit: SessionRefit;

  constructor(options: HeldOptions, hooks: HeldHooks) {
    this.#options = options;
    this.#hooks = hooks;
    this.registry = new SessionRegistry(options);
    this.#refit = new SessionRefit(options.dir, (id) => this.#transcript(id));
    this.#folderTime = this.#folderChanged();
  }

  /** What did not verify in the transcripts that were opened here. */
  get damage(): readonly Damage[] {
    return this.#damage;
  }

  get(id: string): Held | undefined {
    return this.#held.get(id);
  }

  /** See `HeldHooks.parts`. */
  parts(held: Held): readonly string[] {
    return this.#hooks.parts?.(held) ?? [];
  }

  /**
   * Writes to the caller's session, a new one when there is none. Once more when the transcript turned out to be
   * no longer what was opened: somebody deleted it, or had it in between.
   * @throws StoreError
   */
  write<T>(caller: Starter, action: (held: Held) => T): T {
    try {
      return action(this.#hold(caller));
    } catch (error) {
      if (!(error instanceof TranscriptLost)) throw error;
      return action(this.#hold(caller));
    }
  }

  /** The session with this id, open for writing. @throws StoreError */
  open(id: string): Held {
    return this.#held.get(id) ?? this.#keep(id, resumeSession(this.#transcript(id)));
  }

  /** A subagent's session, open for writing. @throws StoreError, SessionIdError */
  openAgent({ key, kind, source, level, title }: TurnOwner, agent: NonNullable<TurnOwner['agent']>): Held {
    // A subagent's own subagents are beside it, in the folder of the session that all of them belong to.
    const top = topOf(agent.parent);
    const id = agentPlace(agent);
    const { depth, parent } = agent;
    const info = { key, kind, source, started: this.#options.now(), depth, parent, ...(title && { title }) };
    const options = { ...this.#transcript(top), agentId: agent.id };
    return this.#held.get(id) ?? this.#keep(id, startSession(options, info, level), options);
  }

  /** Appends to a session; what cannot be written lets go of it, so that this process or another can open it anew. */
  append(held: Held, drafts: readonly Draft[], isDurable = true): void {
    const result = held.live.append(drafts);
    const error = result.ok ? (isDurable ? held.live.sync() : undefined) : result.error;
    if (error === undefined) return;
    this.release(held);
    // In a turn the loop has to know. Elsewhere nobody relies on what the transcript was before.
    const isLost = !result.ok && error.reason !== 'write-failed' && held.turn === undefined;
    throw isLost ? transcriptLost(error) : writeFailed(error);
  }

  /** Takes in what others gave, messages in a turn only where its loop says so; true when there was something. */
  take(held: Held, messages = held.turn === undefined): boolean {
    const { live } = held;
    const result = live.takeInbox(messages && live.view.openCalls().length === 0);
    if (!result.ok || result.records.length === 0) return false;
    // A rewind that a person asks for between turns has none to wait for.
    if (held.turn === undefined && live.checkpoint.state === 'pending') {
      live.append(live.checkpoint.turnEnd());
      live.sync();
    }
    this.#hasNews = true;
    return true;
  }

  /** Leaves a record for whoever writes to the session; if nobody does, it is taken in here. */
  deliver(id: string, draft: Draft): void {
    const options = this.#transcript(id);
    new Inbox(options).give(draft);
    const held = this.#held.get(id);
    if (held !== undefined) {
      this.take(held);
      return;
    }
    // Whoever starts the session takes it in: a transcript begins with whose it is.
    if (!this.exists(id)) return;
    try {
      this.#noted(options, resumeSession(options)).session?.close();
    } catch {
      // It is given, and waits for the next one who can write.
    }
  }

  /** Lists and checkpoint of any session, ours or followed, with what waits in its inbox. */
  state(id: string): SessionState {
    const held = this.#held.get(id);
    if (held !== undefined) {
      this.take(held);
      return held.live;
    }
    let followed = this.#followed.get(id);
    if (followed?.isLocked === true) {
      // The key may have been put back: only what is read anew is opened with it.
      this.#options.keys.lookAgain();
      followed = undefined;
    }
    const isKnown = followed !== undefined;
    if (followed === undefined) {
      followed = new FollowedSession(this.#transcript(id));
      this.#followed.set(id, followed);
    }
    if (followed.refresh() && isKnown) this.#hasNews = true;
    return followed;
  }

  /** @throws StoreError when it is not there, or not for this reader, or a key of it is not here. */
  readable(id: string, reader: SessionReader): { summary: SessionSummary; state: SessionState } {
    const summary = this.registry
      .list(reader.level)
      .find((each) => each.id === id && each.agentId === undefined);
    if (summary === undefined) {
      throw this.registry.locked(reader.level).some((each) => each.id === id) ? locked() : notThere();
    }
    const state = this.state(id);
    if (state.isLocked) throw locked();
    return { summary, state };
  }

  /** Whether there is a transcript of this session. */
  exists(id: string): boolean {
    return statSync(transcriptFile(this.#transcript(id)), { throwIfNoEntry: false }) !== undefined;
  }

  /** Takes in what others wrote; true when they have since the last call, whichever call has taken that in meanwhile. */
  poll(): boolean {
    const time = this.#folderChanged();
    for (const held of this.#held.values()) {
      this.take(held);
      this.#tend(held);
    }
    let changed = time !== this.#folderTime || this.#hasNews;
    this.#folderTime = time;
    this.#hasNews = false;
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

  /** Puts what this process writes to into the form that the store's switch wants. @throws as below */
  follow(): void {
    for (const { live } of this.#held.values()) {
      live.writer.follow();
      this.#refit.folds(live.writer.place, true);
    }
  }

  /** See `SessionRefit`. Of those that are held here only their writers may change them. */
  refit(): number {
    this.follow();
    const own = [...this.#held.values()].map(({ live }) => live.writer.place);
    return this.#refit.all(this.registry.places(), own);
  }

  release(held: Held): void {
    this.#held.delete(held.id);
    held.live.close();
  }

  close(): void {
    for (const held of this.#held.values()) this.release(held);
  }

  /** Removes every transcript. */
  erase(): void {
    this.close();
    this.#followed.clear();
    this.#damage.length = 0;
    rmSync(this.#options.dir, { recursive: true, force: true });
  }

  #tend(held: Held): void {
    const now = this.#options.now();
    if (held.live.writer.error !== undefined) this.release(held);
    else if (held.turn !== undefined) {
      if (now - held.heartbeat < HEARTBEAT) return;
      held.heartbeat = now;
      held.live.writer.heartbeat();
    } else if (now - held.lastUsed > IDLE || held.live.writer.isWanted()) this.release(held);
  }

  #hold(caller: Starter): Held {
    const id = idOf(caller.key);
    const held = this.#held.get(id) ?? this.#keep(id, this.#start(id, caller));
    // First, since what waits may be above the call, and so make the session that.
    this.take(held);
    // A loop of ours has seen all of its session; its calls are no way around the level. Nor is a step, which has it.
    const isOwn = caller.step !== undefined || (held.turn !== undefined && caller.loop !== undefined);
    if (!isOwn && !canFlowTo(held.live.writer.level, caller.level)) {
      throw new StoreError(
        phrase(
          'This session has come to the level {0}, above the level of this call. Use a session of its own.',
          held.live.writer.level,
        ),
      );
    }
    held.lastUsed = this.#options.now();
    return held;
  }

  #start(id: string, { key, kind, source, level, title, born }: Starter): OpenedSession {
    const started = this.#options.now();
    const info: SessionInfo = { key, kind, source, started, depth: 0, ...(title && { title }), ...born };
    return startSession(this.#transcript(id), info, level);
  }

  #keep(id: string, opened: OpenedSession, options = this.#transcript(id)): Held {
    const { session } = this.#noted(options, opened);
    if (session === undefined) throw inUse();
    const error = session.isLocked ? locked() : session.writer.error && writeFailed(session.writer.error);
    if (error !== undefined) {
      this.#options.keys.lookAgain();
      session.close();
      throw error;
    }
    const now = this.#options.now();
    const held = { id, live: session, lastUsed: now, heartbeat: now, turn: undefined };
    this.#held.set(id, held);
    this.#followed.delete(id);
    this.#hooks.opened(held);
    return held;
  }

  #noted(options: TranscriptOptions, opened: OpenedSession): OpenedSession {
    if (opened.session !== undefined && opened.damage !== undefined) {
      const file = relative(this.#options.dir, transcriptFile(options)).replaceAll('\\', '/');
      this.#damage.push({ file: `sessions/${file}`, ...opened.damage });
    }
    return opened;
  }

  /** When a session was last added to the folder, or taken out of it. */
  #folderChanged(): number {
    try {
      return statSync(this.#options.dir, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    } catch {
      return 0;
    }
  }

  #transcript(id: string): TranscriptOptions {
    const { dir, keys, defaultLevel, now, deadThreads, seam } = this.#options;
    const given: TranscriptOptions['given'] = (draft, phases) => this.#hooks.given(id, draft, phases);
    return { dir, id, keys, defaultLevel, now, deadThreads, seam, given };
  }
}
