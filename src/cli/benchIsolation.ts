/** `bench isolation`: what a task's work tree costs, beside git's own without anything of ours. */
import { appendFile, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { captureBaseline } from '../git/baseline.ts';
import { overlayProblem } from '../git/overlay.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import { runGit } from '../git/run.ts';
import { createIsolation } from '../subagent/isolation.ts';
import type { IsolationRecord } from '../subagent/isolationRecord.ts';
import { removeIsolation } from '../subagent/isolationRemoval.ts';
import { createOverlay, endSharing, shareIsolation } from '../subagent/overlayIsolation.ts';
import { percentile, round } from './benchMetrics.ts';
import { temporaryFolder } from './benchStore.ts';

/** Times in milliseconds. A ratio is taken within each run, where the machine is the same to both sides. */
interface Times {
  readonly median: number;
  readonly least: number;
}

export interface IsolationReport {
  readonly files: number;
  readonly dirty: number;
  readonly runs: number;
  /** `git worktree add`, then a copy of each dirty file. */
  readonly bare: Times;
  /** The first work tree of a batch: the person's state is captured, and a work tree filled with it. */
  readonly first: Times;
  /** Each further one. */
  readonly next: Times;
  /** Each further one as a mount; null where mounts cannot be. */
  readonly overlay: Times | null;
  readonly ratios: {
    /** Of `first` to `bare`; at most 1.5. */
    readonly first: Times;
    /** Of `next` to `bare`. */
    readonly next: Times;
    /** Of `overlay` to `next`; at most a quarter. */
    readonly overlay: Times | null;
  };
  readonly notes: readonly string[];
}

const FOLDERS = 400;
const LINE = 'const value = compute(input, options); // as a line of a program is\n';
/** Lines of the shortest file and how many more the longest has: 70 bytes to 7 kB, as sources are. */
const LINES = 100;
const NAME_WIDTH = 38;
const CELL_WIDTH = 10;
const IDENTITY = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost'];

/**
 * Measures all kinds one after the other in each run, so that what else the machine does weighs on all of them.
 * @param files how many files are committed
 * @param dirty how many are changed since: a third staged, a third not, a third untracked
 */
export async function benchIsolation(files: number, dirty: number, runs: number): Promise<IsolationReport> {
  const { folder, remove } = await temporaryFolder();
  try {
    const root = join(folder, 'repository');
    const changed = await makeRepository(root, files, dirty);
    const repository = await openRepository(root);
    const problem = overlayProblem();
    const rows: Row[] = [];
    // The first run warms the caches and does not count.
    for (let run = 0; run <= runs; run++) {
      const bare = () => measureBare(repository, join(folder, 'bare'), changed);
      // Whoever is first finds other caches than whoever is last.
      const before = run % 2 === 0 ? await bare() : undefined;
      const ours = await measureOurs(repository, join(folder, 'worktrees'), problem);
      rows.push({ bare: before ?? (await bare()), ...ours });
    }
    return reportOf(rows.slice(1), { files, dirty, problem });
  } finally {
    await remove();
  }
}

interface Row {
  readonly bare: number;
  readonly first: number;
  readonly next: number;
  readonly overlay: number | undefined;
}

async function measureBare(
  { workTree }: Repository,
  place: string,
  changed: readonly string[],
): Promise<number> {
  const [bare] = await timed(() => bareWorktree(workTree, place, changed));
  await runGit(['worktree', 'remove', '--force', place], { cwd: workTree });
  return bare;
}

async function measureOurs(
  repository: Repository,
  folder: string,
  problem: string | undefined,
): Promise<Omit<Row, 'bare'>> {
  const options = { session: 'bench', task: 'task', folder };
  const [first, { baseline, made }] = await timed(async () => {
    const baseline = await captureBaseline(repository);
    return { baseline, made: await createIsolation(repository, baseline, options) };
  });
  const [next, another] = await timed(() => createIsolation(repository, baseline, options));
  await removeIsolation(repository, another);
  const overlay = problem === undefined ? await overlaid(repository, made) : undefined;
  if (overlay === undefined) await removeIsolation(repository, made);
  return { first, next, overlay };
}

async function bareWorktree(root: string, place: string, changed: readonly string[]): Promise<void> {
  await runGit(['worktree', 'add', '--detach', place, 'HEAD'], { cwd: root });
  for (const path of changed) {
    await mkdir(dirname(join(place, path)), { recursive: true });
    await copyFile(join(root, path), join(place, path));
  }
}

/** One mount before the measured one: the batch's first has the shared work tree to wait for, too. */
async function overlaid(repository: Repository, made: IsolationRecord): Promise<number> {
  const shared = shareIsolation(made);
  const warm = await createOverlay(repository, shared, 'first');
  const [overlay, second] = await timed(() => createOverlay(repository, shared, 'second'));
  for (const one of [warm, second]) await removeIsolation(repository, one);
  await endSharing(repository, shared);
  return overlay;
}

/** @returns paths of the dirty files. */
async function makeRepository(root: string, files: number, dirty: number): Promise<string[]> {
  const names = Array.from({ length: files }, (_, at) => `src/part-${at % FOLDERS}/file-${at}.ts`);
  for (let at = 0; at < Math.min(files, FOLDERS); at++)
    await mkdir(join(root, 'src', `part-${at}`), { recursive: true });
  for (const [at, name] of names.entries())
    await writeFile(join(root, name), `// ${name}\n${LINE.repeat(1 + ((at * 37) % LINES))}`);
  const git = (...args: string[]) => runGit([...IDENTITY, ...args], { cwd: root });
  await git('init', '--quiet');
  await git('add', '--all');
  await git('commit', '--quiet', '--no-gpg-sign', '--message', 'files');
  const stride = Math.max(1, Math.floor(files / dirty));
  const changed = Array.from({ length: dirty }, (_, at) =>
    at % 3 === 2 ? `src/new/file-${at}.ts` : (names[(at * stride) % files] ?? ''),
  );
  await mkdir(join(root, 'src/new'));
  for (const name of changed) await appendFile(join(root, name), LINE);
  const staged = changed.filter((_, at) => at % 3 === 0);
  await runGit(['add', '--pathspec-from-file=-'], { cwd: root, input: staged.join('\n') });
  return changed;
}

async function timed<Made>(make: () => Promise<Made>): Promise<[ms: number, made: Made]> {
  const started = performance.now();
  const made = await make();
  return [performance.now() - started, made];
}

function reportOf(
  rows: readonly Row[],
  { files, dirty, problem }: { files: number; dirty: number; problem: string | undefined },
): IsolationReport {
  const of = (value: (row: Row) => number) => timesOf(rows.map(value));
  const hasOverlay = problem === undefined;
  return {
    files,
    dirty,
    runs: rows.length,
    bare: of(({ bare }) => bare),
    first: of(({ first }) => first),
    next: of(({ next }) => next),
    overlay: hasOverlay ? of(({ overlay = 0 }) => overlay) : null,
    ratios: {
      first: of(({ first, bare }) => first / bare),
      next: of(({ next, bare }) => next / bare),
      overlay: hasOverlay ? of(({ overlay = 0, next }) => overlay / next) : null,
    },
    notes: hasOverlay ? [] : [`Overlays were not measured: ${problem}.`],
  };
}

function timesOf(values: readonly number[]): Times {
  return { median: percentile(values, 0.5), least: round(Math.min(...values), 3) };
}

/** The report as lines for people. */
export function isolationTable(report: IsolationReport): string {
  const { files, dirty, runs, bare, first, next, overlay, ratios, notes } = report;
  const line = (name: string, cells: readonly string[], remark = '') =>
    `${name.padEnd(NAME_WIDTH)}${cells.map((cell) => cell.padStart(CELL_WIDTH)).join('')}${remark && `  ${remark}`}`;
  const row = (name: string, times: Times, ratio: Times, remark: string) => {
    const ratios = [ratio.median.toFixed(3), ratio.least.toFixed(3)];
    return line(name, [times.median.toFixed(0), times.least.toFixed(0), ...ratios], remark);
  };
  return [
    `${files} files, ${dirty} of them dirty, ${runs} runs`,
    line('', ['median ms', 'least ms', 'ratio', 'least']),
    line('git worktree add, dirty files copied', [bare.median.toFixed(0), bare.least.toFixed(0)]),
    row('first work tree of a batch', first, ratios.first, 'of git; at most 1.5'),
    row('each further work tree', next, ratios.next, 'of git'),
    ...(overlay && ratios.overlay
      ? [row('each further one as an overlay', overlay, ratios.overlay, 'of a further one; at most 0.25')]
      : []),
    ...notes,
  ].join('\n');
}
