/** The jobs of `cron.jobs`, and when they are due. */
import { z } from 'zod';

const MINUTE = 60_000;
const UNITS: Readonly<Record<string, number>> = { m: MINUTE, h: 60 * MINUTE, d: 24 * 60 * MINUTE };
const MOST_JOBS = 50;
/** An interval of more is no interval that anybody waits for, and dates end somewhere. */
const LONGEST = 366 * 24 * 60 * MINUTE;

export interface CronJob {
  readonly id: string;
  readonly message: string;
  readonly agentId: string | undefined;
  /** Milliseconds between two runs, or the minute of the local day of each day's run. */
  readonly when: { readonly every: number } | { readonly at: number };
}

const JOB = z.object({
  // It stands in a key, and in the name of a session.
  id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  every: z.string().optional(),
  at: z.string().optional(),
  message: z
    .string()
    .max(100_000)
    .refine((text) => text.trim() !== ''),
  agentId: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .optional(),
});

/** The jobs of a setting's value, each id once, and what is wrong with the others. */
export function cronJobs(value: unknown): {
  readonly jobs: readonly CronJob[];
  readonly faults: readonly string[];
} {
  if (value === undefined || value === null) return { jobs: [], faults: [] };
  if (!Array.isArray(value)) return { jobs: [], faults: ['cron.jobs is no list of jobs'] };
  const jobs = new Map<string, CronJob>();
  const faults: string[] = [];
  for (const [index, each] of value.slice(0, MOST_JOBS).entries()) {
    const job = jobOf(each);
    if (typeof job === 'string') faults.push(`cron.jobs[${index}] ${job}`);
    else if (jobs.has(job.id)) faults.push(`cron.jobs[${index}] has the id of another job: ${job.id}`);
    else jobs.set(job.id, job);
  }
  if (value.length > MOST_JOBS)
    faults.push(`cron.jobs has more than ${MOST_JOBS} jobs; the others are left out`);
  return { jobs: [...jobs.values()], faults };
}

function jobOf(value: unknown): CronJob | string {
  const parsed = JOB.safeParse(value);
  if (!parsed.success)
    return 'needs "id" (letters, digits, _ and -), "message", and "every" ("30m", "2h", "1d") or "at" ("09:00")';
  const { id, every, at, message, agentId } = parsed.data;
  if ((every === undefined) === (at === undefined)) return 'needs either "every" or "at"';
  const when = every === undefined ? timeOfDay(at ?? '') : interval(every);
  if (when === undefined)
    return every === undefined
      ? '"at" is no time of day such as "09:00"'
      : '"every" is none of "30m", "2h", "1d"';
  return { id, message, agentId, when };
}

function interval(text: string): { readonly every: number } | undefined {
  const [, count, unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(text.trim()) ?? [];
  const every = Number(count) * (UNITS[unit] ?? Number.NaN);
  return every <= LONGEST ? { every } : undefined;
}

function timeOfDay(text: string): { readonly at: number } | undefined {
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.trim()) ?? [];
  return hour === undefined ? undefined : { at: Number(hour) * 60 + Number(minute) };
}

/**
 * The latest moment at which a job was due, of those after it was first seen: however many were missed, one run makes
 * up for them. Undefined when none has come yet. Unix milliseconds.
 */
export function lastDue({ when }: Pick<CronJob, 'when'>, since: number, now: number): number | undefined {
  if ('every' in when) {
    const count = Math.floor((now - since) / when.every);
    return count >= 1 ? since + count * when.every : undefined;
  }
  const due = [0, -1].map((days) => onDay(now, days, when.at)).find((time) => time <= now);
  return due !== undefined && due > since ? due : undefined;
}

/** When a job is due next, after `now`. Unix milliseconds. */
export function nextDue({ when }: Pick<CronJob, 'when'>, since: number, now: number): number {
  if ('every' in when) return since + Math.max(1, Math.floor((now - since) / when.every) + 1) * when.every;
  return [0, 1, 2].map((days) => onDay(now, days, when.at)).find((time) => time > now) ?? now + LONGEST;
}

/** A local time of the day that is so many days after the one of `now`; days are not always 24 hours long. */
function onDay(now: number, days: number, minutes: number): number {
  const day = new Date(now);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + days, 0, minutes).getTime();
}
