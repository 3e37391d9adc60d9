/** Single files of work that git holds as trees. */
import { openNested } from '../git/nested.ts';
import { type Repository, runOn } from '../git/repository.ts';
import type { TaskWork } from './batchRecord.ts';

/**
 * A file as a task found it, or as it left it, also in a repository inside the person's.
 * @throws GitError when git has it no longer.
 */
export async function fileOfWork(
  repository: Repository,
  work: Pick<TaskWork, 'base' | 'tree' | 'nested'>,
  path: string,
  side: 'before' | 'after',
): Promise<Buffer> {
  const inner = work.nested?.find(({ prefix }) => path.startsWith(prefix));
  const where = inner === undefined ? repository : await openNested(repository, inner.prefix);
  const { base, tree } = inner ?? work;
  const name = path.slice(inner?.prefix.length ?? 0);
  return (await runOn(where, ['cat-file', 'blob', `${side === 'before' ? base : tree}:${name}`])).stdout;
}
