/** A session that another process has open: of a window that was loaded again, an agent's beside the editor. */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { TodoView } from '../../../src/planProtocol.ts';
import { openTestTools, temporaryFolder } from '../../unit/support/folder.ts';
import { type ChildOptions, ID, KEY } from './common.ts';
import { Family } from './family.ts';

const family = new Family();
const person = { actor: 'person', door: 'panel', level: 'RESTRICTED' } as const;
const append = { ops: [{ op: 'append', phase: 'P', items: ['mine'] }] };

beforeAll(() => family.prepare());
afterEach(() => family.renew());
afterAll(() => family.remove());

/** The tool layer of this process, once the other one has the session. */
async function beside(role: ChildOptions['role']) {
  const folder = temporaryFolder();
  const clock = {
    get time() {
      return Date.now();
    },
  };
  const tools = openTestTools(folder, clock);
  family.dir = join(folder, 'store', 'sessions');
  const life = family.live({ role, label: 'theirs', count: 0 });
  const list = async () => {
    const { data } = await tools.call('todo_show', { session: ID }, person);
    return (data as TodoView).phases.flatMap(({ tasks }) => tasks.map(({ content }) => content));
  };
  await vi.waitFor(async () => expect(await list()).toEqual(['theirs']), 30_000);
  const end = async () => {
    family.stop();
    await life;
  };
  return { ...tools, list, end };
}

it.each(['idle', 'steady'] as const)('is waited for where no turn runs in it: %s', async (role) => {
  const { call, list, end } = await beside(role);
  expect(await call('todo_write', append, { session: KEY })).toMatchObject({ isError: false });
  expect(await list()).toEqual(['theirs', 'mine']);
  await end();
});

it('is waited for no longer than the person wants, and nothing happens afterwards', async () => {
  const { call, list, end, sessions } = await beside('busy');
  const write = vi.spyOn(sessions, 'todoWrite');
  const controller = new AbortController();
  const outcome = call('todo_write', append, { session: KEY, signal: controller.signal });
  await vi.waitFor(() => expect(write).toHaveBeenCalled());
  controller.abort();
  expect(await outcome).toMatchObject({
    isError: true,
    text: 'todo_write was cancelled. Nothing was changed.',
  });
  await end();
  expect(await list()).toEqual(['theirs']);
});

it('records no call of an observed chat meanwhile, and holds none up', async () => {
  const { call, end, sessions } = await beside('busy');
  const observe = vi.spyOn(sessions, 'observe');
  expect(await call('memory_stats', {}, { session: KEY })).toMatchObject({ isError: false });
  expect(observe).toHaveBeenCalledTimes(1);
  await end();
});
