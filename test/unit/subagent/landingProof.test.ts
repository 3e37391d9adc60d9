/** Work beside what the person has not committed, and work that only seems to have landed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { landTask } from '../../../src/subagent/landing.ts';
import { undoLanding } from '../../../src/subagent/landingUndo.ts';
import { listRecoveries } from '../../../src/subagent/recovery.ts';
import { git, lines, newRepo, open, put, status, text } from '../git/repo.ts';
import { tasks } from './isolationSupport.ts';

const MODES = ['patch', 'branch'] as const;
const MINE = { 10: 'mine' };

/** A task's work on one line of a file in which the person has line 10 changed, and perhaps staged. */
async function beside(line: number, isStaged = false) {
  const root = newRepo({ 'a.txt': lines(20) });
  put(root, { 'a.txt': lines(20, MINE) });
  if (isStaged) git(root, 'add', '-A');
  const repository = await open(root);
  const [delta] = await tasks(repository, { 'a.txt': lines(20, { ...MINE, [line]: 'task' }) });
  if (delta === undefined) throw new Error('no delta');
  return { root, repository, delta };
}

describe('work beside lines that the person has not committed', () => {
  it.each(
    MODES.flatMap((merge) =>
      [true, false].flatMap((isStaged) => [8, 12].map((line) => [merge, isStaged, line] as const)),
    ),
  )('lands without them (%s, staged: %s, line %i)', async (merge, isStaged, line) => {
    const { root, repository, delta } = await beside(line, isStaged);
    expect((await landTask(repository, delta, { merge })).status).toBe('applied');
    expect(text(root, 'a.txt')).toBe(lines(20, { ...MINE, [line]: 'task' }));
    const task = merge === 'branch' ? { [line]: 'task' } : {};
    expect(git(root, 'show', 'HEAD:a.txt')).toBe(lines(20, task));
    expect(git(root, 'show', ':a.txt')).toBe(lines(20, { ...task, ...(isStaged && MINE) }));
  });

  it('lands in the files also on the very next line, and stays a branch where it cannot be told apart', async () => {
    const files = await beside(11);
    expect((await landTask(files.repository, files.delta)).status).toBe('applied');
    expect(text(files.root, 'a.txt')).toBe(lines(20, { ...MINE, 11: 'task' }));
    const { root, repository, delta } = await beside(11);
    const before = status(root);
    const answer = await landTask(repository, delta, { merge: 'branch' });
    expect(answer).toMatchObject({ status: 'conflict', branch: `refs/heads/lodeline/task/${delta.id}` });
    expect([text(root, 'a.txt'), status(root)]).toEqual([lines(20, MINE), before]);
    expect(git(root, 'show', `${answer.recovery?.ref}:a.txt`)).toBe(lines(20, { ...MINE, 11: 'task' }));
  });
});

it.each(MODES)(
  'work counts as landed only while it is there: else it is kept as well (%s)',
  async (merge) => {
    const root = newRepo();
    const repository = await open(root);
    const [delta] = await tasks(repository, { 'a.txt': 'task\n', 'b.txt': 'b\n' });
    if (delta === undefined) throw new Error('no delta');
    const step = (name: string) => {
      if (name === 'landed') put(root, { 'a.txt': 'the person was faster\n' });
    };
    const answer = await landTask(repository, delta, { merge, step });
    expect(answer).toMatchObject({ status: 'recovery_available', reason: expect.stringContaining('a.txt') });
    expect(await listRecoveries(repository)).toEqual([delta.id]);
    expect(text(root, 'a.txt')).toBe('the person was faster\n');
  },
);

it.each(MODES)(
  'work that landed and that nobody can look at is kept as well, and can be undone (%s)',
  async (merge) => {
    const root = newRepo();
    const repository = await open(root);
    const [delta] = await tasks(repository, { 'a.txt': 'task\n' });
    if (delta === undefined) throw new Error('no delta');
    const index = join(root, '.git/index');
    let known = Buffer.of();
    const step = (name: string) => {
      if (name !== 'landed') return;
      known = readFileSync(index);
      writeFileSync(index, 'broken');
    };
    const answer = await landTask(repository, delta, { merge, step });
    expect(answer).toMatchObject({
      status: 'recovery_available',
      reason: expect.stringContaining('It landed'),
    });
    expect([text(root, 'a.txt'), await listRecoveries(repository)]).toEqual(['task\n', [delta.id]]);
    writeFileSync(index, known);
    await undoLanding(repository, answer.landing ?? '');
    expect([text(root, 'a.txt'), status(root)]).toEqual(['one\n', []]);
  },
);
