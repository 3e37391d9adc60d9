/** A task's work, kept where neither a removed work tree nor a failed landing loses it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type ChangedFile, changedFiles, writePatch } from '../git/delta.ts';
import { commitTree } from '../git/merge.ts';
import { isSafePath } from '../git/names.ts';
import { openNested } from '../git/nested.ts';
import { type Repository, runOn } from '../git/repository.ts';
import { GitError, lineOf } from '../git/run.ts';
import { withScratch } from '../git/scratch.ts';
import { removeFile } from '../journal/disk.ts';
import { putStored } from '../journal/storedFile.ts';
import { withRepositoryLock } from './repositoryLock.ts';

const REFS = 'refs/lodeline/recovery/';
const ID = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;

/** What one task changed. */
export interface Delta {
  /** The isolation's id: unique to one attempt at a task. */
  readonly id: string;
  /** The commit that was checked out when the task began. */
  readonly head: string;
  /** Tree of the files that the task found, and of those it left. */
  readonly base: string;
  readonly tree: string;
  /** The last commit that the task made itself. */
  readonly commits: string | undefined;
  readonly files: readonly ChangedFile[];
  readonly patchFile: string;
  /** Changed, but not carried: repositories that the task made, unreadable files, left locks. */
  readonly skipped: readonly string[];
  /** What it changed in repositories that lie inside this one; `files` has it too. */
  readonly nested: readonly NestedDelta[];
}

/** A task's work in a repository that lies inside the person's. */
export interface NestedDelta extends Pick<Delta, 'head' | 'base' | 'tree'> {
  readonly commits?: string | undefined;
  /** Its folder relative to the work tree, with a slash at the end. */
  readonly prefix: string;
}

export interface Recovery {
  readonly id: string;
  /** A reference to a commit with the task's files; its first parent has the files the task found. */
  readonly ref: string;
  /** What the reference is at. */
  readonly commit: string;
  readonly patchFile: string;
}

/** There is no such recovery. */
export class NoRecoveryError extends Error {
  override readonly name = 'NoRecoveryError';
}

/** In the message of a recovery's commit, before the list of repositories inside that have one too. */
const NESTED = 'Nested: ';

/** Makes the work reachable under a reference of its own, with the commits the task made. */
export async function keepRecovery(repository: Repository, delta: Delta): Promise<Recovery> {
  const { id, nested } = delta;
  for (const part of nested) await keepPart(await openNested(repository, part.prefix), id, part);
  const prefixes = nested.map(({ prefix }) => prefix);
  const trailer = nested.length === 0 ? '' : `\n\n${NESTED}${JSON.stringify(prefixes)}\n`;
  const commit = await keepPart(repository, id, delta, trailer);
  return { id, ref: refOf(id), commit, patchFile: delta.patchFile };
}

async function keepPart(
  repository: Repository,
  id: string,
  { head, base, tree, commits }: Omit<NestedDelta, 'prefix'>,
  trailer = '',
): Promise<string> {
  const ref = refOf(id);
  return withScratch(repository, async (scratch) => {
    const found = await commitTree(scratch, base, [head], `Files before task ${id}`);
    const parents = commits === undefined ? [found] : [found, commits];
    const work = await commitTree(scratch, tree, parents, `Work of task ${id}${trailer}`);
    await withRepositoryLock(repository, 'metadata', () => runOn(repository, ['update-ref', ref, work]));
    return work;
  });
}

/**
 * The kept work as a delta, ready to land again. The patch is written anew.
 * @throws {NoRecoveryError}
 */
export async function readRecovery(repository: Repository, id: string): Promise<Delta> {
  const main = await readPart(repository, id);
  const nested: NestedDelta[] = [];
  for (const prefix of await nestedOf(repository, id)) {
    nested.push({ prefix, ...(await readPart(await openNested(repository, prefix), id)) });
  }
  const patchFile = join(repository.stateDir, 'patches', `${id}.patch`);
  const files = await writeDelta(repository, main, nested, patchFile);
  return { id, ...main, commits: main.commits, nested, files, patchFile, skipped: [] };
}

async function readPart(repository: Repository, id: string): Promise<Omit<NestedDelta, 'prefix'>> {
  const ref = refOf(id);
  const resolve = async (what: string) => {
    try {
      return lineOf(await runOn(repository, ['rev-parse', '--verify', '--quiet', `${ref}${what}`]));
    } catch (error) {
      if (error instanceof GitError) return undefined;
      throw error;
    }
  };
  const tree = await resolve('^{tree}');
  const base = await resolve('^1^{tree}');
  const head = await resolve('^1^1^{commit}');
  if (tree === undefined || base === undefined || head === undefined) {
    throw new NoRecoveryError(`There is no kept work called ${id}; ${REFS} holds what there is.`);
  }
  return { head, base, tree, commits: await resolve('^2^{commit}') };
}

/** Folders of the repositories inside that hold a part of kept work. */
async function nestedOf(repository: Repository, id: string): Promise<string[]> {
  try {
    const { stdout } = await runOn(repository, ['cat-file', 'commit', refOf(id)]);
    const line = stdout
      .toString()
      .split('\n')
      .find((one) => one.startsWith(NESTED));
    return line === undefined ? [] : prefixes.parse(JSON.parse(line.slice(NESTED.length)));
  } catch (error) {
    if (error instanceof GitError && error.code !== -1) return [];
    throw error;
  }
}

const prefixes = z.array(z.string().refine((prefix) => isSafePath(prefix.replace(/\/$/, ''))));

/** Writes the patch of all parts into one file and lists what they change. */
export async function writeDelta(
  repository: Repository,
  main: { base: string; tree: string },
  nested: readonly NestedDelta[],
  patchFile: string,
): Promise<ChangedFile[]> {
  const files: ChangedFile[] = [];
  const patches: Buffer[] = [];
  for (const { prefix, base, tree } of [{ prefix: '', ...main }, ...nested]) {
    const part = prefix === '' ? repository : await openNested(repository, prefix);
    await withScratch(part, async (scratch) => {
      const draft = join(scratch.dir, 'patch');
      await writePatch(scratch, base, tree, draft, prefix);
      patches.push(readFileSync(draft));
      const changed = await changedFiles(scratch, base, tree);
      files.push(...changed.map((file) => ({ ...file, path: prefix + file.path })));
    });
  }
  putStored(patchFile, Buffer.concat(patches));
  return files;
}

/** Ids of all kept work. */
export async function listRecoveries(repository: Repository): Promise<string[]> {
  const { stdout } = await runOn(repository, ['for-each-ref', '--format=%(refname)', REFS]);
  return stdout
    .toString()
    .split('\n')
    .filter((ref) => ref !== '')
    .map((ref) => ref.slice(REFS.length));
}

/** Forgets kept work and its patch; what is not there is fine. */
export async function discardRecovery(
  repository: Repository,
  recovery: Pick<Recovery, 'id' | 'patchFile'>,
): Promise<void> {
  await forgetRecovery(repository, recovery.id);
  removeFile(recovery.patchFile);
}

/** Forgets that work was kept: it has landed. */
export async function forgetRecovery(repository: Repository, id: string): Promise<void> {
  const ref = refOf(id);
  const inner = (await nestedOf(repository, id)).map((prefix) => openNested(repository, prefix));
  for (const part of [...(await Promise.all(inner)), repository]) {
    await withRepositoryLock(part, 'metadata', () => runOn(part, ['update-ref', '-d', ref]));
  }
}

function refOf(id: string): string {
  if (!ID.test(id) || id.endsWith('.lock')) throw new NoRecoveryError(`Not an id: ${JSON.stringify(id)}`);
  return REFS + id;
}
