/** Sessions whose process dies at any write, and processes that fight over one. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Message } from '../../../src/session/messages.ts';
import { followTranscript } from '../../../src/session/transcript.ts';
import type { Death } from './common.ts';
import { Family, SOAK } from './family.ts';

const TURNS = 20;
const TIMEOUT_MS = SOAK ? 3_600_000 : 240_000;

const family = new Family();

beforeAll(() => family.prepare());
beforeEach(() => family.renew());
afterAll(() => family.remove());

function expectPaired(messages: readonly Message[]): void {
  const open = new Set<string>();
  for (const block of messages.flatMap(({ content }) => content)) {
    if (block.type === 'tool_use') open.add(block.id);
    else if (block.type === 'tool_result') expect(open.delete(block.tool_use_id)).toBe(true);
  }
  expect([...open]).toEqual([]);
}

/** Each acknowledged record stands in the transcript once, and all of it verifies. */
function expectKept(): void {
  const reader = followTranscript(family.options());
  const uuids = reader.read().records.map(({ uuid }) => uuid);
  expect(reader.damage).toBeUndefined();
  expect(new Set(uuids).size).toBe(uuids.length);
  const there = new Set(uuids);
  expect(family.acknowledged.filter((uuid) => !there.has(uuid))).toEqual([]);
}

/** What two resumes see after a death: the same, whole, and the second has nothing to say. */
function expectResumes(): void {
  const first = family.resume();
  expectKept();
  expectPaired(first.messages);
  const second = family.resume();
  expect(second.messages).toEqual(first.messages);
  expect(second.report).toBeUndefined();
  expect(second.uuids).toEqual(first.uuids);
}

function every(count: number, aim: number): number[] {
  const stride = SOAK ? 1 : Math.max(1, Math.floor(count / aim));
  return Array.from({ length: Math.ceil(count / stride) }, (_, index) => 1 + index * stride);
}

it(
  'resumes a session of 20 turns whose process is killed at any of its writes and steps',
  async () => {
    const whole = await family.live({ role: 'turns', label: 'a', count: TURNS });
    const [, writes, steps] = /writes (\d+) steps (\d+)/.exec(whole.said)?.map(Number) ?? [];
    if (!writes || !steps) return expect.unreachable();
    const types = followTranscript(family.options())
      .read()
      .records.map(({ type }) => type);
    // All that the turns are to write is among what is killed.
    for (const type of ['returned', 'rewind_report', 'todo', 'todo_edit', 'todo_told', 'end']) {
      expect(types).toContain(type);
    }
    const deaths: Death[] = [
      ...(['before', 'within', 'after'] as const).flatMap((how) =>
        every(writes, 9).map((at) => ({ at, how })),
      ),
      ...every(steps, 12).map((at) => ({ at, how: 'step' as const })),
    ];
    for (const death of deaths) {
      family.renew();
      const life = await family.live({ role: 'turns', label: 'a', count: TURNS, death });
      expect(life.killed, JSON.stringify(death)).toBe(true);
      expectResumes();
    }
    console.info(`${writes} writes, ${steps} steps, ${deaths.length} deaths`);
  },
  TIMEOUT_MS,
);

it(
  'resumes when the resume before was killed as well, and goes on',
  async () => {
    const deaths: Death[] = (['before', 'within', 'after', 'step'] as const).flatMap((how) =>
      [1, 2, 3, 4, 5, 6, 7].map((at) => ({ at, how })),
    );
    for (const [index, death] of deaths.entries()) {
      if (!SOAK && index % 3 > 0) continue;
      family.renew();
      await family.live({ role: 'turns', label: 'a', count: 3, death: { at: 11, how: 'within' } });
      await family.live({ role: 'resume', label: 'r', count: 0, death });
      await family.live({ role: 'turns', label: 'b', count: 2 });
      await family.live({ role: 'turns', label: 'c', count: 2, death: { at: 9, how: 'after' } });
      expectResumes();
    }
  },
  TIMEOUT_MS,
);

it(
  'keeps what was acknowledged while processes take the transcript from each other',
  async () => {
    const rounds = SOAK ? 400 : 40;
    const fighter = async (slot: number) => {
      for (let life = 0; life < (SOAK ? 20 : 3); life++) {
        await family.live(
          { role: 'fight', label: `${slot}.${life}`, count: rounds },
          200 + slot * 70 + life * 50,
        );
      }
      await family.live({ role: 'fight', label: `${slot}.last`, count: rounds });
    };
    await Promise.all([0, 1, 2].map(fighter));
    // How much they got done in each other's way depends on the machine; one alone gets its share for certain.
    expect(family.acknowledged.length).toBeGreaterThan(0);
    const alone = await family.live({ role: 'fight', label: 'alone', count: rounds });
    expect(alone.acknowledged.length).toBeGreaterThan(rounds);
    const { damage } = family.resume();
    expectKept();
    expect(damage?.reason ?? 'torn').toBe('torn');
    console.info(`${family.acknowledged.length} acknowledged, ${family.kills} kills so far`);
  },
  TIMEOUT_MS,
);

it(
  'applies what is given to it exactly once while giver and owner are killed',
  async () => {
    await family.live({ role: 'turns', label: 'a', count: 1 });
    const items = SOAK ? 200 : 20;
    let isDone = false;
    const owner = async () => {
      for (let life = 0; !isDone; life++) {
        await family.live(
          { role: 'own', label: `o${life}`, count: 0 },
          isDone ? undefined : 150 + (life % 5) * 40,
        );
      }
    };
    const giver = async (slot: number) => {
      for (let life = 0; life < (SOAK ? 20 : 3); life++) {
        await family.live({ role: 'give', label: `g${slot}.${life}`, count: items }, 150 + life * 40);
      }
      await family.live({ role: 'give', label: `g${slot}.last`, count: items });
    };
    const owning = owner();
    await Promise.all([giver(0), giver(1)]).finally(() => {
      isDone = true;
      family.stop();
    });
    await owning;
    const given = family.acknowledged.filter((uuid) => uuid.startsWith('g'));
    expect(given.length).toBeGreaterThanOrEqual(2 * items);
    family.resume();
    expectKept();
    console.info(`${given.length} given, ${family.kills} kills so far`);
  },
  TIMEOUT_MS,
);
