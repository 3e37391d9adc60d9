import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { unlessAborted } from '../../../src/tools/unlessAborted.ts';

describe('a read that its caller may cancel', () => {
  it('comes to what it comes to, and leaves the signal as it was', async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(Promise.resolve('found'), signal)).toBe('found');
    await expect(unlessAborted(Promise.reject(new Error('full')), signal)).rejects.toThrow('full');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('is over at once when it is cancelled, though nothing ever answers', async () => {
    const controller = new AbortController();
    const waiting = unlessAborted(new Promise(() => {}), controller.signal);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    await expect(unlessAborted(new Promise(() => {}), controller.signal)).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});
