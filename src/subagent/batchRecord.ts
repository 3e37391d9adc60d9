/** What is written down of a batch of tasks while it runs and after it: the panel and `job` read it. */
import { canFlowTo, type Level, maxLevel } from '../policy/level.ts';

/** `interrupted`: the process that ran it is gone. */
export type TaskStatus = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled' | 'interrupted';

export interface ToolUse {
  readonly tool: string;
  /** The arguments in one line of at most 60 characters. */
  readonly args: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** What a task is doing. */
export interface TaskProgress {
  readonly current?: ToolUse | undefined;
  /** Ended calls, the latest first, at most five. */
  readonly recent: readonly ToolUse[];
  /** The last lines that the agent said, the latest first, at most eight. */
  readonly lines: readonly string[];
  readonly tools: number;
  readonly tokens: number;
}

/** A file that an isolated task changed. */
export interface ChangedFile {
  readonly path: string;
  readonly status: 'added' | 'modified' | 'deleted';
  /** Lines; 0 in a binary file. */
  readonly added: number;
  readonly removed: number;
  readonly binary: boolean;
}

/** What a reviewing task found, for the person. */
export interface Finding {
  readonly title: string;
  readonly body: string;
  readonly priority: 'P0' | 'P1' | 'P2' | 'P3';
  /** 0–1. */
  readonly confidence: number;
  readonly file: string;
  readonly lineStart: number;
  readonly lineEnd: number;
}

/** Where an isolated task's work is. */
export interface TaskLanding {
  /**
   * `waiting`: for the person's review. `recoverable`: it did not land; `recovery` names where it is.
   * `discarded`, `reverted`: the person did not want it, or took it back; it can still be applied.
   */
  readonly state: 'waiting' | 'applied' | 'no_changes' | 'recoverable' | 'discarded' | 'reverted';
  readonly reason?: string | undefined;
  /** The name of a git ref that holds the work. */
  readonly recovery?: string | undefined;
  /** Name of the patch among the session's artifacts. */
  readonly patch?: string | undefined;
  /** The work, as ids of git objects. */
  readonly work?: TaskWork | undefined;
  /** Set where the work lands as commits. */
  readonly merge?: 'branch' | undefined;
  /** By which the landing is taken back, where it has landed. */
  readonly undo?: string | undefined;
  /** What a person chose of the work and has landed by itself, in the order in which it did. */
  readonly parts?: readonly LandedPart[] | undefined;
  /** The files of which all has landed that way. */
  readonly landed?: readonly string[] | undefined;
}

/** A file of the work, or hunks of it, in the person's files. */
export interface LandedPart {
  readonly path: string;
  /** Counted from 0 in the file's diff; all that was left of the file without. Empty: of work that is another now. */
  readonly hunks?: readonly number[] | undefined;
  /** By which it is taken back; without, the person's files had it already. */
  readonly undo?: string | undefined;
}

/** What an isolated task changed: ids of git objects, and a name that no other attempt has. */
export interface TaskWork {
  readonly id: string;
  /** The commit that was checked out when the task began. */
  readonly head: string;
  /** Trees of the files that the task found, and of those it left. */
  readonly base: string;
  readonly tree: string;
  /** The last commit that the task made itself. */
  readonly commits?: string | undefined;
  /** The same in repositories that lie inside this one; `prefix` is their folder, with a slash at the end. */
  readonly nested?: readonly NestedWork[] | undefined;
}

export interface NestedWork {
  readonly prefix: string;
  readonly head: string;
  readonly base: string;
  readonly tree: string;
  readonly commits?: string | undefined;
}

export interface TaskRecord {
  /** Id of its artifact, such as `0-Login`; also the id of its job and of its transcript. */
  readonly id: string;
  /** What it came to, where that is above the level at which it was started. */
  readonly level?: Level | undefined;
  /** As the caller named it. */
  readonly name: string;
  /** For the person only. */
  readonly description: string;
  readonly assignment: string;
  readonly status: TaskStatus;
  /** Epoch milliseconds. */
  readonly started?: number | undefined;
  readonly ended?: number | undefined;
  /** What went wrong, or why it was cancelled. */
  readonly error?: string | undefined;
  /** What should be known of its output or of how it worked, such as that the output does not fit the schema. */
  readonly warning?: string | undefined;
  readonly progress: TaskProgress;
  /** The first characters of what it handed over. */
  readonly preview: string;
  /** All of it, where it could not be kept as an artifact. */
  readonly output?: string | undefined;
  readonly findings: readonly Finding[];
  readonly files: readonly ChangedFile[];
  readonly landing?: TaskLanding | undefined;
  /** Folder of its worktree while it is there. */
  readonly worktree?: string | undefined;
}

/** The process that runs a batch. */
export interface BatchOwner {
  readonly pid: number;
  readonly host: string;
  /** Epoch milliseconds: a pid alone comes again, in containers with every start. */
  readonly started?: number | undefined;
}

export interface BatchRecord {
  readonly version: 1;
  readonly id: string;
  /** Id of the session that asked for it. */
  readonly session: string;
  /** At which it was started. */
  readonly level: Level;
  /** The call of `task` that asked, by its id in the session's transcript; absent where no loop of ours made it. */
  readonly call?: string | undefined;
  readonly agent: string;
  readonly context: string;
  readonly schema: string;
  readonly isolated: boolean;
  readonly background: boolean;
  /** Epoch milliseconds. */
  readonly started: number;
  readonly ended?: number | undefined;
  readonly owner: BatchOwner;
  readonly tasks: readonly TaskRecord[];
}

export const NO_PROGRESS: TaskProgress = { current: undefined, recent: [], lines: [], tools: 0, tokens: 0 };

/** Whether a task can still change by itself. */
export function isOpenTask({ status }: Pick<TaskRecord, 'status'>): boolean {
  return status === 'pending' || status === 'running';
}

/** The highest level of what is written down of a batch. */
export function levelOfBatch({ level, tasks }: Pick<BatchRecord, 'level' | 'tasks'>): Level {
  return tasks.reduce((highest, task) => maxLevel(highest, task.level ?? level), level);
}

/** Whether what a task does and hands over may be told at a level. */
export function isTaskShownAt(
  reader: Level,
  { level }: Pick<BatchRecord, 'level'>,
  task: Pick<TaskRecord, 'level'>,
): boolean {
  return canFlowTo(maxLevel(level, task.level ?? level), reader);
}

/** Outputs of a session that could not be saved as artifacts, by their ids. */
export function unsavedOf(session: string, batches: readonly BatchRecord[]): ReadonlyMap<string, string> {
  const tasks = batches.filter((batch) => batch.session === session).flatMap((batch) => batch.tasks);
  return new Map(tasks.flatMap(({ id, output }) => (output === undefined ? [] : [[id, output] as const])));
}

/**
 * Which artifacts of a session, by their ids, may be told of at a level.
 * @param unknown what those may hold that no batch knows any more
 */
export function artifactsShownAt(
  reader: Level,
  session: string,
  batches: readonly BatchRecord[],
  unknown: Level,
): (id: string) => boolean {
  const own = batches.filter((batch) => batch.session === session);
  const known = new Map(
    own.flatMap((batch) => batch.tasks.map((task) => [task.id, isTaskShownAt(reader, batch, task)])),
  );
  return (id) => known.get(id) ?? canFlowTo(unknown, reader);
}
