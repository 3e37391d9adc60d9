import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Backends } from '../../../src/backends.ts';
import { historySince } from '../../../src/git/history.ts';
import { findGit } from '../../../src/git/layout.ts';
import { describeState } from '../../../src/git/state.ts';
import { KeyRing } from '../../../src/journal/keys.ts';
import type { Author } from '../../../src/memory/entry.ts';
import { SessionAccess } from '../../../src/messaging/access.ts';
import type { MessageEvent } from '../../../src/messaging/event.ts';
import { Messaging } from '../../../src/messaging/messaging.ts';
import type { Level } from '../../../src/policy/level.ts';
import { Taint } from '../../../src/policy/taint.ts';
import type { Code, Ports } from '../../../src/ports.ts';
import { sealFolders } from '../../../src/session/attachedFolders.ts';
import { type ChatModel, ModelError } from '../../../src/session/chatModel.ts';
import { keyPlaces } from '../../../src/storeKey.ts';
import { sessionFolders } from '../../../src/subagent/host.ts';
import { Subagents } from '../../../src/subagent/subagents.ts';
import { listFiles } from '../../../src/subagent/workspace/files.ts';
import { askModel } from '../../../src/tools/askModel.ts';
import { FolderExaminer } from '../../../src/tools/examineLeft.ts';
import { HeldPolicies } from '../../../src/tools/heldPolicy.ts';
import { levelledTurns, toldTurns } from '../../../src/tools/levelledTurns.ts';
import { Registry } from '../../../src/tools/registry.ts';
import { resumedTurns } from '../../../src/tools/resumedTurns.ts';
import { loopAgent } from '../../../src/tools/session/loopAgent.ts';
import { handOver } from '../../../src/tools/subagent/handOver.ts';
import { workerTools } from '../../../src/tools/subagent/workerTools.ts';
import type { ToolCall } from '../../../src/tools/tool.ts';
import { BusyError, type StoreApi } from '../../../src/worker/api.ts';
import type { AuditApi } from '../../../src/worker/auditApi.ts';
import type { CareApi } from '../../../src/worker/careApi.ts';
import {
  openSealing,
  openSessions,
  openSpool,
  openStore,
  type StoreOptions,
} from '../../../src/worker/openStore.ts';
import type { RecordsApi } from '../../../src/worker/recordsApi.ts';
import type { RetainSpoolApi } from '../../../src/worker/retainSpoolApi.ts';
import type { SealingApi } from '../../../src/worker/sealingApi.ts';
import type { StoreService } from '../../../src/worker/service.ts';
import type { SessionApi } from '../../../src/worker/sessionApi.ts';
import type { SessionService } from '../../../src/worker/sessions.ts';

const wasmFile = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm');

/** 2026-07-12, a Sunday: the day of the seed's examples. */
export const START = Date.parse('2026-07-12T09:00:00Z');
export const DAY = 86_400_000;

/** A folder that the test's end removes. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lodeline-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A clock that a test moves. */
export interface TestClock {
  time: number;
}

/** Opens a store in this thread. Opening the same folder again is what another process would see. */
export function openTestStore(
  folder: string,
  clock: TestClock = { time: START },
  options: Partial<StoreOptions> = {},
): StoreService {
  const store = openStore(
    {
      dir: join(folder, 'store'),
      keysDir: join(folder, 'keys'),
      defaultLevel: 'PUBLIC',
      vocabulary: {},
      ...options,
    },
    { now: () => clock.time, wasm: () => readFile(wasmFile) },
  );
  onTestFinished(() => store.close());
  return store;
}

/** Opens the sessions of a folder. Opening them again is what another process would see. */
export function openTestSessions(
  folder: string,
  clock: TestClock = { time: START },
  deadThreads: ReadonlySet<number> = new Set(),
  defaultLevel: Level = 'PUBLIC',
): SessionService {
  const sessions = openSessions(
    {
      ...{ dir: join(folder, 'store'), root: folder, keysDir: join(folder, 'keys') },
      ...{ defaultLevel, vocabulary: {} },
    },
    { now: () => clock.time, deadThreads, wasm: () => readFile(wasmFile) },
  );
  onTestFinished(() => sessions.close());
  return sessions;
}

export const AGENT: Author = {
  actor: 'agent',
  level: 'PUBLIC',
  source: 'copilot',
  session: 's-1',
  branch: 'main',
};
export const PERSON: Author = { ...AGENT, actor: 'person', source: 'panel' };

/** Clones what goes in and out as the store's thread does, so that a test fails where it would. */
function acrossThread<
  Api extends StoreApi | CareApi | SessionApi | RecordsApi | AuditApi | SealingApi | RetainSpoolApi,
>(store: Api): Api {
  return new Proxy(store, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) =>
        structuredClone(await Reflect.apply(method, target, args.map(acrossClone)));
    },
  });
}

/** A signal crosses as a signal of its own; everything else is cloned. */
function acrossClone(value: unknown): unknown {
  return value instanceof AbortSignal ? value : structuredClone(value);
}

/** The tool layer over a store, as a door sees it. `call` runs a tool as an agent unless told otherwise. */
export function openTestTools(
  folder = temporaryFolder(),
  clock: TestClock = { time: START },
  settings: Record<string, unknown> = {},
  { defaultLevel = 'PUBLIC', place = '' }: { defaultLevel?: Level | undefined; place?: string } = {},
) {
  /** Where the store, its keys and the home lie. */
  const kept = join(folder, place);
  const store = openTestStore(kept, clock, { defaultLevel });
  const sessions = openTestSessions(kept, clock, undefined, defaultLevel);
  const storeOptions = {
    dir: join(kept, 'store'),
    root: folder,
    keysDir: join(kept, 'keys'),
    defaultLevel,
    vocabulary: {},
  };
  const spool = openSpool(storeOptions, { now: () => clock.time });
  const sealing = openSealing(storeOptions, { memory: store, sessions, spool }, { now: () => clock.time });
  sealFolders({ store: storeOptions.dir, keysDir: storeOptions.keysDir }, folder);
  const log: string[] = [];
  const trust = { trusted: true };
  const models: { model?: ChatModel; named?: Readonly<Record<string, ChatModel>> } = {};
  const editor: { openSession?: (id: string) => Promise<void> } = {};
  const code: { code?: Code } = {};
  const github: { api: string; secret?: string | undefined } = { api: 'http://127.0.0.1:9' };
  const wide = () => openTestStore(join(kept, 'home'), clock);
  let userWide: ReturnType<typeof wide> | undefined;
  const searchThread = new URL('../../../dist/searchWorker.js', import.meta.url);
  const policies = new HeldPolicies({ get: (key) => settings[key] });
  const ports: Ports = {
    settings: policies.settings,
    log: { info: () => {}, warn: (message) => log.push(message), error: (message) => log.push(message) },
    now: () => clock.time,
    trusted: () => trust.trusted,
    door: 'mcp',
    github: {
      get api() {
        return github.api;
      },
      token: async () => github.secret,
    },
    chatModel: async (name) => {
      const named = name === undefined ? undefined : models.named?.[name];
      if (name !== undefined && models.named !== undefined && named === undefined)
        throw new ModelError(`There is no chat model "${name}".`);
      if (named ?? models.model) return (named ?? models.model) as ChatModel;
      throw new ModelError('There is no chat model.');
    },
  };
  const taint = new Taint({
    dir: join(kept, 'store', 'taint'),
    keys: () => new KeyRing({ dir: join(kept, 'keys') }),
    audit: store.audit,
  });
  const levelled = levelledTurns(acrossThread(sessions), taint);
  const examiner = new FolderExaminer({
    ...{ root: folder, storeDir: join(kept, 'store'), store: acrossThread(store) },
    ...{ sessions: acrossThread(sessions), batches: () => subagents.list() },
  });
  const turnBegin = resumedTurns(levelled.turnBegin, {
    ...{ sessions: acrossThread(sessions), policies, examiner },
    host: { instance: randomUUID(), roots: { folder, store: join(kept, 'store') } },
  });
  const told = toldTurns(levelled, () => backend.turnEnded());
  const turns = { ...levelled, ...told, turnBegin };
  const subagents: Subagents = new Subagents({
    ...{ root: folder, home: join(kept, 'home'), storeDir: join(kept, 'store'), defaultLevel },
    ...{ settings: ports.settings, log: ports.log, env: {}, now: () => clock.time },
    trusted: () => trust.trusted,
    chatModel: ports.chatModel,
    sessions: turns,
    ...handOver(taint, ports.log),
    start: (caller) => sessions.sessionStart(caller),
    folders: (id) => sessionFolders(join(kept, 'store'), id),
    conversation: (id) => sessions.conversation(id),
    hides: (path, { level, folder: from }) => registry.exposure.hiddenFrom(level)?.has(path, from) ?? false,
    tools: (worker) =>
      workerTools(worker, {
        ...{ root: folder, registry, settings: ports.settings, door: 'mcp', defaultLevel },
        ...{ searchThread, storeDir: join(kept, 'store') },
      }),
  });
  const backend = new Backends({
    ...{ root: folder, git: findGit(folder), defaultLevel, ports, env: {} },
    store: Object.assign(Object.create(acrossThread(store)) as StoreApi, acrossThread(spool)),
    wide: {
      dir: join(kept, 'home', 'store'),
      open: () => {
        userWide ??= wide();
        return acrossThread(userWide);
      },
    },
    ask: askModel(
      () => ports.chatModel(),
      () => {},
    ),
  });
  onTestFinished(async () => {
    await backend.dispose();
    spool.close();
  });
  const access = new SessionAccess({
    ...{ sessions: acrossThread(sessions), taint, settings: ports.settings },
    now: () => clock.time,
  });
  const events: MessageEvent[] = [];
  const messaging = new Messaging({
    ...{ root: folder, storeDir: join(kept, 'store'), defaultLevel },
    ...{ settings: ports.settings, log: ports.log, now: () => clock.time, access },
    trusted: () => trust.trusted,
    chatModel: ports.chatModel,
    sessions: Object.assign(Object.create(acrossThread(sessions)) as SessionApi, turns),
    loopAgent: (row, cause, model) =>
      loopAgent(
        row,
        cause,
        {
          ...{ root: folder, registry, settings: ports.settings, log: ports.log, door: 'mcp', searchThread },
          storeDir: join(kept, 'store'),
          agents: () => subagents.agents(),
          chatModel: ports.chatModel,
        },
        model,
      ),
    isBusy: (error) => error instanceof BusyError,
    get openSession() {
      return editor.openSession;
    },
    notify: (event) => events.push(event),
  });
  onTestFinished(() => messaging.close());
  const registry: Registry = new Registry({
    ports,
    within: (session, work) => policies.within(session, work),
    context: {
      root: folder,
      store: acrossThread(store),
      care: acrossThread(store.care),
      records: acrossThread(store.records),
      audit: acrossThread(store.audit),
      taint,
      sealing: acrossThread(sealing),
      revealKey: async (id) => ({ how: 'file', file: join(kept, 'keys', `${id}.key`) }),
      keyPlaces: (id) => keyPlaces(id, join(kept, 'keys')),
      userWide: () => {
        userWide ??= wide();
        return {
          store: acrossThread(userWide),
          care: acrossThread(userWide.care),
          sealing: { sealStatus: async () => ({ state: 'plain', key: '' }) } as never,
        };
      },
      github: ports.github,
      history: (since, shown) => historySince(findGit(folder), since, shown),
      sessions: acrossThread(sessions),
      backend,
      examiner,
      access,
      messaging,
      subagents,
      settings: ports.settings,
      now: () => clock.time,
      branch: () => 'main',
      workTree: folder,
      gitState: async (shown) => (await describeState(findGit(folder), shown)) || 'work tree clean',
      get code() {
        return code.code;
      },
      files: (signal) => listFiles(folder, searchThread, signal),
    },
  });
  const call = (name: string, input: unknown = {}, as: Partial<ToolCall> = {}) =>
    registry.invoke(name, input, {
      door: 'mcp',
      actor: 'agent',
      level: 'PUBLIC',
      session: 's-1',
      source: 'copilot',
      signal: new AbortController().signal,
      approve: async () => 'unavailable',
      ...as,
    });
  const opened = {
    store,
    backend,
    spool,
    sessions,
    turns,
    policies,
    subagents,
    messaging,
    events,
    access,
    registry,
    taint,
  };
  return { ...opened, call, models, editor, code, github, clock, trust, log, folder };
}
