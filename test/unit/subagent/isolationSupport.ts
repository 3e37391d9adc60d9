import { captureBaseline } from '../../../src/git/baseline.ts';
import type { Repository } from '../../../src/git/repository.ts';
import { createIsolation, isolationDelta } from '../../../src/subagent/isolation.ts';
import { put } from '../git/repo.ts';

/** A task's work tree that starts from the files as they are. */
export async function isolate(repository: Repository, task = 'task') {
  return createIsolation(repository, await captureBaseline(repository), { session: 's', task });
}

/** What a task leaves that does this in its work tree. */
export async function work(repository: Repository, task: string, act: (path: string) => void) {
  const isolation = await isolate(repository, task);
  act(isolation.path);
  return isolationDelta(repository, isolation);
}

/** Several tasks that all begin now and then each put their files. */
export async function tasks(repository: Repository, ...puts: Record<string, string>[]) {
  const isolations = await Promise.all(puts.map((_, at) => isolate(repository, `t${at}`)));
  const deltas = [];
  for (const [at, isolation] of isolations.entries()) {
    put(isolation.path, puts[at] ?? {});
    deltas.push(await isolationDelta(repository, isolation));
  }
  return deltas;
}

export const statuses = (answers: readonly { status: string }[]) => answers.map(({ status }) => status);
