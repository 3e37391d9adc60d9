import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CheckpointView, TodoView } from '../../../src/planProtocol.ts';
import { fill, phrase, StoreError } from '../../../src/worker/api.ts';
import { StoreThread } from '../../../src/worker/client.ts';
import { openTestTools, temporaryFolder } from '../support/folder.ts';

const person = { actor: 'person', door: 'panel', level: 'RESTRICTED' } as const;
const plan = { ops: [{ op: 'init', list: [{ phase: 'Build', items: ['parse'] }] }] };

describe('an error for the person', () => {
  it('keeps its parts apart, so that it can be put into another language', () => {
    const error = new StoreError(phrase('“{0}” is at {1}.', '{1}', 2));
    expect(error.message).toBe('“{1}” is at 2.');
    expect(fill({ text: '{1}에 있는 “{0}”', values: error.phrase?.values ?? [] })).toBe('2에 있는 “{1}”');
    expect(new StoreError('with {0} in it')).toMatchObject({ message: 'with {0} in it', phrase: undefined });
  });

  it('comes whole out of the store’s thread', async () => {
    const script = `
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', ({ id, type }) => parentPort.postMessage(type === 'open'
        ? { type: 'done', id }
        : { type: 'failed', id, known: true, message: 'a is gone', phrase: { text: '{0} is gone', values: ['a'] } }));`;
    const thread = new StoreThread(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
    onTestFinished(() => thread.dispose());
    const store = thread.open({ dir: '/x', keysDir: '/y', defaultLevel: 'PUBLIC', vocabulary: {} });
    const error: unknown = await store.damage().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ message: 'a is gone', phrase: { text: '{0} is gone', values: ['a'] } });
  });

  it.each([
    ['memory_pin', { key: 'no such' }],
    ['todo_edit', { session: 'gone', steps: [{ op: 'rm', phase: 'x' }] }],
    ['checkpoint_cancel', { session: 'gone' }],
    ['checkpoint_rewind', { session: 'gone', report: 'x' }],
  ])('is a phrase of which there is a Korean one: %s', async (tool, input) => {
    const { call } = openTestTools();
    const outcome = await call(tool, input, person);
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toBe(outcome.phrase && fill(outcome.phrase));
    const korean = JSON.parse(readFileSync(new URL('../../../src/strings.ko.json', import.meta.url), 'utf8'));
    expect(korean[outcome.phrase?.text ?? '']).toMatch(/[가-힣]/);
  });

  it('says that the checkpoint is another one by now, or none', async () => {
    const { call } = openTestTools(temporaryFolder(), { time: 5_000 }, { 'checkpoint.enabled': true });
    await call('checkpoint', { goal: 'g' });
    const shown = (await call('checkpoint_show', {}, person)).data as CheckpointView;
    const seen = { session: shown.session?.id, startedAt: shown.active?.startedAt };
    const other = await call('checkpoint_cancel', { ...seen, startedAt: 1 }, person);
    expect(other.phrase?.text).toMatch(/^The checkpoint has changed meanwhile/);
    expect((await call('checkpoint_cancel', seen, person)).isError).toBe(false);
    expect((await call('checkpoint_cancel', seen, person)).phrase?.text).toBe(
      'There is no open checkpoint to cancel.',
    );
  });
});

describe('a session that cannot be read', () => {
  async function sealed() {
    const folder = temporaryFolder();
    const before = openTestTools(folder, undefined, { 'checkpoint.enabled': true });
    await before.call('todo_write', plan, { level: 'CONFIDENTIAL', session: 'secret' });
    before.sessions.close();
    rmSync(join(folder, 'keys'), { recursive: true });
    return openTestTools(folder);
  }

  it('is told of with its reason, and looks neither empty nor like a failure', async () => {
    const { call } = await sealed();
    for (const tool of ['todo_show', 'checkpoint_show']) {
      const outcome = await call(tool, {}, person);
      expect(outcome.isError).toBe(false);
      const { unreadable } = outcome.data as TodoView;
      expect(unreadable?.text).toMatch(/key that is not here.*LODELINE_KEY/);
    }
  });

  it('does not stand in the way of the others', async () => {
    const { call } = await sealed();
    await call('todo_write', plan, { session: 'open' });
    const shown = (await call('todo_show', {}, person)).data as TodoView;
    expect(shown.phases.map(({ name }) => name)).toEqual(['Build']);
    expect(shown.unreadable).toBeUndefined();
  });
});
