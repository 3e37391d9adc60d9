/** The composition root: every door, test and benchmark gets the tool layer of one folder from here. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { currentBranch, findGit, type GitLayout } from './git/layout.ts';
import { LEVELS, type Level } from './policy/level.ts';
import type { Ports, Settings } from './ports.ts';
import type { SessionFolders } from './subagent/host.ts';
import { Subagents } from './subagent/subagents.ts';
import { Registry } from './tools/registry.ts';
import { workerTools } from './tools/subagent/workerTools.ts';
import { type OpenStore, StoreThread } from './worker/client.ts';

export interface App {
  readonly root: string;
  /** Where this folder's memory lies. */
  readonly storeDir: string;
  /** Level of sessions that nothing has raised, and of what they write. */
  readonly defaultLevel: Level;
  readonly registry: Registry;
  readonly settings: Settings;
  readonly store: OpenStore;
  readonly subagents: Subagents;
  close(): Promise<void>;
}

export interface AppOptions {
  /** The workspace folder. */
  readonly root: string;
  readonly ports: Ports;
  /** The process's store thread; without one the app starts its own and ends it with itself. */
  readonly thread?: StoreThread;
}

/** The script of the store's thread, which the build puts beside every bundle. */
export function startThread(): StoreThread {
  return new StoreThread(new URL('./worker.js', import.meta.url));
}

export function createApp({ root, ports, thread }: AppOptions): App {
  const git = findGit(root);
  const storeDir = locateStore(root, git);
  const defaultLevel = z
    .enum(LEVELS)
    .catch('PUBLIC')
    .parse(ports.settings.get('classification.defaultLevel'));
  const ownThread = thread === undefined ? startThread() : undefined;
  const store = (thread ?? (ownThread as StoreThread)).open({
    dir: storeDir,
    keysDir: join(homedir(), '.lodeline', 'keys'),
    key: process.env.LODELINE_KEY,
    defaultLevel,
    vocabulary: z.record(z.string(), z.array(z.string())).catch({}).parse(ports.settings.get('vocab')),
  });
  const subagents = new Subagents({
    ...{ root, storeDir, settings: ports.settings, log: ports.log, env: process.env, home: homedir() },
    now: () => ports.now(),
    trusted: () => ports.trusted(),
    chatModel: (name) => ports.chatModel(name),
    sessions: store,
    start: (caller) => store.sessionStart(caller),
    folders: (session) => foldersOf(storeDir, session),
    conversation: (session) => store.conversation(session),
    tools: (worker) =>
      workerTools(worker, {
        ...{ root, registry, settings: ports.settings, diagnostics: ports.diagnostics },
        door: ports.door,
        searchThread: new URL('./searchWorker.js', import.meta.url),
      }),
  });
  const registry: Registry = new Registry({
    ports,
    context: {
      store,
      sessions: store,
      subagents,
      settings: ports.settings,
      now: ports.now,
      branch: () => currentBranch(git),
      gitState: async () => {
        if (!ports.trusted()) return '';
        const { describeState } = await import('./git/state.ts');
        return describeState(git);
      },
    },
  });
  if (git === undefined) {
    const unsubscribe = registry.onWrite(() => {
      unsubscribe();
      protectFolder(root, ports);
    });
  }
  return {
    root,
    storeDir,
    defaultLevel,
    registry,
    settings: ports.settings,
    store,
    subagents,
    close: async () => {
      await subagents.close();
      await store.close();
      await ownThread?.dispose();
    },
  };
}

function foldersOf(storeDir: string, id: string): SessionFolders {
  const own = join(storeDir, 'sessions', id);
  // Beside the inbox, which only the session's own processes may write to.
  return { id, artifacts: join(own, 'artifacts'), local: join(own, 'local', 'files') };
}

/**
 * In a repository the git folder, which all work trees share and `git clean` leaves alone; elsewhere
 * `.lodeline/store`, whose `.gitignore` keeps it out of a repository that is made later.
 */
function locateStore(root: string, git: GitLayout | undefined): string {
  if (git !== undefined) return join(git.commonDir, 'lodeline');
  return join(root, '.lodeline', 'store');
}

/**
 * Leaves git, should the folder become a repository, only what a team shares on purpose. Never over a person's
 * own file.
 */
function protectFolder(root: string, ports: Ports): void {
  const file = join(root, '.lodeline', '.gitignore');
  if (existsSync(file)) return;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, '/*\n!/.gitignore\n!/memory/\n!/agents/\n!/config.json\n', { flag: 'wx' });
  } catch (error) {
    ports.log.warn(
      `.lodeline/.gitignore was not written: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
