import { describe, expect, it, onTestFinished } from 'vitest';
import { StoreError } from '../../../src/worker/api.ts';
import { StoreThread } from '../../../src/worker/client.ts';

const OPTIONS = { dir: '/x', keysDir: '/y', defaultLevel: 'PUBLIC', vocabulary: {} } as const;
const READER = { level: 'PUBLIC' } as const;

/** A thread that answers each request as `answer`, JavaScript over `request` and the number `opened`, says. */
function threadThat(answer: string): StoreThread {
  const script = `
    import { parentPort } from 'node:worker_threads';
    let opened = 0;
    parentPort.on('message', (request) => {
      const done = (value) => parentPort.postMessage({ type: 'done', id: request.id, value });
      const failed = (message) =>
        parentPort.postMessage({ type: 'failed', id: request.id, message, known: true });
      ${answer}
    });`;
  const thread = new StoreThread(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
  onTestFinished(() => thread.dispose());
  return thread;
}

describe('a store that cannot be opened', () => {
  const failsOnce = `
    if (request.type === 'open') return opened++ === 0 ? failed('the disk is full') : done();
    if (request.type === 'close') return opened > 1 ? done() : failed('store is not open');
    done([]);`;

  it('is opened again by the next call', async () => {
    const store = threadThat(failsOnce).open(OPTIONS);
    await expect(store.damage()).rejects.toThrow(new StoreError('the disk is full'));
    await expect(store.damage()).resolves.toEqual([]);
    await expect(store.close()).resolves.toBeUndefined();
  });

  it('can be closed', async () => {
    const store = threadThat(failsOnce).open(OPTIONS);
    await expect(store.fetch([], READER, false)).rejects.toThrow('the disk is full');
    await expect(store.close()).resolves.toBeUndefined();
  });

  it('fails every call that waits for it, and no other store', async () => {
    const thread = threadThat(`
      if (request.type === 'open' && request.store === 0) return failed('no');
      done([]);`);
    const broken = thread.open(OPTIONS);
    const sound = thread.open(OPTIONS);
    const calls = await Promise.allSettled([broken.damage(), broken.damage(), sound.damage()]);
    expect(calls.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });
});

describe('a call with a signal', () => {
  const cancellable = `
    if (request.type !== 'cancel') return request.cancellable ? undefined : done([]);
    const { call: id } = request;
    parentPort.postMessage({ type: 'failed', id, kind: 'cancelled', message: 'stopped' });`;
  const author = { ...READER, actor: 'agent', source: '', session: '', branch: '' } as const;
  const input = { mode: 'similar', minQuality: 0, dryRun: true } as const;

  it('is cancelled in the thread, and ends as cancelled calls do', async () => {
    const store = threadThat(cancellable).open(OPTIONS);
    await store.damage();
    const controller = new AbortController();
    const call = store.consolidate(input, author, controller.signal);
    await store.damage();
    controller.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('is not made when its signal has fired already', async () => {
    const store = threadThat(cancellable).open(OPTIONS);
    await expect(store.consolidate(input, author, AbortSignal.abort())).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});

describe('a thread that ends', () => {
  it('fails the calls in flight, and the next ones get a new thread', async () => {
    const thread = threadThat(`
      if (request.type === 'call' && request.args[0]?.[0] === 'crash') process.exit(1);
      done([]);`);
    const store = thread.open(OPTIONS);
    await expect(store.fetch(['crash'], READER, false)).rejects.toThrow(/ended/);
    await expect(store.fetch(['fine'], READER, false)).resolves.toEqual([]);
    await store.close();
  });
});
