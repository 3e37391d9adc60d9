import { expect, it } from 'vitest';
import { whenFree } from '../../../src/tools/whenFree.ts';
import { BusyError, StoreError } from '../../../src/worker/api.ts';

const { signal } = new AbortController();

/** A call that fails so often, and how often it was made. */
function failing(times: number, error: Error) {
  const made = { count: 0 };
  const call = async () => {
    if (++made.count <= times) throw error;
    return 'done';
  };
  return { made, call };
}

it('calls again while another process is busy, and gives up in the end', async () => {
  const busy = new BusyError('busy');
  const some = failing(3, busy);
  expect(await whenFree(some.call, signal, 0)).toBe('done');
  expect(some.made.count).toBe(4);
  const always = failing(Number.POSITIVE_INFINITY, busy);
  await expect(whenFree(always.call, signal, 0)).rejects.toBe(busy);
  expect(always.made.count).toBeLessThan(100);
});

it('does not repeat a call that failed in another way', async () => {
  const { made, call } = failing(1, new StoreError('full'));
  await expect(whenFree(call, signal, 0)).rejects.toThrow('full');
  expect(made.count).toBe(1);
});

it('ends when it is cancelled while it waits', async () => {
  const controller = new AbortController();
  const call = async () => {
    controller.abort();
    throw new BusyError('busy');
  };
  await expect(whenFree(call, controller.signal, 60_000)).rejects.toThrow(/abort/i);
});
