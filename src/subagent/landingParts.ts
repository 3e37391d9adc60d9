/** The repositories that one task's work lies in: the task's own, and those inside it. */
import { openNested } from '../git/nested.ts';
import type { Repository } from '../git/repository.ts';
import { type Branched, decideBranch } from './branchPlan.ts';
import { decideFiles, type Part } from './landingPlan.ts';
import type { Delta } from './recovery.ts';

export interface PartOf extends Part {
  readonly repository: Repository;
}

/**
 * One part for each repository that the work changes something in. Repositories inside the person's get their files
 * and nothing else, in branch mode too: their owner's index and history are not ours to commit to.
 */
export async function partsOf(
  repository: Repository,
  delta: Delta,
  branched: Branched | undefined,
): Promise<readonly PartOf[]> {
  const parts: PartOf[] = [];
  const prefixes = delta.nested.map(({ prefix }) => prefix);
  if (delta.base !== delta.tree) {
    const own = delta.files.filter(({ path }) => !prefixes.some((prefix) => path.startsWith(prefix)));
    parts.push({
      repository,
      prefix: '',
      touched: new Set(own.map(({ path }) => path)),
      decide: (scratch, now) =>
        branched ? decideBranch(scratch, delta, branched, now) : decideFiles(scratch, delta, now),
    });
  }
  for (const nested of delta.nested) {
    if (nested.base === nested.tree) continue;
    parts.push({
      repository: await openNested(repository, nested.prefix),
      prefix: nested.prefix,
      touched: touchedIn(delta.files, nested.prefix),
      decide: (scratch, now) => decideFiles(scratch, nested, now),
    });
  }
  return parts;
}

/** Paths below a folder, relative to it. */
function touchedIn(files: readonly { path: string }[], prefix: string): ReadonlySet<string> {
  return new Set(files.flatMap(({ path }) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : [])));
}
