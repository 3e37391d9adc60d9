/** Landing a chosen part of a task's work: some files, or some hunks of them. */
import { type ChangedFile, changedFiles, type TreeChange, treeChanges } from '../git/delta.ts';
import { openNested } from '../git/nested.ts';
import type { Repository } from '../git/repository.ts';
import { joinFields, lineOf } from '../git/run.ts';
import { type Scratch, withScratch } from '../git/scratch.ts';
import { type LandingAnswer, type LandingOptions, landTask } from './landing.ts';
import type { Delta } from './recovery.ts';

/** The choice names what the work does not have; the message says what. */
export class LandingChoiceError extends Error {
  override readonly name = 'LandingChoiceError';
}

export interface Choice {
  readonly path: string;
  /** Counted from 0 in the order of the task's patch; all of the file without. */
  readonly hunks?: readonly number[] | undefined;
}

/**
 * Lands some of the files that a task changed, and keeps all of the work where they cannot land. The rest can land
 * later: what is there already is left as it is.
 * @throws {LandingChoiceError} for a path that the task did not change.
 */
export async function landFiles(
  repository: Repository,
  delta: Delta,
  paths: readonly string[],
  options: LandingOptions = {},
): Promise<LandingAnswer> {
  return landHunks(
    repository,
    delta,
    paths.map((path) => ({ path })),
    options,
  );
}

/**
 * The same for some hunks of some files; a choice without `hunks` is the whole file.
 * @throws {LandingChoiceError} also for a hunk that is not there, and for hunks of a file that has none: one that is
 *   new, gone, binary or a link, which lands as a whole.
 */
export async function landHunks(
  repository: Repository,
  delta: Delta,
  choices: readonly Choice[],
  options: LandingOptions = {},
): Promise<LandingAnswer> {
  return landTask(repository, await chosenWork(repository, delta, choices), options, delta);
}

/**
 * The files of which these choices together leave something out.
 * @throws {LandingChoiceError} as `landHunks`.
 */
export async function leftOut(
  repository: Repository,
  delta: Delta,
  choices: readonly Choice[],
): Promise<ReadonlySet<string>> {
  const chosen = await chosenWork(repository, delta, choices);
  const paths = new Set<string>();
  const compare = async (prefix: string, from: string, to: string) => {
    const where = prefix === '' ? repository : await openNested(repository, prefix);
    const changes = await withScratch(where, (scratch) => treeChanges(scratch, from, to));
    for (const { path } of changes) paths.add(prefix + path);
  };
  await compare('', chosen.tree, delta.tree);
  for (const [at, { prefix, tree }] of delta.nested.entries())
    await compare(prefix, chosen.nested[at]?.tree ?? tree, tree);
  return paths;
}

/**
 * The work with nothing in it but what was chosen.
 * @throws {LandingChoiceError} as `landHunks`.
 */
export async function chosenWork(
  repository: Repository,
  delta: Delta,
  given: readonly Choice[],
): Promise<Delta> {
  const choices = together(given);
  const known = new Set(delta.files.map(({ path }) => path));
  const unknown = choices.filter(({ path }) => !known.has(path)).map(({ path }) => path);
  if (unknown.length > 0) throw new LandingChoiceError(`The task did not change ${unknown.join(', ')}.`);
  const files: ChangedFile[] = [];
  const prefixOf = (path: string) => delta.nested.find(({ prefix }) => path.startsWith(prefix))?.prefix ?? '';
  const partOf = async (prefix: string, part: { base: string; tree: string }) => {
    const own = choices.filter(({ path }) => prefixOf(path) === prefix);
    const where = prefix === '' ? repository : await openNested(repository, prefix);
    return withScratch(where, async (scratch) => {
      const local = own.map((choice) => ({ ...choice, path: choice.path.slice(prefix.length) }));
      const tree = await chosenTree(scratch, part, local);
      const changed = await changedFiles(scratch, part.base, tree);
      files.push(...changed.map((file) => ({ ...file, path: prefix + file.path })));
      return tree;
    });
  };
  const tree = await partOf('', delta);
  const nested = [];
  for (const part of delta.nested) nested.push({ ...part, tree: await partOf(part.prefix, part) });
  // Its own commits hold more than was chosen.
  return { ...delta, tree, nested, files, commits: undefined };
}

/** One choice for each file: of all hunks that were chosen of it. */
function together(choices: readonly Choice[]): readonly Choice[] {
  const byPath = new Map<string, Choice>();
  for (const { path, hunks } of choices) {
    const before = byPath.get(path);
    const all = before === undefined ? hunks : before.hunks && hunks && [...before.hunks, ...hunks];
    byPath.set(path, { path, hunks: all });
  }
  return [...byPath.values()];
}

/** The tree that the task found, with what was chosen of what it left. */
async function chosenTree(
  scratch: Scratch,
  { base, tree }: { base: string; tree: string },
  choices: readonly Choice[],
): Promise<string> {
  const changes = new Map((await treeChanges(scratch, base, tree)).map((change) => [change.path, change]));
  await scratch.git(['read-tree', base]);
  const lines: Buffer[] = [];
  for (const { path, hunks } of choices) {
    const change = changes.get(path);
    if (change === undefined) throw new LandingChoiceError(`The task did not change ${path}.`);
    if (change.status === 'deleted' && hunks === undefined) {
      await scratch.git(['update-index', '--force-remove', '-z', '--stdin'], { input: `${path}\0` });
      continue;
    }
    const mode = await modeIn(scratch, tree, path);
    const id = hunks === undefined ? `${tree}:${path}` : await chosenBlob(scratch, base, tree, change, hunks);
    const blob = lineOf(await scratch.git(['rev-parse', '--verify', id]));
    lines.push(Buffer.from(`${mode} ${blob}\t${path}`));
  }
  const input = joinFields(lines);
  await scratch.git(['update-index', '-z', '--add', '--replace', '--index-info'], { input });
  return lineOf(await scratch.git(['write-tree', '--missing-ok']));
}

async function modeIn(scratch: Scratch, tree: string, path: string): Promise<string> {
  const { stdout } = await scratch.git(['ls-tree', '-z', tree, '--', path]);
  return stdout.toString('latin1', 0, 'xxxxxx'.length).trim() || '100644';
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Puts a file together: chosen hunks as the task left them, everything else as it found it. */
async function chosenBlob(
  scratch: Scratch,
  base: string,
  tree: string,
  { path, status }: TreeChange,
  hunks: readonly number[],
): Promise<string> {
  const how = ['-p', '--no-renames', '--no-ext-diff', '--no-textconv', '--full-index'];
  const { stdout } = await scratch.git(['diff-tree', ...how, base, tree, '--', path]);
  const ranges = rangesOf(stdout.toString('latin1'));
  if (status !== 'modified' || ranges.length === 0) {
    throw new LandingChoiceError(`${path} has no hunks to choose from; take the file as a whole.`);
  }
  const missing = hunks.filter((hunk) => ranges[hunk] === undefined);
  if (missing.length > 0) {
    throw new LandingChoiceError(`${path} has ${ranges.length} hunks, and no number ${missing.join(', ')}.`);
  }
  const [before, after] = [await linesOf(scratch, base, path), await linesOf(scratch, tree, path)];
  const chosen: string[] = [];
  let at = 0;
  for (const [number, range] of ranges.entries()) {
    chosen.push(...before.slice(at, range.old.start));
    const isChosen = hunks.includes(number);
    const { start, count } = isChosen ? range.new : range.old;
    chosen.push(...(isChosen ? after : before).slice(start, start + count));
    at = range.old.start + range.old.count;
  }
  chosen.push(...before.slice(at));
  const input = Buffer.from(chosen.join(''), 'latin1');
  return lineOf(await scratch.git(['hash-object', '-w', '--no-filters', '--stdin'], { input }));
}

interface Range {
  /** Counted from 0. */
  readonly start: number;
  readonly count: number;
}

/** Where the hunks of one file's diff lie. A line of a file's content has a sign in front of it. */
function rangesOf(diff: string): { old: Range; new: Range }[] {
  const range = (start = '0', count = '1'): Range => {
    // Git names the line before an empty range.
    return { start: Number(start) - (count === '0' ? 0 : 1), count: Number(count) };
  };
  return diff.split('\n').flatMap((line) => {
    const found = HUNK.exec(line);
    return found ? [{ old: range(found[1], found[2]), new: range(found[3], found[4]) }] : [];
  });
}

/** Lines with their ends, one character a byte. */
async function linesOf(scratch: Scratch, tree: string, path: string): Promise<string[]> {
  const { stdout } = await scratch.git(['cat-file', 'blob', `${tree}:${path}`]);
  return stdout.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
