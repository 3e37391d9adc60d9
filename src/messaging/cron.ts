/**
 * The schedule of a folder. Several windows may keep it: a run's id follows from its job and the moment at which it was
 * due, so that exactly one of them puts it into the outbox. What remains of a job on disk is when it was first seen and
 * which run was the last; so no run is made for the time before it, and none twice when the outbox has forgotten it.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { claimFile, errorCode, removeFile } from '../journal/disk.ts';
import { messageOf } from '../journal/errors.ts';
import { DEFAULT_AGENT } from '../policy/sessionKey.ts';
import type { RunRecord } from '../session/record.ts';
import { type CronJob, cronJobs, lastDue, nextDue } from './cronJobs.ts';
import type { MessagingHost } from './host.ts';
import { derivedId } from './ids.ts';
import type { Messaging } from './messaging.ts';
import { asRequest } from './spawnRun.ts';

/** Settings change, machines sleep, and clocks are set: longer than this nobody relies on a timer. */
const LONGEST_WAIT = 60_000;
const SHORTEST_WAIT = 1_000;
/** A host that starts has other things to do first. */
const FIRST_WAIT = 10_000;

export interface ScheduleParts
  extends Pick<MessagingHost, 'storeDir' | 'defaultLevel' | 'settings' | 'log' | 'now' | 'trusted'> {
  readonly sessions: Pick<MessagingHost['sessions'], 'runPut'>;
  readonly messaging: Pick<Messaging, 'start'>;
}

/** Runs `cron.jobs` of the person's settings for as long as it lives, in folders that the person trusts. */
export class Schedule {
  readonly #parts: ScheduleParts;
  readonly #dir: string;
  #timer: NodeJS.Timeout | undefined;
  #faults = '';

  /** Nothing happens before `start` or `look`. */
  constructor(parts: ScheduleParts) {
    this.#parts = parts;
    this.#dir = join(parts.storeDir, 'cron');
  }

  start(): void {
    this.#again(FIRST_WAIT);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Starts what is due. Answers how many milliseconds there are until something may be due again. Never rejects. */
  async look(): Promise<number> {
    const { settings, now, trusted } = this.#parts;
    if (!trusted()) return LONGEST_WAIT;
    const { jobs, faults } = cronJobs(settings.get('cron.jobs'));
    this.#complain(faults);
    let wait = LONGEST_WAIT;
    for (const job of jobs) {
      try {
        wait = Math.min(wait, (await this.#due(job)) - now());
      } catch (error) {
        this.#parts.log.warn(`The scheduled job ${job.id} was not started: ${messageOf(error)}`);
      }
    }
    return Math.max(wait, SHORTEST_WAIT);
  }

  #again(ms: number): void {
    this.#timer = setTimeout(async () => {
      const wait = await this.look();
      if (this.#timer !== undefined) this.#again(wait);
    }, ms);
    this.#timer.unref();
  }

  /** Starts a job that is due and was not started, and answers when it is due next. */
  async #due(job: CronJob): Promise<number> {
    const { sessions, messaging, now } = this.#parts;
    const at = now();
    const name = nameOf(job);
    const since = this.#firstSeen(name, at);
    const due = lastDue(job, since, at);
    if (due !== undefined && due > this.#lastRun(name)) {
      const { run, isNew } = await sessions.runPut(this.#record(job, due));
      if (isNew) messaging.start(run);
      this.#ran(name, due);
    }
    return nextDue(job, since, at);
  }

  #record({ id, message, agentId = DEFAULT_AGENT }: CronJob, due: number): RunRecord {
    const { now, defaultLevel } = this.#parts;
    const key = `cron:${id}`;
    return {
      ...{ id: derivedId(key, String(due)), kind: 'cron', level: defaultLevel, created: now() },
      ...{ requester: key, target: key },
      request: asRequest({
        ...{ task: message, label: id, agentId, runTimeoutSeconds: 0 },
        ...{ mode: 'session', cleanup: 'keep', thread: false },
      }),
    };
  }

  /** When somebody saw this job first, which is now where nobody has. */
  #firstSeen(name: string, now: number): number {
    const file = join(this.#dir, `${name}.since`);
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    if (claimFile(file, String(now))) return now;
    const since = Number(readFileSync(file, 'utf8'));
    // A process that was killed may have left it empty.
    if (Number.isSafeInteger(since) && since > 0) return since;
    removeFile(file);
    return this.#firstSeen(name, now);
  }

  /** The moment of the run that was last; 0 before the first. */
  #lastRun(name: string): number {
    return Math.max(0, ...this.#runs(name));
  }

  #ran(name: string, due: number): void {
    claimFile(join(this.#dir, `${name}.${due}`), '');
    for (const other of this.#runs(name)) if (other < due) removeFile(join(this.#dir, `${name}.${other}`));
  }

  #runs(name: string): readonly number[] {
    try {
      return readdirSync(this.#dir).flatMap((file) => {
        const due = file.startsWith(`${name}.`) ? file.slice(name.length + 1) : '';
        return /^\d+$/.test(due) ? [Number(due)] : [];
      });
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  /** Says what is wrong with the setting once, not each minute. */
  #complain(faults: readonly string[]): void {
    const text = faults.join('; ');
    if (text !== '' && text !== this.#faults)
      this.#parts.log.warn(`The schedule leaves something out: ${text}.`);
    this.#faults = text;
  }
}

/** Names a job on disk. Another time is another job: it begins anew. */
function nameOf({ id, when }: CronJob): string {
  return createHash('sha256')
    .update(JSON.stringify([id, when]))
    .digest('hex')
    .slice(0, 32);
}
