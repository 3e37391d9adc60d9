/** Opens a store as a process's store thread does. Tests and the processes that they kill share this. */
import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Level } from '../../../src/policy/level.ts';
import { sealFolders } from '../../../src/session/attachedFolders.ts';
import {
  openSealing,
  openSessions,
  openShared,
  openSpool,
  openStore,
} from '../../../src/worker/openStore.ts';
import type { SealingParts } from '../../../src/worker/sealing.ts';

/** Stands still, so that nothing ages while a test looks twice. */
const NOW = Date.now();

export interface OpenOptions {
  readonly key?: string;
  readonly keysDir?: string;
  readonly seam?: SealingParts['seam'];
  readonly defaultLevel?: Level;
}

export interface Opened {
  readonly store: ReturnType<typeof openStore>;
  readonly sessions: ReturnType<typeof openSessions>;
  readonly spool: ReturnType<typeof openSpool>;
  readonly sealing: ReturnType<typeof openSealing>;
  close(): Promise<void>;
}

/** Opens everything of a folder, as a process's store thread does. */
export function openParts(folder: string, given: OpenOptions = {}): Opened {
  const { seam, keysDir = join(folder, 'keys'), defaultLevel = 'PUBLIC', ...rest } = given;
  const options = {
    ...{ dir: join(folder, 'store'), root: realpathSync(folder), keysDir, defaultLevel, vocabulary: {} },
    ...rest,
  };
  sealFolders({ store: options.dir, keysDir, value: given.key }, folder);
  const wasmFile = createRequire(join(process.cwd(), 'package.json')).resolve('sql.js/dist/sql-wasm.wasm');
  const host = { now: () => NOW, wasm: () => readFile(wasmFile) };
  const shared = openShared(options);
  const store = openStore(options, host, shared);
  const sessions = openSessions(options, host, shared);
  const spool = openSpool(options, host, shared);
  const sealing = openSealing(options, { memory: store, sessions, spool }, host, shared, seam);
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await sealing.tidy();
    sessions.close();
    spool.close();
    await store.close();
  };
  return { store, sessions, spool, sealing, close };
}
