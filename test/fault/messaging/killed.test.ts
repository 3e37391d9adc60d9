/** Processes that die while sessions write to each other: nothing is lost, and nothing happens twice. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { KeyRing } from '../../../src/journal/keys.ts';
import { derivedId } from '../../../src/messaging/ids.ts';
import { Inbox } from '../../../src/session/inbox.ts';
import type { RunRecord, SessionRecord } from '../../../src/session/record.ts';
import { idOf } from '../../../src/session/sessionId.ts';
import { followTranscript, type TranscriptOptions } from '../../../src/session/transcript.ts';
import { SessionService } from '../../../src/worker/sessions.ts';
import { type ChildOptions, KEYS, SENDS } from './common.ts';
import { POINTS, TIMEOUT_MS, useLives } from './lives.ts';

const { root, live } = useLives('child.ts');

/** A folder with sessions in it, and the processes that work there one after the other. */
class World {
  readonly #root: string;
  readonly effects: string;
  readonly dir: string;
  readonly keys = new KeyRing({ dir: join(root, 'keys') });

  constructor(name: string) {
    this.#root = join(root, name);
    this.dir = join(this.#root, 'sessions');
    this.effects = join(root, `${name}.effects`);
  }

  /** One life of one process; answers how many steps it took, undefined when it was killed. */
  live(life: Pick<ChildOptions, 'isLast' | 'death'>): Promise<number | undefined> {
    const { dir, effects } = this;
    return live({ dir, keys: join(root, 'keys'), effects, ...life });
  }

  records(key: string): readonly SessionRecord[] {
    return followTranscript(this.#options(key)).read().records;
  }

  /** Uuids of what was given to a session and is not in its transcript. */
  waiting(key: string): readonly string[] {
    const there = new Set(this.records(key).map(({ uuid }) => uuid));
    return new Inbox(this.#options(key)).pending((uuid) => there.has(uuid)).map(({ uuid }) => uuid);
  }

  async runs(): Promise<readonly RunRecord[]> {
    const { dir, keys } = this;
    const sessions = new SessionService({ dir, keys, defaultLevel: 'PUBLIC', now: Date.now });
    const runs = await sessions.runs({ level: 'RESTRICTED' });
    sessions.close();
    return runs.map(({ run }) => run);
  }

  did(): readonly string[] {
    return existsSync(this.effects) ? readFileSync(this.effects, 'utf8').trim().split('\n').sort() : [];
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  #options(key: string): TranscriptOptions {
    return { dir: this.dir, id: idOf(key), keys: this.keys, defaultLevel: 'PUBLIC', now: Date.now };
  }
}

/** All messages have arrived, each once with all that follows from it. */
async function expectWhole(world: World): Promise<RunRecord[]> {
  const runs = await world.runs();
  expect(runs).toHaveLength(SENDS.length);
  const did = world.did();
  expect(new Set(did).size, did.join()).toBe(did.length);
  for (const run of runs) {
    const { id, session } = { id: run.id, ...(run.request as { message: string; session: string }) };
    const send = SENDS.find((each) => (run.request as { message: string }).message === `message ${each.id}`);
    expect(run.ended, JSON.stringify(run)).toBeDefined();
    const key = KEYS[send?.to ?? 'a'];
    expect(session).toBe(idOf(key));
    const records = world.records(key);
    expect(records.filter(({ uuid }) => uuid === id)).toHaveLength(1);
    const announces = records.filter(({ uuid }) => uuid === derivedId(id, 'announce'));
    const status = run.outcome?.status;
    if (send?.to === 'observed') expect([status, announces.length]).toEqual(['delivered', 0]);
    else if (status === 'ok') {
      expect(announces).toHaveLength(1);
      expect(did.filter((line) => line === `message ${send?.id}`)).toHaveLength(1);
    } else expect([status, announces.length]).toEqual(['interrupted', 0]);
  }
  for (const key of Object.values(KEYS)) {
    const uuids = world.records(key).map(({ uuid }) => uuid);
    expect(new Set(uuids).size).toBe(uuids.length);
    expect(world.waiting(key)).toEqual([]);
  }
  return [...runs];
}

/** Numbers below `most`, spread evenly and moved by a fixed amount in each stretch. */
function points(most: number): number[] {
  const stretch = most / POINTS;
  return Array.from(
    { length: POINTS },
    (_, at) => 1 + Math.floor(at * stretch + ((at * 0.618) % 1) * stretch),
  );
}

it(
  `loses nothing and repeats nothing when the process is killed at ${POINTS} points of a delivery`,
  async () => {
    const whole = new World('whole');
    const steps = (await whole.live({ isLast: false })) ?? 0;
    expect(steps).toBeGreaterThan(POINTS);
    const outcomes = (await expectWhole(whole)).map(({ outcome }) => outcome?.status);
    expect(outcomes.sort()).toEqual(['delivered', 'ok', 'ok', 'ok']);
    let kills = 0;
    let interrupted = 0;
    for (const [index, death] of points(steps).entries()) {
      const world = new World(`killed-${index}`);
      // The sender sends again until all was accepted; every other time the next process dies, too.
      if ((await world.live({ isLast: false, death })) === undefined) kills++;
      if (index % 2 === 1 && (await world.live({ isLast: false, death: 1 + (death % 97) })) === undefined)
        kills++;
      await world.live({ isLast: false });
      await world.live({ isLast: true });
      const runs = await expectWhole(world);
      interrupted += runs.filter(({ outcome }) => outcome?.status === 'interrupted').length;
      world.remove();
    }
    expect(kills).toBeGreaterThanOrEqual(POINTS / 2);
    console.info(`${steps} steps, ${kills} kills, ${interrupted} interrupted runs`);
  },
  TIMEOUT_MS,
);
