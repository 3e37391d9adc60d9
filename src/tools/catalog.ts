import { contextBrief } from './context/brief.ts';
import { memoryBrowse } from './memory/browse.ts';
import { memoryDiff } from './memory/diff.ts';
import { memoryEdit } from './memory/edit.ts';
import { memoryErase, memoryExport } from './memory/everything.ts';
import { memoryForget } from './memory/forget.ts';
import { memoryOpen } from './memory/open.ts';
import { memoryPin, memoryUnpin } from './memory/pin.ts';
import { memoryRecall } from './memory/recall.ts';
import { memoryRemember } from './memory/remember.ts';
import { memorySearch } from './memory/search.ts';
import { memoryStats } from './memory/stats.ts';
import { memorySuggest } from './memory/suggest.ts';
import { memorySummary } from './memory/summary.ts';
import { memoryTag } from './memory/tag.ts';
import {
  checkpoint,
  checkpointCancel,
  checkpointEnable,
  checkpointRewind,
  checkpointShow,
  rewind,
} from './session/checkpoint.ts';
import { sessionResume, sessionsBrowse } from './session/resume.ts';
import { job } from './subagent/job.ts';
import {
  subagentsApply,
  subagentsCancel,
  subagentsDiff,
  subagentsDiscard,
  subagentsRetry,
  subagentsRevert,
  subagentsShow,
} from './subagent/panel.ts';
import { task } from './subagent/task.ts';
import { todoCommand } from './todo/command.ts';
import { todoEdit, todoShow } from './todo/panel.ts';
import { todoWrite } from './todo/write.ts';
import type { ToolDefinition } from './tool.ts';

/** Every tool there is, in the order in which they are listed. */
export const TOOLS = [
  memoryRemember,
  memoryRecall,
  memorySearch,
  memoryForget,
  memoryPin,
  memoryUnpin,
  memoryTag,
  memoryStats,
  memoryDiff,
  memorySuggest,
  memorySummary,
  contextBrief,
  todoWrite,
  checkpoint,
  rewind,
  task,
  job,
  memoryBrowse,
  memoryOpen,
  memoryEdit,
  memoryExport,
  memoryErase,
  todoShow,
  todoEdit,
  todoCommand,
  checkpointShow,
  checkpointRewind,
  checkpointCancel,
  checkpointEnable,
  sessionsBrowse,
  sessionResume,
  subagentsShow,
  subagentsDiff,
  subagentsApply,
  subagentsDiscard,
  subagentsRevert,
  subagentsCancel,
  subagentsRetry,
] as readonly ToolDefinition[];
