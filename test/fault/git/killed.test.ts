/** Isolations and landings whose process dies at any step, and processes that land at the same time. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { captureBaseline } from '../../../src/git/baseline.ts';
import { createIsolation, isolationDelta } from '../../../src/subagent/isolation.ts';
import { landTask } from '../../../src/subagent/landing.ts';
import { finishLandings } from '../../../src/subagent/landingFinish.ts';
import { LandingFolder } from '../../../src/subagent/landingJournal.ts';
import { undoLanding } from '../../../src/subagent/landingUndo.ts';
import { findLeftovers, recoverLeftover } from '../../../src/subagent/leftovers.ts';
import { git, lines, metadata, newRepo, open, put, snapshot } from '../../unit/git/repo.ts';
import type { ChildOptions } from './child.ts';
import { buildChild, type Program } from './program.ts';

/** The full counts, or such as fit into every test run. */
const SOAK = process.env.LODELINE_SOAK === '1';
const TIMEOUT_MS = SOAK ? 3_600_000 : 240_000;

let program: Program;

beforeAll(async () => {
  program = await buildChild();
});
afterAll(() => program.remove());

interface Life {
  readonly killed: boolean;
  readonly steps: number;
  readonly statuses: string[];
}

function live(options: ChildOptions): Promise<Life> {
  const child = spawn(process.execPath, [program.file, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, said] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const killed = signal === 'SIGKILL';
      if (code !== 0 && !killed) return reject(new Error(`${options.role} ended with ${code}: ${said}`));
      const steps = Number(/steps (\d+)/.exec(said)?.[1]);
      return resolve({ killed, steps, statuses: out === '' ? [] : (JSON.parse(out) as string[]) });
    });
  });
}

/** All steps, or a few of them, the last among them. */
function some(steps: number, aim: number): number[] {
  const stride = SOAK ? 1 : Math.max(1, Math.ceil(steps / aim));
  return Array.from({ length: Math.ceil(steps / stride) }, (_, at) => Math.min(steps, 1 + at * stride));
}

/** A dirty repository, and a task's work that adds, changes, deletes and links. */
async function prepared() {
  const root = newRepo({ 'a.txt': lines(9), 'b.txt': 'b\n', 'old/c.txt': 'c\n' });
  put(root, { 'a.txt': lines(9, { 1: 'mine' }), 'staged.txt': 's\n' });
  git(root, 'add', 'staged.txt');
  const repository = await open(root);
  const isolation = await createIsolation(repository, await captureBaseline(repository), {
    session: 's',
    task: 't',
  });
  put(isolation.path, { 'a.txt': lines(9, { 1: 'mine', 9: 'task' }), 'new/d.txt': 'd\n', 'b.txt': 'task\n' });
  rmSync(join(isolation.path, 'old'), { recursive: true });
  const delta = await isolationDelta(repository, isolation);
  const deltas = join(repository.stateDir, 'deltas.json');
  writeFileSync(deltas, JSON.stringify([delta]));
  const child = { root, store: repository.stateDir };
  return { root, repository, delta, child, deltas, before: snapshot(root), git: metadata(root) };
}

it(
  'leaves the files before or after a landing, or lets the next start finish it',
  async () => {
    const whole = await prepared();
    const { steps } = await live({ ...whole.child, role: 'land', deltas: whole.deltas });
    const after = snapshot(whole.root);
    expect(after).not.toEqual(whole.before);
    expect(steps).toBeGreaterThan(10);
    for (const dieAt of some(steps, 7)) {
      const one = await prepared();
      const life = await live({ ...one.child, role: 'land', deltas: one.deltas, dieAt });
      expect(life.killed, `step ${dieAt}`).toBe(true);
      await finishLandings(one.repository);
      const found = snapshot(one.root);
      expect([one.before, after], `step ${dieAt}`).toContainEqual(found);
      const again = await landTask(one.repository, one.delta);
      expect(again.status).toBe(found['b.txt'] === one.before['b.txt'] ? 'applied' : 'no_changes');
      expect(snapshot(one.root)).toEqual(after);
      expect(metadata(one.root)).toEqual(one.git);
      // What was finished can be undone like any other.
      const [landing = ''] = new LandingFolder(one.repository.stateDir).ids();
      await undoLanding(one.repository, landing);
      expect(snapshot(one.root)).toEqual(one.before);
    }
  },
  TIMEOUT_MS,
);

it(
  'leaves the files before or after an undo, or lets the next start finish it',
  async () => {
    const landed = async () => {
      const one = await prepared();
      const { landing = '' } = await landTask(one.repository, one.delta);
      return { ...one, landing, after: snapshot(one.root) };
    };
    const whole = await landed();
    const { steps } = await live({ ...whole.child, role: 'undo', landing: whole.landing });
    expect(snapshot(whole.root)).toEqual(whole.before);
    for (const dieAt of some(steps, 4)) {
      const one = await landed();
      const life = await live({ ...one.child, role: 'undo', landing: one.landing, dieAt });
      expect(life.killed, `step ${dieAt}`).toBe(true);
      await finishLandings(one.repository);
      expect([one.before, one.after], `step ${dieAt}`).toContainEqual(snapshot(one.root));
      expect(metadata(one.root)).toEqual(one.git);
    }
  },
  TIMEOUT_MS,
);

it(
  'takes back a landing whose process died when a file was changed since',
  async () => {
    const whole = await prepared();
    const { steps } = await live({ ...whole.child, role: 'land', deltas: whole.deltas });
    for (const dieAt of some(steps, 5)) {
      const one = await prepared();
      await live({ ...one.child, role: 'land', deltas: one.deltas, dieAt });
      put(one.root, { 'b.txt': 'edited since\n' });
      await finishLandings(one.repository);
      const { 'b.txt': edited, ...others } = snapshot(one.root);
      expect(edited, `step ${dieAt}`).toBe('644 edited since\n');
      const { 'b.txt': _before, ...before } = one.before;
      const { 'b.txt': _after, ...after } = snapshot(whole.root);
      expect([before, after], `step ${dieAt}`).toContainEqual(others);
    }
  },
  TIMEOUT_MS,
);

it(
  'finds whatever a dying isolation leaves, and the repository as it was',
  async () => {
    const root = newRepo();
    put(root, { 'a.txt': 'mine\n' });
    const repository = await open(root);
    const child = { root, store: repository.stateDir, role: 'isolate' } as const;
    const { steps } = await live(child);
    const before = [snapshot(root), metadata(root)];
    const folders = join(repository.stateDir, 'worktrees');
    for (const dieAt of [undefined, ...some(steps, 6)]) {
      if (dieAt !== undefined) expect((await live({ ...child, dieAt })).killed).toBe(true);
      for (const { record } of await findLeftovers(repository)) {
        if (record === undefined) return expect.unreachable();
        expect((await recoverLeftover(repository, record)).recovery).toBeUndefined();
      }
      expect(git(root, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
      expect(existsSync(folders) ? readdirSync(folders) : [], `step ${dieAt}`).toEqual([]);
      expect(readdirSync(join(repository.stateDir, 'git-drafts'))).toEqual([]);
      expect([snapshot(root), metadata(root)]).toEqual(before);
    }
  },
  TIMEOUT_MS,
);

it(
  'lets processes land one after the other that do it at the same time',
  async () => {
    const COUNT = SOAK ? 12 : 3;
    const PROCESSES = SOAK ? 4 : 2;
    const root = newRepo({ 'a.txt': lines(200) });
    const repository = await open(root);
    const baseline = await captureBaseline(repository);
    const replaced: Record<number, string> = {};
    const files: string[] = [];
    for (let process = 0; process < PROCESSES; process++) {
      const deltas = [];
      for (let at = 0; at < COUNT; at++) {
        const line = 1 + 4 * (at * PROCESSES + process);
        replaced[line] = `task ${process}.${at}`;
        const isolation = await createIsolation(repository, baseline, { session: 's', task: 't' });
        put(isolation.path, { 'a.txt': lines(200, { [line]: `task ${process}.${at}` }) });
        deltas.push(await isolationDelta(repository, isolation));
      }
      const file = join(repository.stateDir, `deltas-${process}.json`);
      files.push(file);
      writeFileSync(file, JSON.stringify(deltas));
    }
    const lives = await Promise.all(
      files.map((deltas) => live({ root, store: repository.stateDir, role: 'land', deltas })),
    );
    expect(lives.flatMap(({ statuses }) => statuses)).toEqual(Array(PROCESSES * COUNT).fill('applied'));
    expect(snapshot(root)).toEqual({ 'a.txt': `644 ${lines(200, replaced)}` });
  },
  TIMEOUT_MS,
);
