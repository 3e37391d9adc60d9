import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Journal } from '../journal/journal.ts';
import { KeyError, KeyRing } from '../journal/keys.ts';
import { SealSwitch } from '../journal/sealSwitch.ts';
import { Copies } from '../memory/copies.ts';
import { MemoryStore } from '../memory/store.ts';
import { Vault } from '../memory/vault.ts';
import { canFlowTo, type Level, parseLevel } from '../policy/level.ts';
import { phrase, StoreError } from './api.ts';
import { AuditService } from './audit.ts';
import { Browser } from './browser.ts';
import { CareService } from './care.ts';
import { HeldMemory } from './heldMemory.ts';
import { IndexFile } from './indexFile.ts';
import { FilesService } from './memoryFiles.ts';
import { RecordsService } from './records.ts';
import { refitPlaces } from './refitPlaces.ts';
import { RetainSpool } from './retainSpool.ts';
import { refitDamaged } from './sealedFiles.ts';
import { type SealingParts, SealingService } from './sealing.ts';
import { Searcher } from './searcher.ts';
import { StoreService } from './service.ts';
import { SessionService } from './sessions.ts';

/** How much of opening is reading the journal; the rest is the index. */
const READ_SHARE = 0.4;

export interface StoreOptions {
  /** The store's folder, such as `<git common dir>/lodeline`. */
  readonly dir: string;
  /** Top folder of the work tree, where other programs may keep presence of theirs; absent for what is no folder's. */
  readonly root?: string | undefined;
  /** Folder of the sealing keys, `~/.lodeline/keys`. */
  readonly keysDir: string;
  /** 64 hex characters that take the place of the key files. */
  readonly key?: string | undefined;
  /** Records above it are sealed on disk. */
  readonly defaultLevel: Level;
  readonly vocabulary: Readonly<Record<string, readonly string[]>>;
}

interface StoreHost {
  now(): number;
  /** Reads `sql-wasm.wasm`. */
  wasm(): Promise<Uint8Array>;
  /** Told, as it opens, how much of that is done, 0 to 1. */
  progress?(share: number): void;
  /** Threads of this process that are gone: what they held is free. */
  readonly deadThreads?: ReadonlySet<number>;
}

/** What all parts of one open store share, so that what one of them learns of the switch counts for each. */
export interface SharedKeys {
  readonly keys: KeyRing;
  readonly seals: SealSwitch;
}

/** The keys of a store, with its switch. @throws StoreError */
export function openShared({ dir, keysDir, key }: StoreOptions): SharedKeys {
  const seals = new SealSwitch(dir);
  try {
    return { keys: new KeyRing({ dir: keysDir, value: key, seals }), seals };
  } catch (error) {
    if (error instanceof KeyError)
      throw new StoreError(phrase('LODELINE_KEY: {0} Correct or unset it, then start again.', error.message));
    throw error;
  }
}

/** Opens one folder's store: journal, fold, index and catalog. Used by the store's thread, and by tests without one. */
export function openStore(
  options: StoreOptions,
  host: StoreHost,
  shared: SharedKeys = openShared(options),
): StoreService {
  try {
    return open(options, host, shared);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new StoreError(
      phrase(
        'Memory cannot be opened: {0}. Check that the folder is there and its permissions, then try again.',
        error.message,
      ),
    );
  }
}

function open(options: StoreOptions, host: StoreHost, { keys }: SharedKeys): StoreService {
  const dir = join(options.dir, 'memory');
  const sealed = (level: string): boolean => {
    const known = parseLevel(level);
    return keys.sealsAll() || known === undefined || !canFlowTo(known, options.defaultLevel);
  };
  const journal = new Journal({
    dir: join(dir, 'journal'),
    sealed,
    keys,
    now: host.now,
    randomBytes,
  });
  const store = new MemoryStore(journal, dir, host.now);
  host.progress?.(READ_SHARE);
  const settled = <T>(write: () => T): T => keys.settled(write);
  const indexFile = new IndexFile(dir, sealed, settled);
  const saved = indexFile.read(store.position());
  const audit = new AuditService({
    ...{ dir: join(options.dir, 'audit'), keys, defaultLevel: options.defaultLevel, now: host.now },
  });
  const memory = new HeldMemory({
    store,
    searcher: new Searcher(store, host.now, saved, (share) =>
      host.progress?.(READ_SHARE + (1 - READ_SHARE) * share),
    ),
    indexFile,
    browser: new Browser({
      store,
      file: join(dir, 'catalog.sqlite'),
      wasm: host.wasm,
      sealed,
      settled,
      now: host.now,
    }),
    copies: new Copies({ dir: join(dir, 'copies'), keys, sealed, now: host.now }),
    vault: new Vault(join(dir, 'vault'), keys),
    audit,
    keys,
    now: host.now,
  });
  const { vocabulary } = options;
  const care = new CareService(memory, vocabulary);
  const files = new FilesService({
    ...{ memory, dir: join(dir, 'files'), workTree: options.root, home: options.defaultLevel },
  });
  return new StoreService({ memory, care, files, records: new RecordsService(memory), audit, vocabulary });
}

/** Opens one folder's sessions. They share nothing with its memory but the keys. */
export function openSessions(
  options: StoreOptions,
  host: Pick<StoreHost, 'now' | 'deadThreads'> & Partial<Pick<StoreHost, 'wasm'>>,
  { keys } = openShared(options),
): SessionService {
  const { wasm, now, deadThreads } = host;
  const { defaultLevel, root } = options;
  const held = {
    dir: join(options.dir, 'sessions'),
    root,
    keys,
    defaultLevel,
    now,
    deadThreads,
  };
  const file = join(options.dir, 'transcripts', 'catalog.sqlite');
  return new SessionService(held, wasm && { file, wasm });
}

/** Opens what waits in one folder to be sent to a memory server. */
export function openSpool(
  options: StoreOptions,
  { now, deadThreads }: Pick<StoreHost, 'now' | 'deadThreads'>,
  { keys } = openShared(options),
): RetainSpool {
  const { defaultLevel } = options;
  return new RetainSpool({
    ...{ dir: join(options.dir, 'retain'), keys, defaultLevel, now, deadThreads },
  });
}

interface SealedParts {
  readonly memory: StoreService;
  readonly sessions: SessionService;
  readonly spool?: RetainSpool | undefined;
}

/** Seals and opens one folder's whole store. */
export function openSealing(
  options: StoreOptions,
  { memory, sessions, spool }: SealedParts,
  { now }: Pick<StoreHost, 'now'>,
  { keys, seals } = openShared(options),
  seam?: SealingParts['seam'],
): SealingService {
  const journal = join(options.dir, 'memory', 'journal');
  return new SealingService({
    ...{ dir: options.dir, keys, seals, audit: memory.audit, now, seam },
    refit: [
      (force) => memory.refit(force),
      () => sessions.refit(),
      () => spool?.refit() ?? 0,
      () => {
        refitDamaged(journal, keys);
        return refitPlaces({ dir: options.dir, root: options.root, keys });
      },
    ],
  });
}
