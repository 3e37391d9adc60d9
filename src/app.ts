/** The composition root: every door, test and benchmark gets the tool layer of one folder from here. */
import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { App, AppOptions, AppThread } from './appApi.ts';
import { keepStore } from './appStore.ts';
import { Backends } from './backends.ts';
import { currentBranch, findGit } from './git/layout.ts';
import type { KeyRing } from './journal/keys.ts';
import { openKeys } from './journal/sealSwitch.ts';
import { MemoryFilesKeeper } from './memoryFiles.ts';
import { SessionAccess } from './messaging/access.ts';
import { Schedule } from './messaging/cron.ts';
import { Messaging } from './messaging/messaging.ts';
import { newsOf } from './news.ts';
import { LEVELS, type Level } from './policy/level.ts';
import { Taint } from './policy/taint.ts';
import type { Ports } from './ports.ts';
import { sealFolders } from './session/attachedFolders.ts';
import { fileIn } from './session/presencePath.ts';
import { keepKey, keyPlaces, revealKey } from './storeKey.ts';
import { locateStore, protectFolder, workTreeOf } from './storePlace.ts';
import { sessionFolders } from './subagent/host.ts';
import { Subagents } from './subagent/subagents.ts';
import { listFiles } from './subagent/workspace/files.ts';
import { askModel } from './tools/askModel.ts';
import { Denials } from './tools/denials.ts';
import { FolderExaminer } from './tools/examineLeft.ts';
import { heldNote } from './tools/heldNote.ts';
import { HeldPolicies } from './tools/heldPolicy.ts';
import { levelledTurns, toldTurns } from './tools/levelledTurns.ts';
import { ownLoop } from './tools/ownLoop.ts';
import { Registry } from './tools/registry.ts';
import { resumedTurns } from './tools/resumedTurns.ts';
import { loopAgent } from './tools/session/loopAgent.ts';
import { handOver } from './tools/subagent/handOver.ts';
import { workerTools } from './tools/subagent/workerTools.ts';
import { BusyError } from './worker/api.ts';
import { type OpenStore, StoreThread } from './worker/client.ts';

/** The script of the store's thread, which the build puts beside every bundle. */
export function startThread(): AppThread {
  return newThread();
}

function newThread(): StoreThread {
  return new StoreThread(new URL('./worker.js', import.meta.url));
}

export function createApp({ root, ports: given, thread }: AppOptions): App {
  const policies = new HeldPolicies(given.settings);
  // Whoever acts for a session is told the settings that count for it.
  const ports: Ports = Object.create(given, { settings: { value: policies.settings, enumerable: true } });
  const git = findGit(root);
  const storeDir = locateStore(root, git);
  const workTree = workTreeOf(root, git);
  const defaultLevel = z
    .enum(LEVELS)
    .catch('PUBLIC')
    .parse(ports.settings.get('classification.defaultLevel'));
  const keysDir = join(homedir(), '.lodeline', 'keys');
  const storeKeys = { store: storeDir, keysDir, value: process.env.LODELINE_KEY };
  sealFolders(storeKeys, root);
  const shared = thread instanceof StoreThread ? thread : undefined;
  const ownThread = shared === undefined ? newThread() : undefined;
  const open = (dir: string, level: Level, workTree?: string): OpenStore =>
    (shared ?? (ownThread as StoreThread)).open({
      ...{ dir, root: workTree },
      keysDir,
      key: process.env.LODELINE_KEY,
      defaultLevel: level,
      vocabulary: z.record(z.string(), z.array(z.string())).catch({}).parse(ports.settings.get('vocab')),
    });
  const store = open(storeDir, defaultLevel, workTree);
  const denials = new Denials(store, ports);
  let keys: KeyRing | undefined;
  const taint = new Taint({
    dir: join(storeDir, 'taint'),
    keys: () => {
      keys ??= openKeys(storeKeys);
      return keys;
    },
    audit: {
      record: (event) =>
        store.auditRecord(event).catch((error: unknown) => ports.log.error(`audit log: ${String(error)}`)),
    },
  });
  let wide: OpenStore | undefined;
  // Folders of other default levels use it as well: what is sealed there is no matter of this one's.
  const userWide = (): OpenStore => (wide ??= open(join(homedir(), '.lodeline'), 'PUBLIC'));
  const attend: App['attend'] = async ({ level: start = defaultLevel, paths = [], ...session }) => {
    const { key, window } = session;
    // A window's own presence says the folder's level, which hooks go by.
    const level = window === key ? start : taint.levelOf({ key, start });
    // What a session names itself has raised it; a window is no session that rises, and tells of what lies open in it.
    const hidden = registry.exposure.hiddenFrom(level);
    const files = paths.flatMap((path) => (hidden?.has(path) ? [] : (fileIn(workTree, path) ?? [])));
    return store.attend({ ...session, level, files, root: workTree, branch: currentBranch(git) });
  };
  const othersOn: App['othersOn'] = ({ key, window, level: start = defaultLevel, paths = [] }) => {
    const level = taint.levelOf({ key, start });
    return heldNote(
      { key, window, paths, level },
      { sessions: store, root, workTree, now: () => ports.now() },
    );
  };
  const isAttending: App['isAttending'] = async (key) => {
    const { sessions } = await store.presences({ level: 'RESTRICTED' });
    return sessions.some((each) => each.key === key);
  };
  const levelled = levelledTurns(store, taint);
  const examiner = new FolderExaminer({
    ...{ root, storeDir, store, sessions: store },
    batches: () => subagents.list(),
  });
  const turnBegin = resumedTurns(levelled.turnBegin, {
    ...{ sessions: store, policies, examiner },
    host: { instance: randomUUID(), roots: { folder: root, store: storeDir } },
  });
  const told = toldTurns(levelled, () => backend.turnEnded());
  const sessions = { ...store, ...levelled, ...told, turnBegin };
  const searchThread = new URL('./searchWorker.js', import.meta.url);
  const subagentLevels = handOver(taint, ports.log);
  const subagents: Subagents = new Subagents({
    ...{ root, storeDir, defaultLevel, settings: ports.settings, log: ports.log },
    ...{ env: process.env, home: homedir() },
    now: () => ports.now(),
    trusted: () => ports.trusted(),
    chatModel: (name) => ports.chatModel(name),
    sessions,
    folds: store,
    ...subagentLevels,
    start: (caller) => store.sessionStart(caller),
    folders: (session) => sessionFolders(storeDir, session),
    conversation: (session) => store.conversation(session),
    hides: (path, { level, folder: from }) => registry.exposure.hiddenFrom(level)?.has(path, from) ?? false,
    tools: (worker) =>
      workerTools(worker, {
        ...{ root, storeDir, registry, settings: ports.settings, diagnostics: ports.diagnostics },
        ...{ door: ports.door, defaultLevel },
        searchThread,
        // That others cannot be told is no failure of the subagent's.
        touched: ({ key: own, caller: { key, source, level: start } }, path) => {
          const level = subagentLevels.levelOf({ key: own, start });
          void attend({ key, agent: source, level, paths: [path] }).catch(() => {});
        },
        others: ({ key: own, caller: { key, source, level: start } }, path) =>
          othersOn({ key, agent: source, level: subagentLevels.levelOf({ key: own, start }), paths: [path] }),
      }),
  });
  const access = new SessionAccess({
    sessions: store,
    taint,
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
          ...{ root, storeDir, registry, settings: ports.settings, log: ports.log, door: ports.door },
          ...{ searchThread, diagnostics: ports.diagnostics },
          agents: () => subagents.agents(),
          folds: store,
          chatModel: (name) => ports.chatModel(name),
          touched: ({ level, origin: { key, source } }, path) =>
            void attend({ key, agent: source, level, paths: [path] }).catch(() => {}),
          others: ({ level, origin: { key, source } }, path) =>
            othersOn({ key, agent: source, level, paths: [path] }),
        },
        model,
      ),
    isBusy: (error) => error instanceof BusyError,
    openSession: ports.openSession,
    notify: (event) => ports.messageArrived?.(event),
  });
  const backend = new Backends({
    ...{ root, git, store, defaultLevel, env: process.env },
    // Those of the host: what one session goes by makes no other backend for the rest.
    ports: given,
    wide: { dir: join(homedir(), '.lodeline'), open: userWide },
    ask: askModel(
      () => ports.chatModel(),
      (reason) => ports.log.info(`reflect: no model answered, so the memories are shown: ${reason}`),
    ),
  });
  if (ports.door !== 'cli') backend.start();
  const registry: Registry = new Registry({
    ports,
    within: (session, work) => policies.within(session, work),
    context: {
      root,
      workTree,
      store,
      care: store,
      records: store,
      audit: store,
      taint,
      sealing: store,
      revealKey: async (id) => revealKey(id, keysDir, ports),
      keyPlaces: (id) => keyPlaces(id, keysDir),
      userWide: () => ({ store: userWide(), care: userWide(), sealing: userWide() }),
      github: ports.github,
      history: async (since, shown) => {
        if (!ports.trusted()) return { commits: [], files: [] };
        const { historySince } = await import('./git/history.ts');
        return historySince(git, since, shown);
      },
      sessions: store,
      backend,
      examiner,
      access,
      messaging,
      subagents,
      settings: ports.settings,
      now: ports.now,
      branch: () => currentBranch(git),
      gitState: async (shown) => {
        if (!ports.trusted()) return '';
        const { describeState } = await import('./git/state.ts');
        return describeState(git, shown);
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
  const keepers = new Set<MemoryFilesKeeper>();
  const app: App = {
    root,
    workTree,
    storeDir,
    defaultLevel,
    registry,
    settings: ports.settings,
    taint,
    news: newsOf({ store, taint, subagents, messaging }),
    backend,
    loopOf: (key) => ownLoop(sessions, key),
    agents: () => subagents.agents(),
    keepSchedule: () => {
      const { settings, log } = ports;
      const schedule = new Schedule({
        ...{ storeDir, defaultLevel, settings, log, sessions: store, messaging },
        now: () => ports.now(),
        trusted: () => ports.trusted(),
      });
      schedule.start();
      return () => schedule.dispose();
    },
    keepFiles: (tell) => {
      const { settings, log } = ports;
      const keeper = new MemoryFilesKeeper({
        ...{ store, workTree, settings, log, tell, branch: () => currentBranch(git) },
        trusted: () => ports.trusted(),
        onWrite: (listener) => registry.onWrite(listener),
      });
      keepers.add(keeper);
      return keeper;
    },
    attend,
    othersOn,
    isAttending,
    enterKey: async (text) => {
      const { key, missing } = await store.sealStatus();
      return missing === undefined || key === '' ? 'not-needed' : keepKey(text, key, keysDir);
    },
    close: async () => {
      await Promise.all([...keepers].map((keeper) => keeper.close()));
      await messaging.close();
      await subagents.close();
      await backend.dispose();
      await store.close();
      await wide?.close();
      await ownThread?.dispose();
    },
  };
  keepStore(app, store);
  return app;
}
