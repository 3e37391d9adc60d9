/** Generated states of the person's repository, generated tasks, both ways to land, and death at any moment. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureBaseline } from '../../../src/git/baseline.ts';
import type { Repository } from '../../../src/git/repository.ts';
import { createIsolation, holdsEverything, isolationDelta } from '../../../src/subagent/isolation.ts';
import { type IsolationRecord, writeRecord } from '../../../src/subagent/isolationRecord.ts';
import { removeIsolation } from '../../../src/subagent/isolationRemoval.ts';
import { type LandingAnswer, landTask } from '../../../src/subagent/landing.ts';
import { finishLandings } from '../../../src/subagent/landingFinish.ts';
import { LandingFolder } from '../../../src/subagent/landingJournal.ts';
import { findLeftovers, recoverLeftover } from '../../../src/subagent/leftovers.ts';
import type { Delta } from '../../../src/subagent/recovery.ts';
import { git, open, snapshot } from '../../unit/git/repo.ts';
import type { ChildOptions } from './child.ts';
import { buildChild, type Program } from './program.ts';
import { diceOf, labour, parentOf, soil } from './states.ts';

/** The full counts, or such as fit into every test run. */
const SOAK = process.env.LODELINE_SOAK === '1';
const STATES = SOAK ? 500 : 20;
const DEATHS = SOAK ? 500 : 8;
/** Another first seed makes another run: `LODELINE_SEED=1000`. */
const FIRST = Number(process.env.LODELINE_SEED ?? 1);
const TIMEOUT_MS = SOAK ? 7_200_000 : 300_000;
const DEAD = 2 ** 22 + 1;
const MODES = ['patch', 'branch'] as const;

let program: Program;

beforeAll(async () => {
  program = await buildChild();
});
afterAll(() => program.remove());

/** What must stay, beside what the tasks changed. */
function stateOf(root: string) {
  return {
    files: snapshot(root),
    entries: git(root, 'ls-files', '-s', '-v', '-z').split('\0').filter(Boolean),
    head: git(root, 'rev-parse', 'HEAD').trim(),
    refs: git(root, 'for-each-ref', '--format=%(refname) %(objectname)').split('\n').filter(Boolean),
    stash: git(root, 'stash', 'list'),
    worktrees: git(root, 'worktree', 'list', '--porcelain').match(/^worktree .*/gm),
    inner: existsSync(join(root, 'inner')) ? git(join(root, 'inner'), 'for-each-ref', 'refs/heads') : '',
  };
}

type State = ReturnType<typeof stateOf>;

async function prepared(seed: number) {
  const dice = diceOf(seed);
  const root = parentOf(dice);
  const repository = await open(root);
  const baseline = await captureBaseline(repository);
  const known = git(root, 'worktree', 'list', '--porcelain').match(/^worktree .*/gm);
  const isolations: IsolationRecord[] = [];
  const deltas: Delta[] = [];
  for (const task of ['0-A', '1-B']) {
    const isolation = await createIsolation(repository, baseline, { session: 's', task });
    labour(isolation.path, dice, task);
    isolations.push(isolation);
    deltas.push(await isolationDelta(repository, isolation));
  }
  if (dice.chance(0.5)) soil(root, dice, 1 + dice.roll(2), 'since');
  if (dice.chance(0.2))
    git(root, '-c', 'commit.gpgSign=false', 'commit', '-q', '--allow-empty', '-m', 'since');
  return { root, repository, isolations, deltas, dice, before: { ...stateOf(root), worktrees: known } };
}

/** Everything that no landing may change, whatever became of it. */
function expectUntouched(root: string, before: State, landed: readonly Delta[], merge: string): State {
  const now = stateOf(root);
  const touched = new Set(landed.flatMap(({ files }) => files.map(({ path }) => path)));
  const others = (files: Record<string, string>) =>
    Object.fromEntries(Object.entries(files).filter(([path]) => !touched.has(path)));
  expect(others(now.files)).toEqual(others(before.files));
  const entries = (list: readonly string[]) =>
    list.filter((entry) => merge === 'patch' || !touched.has(entry.slice(entry.indexOf('\t') + 1)));
  expect(entries(now.entries)).toEqual(entries(before.entries));
  const current = spawnedBranch(root);
  const refs = (list: readonly string[]) =>
    list.filter(
      (ref) => !/^refs\/(lodeline|heads\/lodeline\/task)\//.test(ref) && !isCurrent(ref, current, merge),
    );
  expect(refs(now.refs)).toEqual(refs(before.refs));
  expect([now.stash, now.worktrees, now.inner]).toEqual([before.stash, before.worktrees, before.inner]);
  if (merge === 'patch') expect(now.head).toBe(before.head);
  else expect(git(root, 'merge-base', before.head, now.head).trim()).toBe(before.head);
  expect(git(root, 'ls-files', '-u')).toBe('');
  return now;
}

function isCurrent(ref: string, current: string, merge: string): boolean {
  return merge === 'branch' && current !== '' && ref.startsWith(`${current} `);
}

function spawnedBranch(root: string): string {
  return (
    (/^branch (.*)$/m.exec(
      git(root, 'worktree', 'list', '--porcelain')
        .split('\n\n')
        .find((one) => one.startsWith(`worktree ${root}\n`)) ?? '',
    ) ?? [])[1] ?? ''
  );
}

function expectNothingLeft(repository: Repository): void {
  const { gitDir, commonDir, stateDir, workTree } = repository;
  for (const dir of [gitDir, commonDir]) {
    expect(
      readdirSync(dir).filter((name) => /\.lock|lodeline|_HEAD$/.test(name) && name !== 'ORIG_HEAD'),
    ).toEqual([]);
  }
  const drafts = join(stateDir, 'git-drafts');
  expect(existsSync(drafts) ? readdirSync(drafts) : []).toEqual([]);
  expect(Object.keys(snapshot(workTree)).filter((name) => name.includes('.lodeline-'))).toEqual([]);
  const landings = new LandingFolder(stateDir);
  for (const id of landings.ids()) expect(landings.read(id)).toMatchObject({ state: 'landed' });
}

/** A task's work is under its reference, whole. */
function expectKept(root: string, delta: Delta): void {
  expect(git(root, 'rev-parse', `refs/lodeline/recovery/${delta.id}^{tree}`).trim()).toBe(delta.tree);
}

/** Where nobody else changed a file, it is as the task left it. */
function expectLanded(
  one: Awaited<ReturnType<typeof prepared>>,
  now: State,
  at: number,
  merge: string,
): void {
  const [delta, isolation] = [one.deltas[at], one.isolations[at]];
  if (delta === undefined || isolation === undefined) throw new Error('no task');
  const found = snapshot(isolation.path);
  const other = new Set(one.deltas[1 - at]?.files.map(({ path }) => path));
  const base = git(one.root, 'ls-tree', '-r', '-z', '--format=%(path)', delta.base).split('\0');
  for (const { path, status } of delta.files) {
    const mine = one.before.files[path];
    if (other.has(path) || path.startsWith('inner/')) continue;
    // A merge carries what others changed into a file that was renamed.
    if (status === 'added' && delta.files.some((file) => file.status === 'deleted')) continue;
    const start = base.includes(path)
      ? git(one.root, 'cat-file', 'blob', `${delta.base}:${path}`)
      : undefined;
    if (
      mine?.startsWith('link ') ||
      Buffer.from(mine?.replace(/^\d+ /, '') ?? '', 'latin1').toString() !== (start ?? '')
    )
      continue;
    const expected = status === 'deleted' ? undefined : found[path]?.replace(/^\d+ /, '');
    expect([path, now.files[path]?.replace(/^\d+ /, '')]).toEqual([path, expected]);
  }
  if (merge === 'branch') expect(git(one.root, 'branch', '--list', `lodeline/task/${delta.id}`)).toBe('');
}

describe('any state of the repository', () => {
  const states = Array.from({ length: STATES }, (_, at) => FIRST + at);
  it.each(states.flatMap((seed) => MODES.map((merge) => [seed, merge] as const)))(
    'seed %i (%s): what did not change stays, and every task has landed or can be had',
    async (seed, merge) => {
      const one = await prepared(seed);
      const { root, repository, isolations, deltas, before } = one;
      const answers: LandingAnswer[] = [];
      for (const delta of deltas) answers.push(await landTask(repository, delta, { merge }));
      const landed = deltas.filter((_, at) => answers[at]?.status === 'applied');
      const found = isolations.map(({ path }) => path).map((path) => existsSync(path));
      expect(found).toEqual([true, true]);
      const now = stateOf(root);
      for (const [at, { status }] of answers.entries()) {
        const delta = deltas[at];
        if (delta === undefined) continue;
        expect(['applied', 'no_changes', 'conflict', 'recovery_available']).toContain(status);
        if (status === 'applied') expectLanded(one, now, at, merge);
        else if (status !== 'no_changes') expectKept(root, delta);
      }
      for (const [at, isolation] of isolations.entries()) {
        expect(holdsEverything(deltas[at] as Delta)).toBe(true);
        await removeIsolation(repository, isolation);
      }
      expectUntouched(root, before, landed, merge);
      expectNothingLeft(repository);
    },
    TIMEOUT_MS,
  );
});

describe('death at any moment', () => {
  const deaths = Array.from({ length: DEATHS }, (_, at) => FIRST + 10_000 + at);
  it.each(deaths.map((seed, at) => [seed, MODES[at % 2] ?? 'patch'] as const))(
    'seed %i (%s): the next start finds everything landed or kept, and nothing left behind',
    async (seed, merge) => {
      const one = await prepared(seed);
      const { root, repository, isolations, deltas, before, dice } = one;
      const file = join(repository.stateDir, 'deltas.json');
      writeFileSync(file, JSON.stringify(deltas));
      const options = { root, store: repository.stateDir, role: 'land', deltas: file, merge } as const;
      await dying(dice.chance(0.8) ? { ...options, dieAt: 1 + dice.roll(45) } : options, dice.roll(1_500));
      for (const isolation of isolations) {
        writeRecord({ ...isolation, owner: { ...isolation.owner, pid: DEAD } });
      }
      await finishLandings(repository);
      for (const { record } of await findLeftovers(repository)) {
        if (record) await recoverLeftover(repository, record);
      }
      const landings = new LandingFolder(repository.stateDir);
      const journals = landings.ids().map((id) => landings.read(id));
      const landed = deltas.filter(({ id, tree }) =>
        journals.some(
          (journal) => journal !== 'damaged' && journal?.id.startsWith(`${id}.`) && journal.tree === tree,
        ),
      );
      for (const delta of deltas) {
        const isNothing = delta.files.length === 0 && delta.commits === undefined;
        if (!landed.includes(delta) && !isNothing) expectKept(root, delta);
      }
      expectUntouched(root, before, landed, merge);
      expectNothingLeft(repository);
    },
    TIMEOUT_MS,
  );
});

/** Lives until it is done, dies by itself at a step, or is killed after a while. */
async function dying(options: ChildOptions, after: number): Promise<void> {
  const child = spawn(process.execPath, [program.file, JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0 || signal === 'SIGKILL') resolve();
      else reject(new Error(`ended with ${code}: ${said}`));
    });
  });
  if (options.dieAt === undefined) {
    await Promise.race([ended, sleep(after)]);
    child.kill('SIGKILL');
  }
  await ended;
}
