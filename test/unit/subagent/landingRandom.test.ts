/** A person applies and takes back parts of a task's work in every order: in the end their files are as before. */
import { chmodSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRepository, type Repository } from '../../../src/git/repository.ts';
import { BatchActions } from '../../../src/subagent/batchActions.ts';
import { BatchFiles } from '../../../src/subagent/batchFiles.ts';
import { type BatchRecord, NO_PROGRESS, type TaskRecord } from '../../../src/subagent/batchRecord.ts';
import { eraseSubagents } from '../../../src/subagent/erase.ts';
import { fileOf, landingOf } from '../../../src/subagent/isolatedWork.ts';
import { isolationDelta } from '../../../src/subagent/isolation.ts';
import { keepTask } from '../../../src/subagent/landing.ts';
import { LandingActionError } from '../../../src/subagent/landingActions.ts';
import { LandingChoiceError } from '../../../src/subagent/landingChoice.ts';
import { CannotUndoError } from '../../../src/subagent/landingUndo.ts';
import { diceOf } from '../../fault/git/states.ts';
import { git, lines, metadata, newRepo, put, snapshot, text } from '../git/repo.ts';
import { isolate } from './isolationSupport.ts';

const SOAK = process.env.LODELINE_SOAK === '1';
const SEEDS = SOAK ? Array.from({ length: 40 }, (_, at) => at) : [1];
const STEPS = SOAK ? 14 : 5;
const { signal } = new AbortController();
const PLACES = [2, 14, 26];
/** Below what the task changes. */
const MINE = 38;

/** A file with some of the task's changes, and the person's own. */
const long = (hunks: readonly number[], mine = '', end = '\n') =>
  lines(40, {
    ...Object.fromEntries(hunks.map((hunk) => [PLACES[hunk] ?? 0, `task ${hunk}`])),
    ...(mine !== '' && { [MINE]: mine }),
  }).replaceAll('\n', end);

/** Every kind of file, in a repository with another one inside. */
function person(isDirty: boolean): string {
  const root = newRepo({
    'a.txt': long([]),
    'crlf.txt': long([], '', '\r\n'),
    'old.txt': lines(12),
    'run.sh': '#!/bin/sh\n',
    'bin.dat': Buffer.from([0, 1, 2, 255]),
    'gone.txt': 'gone\n',
  });
  put(root, { 'inner/a.txt': long([]) });
  const inner = join(root, 'inner');
  git(inner, 'init', '-q', '-b', 'main');
  git(inner, 'add', '-A');
  git(inner, 'commit', '-qm', 'inner');
  git(root, 'config', 'user.name', 'Ann');
  git(root, 'config', 'user.email', 'ann@example.org');
  if (!isDirty) return root;
  put(root, { 'a.txt': long([], 'mine'), 'untracked.txt': 'mine\n', 'staged.txt': 'mine\n' });
  git(root, 'add', 'staged.txt');
  return root;
}

function work(path: string): void {
  put(path, {
    'a.txt': long([0, 1, 2], text(path, 'a.txt')?.includes('mine') ? 'mine' : ''),
    'crlf.txt': long([0, 1, 2], '', '\r\n'),
    'run.sh': '#!/bin/sh\necho task\n',
    'bin.dat': Buffer.from([0, 9, 9, 255]),
    '한글/새.txt': '새\n',
    'inner/a.txt': long([0, 1, 2]),
    'inner/new.txt': 'new\n',
  });
  chmodSync(join(path, 'run.sh'), 0o755);
  renameSync(join(path, 'old.txt'), join(path, 'moved.txt'));
  rmSync(join(path, 'gone.txt'));
}

class Dying extends BatchFiles {
  override async save(): Promise<void> {
    throw new Error('died');
  }
}

interface Act {
  readonly name: 'apply' | 'revert';
  readonly choice: { path: string; hunks?: readonly number[] } | undefined;
}

class Bench {
  readonly root: string;
  readonly repository: Repository;
  readonly #dir: string;

  constructor(root: string, repository: Repository) {
    this.root = root;
    this.repository = repository;
    this.#dir = join(root, '..', 'store');
  }

  /** The files of another process at each call. */
  get #files(): BatchFiles {
    return new BatchFiles(join(this.#dir, 'batches'), Date.now);
  }

  async begin(merge: 'patch' | 'branch'): Promise<void> {
    const isolation = await isolate(this.repository, '0-Edit');
    work(isolation.path);
    const delta = await isolationDelta(this.repository, isolation);
    const answer = await keepTask(this.repository, delta, 'Later.');
    const landing = { ...landingOf(answer, delta, '0-Edit'), ...(merge === 'branch' && { merge }) };
    const task = {
      ...{ id: '0-Edit', name: 'Edit', description: 'Edit', assignment: 'Edit', status: 'completed' },
      ...{ progress: NO_PROGRESS, preview: '', findings: [], files: delta.files.map(fileOf) },
      ...{ landing: { ...landing, state: 'waiting' }, worktree: isolation.path },
    } as const satisfies TaskRecord;
    await this.#files.save({
      ...{ version: 1, id: 'b1', session: 's', level: 'PUBLIC', agent: 'task', context: '', schema: '' },
      ...{ isolated: true, background: false, started: 1, ended: 2 },
      ...{ owner: { pid: process.pid, host: 'h' }, tasks: [task] },
    } satisfies BatchRecord);
  }

  async act({ name, choice }: Act, dies = false): Promise<'done' | 'refused' | 'died'> {
    const files = dies ? new Dying(join(this.#dir, 'batches'), Date.now) : this.#files;
    const actions = new BatchActions({
      ...{ root: this.root, storeDir: this.#dir, files, list: () => files.list(), changed: () => {} },
    });
    try {
      await actions[name]('b1', '0-Edit', signal, choice);
      return 'done';
    } catch (error) {
      const isTold = [LandingActionError, LandingChoiceError, CannotUndoError].some(
        (known) => error instanceof known,
      );
      if (isTold) return 'refused';
      if (error instanceof Error && error.message === 'died') return 'died';
      throw error;
    }
  }

  async batches(): Promise<readonly BatchRecord[]> {
    return this.#files.list();
  }

  async task(): Promise<TaskRecord> {
    const found = (await this.batches())[0]?.tasks[0];
    if (found === undefined) throw new Error('no task');
    return found;
  }

  /** What the record says of hunks is what the files have. */
  async compare(mine: string, name: string): Promise<void> {
    const { landing } = await this.task();
    for (const path of ['a.txt', 'crlf.txt', 'inner/a.txt']) {
      const own = (landing?.parts ?? []).filter((part) => part.path === path);
      const isAll =
        landing?.state === 'applied' || landing?.undo !== undefined || own.some(({ hunks }) => !hunks);
      const hunks = PLACES.flatMap((_, at) =>
        isAll || own.some((part) => part.hunks?.includes(at)) ? [at] : [],
      );
      const expected = long(hunks, path === 'a.txt' ? mine : '', path === 'crlf.txt' ? '\r\n' : '\n');
      expect(text(this.root, path), `${path} after ${name}: ${JSON.stringify(landing)}`).toBe(expected);
    }
    const isSafe = landing?.state === 'applied' || (await this.refs()).includes('refs/lodeline/recovery');
    expect(isSafe, `work is lost after ${name}`).toBe(true);
  }

  async refs(): Promise<string> {
    return git(this.root, 'for-each-ref', '--format=%(refname)');
  }
}

describe.each(['patch', 'branch'] as const)('parts in any order (%s)', (merge) => {
  it.each(SEEDS)(
    'leave the files as they were, and nothing else (seed %i)',
    async (seed) => {
      const { pick, roll } = diceOf(seed * 2 + (merge === 'patch' ? 0 : 1));
      let mine = pick(['mine', '']);
      const root = person(mine !== '');
      const repository = await openRepository(root);
      const bench = new Bench(root, repository);
      const before = metadata(root);
      const inner = metadata(join(root, 'inner'));
      await bench.begin(merge);
      const { files } = await bench.task();
      expect(files).toHaveLength(10);
      const was = snapshot(root);
      const said: string[] = [];
      const one = (): Act => {
        const name = pick(['apply', 'apply', 'revert'] as const);
        if (roll(8) === 0) return { name, choice: undefined };
        const path = pick([...files.map((file) => file.path), 'a.txt', 'a.txt', 'crlf.txt', 'inner/a.txt']);
        const hunks =
          path.endsWith('a.txt') || path === 'crlf.txt' ? pick([[0], [1], [2], undefined]) : undefined;
        return { name, choice: { path, ...(hunks && { hunks }) } };
      };
      for (let at = 0; at < STEPS; at++) {
        const act = one();
        said.push(JSON.stringify(act));
        const kind = roll(100);
        if (kind < 20) {
          // What a process that died has done is done again.
          if ((await bench.act(act, true)) === 'died') said.push('died');
          await bench.act(act);
        } else if (kind < 35) {
          const other = one();
          said.push(`and ${JSON.stringify(other)}`);
          await Promise.all([bench.act(act), bench.act(other)]);
        } else if (kind < 50 && mine !== '') {
          put(root, { 'a.txt': (text(root, 'a.txt') ?? '').replace(mine, `mine ${at}`) });
          mine = `mine ${at}`;
          await bench.act(act);
        } else await bench.act(act);
        await bench.compare(mine, said.join(' '));
      }
      await bench.act({ name: 'revert', choice: undefined });
      const note = said.join(' ');
      expect(await bench.act({ name: 'revert', choice: undefined }), note).toBe('refused');
      await bench.compare(mine, note);
      const expected: Record<string, string> = { ...was };
      if (mine !== '') expected['a.txt'] = `644 ${long([], mine)}`;
      expect(snapshot(root), note).toEqual(expected);
      if (merge === 'patch') expect(metadata(root), note).toEqual(before);
      expect(metadata(join(root, 'inner')), note).toEqual(inner);
      const { landing } = await bench.task();
      // A branch that did not land is named, and stays.
      const branch = (await bench.refs()).match(/refs\/heads\/lodeline.*/)?.[0];
      if (branch !== undefined)
        expect(landing, note).toMatchObject({ state: 'recoverable', recovery: branch });
      await eraseSubagents(root, join(root, '..', 'store'), await bench.batches());
      expect(await bench.refs()).toBe('refs/heads/main\n');
      expect(git(join(root, 'inner'), 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n');
      expect(git(root, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
      const left = readdirSync(join(root, '.git'), { recursive: true }).map(String);
      expect(left.filter((name) => /\.lock$|landings|patches|worktrees./.test(name))).toEqual([]);
      expect(snapshot(root)).toEqual(expected);
    },
    SOAK ? 900_000 : 120_000,
  );
});
