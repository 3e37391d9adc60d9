import { describe, expect, it } from 'vitest';
import { Schedule } from '../../../src/messaging/cron.ts';
import { cronJobs, lastDue, nextDue } from '../../../src/messaging/cronJobs.ts';
import { START } from '../support/folder.ts';
import { openTalk } from './sendKit.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const JOB = { id: 'j', message: 'Look at the log.', every: '30m' };

describe('the jobs of the setting', () => {
  it.each([
    [{ ...JOB }, { every: 30 * MINUTE }],
    [{ ...JOB, every: '2h' }, { every: 2 * HOUR }],
    [{ ...JOB, every: '1d' }, { every: 24 * HOUR }],
    [{ ...JOB, every: undefined, at: '09:00' }, { at: 540 }],
    [{ ...JOB, every: undefined, at: '23:59' }, { at: 1439 }],
  ])('takes %j', (job, when) => {
    expect(cronJobs([job]).jobs).toEqual([{ id: 'j', message: JOB.message, agentId: undefined, when }]);
  });

  it.each([
    [{ ...JOB, id: 'a:b' }],
    [{ ...JOB, id: '../x' }],
    [{ ...JOB, message: ' ' }],
    [{ ...JOB, every: '0m' }],
    [{ ...JOB, every: '30s' }],
    [{ ...JOB, every: '99999d' }],
    [{ ...JOB, at: '09:00' }],
    [{ ...JOB, every: undefined }],
    [{ ...JOB, every: undefined, at: '24:00' }],
    [{ ...JOB, agentId: 'x:y' }],
    ['daily'],
    [null],
  ])('leaves out %j and says so', (job) => {
    const { jobs, faults } = cronJobs([job, { ...JOB, id: 'good' }]);
    expect(jobs.map(({ id }) => id)).toEqual(['good']);
    expect(faults).toHaveLength(1);
  });

  it('has each id once, and no jobs where there is no list', () => {
    expect(cronJobs([JOB, JOB])).toMatchObject({ jobs: [{ id: 'j' }], faults: [expect.any(String)] });
    expect(cronJobs('j').faults).toHaveLength(1);
    expect(cronJobs(undefined)).toEqual({ jobs: [], faults: [] });
  });
});

describe('when a job is due', () => {
  const every = { when: { every: 30 * MINUTE } };

  it('is at the last of all moments that have passed, the first one interval after it was seen', () => {
    expect(lastDue(every, START, START + 30 * MINUTE - 1)).toBeUndefined();
    expect(lastDue(every, START, START + 30 * MINUTE)).toBe(START + 30 * MINUTE);
    expect(lastDue(every, START, START + 29 * HOUR + 1)).toBe(START + 29 * HOUR);
    expect(nextDue(every, START, START)).toBe(START + 30 * MINUTE);
    expect(nextDue(every, START, START + 30 * MINUTE)).toBe(START + HOUR);
  });

  it('is at the local time of day, today or yesterday', () => {
    const nine = { when: { at: 540 } };
    const local = (day: number, hour: number, minute = 0) => new Date(2026, 6, day, hour, minute).getTime();
    const since = local(10, 12);
    expect(lastDue(nine, since, local(10, 20))).toBeUndefined();
    expect(lastDue(nine, since, local(11, 8, 59))).toBeUndefined();
    expect(lastDue(nine, since, local(11, 9))).toBe(local(11, 9));
    expect(lastDue(nine, since, local(15, 8))).toBe(local(14, 9));
    expect(nextDue(nine, since, local(11, 9))).toBe(local(12, 9));
    expect(nextDue(nine, since, local(11, 8))).toBe(local(11, 9));
  });
});

describe('the schedule', () => {
  async function openSchedule(settings: Record<string, unknown> = { 'cron.jobs': [JOB] }) {
    const talk = await openTalk(() => 'All is well.', settings);
    const { folder, clock, log, sessions, messaging, trust } = talk;
    const make = () => {
      const schedule = new Schedule({
        ...{ storeDir: `${folder}/store`, defaultLevel: 'PUBLIC', now: () => clock.time },
        settings: { get: (key) => settings[key] },
        log: { info: () => {}, warn: (text) => log.push(text), error: (text) => log.push(text) },
        ...{ trusted: () => trust.trusted, sessions, messaging },
      });
      return schedule;
    };
    const schedule = make();
    await schedule.look();
    const said = () => talk.said('cron:j');
    const runs = async () => (await messaging.runs({ level: 'PUBLIC' })).length;
    return { ...talk, schedule, make, runs, said, settings };
  }

  it('runs a job when it is due, in the job’s own session, and tells the person', async () => {
    const { schedule, clock, messaging, runs, events, records } = await openSchedule();
    expect(await runs()).toBe(0);
    clock.time += 30 * MINUTE;
    await schedule.look();
    await schedule.look();
    await messaging.idle();
    expect(await runs()).toBe(1);
    const message = records('cron:j').find((record) => record.type === 'message');
    expect(message).toMatchObject({
      message: { role: 'system' },
      provenance: { sourceSessionKey: 'cron:j', sourceTool: 'cron' },
    });
    expect(events).toMatchObject([
      { kind: 'announce', to: { key: 'cron:j' }, text: expect.stringContaining('All is well.') },
    ]);
  });

  it('makes up once for all that was missed', async () => {
    const { schedule, clock, messaging, runs } = await openSchedule();
    clock.time += 72 * HOUR;
    await schedule.look();
    await messaging.idle();
    expect(await runs()).toBe(1);
  });

  it('runs a job once, however many keep the schedule', async () => {
    const { make, clock, messaging, runs } = await openSchedule();
    const all = Array.from({ length: 5 }, make);
    clock.time += 30 * MINUTE;
    await Promise.all(all.map((each) => each.look()));
    clock.time += 30 * MINUTE;
    await Promise.all(all.map((each) => each.look()));
    await messaging.idle();
    expect(await runs()).toBe(2);
  });

  it('knows after a new start which run was the last', async () => {
    const { make, schedule, clock, messaging, runs, sessions } = await openSchedule();
    clock.time += 30 * MINUTE;
    await schedule.look();
    await messaging.idle();
    const put: string[] = [];
    const again = make();
    Object.assign(sessions, {
      runPut: async (run: { id: string }) => {
        put.push(run.id);
        return { run, isNew: false };
      },
    });
    await again.look();
    expect([await runs(), put]).toEqual([1, []]);
  });

  it('does nothing in a folder that nobody trusts, and says once what is wrong with the setting', async () => {
    const { schedule, clock, trust, runs, log, settings } = await openSchedule();
    trust.trusted = false;
    clock.time += HOUR;
    await schedule.look();
    expect(await runs()).toBe(0);
    trust.trusted = true;
    settings['cron.jobs'] = [{ id: 'x' }];
    await schedule.look();
    await schedule.look();
    expect(log.filter((text) => text.includes('schedule'))).toHaveLength(1);
  });
});
