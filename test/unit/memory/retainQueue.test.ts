/** When memories are sent, by a clock that the test moves. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SpoolItem } from '../../../src/memory/hindsight/item.ts';
import { RetainQueue } from '../../../src/memory/hindsight/queue.ts';
import { ServerError } from '../../../src/memory/hindsight/serverError.ts';
import { phrase } from '../../../src/memory/hindsight/texts.ts';
import type { Level } from '../../../src/policy/level.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function openQueue(random = 1) {
  const state: { fails: ServerError | undefined; maxLevel: Level | undefined } = {
    ...{ fails: undefined, maxLevel: 'PUBLIC' },
  };
  /** When something was sent, and what of it arrived. */
  const tries: number[] = [];
  const arrived: string[] = [];
  const warnings: string[] = [];
  const started = Date.now();
  const queue = new RetainQueue({
    spool: {
      spoolPut: async () => {},
      spoolTake: async () => ({ items: [] }),
      spoolDone: async () => {},
      spoolLook: async () => ({ waiting: 0, locked: 0 }),
      spoolErase: async () => 0,
    },
    server: 'http://here',
    send: async (_, items) => {
      tries.push(Date.now() - started);
      if (state.fails !== undefined) throw state.fails;
      arrived.push(...items.map(({ key }) => key));
    },
    maxLevel: () => state.maxLevel,
    now: () => Date.now(),
    random: () => random,
    warn: ({ text }) => void warnings.push(text),
    changed: () => {},
  });
  const add = (key: string, bank = 'b') => queue.add([itemOf(key, bank)]);
  return { queue, state, tries, arrived, warnings, add };
}

function itemOf(key: string, bank: string): SpoolItem {
  return {
    ...{ key, documentId: key, bank, level: 'PUBLIC', content: key, context: '' },
    ...{ tags: [], metadata: {}, at: Date.now() },
  };
}

const down = new ServerError(phrase('recall request failed: {0}', 'down'), 'unreachable');
const refused = new ServerError(phrase('retain failed: {0}', 'no'), 'refused', 401);

test('a server that does not answer is tried after waits that double, up to five minutes', async () => {
  const { queue, state, tries, arrived, add, warnings } = openQueue();
  state.fails = down;
  await add('a');
  await vi.advanceTimersByTimeAsync(60 * 60_000);
  const waits = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
  expect(tries[0]).toBe(5_000);
  expect(waits.slice(0, 9)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256].map((seconds) => seconds * 1_000));
  expect(new Set(waits.slice(9))).toEqual(new Set([300_000]));
  expect(warnings).toHaveLength(1);
  state.fails = undefined;
  await vi.advanceTimersByTimeAsync(300_000);
  expect(arrived).toEqual(['a']);
  expect(queue.state('RESTRICTED')).toMatchObject({
    refused: 0,
    error: undefined,
    nextTry: undefined,
    last: 'ok',
  });
});

test('a server that says how long it wants to be left alone is left alone for so long, up to an hour', async () => {
  const { state, tries, add } = openQueue();
  const busy = (retryAfter: number) =>
    new ServerError(phrase('retain failed: {0}', 'busy'), 'busy', 429, retryAfter);
  state.fails = busy(120_000);
  await add('a');
  await vi.advanceTimersByTimeAsync(5_000 + 119_000);
  expect(tries).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(tries).toHaveLength(2);
  state.fails = busy(1e12);
  await vi.advanceTimersByTimeAsync(120_000 + 60 * 60_000);
  expect(tries).toHaveLength(4);
});

test('a server that rejects everything is not asked for each of many items at once', async () => {
  const { queue, state, tries, arrived } = openQueue();
  state.fails = new ServerError(phrase('retain failed: {0}', 'no'), 'rejected', 400);
  await queue.add(Array.from({ length: 100 }, (_, at) => itemOf(`i${at}`, 'b')));
  await vi.advanceTimersByTimeAsync(500);
  expect(tries).toHaveLength(31);
  await vi.advanceTimersByTimeAsync(500);
  expect(tries).toHaveLength(62);
  state.fails = undefined;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(arrived).toHaveLength(68);
  await queue.retry(false);
  expect(new Set(arrived).size).toBe(100);
});

test('waits differ between those that wait for the same server', async () => {
  const waits = await Promise.all(
    [0, 0.5, 1].map(async (random) => {
      const { queue, state, add } = openQueue(random);
      state.fails = down;
      await add('a');
      await queue.flush(new AbortController().signal);
      return (queue.state('RESTRICTED').nextTry ?? 0) - Date.now();
    }),
  );
  expect(waits).toEqual([500, 750, 1_000]);
});

test('a server that refuses us is not asked again at once, and what comes meanwhile waits with the rest', async () => {
  const { queue, state, tries, arrived, add } = openQueue();
  state.fails = refused;
  for (let at = 0; at < 20; at++) await add(`k${at}`);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(tries).toHaveLength(1);
  expect(queue.state('RESTRICTED').refused).toBe(20);
  state.fails = undefined;
  await queue.retry(true);
  expect(arrived).toEqual(Array.from({ length: 20 }, (_, at) => `k${at}`));
});

test('nothing goes to a server that the person has left, though nobody has said so since', async () => {
  const { state, tries, arrived, add } = openQueue();
  await add('a');
  state.maxLevel = undefined;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tries).toEqual([]);
  state.maxLevel = 'PUBLIC';
  await add('b');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(arrived).toEqual(['a', 'b']);
});

test('items of several banks go in the order in which they came', async () => {
  const { queue, arrived, tries, add } = openQueue();
  await add('a', 'one');
  await add('b', 'two');
  await add('c', 'one');
  await queue.flush(new AbortController().signal);
  expect(arrived).toEqual(['a', 'b', 'c']);
  expect(tries).toHaveLength(3);
});

test('a new failure after a success is told again', async () => {
  const { queue, state, warnings, add } = openQueue();
  const flush = () => queue.flush(new AbortController().signal);
  for (const fails of [down, undefined, refused]) {
    state.fails = fails;
    await add(`k${warnings.length}-${String(fails)}`);
    await flush();
    await flush();
  }
  expect(warnings).toHaveLength(2);
});

test('when an agent’s turn has ended nothing waits for the timer, but a failing server is left its time', async () => {
  const { queue, state, tries, arrived, add } = openQueue();
  await add('a');
  queue.hasten();
  await vi.advanceTimersByTimeAsync(0);
  expect(arrived).toEqual(['a']);
  state.fails = down;
  await add('b');
  await vi.advanceTimersByTimeAsync(5_000);
  const before = tries.length;
  queue.hasten();
  await vi.advanceTimersByTimeAsync(0);
  expect(tries).toHaveLength(before);
  await queue.leave();
});
