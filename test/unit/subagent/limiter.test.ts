import { describe, expect, it } from 'vitest';
import { Limiter } from '../../../src/subagent/limiter.ts';

/** Work that ends when it is told to. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a limiter', () => {
  it('runs as many at once as it may, and the others in the order in which they came', async () => {
    const limiter = new Limiter(() => 2);
    const gates = [gate(), gate(), gate(), gate()];
    const started: number[] = [];
    const all = gates.map(({ opened }, at) =>
      limiter.run(async () => {
        started.push(at);
        await opened;
      }),
    );
    await turn();
    expect(started).toEqual([0, 1]);
    gates[1]?.open();
    await turn();
    expect(started).toEqual([0, 1, 2]);
    gates[0]?.open();
    await turn();
    expect(started).toEqual([0, 1, 2, 3]);
    for (const { open } of gates) open();
    await Promise.all(all);
  });

  it('has no limit at 0', async () => {
    const limiter = new Limiter(() => 0);
    let running = 0;
    const held = gate();
    const all = Array.from({ length: 40 }, () =>
      limiter.run(async () => {
        running++;
        await held.opened;
      }),
    );
    await turn();
    expect(running).toBe(40);
    held.open();
    await Promise.all(all);
  });

  it('gives a place up while its work waits for work of its own, so that nesting cannot lock it', async () => {
    const limiter = new Limiter(() => 1);
    const order: string[] = [];
    await limiter.run(async (slot) => {
      order.push('outer');
      await slot.lend(() => limiter.run(async () => void order.push('inner')));
      order.push('outer again');
    });
    expect(order).toEqual(['outer', 'inner', 'outer again']);
    await limiter.run(async () => void order.push('next'));
    expect(order.at(-1)).toBe('next');
  });

  it('leaves out what was cancelled while it waited, and loses no place by it', async () => {
    const limiter = new Limiter(() => 1);
    const held = gate();
    const first = limiter.run(() => held.opened);
    const abort = new AbortController();
    let ran = false;
    const second = limiter.run(async () => {
      ran = true;
    }, abort.signal);
    const third = limiter.run(async () => 'third');
    abort.abort(new Error('cancelled'));
    await expect(second).rejects.toThrow('cancelled');
    held.open();
    await first;
    expect(await third).toBe('third');
    expect(ran).toBe(false);
    await expect(limiter.run(async () => 'x', AbortSignal.abort(new Error('before')))).rejects.toThrow(
      'before',
    );
  });

  it('frees the place of work that fails', async () => {
    const limiter = new Limiter(() => 1);
    await expect(limiter.run(async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(
      limiter.run((slot) => slot.lend(async () => Promise.reject(new Error('inner')))),
    ).rejects.toThrow('inner');
    expect(await limiter.run(async () => 1)).toBe(1);
  });

  it('has one place to lend for each that runs, however often it is lent at once', async () => {
    const limiter = new Limiter(() => 1);
    let running = 0;
    let most = 0;
    const inner = () =>
      limiter.run(async () => {
        running++;
        most = Math.max(most, running);
        await turn();
        running--;
      });
    await limiter.run(async (slot) => {
      await Promise.all([slot.lend(inner), slot.lend(inner), slot.lend(inner)]);
      // The place is its own again: nobody else runs.
      const other = limiter.run(async () => void running++);
      await turn();
      expect(running).toBe(0);
      void other;
    });
    expect(most).toBe(1);
  });

  it('keeps its count when work that lent its place is given up', async () => {
    const limiter = new Limiter(() => 1);
    const held = gate();
    let lent: Promise<void> = Promise.resolve();
    await limiter.run(async (slot) => {
      lent = slot.lend(() => held.opened);
    });
    held.open();
    await lent;
    const busy = gate();
    const first = limiter.run(() => busy.opened);
    let second = false;
    const waiting = limiter.run(async () => {
      second = true;
    });
    await turn();
    expect(second).toBe(false);
    busy.open();
    await Promise.all([first, waiting]);
  });
});
