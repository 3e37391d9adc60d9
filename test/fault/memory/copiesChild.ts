/** A process that copies a memory or puts a copy back, until it is done or kills itself. Run by copies.test.ts. */
import fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import type { Author } from '../../../src/memory/entry.ts';
import { openStore } from '../../../src/worker/openStore.ts';

/** What a test tells its child. */
export interface ChildOptions {
  readonly role: 'backup' | 'snapshot' | 'restore';
  readonly folder: string;
  /** The copy to put back. */
  readonly name?: string | undefined;
  readonly now: number;
  /** The change of the disk at which it dies, and whether before, after, or with half of the bytes written. */
  readonly dieAt?: number | undefined;
  readonly how?: 'before' | 'within' | 'after' | undefined;
}

const options = JSON.parse(process.argv[2] ?? '') as ChildOptions;
let steps = 0;

function die(): void {
  process.kill(process.pid, 'SIGKILL');
  // The signal may take a moment.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
}

/** Puts a step before and after each call of a function that changes the disk. */
function watch<Name extends keyof typeof fs>(name: Name): void {
  const original = Reflect.get(fs, name) as (...args: unknown[]) => unknown;
  const watched = (...args: unknown[]): unknown => {
    steps++;
    const how = steps === options.dieAt ? options.how : undefined;
    if (how === 'before') die();
    if (how === 'within' && name === 'writeSync') {
      const [fd, bytes, offset, length] = args as [number, Uint8Array, number, number];
      original(fd, bytes, offset, Math.ceil(length / 2));
      die();
    }
    const result = original(...args);
    if (how !== undefined) die();
    return result;
  };
  Reflect.set(fs, name, watched);
}

const author: Author = { actor: 'person', level: 'RESTRICTED', source: 'test', session: 's', branch: '' };
const wasm = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm');
const store = openStore(
  {
    ...{ dir: join(options.folder, 'store'), keysDir: join(options.folder, 'keys') },
    ...{ defaultLevel: 'PUBLIC', vocabulary: {} },
  },
  { now: () => options.now, wasm: async () => fs.readFileSync(wasm) },
);
const tell = fs.writeSync;
for (const name of ['writeSync', 'fsyncSync', 'fdatasyncSync', 'renameSync', 'unlinkSync', 'rmSync'] as const)
  watch(name);
for (const name of ['mkdirSync', 'linkSync', 'ftruncateSync', 'writeFileSync'] as const) watch(name);
syncBuiltinESMExports();
if (options.role === 'restore') tell(1, (await store.care.restore(options.name ?? '', author)).before);
else tell(1, (await store.care.copy(options.role, author)).name);
tell(2, `steps ${steps}`);
process.exit();
