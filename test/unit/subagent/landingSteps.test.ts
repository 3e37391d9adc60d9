/** A person applies files and hunks of a task's work, one by one, and takes them back. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lines } from '../git/repo.ts';
import { hand, named, openTasks, use } from './kit.ts';

const PERSON = { actor: 'person', door: 'panel', level: 'RESTRICTED' } as const;
const BEFORE = lines(40);
const AFTER = lines(40, { 2: 'two', 30: 'thirty' });

/** A task that changed two places of a file and made another; its work waits for the person. */
async function reviewed(settings: Record<string, unknown> = {}) {
  const tools = openTasks(
    (_task, step) =>
      [
        [use('read', { path: 'a.txt' })],
        [use('write', { path: 'a.txt', content: AFTER })],
        [use('write', { path: 'new.txt', content: 'n\n' })],
      ][step] ?? [hand('ok')],
    {
      files: { 'a.txt': BEFORE, 'b.txt': 'b\n' },
      git: true,
      settings: { 'task.isolation.landing': 'review', ...settings },
    },
  );
  await tools.call('task', { agent: 'task', tasks: named('Edit'), isolated: true });
  const [batch] = await tools.subagents.list();
  const input = { batch: batch?.id ?? '', task: '0-Edit' };
  const now = async () => (await tools.subagents.actions.find(input.batch, input.task)).found;
  return {
    ...tools,
    input,
    now,
    file: (path: string) => {
      const place = join(tools.folder, path);
      return existsSync(place) ? readFileSync(place, 'utf8') : undefined;
    },
    put: (path: string, content: string) => writeFileSync(join(tools.folder, path), content),
    act: (name: 'apply' | 'revert', more: { path?: string; hunk?: number } = {}) =>
      tools.call(`subagents_${name}`, { ...input, ...more }, PERSON),
    refs: () => tools.git('for-each-ref', '--format=%(refname)').trim().split('\n'),
  };
}

describe('a part of a task’s work', () => {
  it('lands by hunk and by file, is taken back by itself, and all of it counts as applied', async () => {
    const { act, file, now, folder, refs } = await reviewed();
    const hunk = await act('apply', { path: 'a.txt', hunk: 1 });
    expect(hunk).toMatchObject({ isError: false, data: { undo: 'subagents_revert' } });
    expect([file('a.txt'), file('new.txt')]).toEqual([lines(40, { 30: 'thirty' }), undefined]);
    expect((await now()).landing).toMatchObject({
      ...{ state: 'waiting', landed: [] },
      parts: [{ path: 'a.txt', hunks: [1], undo: expect.any(String) }],
    });
    await act('apply', { path: 'a.txt', hunk: 0 });
    expect(file('a.txt')).toBe(AFTER);
    // What landed later lies in the same file: the one before it is taken out by a merge.
    expect(await act('revert', { path: 'a.txt', hunk: 1 })).toMatchObject({ isError: false });
    expect(file('a.txt')).toBe(lines(40, { 2: 'two' }));
    await act('apply', { path: 'a.txt' });
    expect([file('a.txt'), (await now()).landing?.landed]).toEqual([AFTER, ['a.txt']]);
    await act('apply', { path: 'new.txt' });
    const { landing, worktree } = await now();
    expect([landing?.state, landing?.landed, worktree]).toEqual(['applied', ['a.txt', 'new.txt'], undefined]);
    expect(refs()).toEqual(['refs/heads/main']);
    await act('revert', { path: 'new.txt' });
    expect([file('new.txt'), (await now()).landing?.state]).toEqual([undefined, 'waiting']);
    expect(await act('revert')).toMatchObject({ isError: false });
    expect([file('a.txt'), (await now()).landing?.state]).toEqual([BEFORE, 'waiting']);
    expect((await now()).landing?.parts).toEqual([]);
    expect(await act('apply')).toMatchObject({ isError: false });
    expect([file('a.txt'), file('new.txt')]).toEqual([AFTER, 'n\n']);
    expect(existsSync(join(folder, '.git/lodeline/landings'))).toBe(true);
  }, 180_000);

  it('applied twice and taken back once is not there: the work does not count as landed', async () => {
    const { act, file, now, refs } = await reviewed();
    await act('apply', { path: 'a.txt', hunk: 0 });
    expect(await act('apply', { path: 'a.txt', hunk: 0 })).toMatchObject({ isError: false });
    expect((await now()).landing?.parts).toHaveLength(1);
    await act('apply', { path: 'a.txt', hunk: 1 });
    await act('apply', { path: 'a.txt' });
    await act('revert', { path: 'a.txt', hunk: 0 });
    await act('apply', { path: 'new.txt' });
    const { landing } = await now();
    expect([landing?.state, landing?.landed, file('a.txt')]).toEqual([
      ...['waiting', ['new.txt'], lines(40, { 30: 'thirty' })],
    ]);
    expect(refs()).toHaveLength(2);
  }, 180_000);

  it('that landed with the rest of its file is taken back with it', async () => {
    const { act, file, now } = await reviewed();
    await act('apply', { path: 'a.txt', hunk: 0 });
    await act('apply', { path: 'a.txt' });
    const refused = await act('revert', { path: 'a.txt', hunk: 0 });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('all of the file') });
    expect(file('a.txt')).toBe(AFTER);
    await act('revert', { path: 'a.txt' });
    expect([file('a.txt'), (await now()).landing]).toMatchObject([
      ...[BEFORE, { state: 'waiting', parts: [], landed: [] }],
    ]);
  }, 180_000);

  it('that cannot be taken back leaves nothing of the attempt', async () => {
    const { act, file, put, refs } = await reviewed();
    await act('apply', { path: 'a.txt', hunk: 0 });
    const since = lines(40, { 2: 'since' });
    put('a.txt', since);
    const before = refs();
    expect(await act('revert')).toMatchObject({ isError: true, text: expect.stringContaining('put back') });
    expect([file('a.txt'), refs()]).toEqual([since, before]);
  }, 180_000);

  it('lands before the rest does, and is taken back with it', async () => {
    const { act, file, now, put } = await reviewed();
    await act('apply', { path: 'a.txt', hunk: 0 });
    put('b.txt', 'since\n');
    expect(await act('apply')).toMatchObject({ isError: false });
    expect([file('a.txt'), (await now()).landing?.state]).toEqual([AFTER, 'applied']);
    const refused = await act('revert', { path: 'a.txt' });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('revert all of it') });
    expect(await act('revert')).toMatchObject({ isError: false });
    expect([file('a.txt'), file('new.txt'), file('b.txt')]).toEqual([BEFORE, undefined, 'since\n']);
  }, 180_000);

  it('that conflicts changes nothing, says so, and keeps no other from landing', async () => {
    const { act, file, now, put } = await reviewed();
    const mine = lines(40, { 2: 'mine' });
    put('a.txt', mine);
    const refused = await act('apply', { path: 'a.txt', hunk: 0 });
    expect(refused).toMatchObject({
      isError: true,
      text: expect.stringMatching(/differ in the same places: a/),
    });
    expect([file('a.txt'), (await now()).landing?.state, (await now()).landing?.parts]).toEqual([
      ...[mine, 'waiting', undefined],
    ]);
    await act('apply', { path: 'a.txt', hunk: 1 });
    expect(file('a.txt')).toBe(lines(40, { 2: 'mine', 30: 'thirty' }));
  }, 180_000);

  it('is refused where it is none of the work, and shown as there where the files had it already', async () => {
    const { act, now, put } = await reviewed();
    expect(await act('apply', { path: 'b.txt' })).toMatchObject({
      ...{ isError: true, text: expect.stringContaining('did not change b.txt') },
    });
    expect((await act('apply', { path: 'a.txt', hunk: 7 })).text).toContain('has 2 hunks, and no number 7');
    put('new.txt', 'n\n');
    const there = await act('apply', { path: 'new.txt' });
    expect([there.isError, there.data]).toEqual([false, { phrase: expect.anything(), undo: undefined }]);
    expect((await now()).landing?.landed).toEqual(['new.txt']);
    expect((await act('revert', { path: 'new.txt' })).isError).toBe(true);
  }, 180_000);

  it('lands as a commit of its own in branch mode, and leaves no branch that passes for the whole', async () => {
    const { act, file, put, git, refs } = await reviewed({ 'task.isolation.merge': 'branch' });
    git('config', 'user.name', 'Bea');
    git('config', 'user.email', 'bea@example.org');
    put('a.txt', lines(40, { 2: 'mine' }));
    expect((await act('apply', { path: 'a.txt', hunk: 0 })).isError).toBe(true);
    expect(refs().filter((ref) => ref.startsWith('refs/heads/'))).toEqual(['refs/heads/main']);
    put('a.txt', BEFORE);
    expect(await act('apply', { path: 'a.txt', hunk: 0 })).toMatchObject({ isError: false });
    expect(git('show', '--format=', '--name-only').trim()).toBe('a.txt');
    await act('apply');
    expect([file('a.txt'), git('status', '--porcelain')]).toEqual([AFTER, '']);
  }, 180_000);

  it('is of the work that was shown: a person who goes on in the worktree applies that as a whole', async () => {
    const { act, file, now, input, subagents } = await reviewed();
    await act('apply', { path: 'a.txt', hunk: 0 });
    const { worktree = '' } = await now();
    writeFileSync(join(worktree, 'a.txt'), lines(40, { 30: 'other' }));
    writeFileSync(join(worktree, 'more.txt'), 'more\n');
    await act('apply', { path: 'a.txt', hunk: 1 });
    expect(file('a.txt')).toBe(AFTER);
    await subagents.actions.discard(input.batch, input.task);
    const { files, landing } = await now();
    expect(files.map(({ path }) => path)).toEqual(['a.txt', 'more.txt', 'new.txt']);
    expect(landing?.parts?.map(({ hunks }) => hunks)).toEqual([[], []]);
    const { patch, index } = await subagents.actions.patchOf(input.batch, input.task, 'more.txt');
    expect(patch.split(/^diff --git /m)[index + 1]).toContain('+more');
    await act('revert', { path: 'a.txt' });
    expect(file('a.txt')).toBe(BEFORE);
  }, 180_000);
});

it('files inside nested repositories are read as they were before and after', async () => {
  const tools = openTasks(
    (_task, step) =>
      [
        [use('read', { path: 'inner/x.txt' })],
        [use('write', { path: 'inner/x.txt', content: 'task\n' })],
        [use('write', { path: 'inner/한글.txt', content: 'n\n' })],
      ][step] ?? [hand('ok')],
    { files: { 'a.txt': 'a\n' }, git: true, settings: { 'task.isolation.landing': 'review' } },
  );
  const inner = join(tools.folder, 'inner');
  mkdirSync(inner);
  writeFileSync(join(inner, 'x.txt'), 'mine\n');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], { cwd: inner });
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    ['commit', '-qm', 'inner'],
  ])
    git(...args);
  await tools.call('task', { agent: 'task', tasks: named('Edit'), isolated: true });
  const [batch] = await tools.subagents.list();
  expect(batch?.tasks[0]?.files.map(({ path }) => path)).toEqual(['inner/x.txt', 'inner/한글.txt']);
  const at = async (path: string, side: 'before' | 'after') =>
    String(await tools.subagents.actions.fileAt(batch?.id ?? '', '0-Edit', path, side));
  expect(await at('inner/x.txt', 'before')).toBe('mine\n');
  expect(await at('inner/x.txt', 'after')).toBe('task\n');
  expect([await at('inner/한글.txt', 'before'), await at('inner/한글.txt', 'after')]).toEqual(['', 'n\n']);
  const target = { batch: batch?.id, task: '0-Edit', path: 'inner/x.txt', hunk: 0 };
  expect(await tools.call('subagents_apply', target, PERSON)).toMatchObject({ isError: false });
  expect(readFileSync(join(inner, 'x.txt'), 'utf8')).toBe('task\n');
  expect(await tools.call('subagents_revert', target, PERSON)).toMatchObject({ isError: false });
  expect(readFileSync(join(inner, 'x.txt'), 'utf8')).toBe('mine\n');
}, 120_000);
