import { expect, it } from 'vitest';
import { inSlices } from '../../../src/worker/slices.ts';

/** Far more steps than other work needs to get its turn. */
const FOREVER = 1e9;

it('lets other work through', async () => {
  let others = 0;
  setImmediate(() => others++);
  function* work() {
    for (let step = 0; step < FOREVER; step++) {
      if (others > 0) return 'they had their turn';
      yield;
    }
    return 'nobody else had a turn';
  }
  expect(await inSlices(work())).toBe('they had their turn');
});

it('ends when it is cancelled, and gives back what it found otherwise', async () => {
  const controller = new AbortController();
  setImmediate(() => controller.abort());
  function* endless() {
    for (let step = 0; step < FOREVER; step++) yield;
  }
  await expect(inSlices(endless(), controller.signal)).rejects.toMatchObject({ name: 'AbortError' });
  function* short() {
    yield;
    return 7;
  }
  expect(await inSlices(short(), new AbortController().signal)).toBe(7);
});
