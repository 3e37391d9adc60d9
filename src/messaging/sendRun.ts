/** One message to another session and all that follows from it, wherever it broke off before. */
import { z } from 'zod';
import type { JsonValue } from '../journal/record.ts';
import { canFlowTo, type Level } from '../policy/level.ts';
import { parseKey } from '../session/key.ts';
import { textMessage } from '../session/messages.ts';
import type { InterSession, RunOutcome, RunRecord } from '../session/record.ts';
import type { MessageEvent } from './event.ts';
import type { MessagingHost } from './host.ts';
import { derivedId } from './ids.ts';
import {
  ANNOUNCE_ADVICE,
  exchange,
  MESSAGE_ADVICE,
  messageText,
  PERSON,
  PERSON_ADVICE,
  TOLD_ADVICE,
  turnAdvice,
} from './messageText.ts';
import { isSilent, pingPong } from './pingPong.ts';
import { GIVE_UP_MS, Postponed } from './postponed.ts';
import { ANYBODY } from './requester.ts';
import type { SessionRow } from './row.ts';
import { runStep, type StepEnd } from './step.ts';
import { shortened } from './text.ts';

/** An automatic answer waits so long for a session that a person works in. */
const PATIENCE_MS = 10 * 60_000;
/** Characters of an answer that are handed on, as many as a message may have: more would fill a model's window. */
const MOST_REPLY = 100_000;

const REQUEST = z.object({
  message: z.string(),
  /** Id of the session that it goes to. */
  session: z.string(),
  /** Of the requester. */
  channel: z.string(),
  maxTurns: z.int().min(0),
  /** How many messages led to this one, itself counted. */
  hops: z.int().min(1),
});

/** What the outbox keeps of a message. */
export type SendTask = z.output<typeof REQUEST>;

/** Undefined when another version wrote it. */
export function sendTaskOf(run: RunRecord): SendTask | undefined {
  return REQUEST.safeParse(run.request).data;
}

export function asSendRequest(task: SendTask): JsonValue {
  return { ...task };
}

export interface SendRunOptions {
  /** Fires when the run is cancelled, or this process ends. */
  readonly signal: AbortSignal;
  /** This process ends: what is left is another's to do. */
  isClosing(): boolean;
  /** Another process left it. */
  readonly isResumed: boolean;
  /** Told when the outcome is in the outbox. */
  saved(): void;
}

export class SendRun {
  readonly #host: MessagingHost;
  readonly #options: SendRunOptions;
  #run: RunRecord;

  constructor(host: MessagingHost, run: RunRecord, options: SendRunOptions) {
    this.#host = host;
    this.#run = run;
    this.#options = options;
  }

  /**
   * Does what is left of the run.
   * @throws Postponed when that is for somebody else; what goes wrong with the outbox.
   */
  async carry(): Promise<void> {
    const task = sendTaskOf(this.#run);
    if (task === undefined)
      await this.#settle('error', 'Another version sent this message; it cannot be gone on with.');
    else await this.#deliver(task);
    await this.#save({ ended: this.#host.now() });
  }

  async #deliver(task: SendTask): Promise<void> {
    // One that is known from its presence alone has no id yet.
    const target = (await this.#row(task.session)) ?? (await this.#row(this.#run.target));
    if (target === undefined) {
      await this.#settle('error', 'The session is not there any more.');
      return;
    }
    if (!target.isOurs) return this.#leave(task, target);
    const advice = this.#run.requester === PERSON ? PERSON_ADVICE : MESSAGE_ADVICE;
    const text = messageText(this.#provenance(task), task.message, advice);
    const end = await this.#step(this.#run.id, target, this.#provenance(task), text);
    if (end.state !== 'done') return this.#failed(end, target);
    if (!(await this.#replied(end, target)) || isSilent(end.reply)) return;
    // A session that another one spawned has nobody to tell.
    if (parseKey(target.key).isSubagent) return;
    await this.#goOn(task, target, end);
  }

  /** The agents answer each other; then the target's tells its person what came of it. */
  async #goOn(task: SendTask, target: SessionRow, first: StepEnd): Promise<void> {
    const asker = await this.#requester();
    let level = first.level;
    const { latest } = await pingPong(first.reply, asker ? task.maxTurns : 0, async (turn, who, text) => {
      const names = [target.origin.id, asker?.origin.id ?? ''] as const;
      const [speaker, other] = await this.#both(who === 'target' ? names : [names[1], names[0]]);
      if (speaker === undefined || other === undefined || !this.#mayAnswer(level, other, speaker))
        return undefined;
      const provenance = {
        ...this.#provenance(task),
        sourceSessionKey: other.key,
        sourceChannel: other.channel,
      };
      const asked = messageText(provenance, text, turnAdvice(turn, task.maxTurns));
      const end = await this.#step(
        derivedId(this.#run.id, `turn ${turn}`),
        speaker,
        provenance,
        asked,
        PATIENCE_MS,
      );
      if (end.state !== 'done') return undefined;
      level = end.level;
      return end.reply;
    });
    const now = await this.#row(task.session);
    if (now === undefined || !this.#mayAnswer(level, now, now)) return;
    const text = messageText(
      this.#provenance(task),
      exchange(task.message, first.reply, latest),
      ANNOUNCE_ADVICE,
    );
    const id = derivedId(this.#run.id, 'announce');
    const end = await this.#step(id, now, this.#provenance(task), text, PATIENCE_MS);
    if (end.state === 'done' && !isSilent(end.reply)) this.#notify('announce', target, end.reply, end.level);
  }

  /** The agent's own program runs its loop: it is told when it calls one of our tools next. */
  async #leave(task: SendTask, target: SessionRow): Promise<void> {
    const provenance = this.#provenance(task);
    const text = messageText(
      provenance,
      task.message,
      this.#run.requester === PERSON ? PERSON_ADVICE : TOLD_ADVICE,
    );
    const { id, level } = this.#run;
    await this.#host.sessions.give(task.session, {
      ...{ type: 'message', uuid: id, level, provenance },
      message: textMessage('system', text.toWellFormed()),
    });
    if (await this.#settle('delivered', '')) this.#notify('message', target, task.message, level);
  }

  async #step(
    id: string,
    row: SessionRow,
    provenance: InterSession,
    text: string,
    patienceMs?: number,
  ): Promise<StepEnd> {
    const { key, kind, source, id: session } = row.origin;
    const { hops = 1 } = provenance;
    const end = await runStep(this.#host, {
      ...{ id, session, text, provenance, patienceMs, signal: this.#options.signal },
      owner: { key, kind, source, level: row.level },
      agent: await this.#host.loopAgent(row, { runId: this.#run.id, hops }),
    });
    if (end.state !== 'done' && this.#options.isClosing()) throw new Postponed('This process ends.');
    // Another process may have the model that this one lacks.
    const isYoung = this.#host.now() - this.#run.created < GIVE_UP_MS;
    if (end.state === 'failed' && !end.hasBegun && this.#options.isResumed && isYoung)
      throw new Postponed(end.error);
    return { ...end, reply: shortened(end.reply, MOST_REPLY) };
  }

  async #failed(end: Exclude<StepEnd, { state: 'done' }>, target: SessionRow): Promise<void> {
    // Whoever stopped it is gone, and had no time to say why.
    const isLeft = end.state === 'cancelled' && !this.#options.signal.aborted;
    const status = end.state === 'failed' ? 'error' : isLeft ? 'interrupted' : end.state;
    const { level } = this.#run;
    // Why may hold what that session has read.
    const error = canFlowTo(end.level, level)
      ? end.error
      : `It was not answered, and that session has come to ${end.level}, above the ${level} of this one: why stays there.`;
    if (await this.#settle(status, error)) this.#notify('failed', target, error, level);
  }

  /** Whether the answer may be told to the one who asked. */
  async #replied({ reply, level }: StepEnd, target: SessionRow): Promise<boolean> {
    if (!canFlowTo(level, this.#run.level)) {
      await this.#settle(
        'error',
        `It was answered, but that session has come to ${level}, above the ${this.#run.level} of this one: the answer stays there.`,
      );
      return false;
    }
    if (await this.#settle('ok', reply, level)) this.#notify('reply', target, reply, level);
    return true;
  }

  /** The one who asked, where it can be answered without a call of its own. */
  async #requester(): Promise<SessionRow | undefined> {
    if (this.#run.requester === PERSON) return undefined;
    const row = await this.#row(this.#run.requester);
    if (row?.isOurs !== true) return undefined;
    const { kind, isSubagent } = parseKey(row.key);
    return kind === 'cron' || isSubagent ? undefined : row;
  }

  #mayAnswer(level: Level, from: SessionRow, to: SessionRow): boolean {
    return this.#host.access.maySend({ level, session: from.origin.key }, to) === undefined;
  }

  /** Two sessions as they are now: a person may have changed what may be sent to them. */
  #both([a, b]: readonly [string, string]): Promise<(SessionRow | undefined)[]> {
    return Promise.all([this.#row(a), this.#row(b)]);
  }

  async #row(ref: string): Promise<SessionRow | undefined> {
    const found = await this.#host.access.resolve(ANYBODY, { sessionKey: ref });
    return 'row' in found ? found.row : undefined;
  }

  #provenance({ channel, hops }: SendTask): InterSession {
    const { requester: sourceSessionKey } = this.#run;
    return {
      kind: 'inter_session',
      sourceSessionKey,
      sourceChannel: channel,
      sourceTool: 'sessions_send',
      hops,
    };
  }

  #notify(kind: MessageEvent['kind'], { key, isOurs, origin }: SessionRow, text: string, level: Level): void {
    const { id: runId, requester } = this.#run;
    const to = { key, raw: origin.key, id: origin.id, isOurs };
    this.#host.notify({ kind, runId, from: requester, to, text, level, at: this.#host.now() });
  }

  /** False when that was done before: then it was told, too. */
  async #settle(status: RunOutcome['status'], text: string, level = this.#run.level): Promise<boolean> {
    if (this.#run.outcome !== undefined) return false;
    await this.#save({ outcome: { status, text, level, at: this.#host.now() } });
    return true;
  }

  async #save(change: Pick<RunRecord, 'outcome' | 'ended'>): Promise<void> {
    const run = { ...this.#run, ...change };
    await this.#host.sessions.runSave(run);
    this.#run = run;
    this.#options.saved();
  }
}
