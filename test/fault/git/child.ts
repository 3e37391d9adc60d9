/** A process that isolates, lands or undoes until it is done or kills itself. Run by killed.test.ts. */
import { readFileSync, writeSync } from 'node:fs';
import { captureBaseline } from '../../../src/git/baseline.ts';
import { openRepository } from '../../../src/git/repository.ts';
import { createIsolation } from '../../../src/subagent/isolation.ts';
import { landTasks } from '../../../src/subagent/landing.ts';
import { undoLanding } from '../../../src/subagent/landingUndo.ts';
import type { Delta } from '../../../src/subagent/recovery.ts';

/** What a test tells its child. */
export interface ChildOptions {
  readonly role: 'isolate' | 'land' | 'undo';
  readonly root: string;
  readonly store: string;
  /** A file with the deltas to land. */
  readonly deltas?: string;
  readonly landing?: string;
  readonly merge?: 'patch' | 'branch';
  /** The step at which it dies; it tells at the end how many there are. */
  readonly dieAt?: number;
}

const options = JSON.parse(process.argv[2] ?? '') as ChildOptions;
let steps = 0;

function step(): void {
  steps++;
  if (steps !== options.dieAt) return;
  process.kill(process.pid, 'SIGKILL');
  // The signal may take a moment.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
}

const repository = await openRepository(options.root, options.store);
if (options.role === 'isolate') {
  await createIsolation(repository, await captureBaseline(repository), { session: 's', task: 't', step });
} else if (options.role === 'undo') {
  await undoLanding(repository, options.landing ?? '', { step });
} else {
  const deltas = JSON.parse(readFileSync(options.deltas ?? '', 'utf8')) as Delta[];
  const answers = await landTasks(repository, deltas, { step, merge: options.merge ?? 'patch' });
  writeSync(1, JSON.stringify(answers.map(({ status }) => status)));
}
writeSync(2, `steps ${steps}`);
