/** Generated states of the person's repository, generated tasks, both ways to land, and death at any moment. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureBaseline } from '../../../src/git/baseline.ts';
import { createIsolation, holdsEverything, isolationDelta } from '../../../src/subagent/isolation.ts';
import { type IsolationRecord, writeRecord } from '../../../src/subagent/isolationRecord.ts';
import { removeIsolation } from '../../../src/subagent/isolationRemoval.ts';
import { landTask } from '../../../src/subagent/landing.ts';
import { finishLandings } from '../../../src/subagent/landingFinish.ts';
import { LandingFolder } from '../../../src/subagent/landingJournal.ts';
import { findLeftovers, recoverLeftover } from '../../../src/subagent/leftovers.ts';
import type { Delta } from '../../../src/subagent/recovery.ts';
import { git, open } from '../../unit/git/repo.ts';
import type { ChildOptions } from './child.ts';
import { calmly } from './kinds.ts';
import {
  expectKept,
  expectLanded,
  expectNothingLeft,
  expectUntouched,
  hiddenFiles,
  plainFiles,
  type State,
  stateOf,
  type Work,
  workOf,
} from './oracle.ts';
import { buildChild, type Program } from './program.ts';
import { diceOf, KINDS, kindOf, labour, parentOf, soil } from './states.ts';

/** The full counts, or such as fit into every test run. */
const SOAK = process.env.LODELINE_SOAK === '1';
const STATES = SOAK ? 500 : 32;
const DEATHS = SOAK ? 500 : 8;
/** Each state lands in both; in every test run in one of them, in turn. */
const MODES = ['patch', 'branch'] as const;
/** Another first seed makes another run: `LODELINE_SEED=1000`. */
const FIRST = Number(process.env.LODELINE_SEED ?? 1);
const TIMEOUT_MS = SOAK ? 7_200_000 : 300_000;
const DEAD = 2 ** 22 + 1;

let program: Program;

beforeAll(async () => {
  program = await buildChild();
});
afterAll(() => program.remove());

async function prepared(seed: number) {
  const dice = diceOf(seed);
  const kind = kindOf(seed);
  const root = parentOf(dice, kind);
  expect([kind.name, kind.seen(root)]).toEqual([kind.name, true]);
  const repository = await open(root);
  const before = stateOf(root);
  const hidden = hiddenFiles(root);
  const baseline = await captureBaseline(repository);
  const isolations: IsolationRecord[] = [];
  const deltas: Delta[] = [];
  const works: Work[] = [];
  for (const task of ['0-A', '1-B']) {
    const isolation = await createIsolation(repository, baseline, { session: 's', task });
    const found = plainFiles(root, isolation.path);
    labour(isolation.path, dice, task);
    const delta = await isolationDelta(repository, isolation);
    const work = workOf(delta.id, found, plainFiles(root, isolation.path), hidden);
    expect(delta.files.map(({ path }) => path).sort()).toEqual([...work.touched].sort());
    isolations.push(isolation);
    deltas.push(delta);
    works.push(work);
  }
  const { head, ...same } = stateOf(root);
  expect({ head, ...same, worktrees: [], inner: [] }).toEqual({ ...before, worktrees: [], inner: [] });
  if (dice.chance(0.5)) soil(root, dice, 1 + dice.roll(2), 'since');
  if (dice.chance(0.2)) calmly(root, 'commit', '-q', '--allow-empty', '-m', 'since');
  const { worktrees, inner } = before;
  const start: State = { ...stateOf(root), worktrees, inner };
  return { root, repository, isolations, deltas, works, dice, start };
}

type Prepared = Awaited<ReturnType<typeof prepared>>;

/** Each task has landed, wholly, or is kept, wholly; answers those that landed. */
function settled({ root, works, start, deltas }: Prepared): Work[] {
  const now = stateOf(root);
  return works.filter((work, at) => {
    const others = works[1 - at]?.touched ?? new Set();
    const isKept =
      git(root, 'for-each-ref', '--format=%(refname)', `refs/lodeline/recovery/${work.id}`) !== '';
    const own = [...work.touched].filter((path) => !others.has(path));
    const shows = own.some((path) => now.plain[path] !== start.plain[path]);
    if (isKept)
      expectKept(
        root,
        work,
        (deltas[at]?.nested ?? []).map(({ prefix }) => prefix),
      );
    // With repositories inside, what landed when its process died is kept as well.
    if (isKept && !shows) return false;
    expectLanded(work, start, now, others);
    return true;
  });
}

describe('any state of the repository', () => {
  const states = Array.from({ length: STATES }, (_, at) => FIRST + at);

  it('is there in turn', () => {
    expect(new Set(states.map((seed) => kindOf(seed).name)).size).toBe(KINDS);
  });

  it.each(
    states.flatMap((seed) =>
      MODES.filter((_, at) => SOAK || seed % 2 === at).map((merge) => [seed, merge] as const),
    ),
  )(
    'seed %i (%s): what did not change stays, and every task has landed or can be had',
    async (seed, merge) => {
      const one = await prepared(seed);
      const { root, repository, isolations, deltas, start } = one;
      for (const [at, delta] of deltas.entries()) {
        const { status, branch } = await landTask(repository, delta, { merge });
        const isKept = git(root, 'for-each-ref', `refs/lodeline/recovery/${delta.id}`) !== '';
        const expected = isKept ? ['conflict', 'recovery_available'] : ['applied', 'no_changes'];
        expect(expected).toContain(status);
        const named = branch === undefined ? '' : `${branch}\n`;
        const found = git(root, 'for-each-ref', '--format=%(refname)', 'refs/heads/lodeline/task/');
        expect(found.includes(delta.id)).toBe(named !== '');
        expect(holdsEverything(delta)).toBe(true);
        await removeIsolation(repository, isolations[at] as IsolationRecord);
      }
      expectUntouched(root, start, settled(one), merge);
      expectAllClear(one);
    },
    TIMEOUT_MS,
  );
});

function expectAllClear({ root, repository }: Prepared): void {
  const { gitDir, commonDir, stateDir } = repository;
  expectNothingLeft(root, [gitDir, commonDir], stateDir);
  const landings = new LandingFolder(stateDir);
  for (const id of landings.ids()) expect(landings.read(id)).toMatchObject({ state: 'landed' });
}

describe('death at any moment', () => {
  const deaths = Array.from({ length: DEATHS }, (_, at) => FIRST + 10_000 + at);
  it.each(deaths.map((seed, at) => [seed, MODES[at % 2] ?? 'patch'] as const))(
    'seed %i (%s): the next start finds everything landed or kept, and nothing left behind',
    async (seed, merge) => {
      const one = await prepared(seed);
      const { root, repository, isolations, deltas, start, dice } = one;
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
      expectUntouched(root, start, settled(one), merge);
      expectAllClear(one);
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
