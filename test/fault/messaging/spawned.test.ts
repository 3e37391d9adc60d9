/** Processes that die while a spawned session works: it works once at most, and is announced once. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { KeyRing } from '../../../src/journal/keys.ts';
import { derivedId } from '../../../src/messaging/ids.ts';
import { textOf } from '../../../src/session/messages.ts';
import type { SessionRecord } from '../../../src/session/record.ts';
import { idOf } from '../../../src/session/sessionId.ts';
import { followTranscript } from '../../../src/session/transcript.ts';
import { SessionService } from '../../../src/worker/sessions.ts';
import { type ChildOptions, KEYS } from './common.ts';
import { POINTS, TIMEOUT_MS, useLives } from './lives.ts';

const { root, live: run } = useLives('spawner.ts');
const keys = join(root, 'keys');

/** One life of a process in a folder; answers how many steps it took, undefined when it was killed. */
function live(name: string, life: Pick<ChildOptions, 'isLast' | 'death'>): Promise<number | undefined> {
  return run({ dir: dirOf(name), keys, effects: effectsOf(name), ...life });
}

const dirOf = (name: string) => join(root, name, 'sessions');
const effectsOf = (name: string) => join(root, `${name}.effects`);

function recordsOf(name: string, key: string): readonly SessionRecord[] {
  const options = { dir: dirOf(name), id: idOf(key), keys: new KeyRing({ dir: keys }) };
  return followTranscript({ ...options, defaultLevel: 'PUBLIC', now: Date.now }).read().records;
}

/** The child has worked once at most, and its requester was told once what is true. Answers how it ended. */
async function expectToldOnce(name: string): Promise<string | undefined> {
  const sessions = new SessionService({
    ...{ dir: dirOf(name), keys: new KeyRing({ dir: keys }), defaultLevel: 'PUBLIC', now: Date.now },
  });
  const runs = await sessions.runs({ level: 'RESTRICTED' });
  sessions.close();
  expect(runs).toHaveLength(1);
  const { run } = runs[0] as (typeof runs)[number];
  expect(run.ended, JSON.stringify(run)).toBeDefined();
  const child = recordsOf(name, run.target);
  for (const uuid of [run.id, derivedId(run.id, 'notes')])
    expect(child.filter((record) => record.uuid === uuid).length).toBeLessThanOrEqual(1);
  const told = recordsOf(name, KEYS.a).filter(({ uuid }) => uuid === derivedId(run.id, 'announce'));
  expect(told).toHaveLength(1);
  const text = told[0]?.type === 'message' ? textOf(told[0].message) : '';
  const effects = existsSync(effectsOf(name)) ? readFileSync(effectsOf(name), 'utf8').trim().split('\n') : [];
  const status = run.outcome?.status;
  if (status === 'ok') {
    expect(text).toMatch(/Status: completed successfully\n\nResult:\nIt is done\./);
    expect(effects).toHaveLength(1);
  } else {
    expect(status).toBe('interrupted');
    expect(text).toContain('Status: unknown');
    expect(effects.length).toBeLessThanOrEqual(1);
  }
  return status;
}

it(
  `is told of once when processes are killed at ${POINTS} points of a spawned session's life`,
  async () => {
    const steps = (await live('whole', { isLast: false })) ?? 0;
    expect(steps).toBeGreaterThan(POINTS);
    expect(await expectToldOnce('whole')).toBe('ok');
    let kills = 0;
    const ends: (string | undefined)[] = [];
    for (let index = 0; index < POINTS; index++) {
      const name = `killed-${index}`;
      const death = 1 + Math.floor(((index + ((index * 0.618) % 1)) * steps) / POINTS);
      if ((await live(name, { isLast: false, death })) === undefined) kills++;
      if (index % 2 === 1 && (await live(name, { isLast: false, death: 1 + (death % 31) })) === undefined)
        kills++;
      // It is spawned now if it was not before; then two processes look for what is left at once.
      await live(name, { isLast: false });
      await Promise.all([live(name, { isLast: true }), live(name, { isLast: true })]);
      ends.push(await expectToldOnce(name));
      rmSync(join(root, name), { recursive: true, force: true });
    }
    expect(kills).toBeGreaterThanOrEqual(POINTS / 2);
    console.info(`${steps} steps, ${kills} kills, ${ends.filter((end) => end === 'ok').length} ended well`);
  },
  TIMEOUT_MS,
);

it(
  'is told of once when two processes find it at the same time',
  async () => {
    const steps = (await live('first', { isLast: false })) ?? 0;
    for (const share of [0.25, 0.5, 0.75, 0.9]) {
      const name = `shared-${share}`;
      await live(name, { isLast: false, death: Math.floor(steps * share) });
      await Promise.all(Array.from({ length: 3 }, () => live(name, { isLast: true })));
      await live(name, { isLast: true });
      await expectToldOnce(name);
    }
  },
  TIMEOUT_MS,
);
