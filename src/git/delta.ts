/** What changed between two trees: a list for people and a patch for git. */
import type { EntryChange } from './indexFile.ts';
import { fieldsOf } from './run.ts';
import type { Scratch } from './scratch.ts';

const GITLINK = '160000';
const NULL_MODE = '000000';

export interface ChangedFile {
  /** Relative to the work tree, `/` between its parts. */
  readonly path: string;
  readonly status: 'added' | 'modified' | 'deleted';
  /** Lines; 0 for a binary file. */
  readonly added: number;
  readonly deleted: number;
  readonly binary: boolean;
}

/** One path that differs between two trees. */
export interface TreeChange {
  readonly path: string;
  readonly status: ChangedFile['status'];
}

/**
 * The paths that differ, in the tree's order; a rename is a deletion and an addition. Submodules are left out:
 * nobody carries what is in them.
 */
export async function treeChanges(scratch: Scratch, from: string, to: string): Promise<TreeChange[]> {
  const { stdout } = await scratch.git(['diff-tree', '-r', '-z', '--raw', '--no-renames', from, to]);
  const fields = fieldsOf(stdout);
  const changes: TreeChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode, newMode] = String(fields[at]).slice(1).split(' ');
    if (oldMode === GITLINK || newMode === GITLINK) continue;
    const status = oldMode === NULL_MODE ? 'added' : newMode === NULL_MODE ? 'deleted' : 'modified';
    changes.push({ path: String(fields[at + 1]), status });
  }
  return changes;
}

/** The entries that differ, submodules too, as an index has them: `<mode> <id>`, empty where there is none. */
export async function entryChanges(scratch: Scratch, from: string, to: string): Promise<EntryChange[]> {
  const fields = fieldsOf(
    (await scratch.git(['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to])).stdout,
  );
  const entry = (mode = '', id = '') => (mode === NULL_MODE ? '' : `${mode} ${id}`);
  const changes: EntryChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode, newMode, oldId, newId] = String(fields[at]).slice(1).split(' ');
    changes.push({
      path: String(fields[at + 1]),
      before: entry(oldMode, oldId),
      after: entry(newMode, newId),
    });
  }
  return changes;
}

/** The same with line counts. */
export async function changedFiles(scratch: Scratch, from: string, to: string): Promise<ChangedFile[]> {
  const changes = await treeChanges(scratch, from, to);
  const { stdout } = await scratch.git([
    'diff-tree',
    '-r',
    '-z',
    '--numstat',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    from,
    to,
  ]);
  const counts = new Map<string, [string, string]>();
  for (const field of fieldsOf(stdout)) {
    const [added = '', deleted = '', ...path] = field.toString().split('\t');
    counts.set(path.join('\t'), [added, deleted]);
  }
  return changes.map(({ path, status }) => {
    const [added = '0', deleted = '0'] = counts.get(path) ?? [];
    const binary = added === '-';
    return {
      path,
      status,
      added: binary ? 0 : Number(added),
      deleted: binary ? 0 : Number(deleted),
      binary,
    };
  });
}

/**
 * Writes the patch that leads from one tree to another, byte for byte, into a file that git makes.
 * @param prefix the folder that the trees stand for, with a slash at the end; empty for the whole.
 */
export async function writePatch(
  scratch: Scratch,
  from: string,
  to: string,
  file: string,
  prefix = '',
): Promise<void> {
  await scratch.git([
    'diff-tree',
    '-r',
    '-p',
    '--binary',
    '--full-index',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--ignore-submodules=all',
    `--src-prefix=a/${prefix}`,
    `--dst-prefix=b/${prefix}`,
    `--output=${file}`,
    from,
    to,
  ]);
}
