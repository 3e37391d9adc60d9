/** The composition root: every door, test and benchmark gets the tool layer of one folder from here. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { currentBranch, findGit } from './git/layout.ts';
import { KeyRing } from './journal/keys.ts';
import { SessionAccess } from './messaging/access.ts';
import { Messaging } from './messaging/messaging.ts';
import { LEVELS, type Level } from './policy/level.ts';
import { Taint } from './policy/taint.ts';
import type { Ports, Settings } from './ports.ts';
import type { Attendance } from './session/presence.ts';
import { fileIn } from './session/presencePath.ts';
import { locateStore, protectFolder, workTreeOf } from './storePlace.ts';
import type { SessionFolders } from './subagent/host.ts';
import { Subagents } from './subagent/subagents.ts';
import { listFiles } from './subagent/workspace/files.ts';
import { Denials } from './tools/denials.ts';
import { levelledTurns } from './tools/levelledTurns.ts';
import { Registry } from './tools/registry.ts';
import { loopAgent } from './tools/session/loopAgent.ts';
import { handOver } from './tools/subagent/handOver.ts';
import { workerTools } from './tools/subagent/workerTools.ts';
import { BusyError } from './worker/api.ts';
import { type OpenStore, StoreThread } from './worker/client.ts';
import type { SessionApi } from './worker/sessionApi.ts';

export interface App {
  readonly root: string;
  /** Where this folder's memory lies. */
  readonly storeDir: string;
  /** Level of sessions that nothing has raised, and of what they write. */
  readonly defaultLevel: Level;
  readonly registry: Registry;
  readonly settings: Settings;
  readonly store: OpenStore;
  /** Levels that sessions rose to. */
  readonly taint: Taint;
  /** Sessions whose turns are recorded at the level that they have come to. */
  readonly sessions: SessionApi;
  readonly subagents: Subagents;
  readonly messaging: Messaging;
  /** Says that a session is at work in this folder; `level`: the folder's when not given. */
  attend(session: AttendingSession): Promise<void>;
  close(): Promise<void>;
}

export interface AttendingSession extends Pick<Attendance, 'key' | 'agent' | 'window' | 'capture'> {
  readonly level?: Level | undefined;
  /** Absolute paths of files that were touched; what lies outside the work tree is left out. */
  readonly paths?: readonly string[] | undefined;
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
  const workTree = workTreeOf(root, git);
  const defaultLevel = z
    .enum(LEVELS)
    .catch('PUBLIC')
    .parse(ports.settings.get('classification.defaultLevel'));
  const keysDir = join(homedir(), '.lodeline', 'keys');
  const ownThread = thread === undefined ? startThread() : undefined;
  const open = (dir: string): OpenStore =>
    (thread ?? (ownThread as StoreThread)).open({
      dir,
      keysDir,
      key: process.env.LODELINE_KEY,
      defaultLevel,
      vocabulary: z.record(z.string(), z.array(z.string())).catch({}).parse(ports.settings.get('vocab')),
    });
  const store = open(storeDir);
  const denials = new Denials(store, ports);
  let keys: KeyRing | undefined;
  const taint = new Taint({
    dir: join(storeDir, 'taint'),
    keys: () => {
      keys ??= new KeyRing({ dir: keysDir, value: process.env.LODELINE_KEY });
      return keys;
    },
    audit: {
      record: (event) =>
        store.auditRecord(event).catch((error: unknown) => ports.log.error(`audit log: ${String(error)}`)),
    },
  });
  let wide: OpenStore | undefined;
  const userWide = (): OpenStore => {
    wide ??= open(join(homedir(), '.lodeline'));
    return wide;
  };
  const attend: App['attend'] = async ({ level: start = defaultLevel, paths = [], ...session }) => {
    const { key, window } = session;
    // A window's own presence says the folder's level, which hooks go by.
    const level = window === key ? start : taint.levelOf({ key, start });
    const files = paths.flatMap((path) => fileIn(workTree, path) ?? []);
    return store.attend({ ...session, level, files, root: workTree, branch: currentBranch(git) });
  };
  const sessions = { ...store, ...levelledTurns(store, taint) };
  const searchThread = new URL('./searchWorker.js', import.meta.url);
  const subagentLevels = handOver(taint, ports.log);
  const subagents = new Subagents({
    ...{ root, storeDir, defaultLevel, settings: ports.settings, log: ports.log },
    ...{ env: process.env, home: homedir() },
    now: () => ports.now(),
    trusted: () => ports.trusted(),
    chatModel: (name) => ports.chatModel(name),
    sessions,
    ...subagentLevels,
    start: (caller) => store.sessionStart(caller),
    folders: (session) => foldersOf(storeDir, session),
    conversation: (session) => store.conversation(session),
    tools: (worker) =>
      workerTools(worker, {
        ...{ root, registry, settings: ports.settings, diagnostics: ports.diagnostics },
        ...{ door: ports.door, defaultLevel },
        searchThread,
        // That others cannot be told is no failure of the subagent's.
        touched: ({ key: own, caller: { key, source, level: start } }, path) => {
          const level = subagentLevels.levelOf({ key: own, start });
          void attend({ key, agent: source, level, paths: [path] }).catch(() => {});
        },
      }),
  });
  const access = new SessionAccess({
    sessions: store,
    settings: ports.settings,
    now: () => ports.now(),
    denied: ({ session, source, target, rule, level }) =>
      denials.record({ actor: 'agent', level, session, source, rule, subject: target }),
  });
  const messaging = new Messaging({
    ...{ root, storeDir, defaultLevel, settings: ports.settings, log: ports.log },
    now: () => ports.now(),
    trusted: () => ports.trusted(),
    chatModel: (name) => ports.chatModel(name),
    sessions,
    access,
    loopAgent: (row, cause, model) =>
      loopAgent(
        row,
        cause,
        {
          ...{ root, registry, settings: ports.settings, log: ports.log, door: ports.door },
          ...{ searchThread, diagnostics: ports.diagnostics },
          agents: () => subagents.agents(),
          chatModel: (name) => ports.chatModel(name),
          touched: ({ level, origin: { key, source } }, path) =>
            void attend({ key, agent: source, level, paths: [path] }).catch(() => {}),
        },
        model,
      ),
    isBusy: (error) => error instanceof BusyError,
    openSession: ports.openSession,
    notify: (event) => ports.messageArrived?.(event),
  });
  const registry: Registry = new Registry({
    ports,
    context: {
      root,
      workTree,
      store,
      care: store,
      records: store,
      audit: store,
      taint,
      userWide: () => ({ store: userWide(), care: userWide() }),
      github: ports.github,
      history: async (since) => {
        if (!ports.trusted()) return { commits: [], files: [] };
        const { historySince } = await import('./git/history.ts');
        return historySince(git, since);
      },
      sessions: store,
      access,
      messaging,
      subagents,
      settings: ports.settings,
      now: ports.now,
      branch: () => currentBranch(git),
      gitState: async () => {
        if (!ports.trusted()) return '';
        const { describeState } = await import('./git/state.ts');
        return describeState(git);
      },
      code: ports.code,
      files: (signal) => listFiles(root, searchThread, signal),
    },
  });
  // A command line ends with its command.
  if (ports.door !== 'cli') messaging.watch();
  if (git === undefined) {
    const unsubscribe = registry.onWrite(() => {
      unsubscribe();
      protectFolder(root, ports.log);
    });
  }
  return {
    root,
    storeDir,
    defaultLevel,
    registry,
    settings: ports.settings,
    store,
    taint,
    sessions,
    subagents,
    messaging,
    attend,
    close: async () => {
      await messaging.close();
      await subagents.close();
      await store.close();
      await wide?.close();
      await ownThread?.dispose();
    },
  };
}

function foldersOf(storeDir: string, id: string): SessionFolders {
  const own = join(storeDir, 'sessions', id);
  // Beside the inbox, which only the session's own processes may write to.
  return { id, artifacts: join(own, 'artifacts'), local: join(own, 'local', 'files') };
}
