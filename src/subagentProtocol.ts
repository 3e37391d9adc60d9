/** What the panel of subagents shows: part of the protocol between panels and host, for which see `protocol.ts`. */

import type { SessionRow } from './planProtocol.ts';
import type { LEFT_KINDS, Phrase } from './protocol.ts';
import type { ChangedFile, Finding, TaskLanding, TaskProgress, TaskStatus } from './subagent/batchRecord.ts';

/** A task of a batch, as the panel shows it. What is not so is null. */
export interface TaskView {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly status: TaskStatus;
  readonly started: number | null;
  readonly ended: number | null;
  readonly error: Phrase | null;
  readonly warning: Phrase | null;
  readonly landing:
    | (Pick<TaskLanding, 'state' | 'recovery' | 'patch'> & {
        readonly reason?: Phrase | undefined;
        /** What a person applied by itself. */
        readonly parts?: readonly AppliedPart[] | undefined;
        /** Files of which all is applied that way. */
        readonly landed?: readonly string[] | undefined;
      })
    | null;
  /** Its worktree is still there. */
  readonly worktree: boolean;
  /** All files that it changed, together. */
  readonly changed: { readonly files: number; readonly added: number; readonly removed: number };
  /** What follows is whole for the task that was asked for; for others only what a line of a list shows. */
  readonly progress: TaskProgress;
  readonly assignment: string;
  /** The first characters of what it handed over. */
  readonly preview: string;
  readonly findings: readonly Finding[];
  readonly files: readonly ChangedFile[];
}

/** A file of a task's work, or hunks of it, that a person applied. */
export interface AppliedPart {
  readonly path: string;
  /** Counted from 0; null: all that was left of the file. Empty: nobody can say which. */
  readonly hunks: readonly number[] | null;
  /** Whether it can be taken back by itself. */
  readonly canRevert: boolean;
}

export interface BatchView {
  readonly id: string;
  /** The session that asked for it, when it is still known. */
  readonly session: Pick<SessionRow, 'id' | 'title' | 'source'> | null;
  readonly agent: string;
  readonly isolated: boolean;
  readonly background: boolean;
  readonly started: number;
  readonly ended: number | null;
  /** The process that runs it is there. */
  readonly live: boolean;
  readonly tasks: readonly TaskView[];
}

/** What `subagents_show` returns, the latest batch first. */
export interface SubagentsView {
  readonly batches: readonly BatchView[];
}

export interface DiffLine {
  readonly kind: 'context' | 'added' | 'removed';
  readonly text: string;
  /** The file ends with this line, without a line end. */
  readonly noNewline?: true | undefined;
}

export interface DiffHunk {
  /** What follows the second `@@`: the function it is in, often empty. */
  readonly header: string;
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly DiffLine[];
}

/** What `subagents_diff` returns for one file. */
export interface FileDiff {
  readonly path: string;
  readonly binary: boolean;
  /** There is more than is told here. */
  readonly truncated: boolean;
  readonly hunks: readonly DiffHunk[];
}

/** Work that no batch knows of any more. Times are epoch milliseconds. */
export interface LeftView {
  readonly kind: (typeof LEFT_KINDS)[number];
  readonly id: string;
  readonly task: string;
  readonly session: Pick<SessionRow, 'title' | 'source'> | null;
  readonly time: number | null;
  /** The reference or the folder. */
  readonly place: string;
  /** False: only a person can look at it, in its folder. */
  readonly canRead: boolean;
}

/** What `subagents_left_files` returns. */
export interface LeftFiles {
  readonly files: readonly ChangedFile[];
  readonly name: string;
  /** Of these files as they are in git. */
  readonly tree: string;
}

/** What `subagents_work` returns. */
export interface SubagentWork {
  readonly name: string;
  readonly files: readonly ChangedFile[];
  /** Of these files as they are in git; null where nothing was changed in isolation. */
  readonly tree: string | null;
  /** Folder of its worktree while it is there. */
  readonly worktree: string | null;
}

/** Data of the subagent tools that change something, beside their text. */
export interface SubagentsDone {
  /** The text in the person's language. */
  readonly phrase?: Phrase | undefined;
  /** The tool that takes it back, with the same input. */
  readonly undo?: 'subagents_apply' | 'subagents_revert' | undefined;
  /** What `subagents_left_restore` takes. */
  readonly restore?: string | undefined;
}
