/** Work of tasks that no batch knows of any more: its process died, or its record is gone. A person decides on it. */
import { basename, join } from 'node:path';
import { type Repository, runOn } from '../git/repository.ts';
import { lineOf } from '../git/run.ts';
import { type BatchRecord, isOpenTask } from './batchRecord.ts';
import { isolationDelta } from './isolation.ts';
import { LandingActionError } from './landingActions.ts';
import { type Recoverable, recoverables } from './recoverables.ts';
import { type Delta, readRecovery, writeDelta } from './recovery.ts';
import { treeOf } from './taskBranch.ts';

const BRANCHES = 'refs/heads/lodeline/task/';
const KEPT = 'refs/lodeline/recovery/';
/** What isolation puts behind a task's id to tell attempts at it apart. */
const ATTEMPT = /-[0-9a-f]{8}$/;

export interface LeftBehind {
  readonly kind: Recoverable['kind'];
  /** Names it among its kind: of kept work its id, else the reference's name or the folder. */
  readonly id: string;
  /** Id of the task that left it. */
  readonly task: string;
  /** Id of the session, where it is known. */
  readonly session: string | undefined;
  /** Epoch milliseconds; undefined where nothing tells. */
  readonly time: number | undefined;
  /** What git or a person finds it under. */
  readonly place: string;
  /** Why only a person can look at it: `link` where a folder was, or nothing is written down of it. */
  readonly closed: 'link' | 'unknown' | undefined;
  /** Id of kept work with the same files, which goes with a branch. */
  readonly twin: string | undefined;
}

/** Everything that was left behind; what the batches know is left to them, and living processes keep theirs. */
export async function findLeftBehind(
  repository: Repository,
  batches: readonly BatchRecord[],
): Promise<LeftBehind[]> {
  const isKnown = knownIn(batches);
  const refs = await refsOf(repository);
  const found = (await recoverables(repository)).filter((one) => !isKnown(one));
  const all = found.map((one): LeftBehind => {
    const known = { session: undefined, closed: undefined, twin: undefined };
    if (one.kind === 'kept') {
      const { id } = one;
      const place = KEPT + id;
      return { ...known, kind: 'kept', id, task: taskOf(id), place, time: refs.get(place)?.time };
    }
    if (one.kind === 'branch') {
      const { ref } = one;
      const id = attemptOf(ref.slice(BRANCHES.length));
      const kept = refs.get(KEPT + id);
      const twin = kept?.hasNested === false && kept.tree === refs.get(ref)?.tree ? id : undefined;
      return {
        ...known,
        kind: 'branch',
        id: ref,
        task: taskOf(id),
        place: ref,
        time: refs.get(ref)?.time,
        twin,
      };
    }
    const { path, record, isLink } = one;
    return {
      ...{ kind: 'worktree', id: path, place: path, session: record?.session, time: record?.created },
      ...{ task: record?.task ?? taskOf(basename(path)), twin: undefined },
      closed: isLink ? 'link' : record === undefined ? 'unknown' : undefined,
    };
  });
  const twins = new Set(all.flatMap(({ twin }) => twin ?? []));
  return all.filter(({ kind, id }) => kind !== 'kept' || !twins.has(id));
}

/** A branch of a name that is taken gets a number behind it. */
function attemptOf(name: string): string {
  return name.replace(/(-[0-9a-f]{8})-\d+$/, '$1');
}

function taskOf(id: string): string {
  return id.replace(ATTEMPT, '');
}

function knownIn(batches: readonly BatchRecord[]): (one: Recoverable) => boolean {
  const tasks = batches.flatMap((batch) => batch.tasks);
  const ids = new Set(tasks.flatMap(({ landing }) => landing?.work?.id ?? []));
  const refs = new Set(tasks.flatMap(({ landing }) => landing?.recovery ?? []));
  const worktrees = new Set(tasks.flatMap(({ worktree }) => worktree ?? []));
  const open = tasks.filter(isOpenTask).map(({ id }) => id);
  // What a running task keeps is written down with it only a moment later.
  const isKnown = (id: string) => ids.has(id) || open.includes(taskOf(id));
  return (one) => {
    if (one.kind === 'kept') return isKnown(one.id);
    if (one.kind === 'branch') return refs.has(one.ref) || isKnown(attemptOf(one.ref.slice(BRANCHES.length)));
    return worktrees.has(one.path);
  };
}

interface Ref {
  /** When its commit was made. */
  readonly time: number;
  readonly tree: string;
  /** Repositories inside hold a part of it. */
  readonly hasNested: boolean;
}

async function refsOf(repository: Repository): Promise<ReadonlyMap<string, Ref>> {
  const body = '%(if)%(contents:body)%(then)nested%(end)';
  const format = `--format=%(refname) %(committerdate:unix) %(tree) ${body}`;
  const { stdout } = await runOn(repository, ['for-each-ref', format, BRANCHES, KEPT]);
  const lines = stdout.toString().split('\n').filter(Boolean);
  return new Map(
    lines.map((line) => {
      const [ref = '', seconds, tree = '', nested] = line.split(' ');
      return [ref, { time: Number(seconds) * 1000, tree, hasNested: nested === 'nested' }];
    }),
  );
}

/**
 * What was left behind, as work that can be looked at and landed; its patch is written anew.
 * @throws LandingActionError for what only a person can look at.
 */
export async function leftWork(repository: Repository, { kind, id, closed }: LeftBehind): Promise<Delta> {
  if (closed !== undefined)
    throw new LandingActionError('Nothing is known of this folder: look at it, then remove it by hand.');
  if (kind === 'kept') return readRecovery(repository, id);
  if (kind === 'branch') return branchWork(repository, id);
  const found = (await recoverables(repository)).find((one) => one.kind === 'worktree' && one.path === id);
  if (found?.kind !== 'worktree' || found.record === undefined) throw gone();
  return isolationDelta(repository, found.record);
}

/** A branch as work that began where it left the person's history. */
async function branchWork(repository: Repository, ref: string): Promise<Delta> {
  const tip = lineOf(await runOn(repository, ['rev-parse', '--verify', `${ref}^{commit}`]));
  const head = lineOf(await runOn(repository, ['merge-base', 'HEAD', tip]));
  // A person may have called theirs anything.
  const id = ref.slice(BRANCHES.length).replace(/[^A-Za-z0-9_-]/g, '_');
  const work = { head, base: await treeOf(repository, head), tree: await treeOf(repository, tip) };
  const patchFile = join(repository.stateDir, 'patches', `${id}.patch`);
  const files = await writeDelta(repository, work, [], patchFile);
  return { id, ...work, commits: tip, files, patchFile, skipped: [], nested: [] };
}

export function gone(): LandingActionError {
  return new LandingActionError('It is not there any more.');
}
