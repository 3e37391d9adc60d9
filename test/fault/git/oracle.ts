/** What must be true after landings, told from files and from git alone: nothing here asks the product. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { git, snapshot } from '../../unit/git/repo.ts';
import { temporaryFolder } from '../../unit/support/folder.ts';
import { commonDir, convertsLines, TRACE } from './kinds.ts';

/** Files by path: mode and bytes, or the target of a link. */
export type Files = Readonly<Record<string, string>>;

/** What one task did, by its files before and after. */
export interface Work {
  readonly id: string;
  readonly before: Files;
  readonly after: Files;
  /** Paths that differ and that git does not ignore. */
  readonly touched: ReadonlySet<string>;
}

/** A file is the same to git whatever the rest of its mode is, and where it says so, whatever its line endings are. */
export function plainFiles(root: string, folder = root): Files {
  const turns = convertsLines(root);
  return Object.fromEntries(
    Object.entries(snapshot(folder)).map(([path, file]) => {
      const [, mode = '', bytes = ''] = /^(\d+) (.*)$/s.exec(file) ?? [];
      if (mode === '') return [path, file];
      const content = turns ? bytes.replaceAll('\r\n', '\n') : bytes;
      return [path, `${Number.parseInt(mode, 8) & 0o100 ? 'run' : 'file'} ${content}`];
    }),
  );
}

/** Tracked files that the index says are not there (`skip-worktree`), and that are not. */
export function hiddenFiles(root: string): string[] {
  const { files } = stateOf(root);
  return pathsIn(root, 'ls-files', '-t')
    .flatMap((entry) => (entry.startsWith('S ') ? [entry.slice(2)] : []))
    .filter((path) => files[path] === undefined);
}

/**
 * The work of a task between two moments. Locks in the root and what is ignored are no work.
 * @param hidden a file made where the folder of one must be replaces it, although neither moment shows it.
 */
export function workOf(id: string, before: Files, after: Files, hidden: readonly string[]): Work {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const isWork = (path: string) => !/^\.[^/]+\.lock$|(^|\/)[^/]*\.log(\/|$)/.test(path);
  const touched = paths.filter((path) => before[path] !== after[path] && isWork(path));
  const made = touched.filter((path) => before[path] === undefined);
  const replaced = hidden.filter((path) => made.some((file) => path.startsWith(`${file}/`)));
  return { id, before, after, touched: new Set([...touched, ...replaced]) };
}

/** What must stay, beside what the tasks changed. */
export function stateOf(root: string) {
  const inner = join(root, 'inner');
  return {
    files: snapshot(root),
    plain: plainFiles(root),
    entries: git(root, 'ls-files', '-s', '-v', '-z').split('\0').filter(Boolean),
    head: git(root, 'rev-parse', 'HEAD').trim(),
    branch: git(root, 'rev-parse', '--symbolic-full-name', 'HEAD').trim(),
    refs: git(root, 'for-each-ref', '--format=%(refname) %(objectname)').split('\n').filter(Boolean),
    stash: git(root, 'stash', 'list', '--format=%H'),
    worktrees: worktreesOf(root),
    inner: existsSync(join(inner, '.git'))
      ? [git(inner, 'for-each-ref', 'refs/heads'), git(inner, 'ls-files', '-s', '-v'), worktreesOf(inner)]
      : [],
  };
}

export type State = ReturnType<typeof stateOf>;

function worktreesOf(root: string): readonly string[] {
  return git(root, 'worktree', 'list', '--porcelain').match(/^worktree .*/gm) ?? [];
}

/** Everything that no landing may change, whatever became of it. */
export function expectUntouched(root: string, before: State, landed: readonly Work[], merge: string): State {
  const now = stateOf(root);
  const touched = new Set(landed.flatMap((work) => [...work.touched]));
  const others = (files: Files) =>
    Object.fromEntries(
      Object.entries(files).filter(([path]) => !touched.has(path) && !isCarried(path, landed, before, now)),
    );
  expect(others(now.files)).toEqual(others(before.files));
  // Branch mode changes the index and HEAD where the tasks did.
  const committable = new Set([...touched, ...otherNames(root, before, touched)]);
  const entries = (list: readonly string[]) =>
    list.filter((entry) => merge === 'patch' || !committable.has(pathOf(entry)));
  expect(entries(now.entries)).toEqual(entries(before.entries));
  const refs = (list: readonly string[]) => list.filter((ref) => !isOurs(ref, before.branch, merge));
  expect(refs(now.refs)).toEqual(refs(before.refs));
  expect([now.branch, now.stash, now.worktrees, now.inner]).toEqual([
    ...[before.branch, before.stash, before.worktrees, before.inner],
  ]);
  if (merge === 'patch') expect(now.head).toBe(before.head);
  else expectOnlyTheirCommits(root, before.head, now.head, committable);
  expect(git(root, 'ls-files', '-u')).toBe('');
  expect(existsSync(join(commonDir(root), TRACE))).toBe(false);
  return now;
}

/** What is kept has a name of its own, and in branch mode the person's branch goes with HEAD. */
function isOurs(ref: string, branch: string, merge: string): boolean {
  return (
    /^refs\/(lodeline|heads\/lodeline\/task)\//.test(ref) ||
    (merge === 'branch' && ref.startsWith(`${branch} `))
  );
}

/**
 * What the person renamed and has not committed has one name in HEAD and another in the index or the work tree. A
 * task's edit under one of them belongs into HEAD and the index under theirs.
 */
function otherNames(root: string, before: State, touched: ReadonlySet<string>): string[] {
  const committed = new Set(pathsIn(root, 'ls-tree', '-r', '--name-only', before.head));
  return [before.entries.map(pathOf), Object.keys(before.files)].flatMap((names) => {
    const gone = [...committed].filter((path) => !names.includes(path));
    const fresh = names.filter((path) => !committed.has(path));
    const isTouched = (path: string) => touched.has(path);
    return [...(gone.some(isTouched) ? fresh : []), ...(fresh.some(isTouched) ? gone : [])];
  });
}

function expectOnlyTheirCommits(root: string, from: string, to: string, paths: ReadonlySet<string>): void {
  expect(git(root, 'merge-base', from, to).trim()).toBe(from);
  const changed = pathsIn(root, 'diff-tree', '-r', '--no-renames', '--name-only', from, to);
  expect(changed.filter((path) => !paths.has(path))).toEqual([]);
}

function pathsIn(root: string, ...args: string[]): string[] {
  return git(root, ...args, '-z')
    .split('\0')
    .filter(Boolean);
}

/** Of a line of `ls-files -s -v`. */
function pathOf(entry: string): string {
  return entry.slice(entry.indexOf('\t') + 1);
}

/**
 * A task's work is under its reference, whole: each file that it changed is there as the task left it.
 * @param prefixes folders of repositories inside, which have a reference of the same name for their own part
 */
export function expectKept(root: string, { id, after, touched }: Work, prefixes: readonly string[]): void {
  for (const path of touched) {
    const prefix = prefixes.find((folder) => path.startsWith(folder)) ?? '';
    const repository = join(root, prefix);
    expect([path, kept(repository, id, path.slice(prefix.length), convertsLines(root))]).toEqual([
      ...[path, after[path]],
    ]);
  }
}

function kept(repository: string, id: string, path: string, turns: boolean): string | undefined {
  const ref = `refs/lodeline/recovery/${id}`;
  const entry = git(repository, 'ls-tree', '-z', ref, '--', path).split('\0')[0] ?? '';
  const [, mode, object = ''] = /^(\d+) blob ([0-9a-f]+)\t/.exec(entry) ?? [];
  if (mode === undefined) return undefined;
  const bytes = bytesOf(repository, object);
  if (mode === '120000') return `link ${Buffer.from(bytes, 'latin1').toString()}`;
  return `${mode === '100755' ? 'run' : 'file'} ${turns ? bytes.replaceAll('\r\n', '\n') : bytes}`;
}

function bytesOf(cwd: string, object: string): string {
  return execFileSync('git', ['cat-file', 'blob', object], { cwd, encoding: 'latin1' });
}

/** What a task edited that the person has under another name since, or not at all. */
function movedEdits({ touched, before, after }: Work, start: State): string[] {
  const isEdit = (path: string) => before[path] !== undefined && after[path] !== undefined;
  return [...touched].filter((path) => isEdit(path) && start.plain[path] === undefined);
}

/** Whether a file that the person renamed since the tasks began differs by edits of its old name, and by those alone. */
function isCarried(path: string, landed: readonly Work[], start: State, now: State): boolean {
  const found = start.plain[path];
  if (found === undefined) return false;
  let possible = [found];
  for (const work of landed.filter(({ before }) => before[path] === undefined)) {
    const edited = movedEdits(work, start).flatMap((old) =>
      possible.map((file) => merged(file, work.before[old], work.after[old])),
    );
    possible = [...possible, ...edited.filter((file) => file !== undefined)];
  }
  return possible.slice(1).includes(now.plain[path] ?? '');
}

/** Git's merge of one plain file; undefined where it does not merge. */
function merged(mine = '', base = '', task = ''): string | undefined {
  const sides = [mine, base, task].map((file) => /^(\w+) (.*)$/s.exec(file) ?? []);
  const mode = decided(...sides.map(([, one = '']) => one));
  const bytes = sides.map(([, , rest = '']) => rest);
  const content = decided(...bytes) ?? (mode === 'link' ? undefined : mergedText(bytes));
  return mode === undefined || content === undefined ? undefined : `${mode} ${content}`;
}

/** Undefined where both sides changed it, each in another way. */
function decided(mine = '', base = '', task = ''): string | undefined {
  if (mine === base || mine === task) return task;
  return task === base ? mine : undefined;
}

function mergedText(sides: readonly string[]): string | undefined {
  const folder = temporaryFolder();
  const files = sides.map((side, at) => {
    writeFileSync(join(folder, String(at)), side, 'latin1');
    return String(at);
  });
  try {
    return execFileSync('git', ['merge-file', '-p', ...files], {
      cwd: folder,
      encoding: 'latin1',
      stdio: 'pipe',
    });
  } catch {
    return undefined;
  }
}

/**
 * Whether all of a task's work is in the person's files: where nobody else changed a file, it is as the task left
 * it.
 * @param others paths that another task changed
 */
export function expectLanded(work: Work, start: State, now: State, others: ReadonlySet<string>): void {
  const paths = [...work.touched];
  const removes = paths.some((path) => work.after[path] === undefined);
  for (const path of paths) {
    if (others.has(path) || start.plain[path] !== work.before[path]) continue;
    // A merge carries what others changed into a file that was renamed.
    if (removes && work.before[path] === undefined) continue;
    expect([path, now.plain[path]]).toEqual([path, work.after[path]]);
  }
  for (const path of movedEdits(work, start).filter((old) => !others.has(old))) {
    const alone = [{ ...work, touched: new Set([path]) }];
    const carriers = Object.keys(start.plain).filter((name) => isCarried(name, alone, start, now));
    expect([path, carriers]).not.toEqual([path, []]);
  }
}

/** No lock, draft, unfinished command or temporary file, wherever one could be. */
export function expectNothingLeft(root: string, gitDirs: readonly string[], store: string): void {
  for (const dir of gitDirs) {
    const left = (name: string) => /\.lock|^index\.|_HEAD$|^rebase|sequencer/.test(name);
    const known = ['ORIG_HEAD', TRACE];
    expect(readdirSync(dir).filter((name) => left(name) && !known.includes(name))).toEqual([]);
  }
  const drafts = join(store, 'git-drafts');
  expect(existsSync(drafts) ? readdirSync(drafts) : []).toEqual([]);
  const folders = join(store, 'worktrees');
  expect(existsSync(folders) ? readdirSync(folders) : []).toEqual([]);
  expect(Object.keys(snapshot(root)).filter((name) => name.includes('.lodeline-'))).toEqual([]);
}
