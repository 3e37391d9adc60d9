import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PutAwaySessions } from '../../../src/session/putAway.ts';
import { DAY, openTestTools, temporaryFolder } from '../support/folder.ts';

const person = { actor: 'person', door: 'panel', level: 'RESTRICTED' } as const;

const S = { id: 's', level: 'PUBLIC' } as const;

describe('sessions that are put away', () => {
  it('stay away however many of another level are put away after them', () => {
    const clock = { time: 1_000 };
    const sessions = new PutAwaySessions({ dir: temporaryFolder(), now: () => clock.time });
    sessions.put([S], true);
    clock.time++;
    const others = Array.from(
      { length: 2_001 },
      (_, at) => ({ id: `h${at}`, level: 'CONFIDENTIAL' }) as const,
    );
    sessions.put(others, true);
    const isAway = sessions.reader();
    expect([isAway('s', 900), others.filter(({ id }) => isAway(id, 900)).length]).toEqual([true, 2_000]);
  });

  it('are out of the lists and of the health, and come back on request or when somebody goes on', async () => {
    const first = openTestTools();
    const plan = { ops: [{ op: 'init', list: [{ phase: 'P', items: ['a'] }] }] };
    await first.call('todo_write', plan, { session: 'left' });
    first.sessions.close();
    const tools = openTestTools(first.folder, { time: first.clock.time + 31 * DAY });
    const { call, clock } = tools;
    const listed = async () =>
      ((await call('sessions_browse', {}, person)).data as { sessions: { id: string }[] }).sessions;
    const findings = async () =>
      (
        (await call('context_health', {}, person)).data as {
          findings: { kind: string; fix: { input: object } }[];
        }
      ).findings;
    const [finding] = await findings();
    expect(finding).toMatchObject({ kind: 'old-session', fix: { tool: 'session_put_away' } });
    await call('session_put_away', finding?.fix.input, person);
    expect([await listed(), await findings()]).toEqual([[], []]);
    await call('session_put_away', { ...finding?.fix.input, back: true }, person);
    expect([(await listed()).length, (await findings()).length]).toEqual([1, 1]);
    await call('session_put_away', finding?.fix.input, person);
    clock.time += 1000;
    await call('todo_write', { ops: [{ op: 'append', phase: 'P', items: ['b'] }] }, { session: 'left' });
    expect(await listed()).toHaveLength(1);
  });

  it('are what the last word says, from whichever process, whatever the clock', () => {
    const dir = temporaryFolder();
    const clock = { time: 1_000 };
    const open = () => new PutAwaySessions({ dir, now: () => clock.time });
    const [one, other] = [open(), open()];
    one.put([S], true);
    expect(other.reader()('s', 900)).toBe(true);
    clock.time = 500;
    other.put([S], false);
    expect([one, other, open()].map((each) => each.reader()('s', 400))).toEqual([false, false, false]);
    one.put([S], true);
    expect(other.reader()('s', 400)).toBe(true);
  });

  it('do without a file that is damaged, and without a name that every object has', () => {
    const dir = join(temporaryFolder(), 'put-away');
    mkdirSync(dir);
    writeFileSync(join(dir, '00000000-1-00000000.json'), '{"s":{"at":"x"},"t":5}');
    const sessions = new PutAwaySessions({ dir, now: () => 1_000 });
    expect(['s', 't', 'constructor', '__proto__'].map((id) => sessions.reader()(id, 0))).toEqual([
      ...[false, false, false, false],
    ]);
    sessions.put([{ ...S, id: '__proto__' }], true);
    expect(sessions.reader()('s', 0)).toBe(false);
  });
});
