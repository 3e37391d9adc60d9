/** What the composition root makes of a folder, as the doors see it. */
import type { MemoryBackend } from './memory/backend.ts';
import type { MemoryFiles } from './memoryFiles.ts';
import type { News } from './news.ts';
import type { Level } from './policy/level.ts';
import type { Taint } from './policy/taint.ts';
import type { Ports, Settings } from './ports.ts';
import type { Attendance } from './session/presence.ts';
import type { EnteredKey } from './storeKey.ts';
import type { FoundAgents } from './subagent/agents.ts';
import type { LoopApi } from './tools/ownLoop.ts';
import type { Registry } from './tools/registry.ts';
import type { StoreThread } from './worker/client.ts';
import type { FilesReport } from './worker/filesApi.ts';

export interface App {
  readonly root: string;
  /** Top folder of its work tree, else the folder itself. */
  readonly workTree: string;
  /** Where this folder's memory lies. */
  readonly storeDir: string;
  /** Level of sessions that nothing has raised, and of what they write. */
  readonly defaultLevel: Level;
  readonly registry: Registry;
  readonly settings: Settings;
  /** Levels that sessions rose to. */
  readonly taint: Pick<Taint, 'levelOf' | 'raise' | 'onRaise'>;
  readonly news: News;
  /** Where recall, retain and reflect keep memories, whatever the settings say at the moment. */
  readonly backend: MemoryBackend;
  /** The turns of a session whose loop the door runs, recorded at the level that it has come to. */
  loopOf(key: string): LoopApi;
  /** The agents there are now, and the files that describe none. */
  agents(): Promise<FoundAgents>;
  /** Keeps the schedule of the person's settings. Returns the function that ends it. */
  keepSchedule(): () => void;
  /**
   * Keeps memory and the Markdown files of the work tree together while `memory.files` is on. `told` gets what came of
   * each look that changed or met something.
   */
  keepFiles(told: (report: FilesReport) => void): MemoryFiles;
  /** Says that a session is at work in this folder; `level`: the folder's when not given. */
  attend(session: AttendingSession): Promise<void>;
  /** What a session has to be told of others that touched files, before it changes them; undefined when nothing. */
  othersOn(session: AttendingSession): Promise<string | undefined>;
  /**
   * Keeps the key of this folder's store, which the person entered. No tool: nothing that is recorded may have a key.
   * @throws what the system says when it cannot be stored
   */
  enterKey(text: string): Promise<EnteredKey>;
  /** Whether somebody, such as a hook, said lately that this session is at work. */
  isAttending(key: string): Promise<boolean>;
  close(): Promise<void>;
}

/** The process's store thread, which a door hands on and ends. */
export type AppThread = Pick<StoreThread, 'dispose'>;

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
  readonly thread?: AppThread | undefined;
}
