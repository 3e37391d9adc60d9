/** Many tasks at once, and many one after the other. Only in the full run. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { hand, openTasks } from '../../unit/subagent/kit.ts';

const SOAK = process.env.LODELINE_SOAK === '1';
const ANSWER_MS = 100;
const TASKS = 50;
const AT_ONCE = 8;
const ROUNDS = 20;

const tasks = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `T${at}`, description: '', assignment: `T${at}` }));

it.runIf(SOAK)(
  'finishes 50 tasks of 100 ms, 8 at once, within 1.3 times the ideal',
  async () => {
    const { call, model } = openTasks(() => [hand('done')], { settings: { 'task.maxConcurrency': AT_ONCE } });
    model.before = () => delay(ANSWER_MS);
    await call('task', { agent: 'task', tasks: tasks(1) });
    const waves = Math.ceil(TASKS / AT_ONCE);
    // What the machine makes of that many waits, without us.
    const before = performance.now();
    for (let wave = 0; wave < waves; wave++) await delay(ANSWER_MS);
    const ideal = performance.now() - before;
    const start = performance.now();
    const { text } = await call('task', { agent: 'task', tasks: tasks(TASKS) });
    const ratio = (performance.now() - start) / ideal;
    console.info(`${TASKS} tasks: ${ratio.toFixed(2)} of the ideal`);
    expect(text).toContain(`${TASKS}/${TASKS} succeeded`);
    expect(ratio).toBeLessThanOrEqual(1.3);
  },
  60_000,
);

it.runIf(SOAK)(
  'holds no more memory after 1,000 tasks than after 50',
  async () => {
    const { call, model } = openTasks(() => [hand('done')], { settings: { 'task.maxConcurrency': AT_ONCE } });
    const held = async () => {
      model.requests.length = 0;
      await delay(100);
      globalThis.gc?.();
      return process.memoryUsage().heapUsed / 1e6;
    };
    const sizes: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await call('task', { agent: 'task', tasks: tasks(TASKS) });
      if (round === 0 || round === ROUNDS - 1) sizes.push(await held());
    }
    const [first = 0, last = 0] = sizes;
    console.info(
      `heap: ${first.toFixed(0)} MB after ${TASKS} tasks, ${last.toFixed(0)} MB after ${ROUNDS * TASKS}`,
    );
    expect(last - first).toBeLessThan(30);
  },
  300_000,
);
