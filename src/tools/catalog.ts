import { auditShow, auditVerify } from './audit.ts';
import { contextBrief } from './context/brief.ts';
import { contextDiff } from './context/diff.ts';
import { contextExport } from './context/export.ts';
import { contextFocus } from './context/focus.ts';
import { contextGenerate } from './context/generate.ts';
import { contextHealth } from './context/health.ts';
import { damageShow } from './damage.ts';
import { memoryArchive } from './memory/archive.ts';
import { backendRetry, backendStatus } from './memory/backend.ts';
import { backendCopy } from './memory/backendCopy.ts';
import { backendInject, backendKeep } from './memory/backendTurn.ts';
import { bankRecall } from './memory/bankRecall.ts';
import { bankReflect } from './memory/bankReflect.ts';
import { bankRetain } from './memory/bankRetain.ts';
import { memoryBrowse } from './memory/browse.ts';
import { memoryCaptured } from './memory/captured.ts';
import { memoryCompress } from './memory/compress.ts';
import { memoryConflicts } from './memory/conflicts.ts';
import { memoryConsolidate } from './memory/consolidate.ts';
import { memoryBackup, memoryCheckpoint, memoryCopies, memoryRestore } from './memory/copies.ts';
import { memoryDelete } from './memory/delete.ts';
import { memoryDiff } from './memory/diff.ts';
import { memoryDrafts } from './memory/drafts.ts';
import { memoryEdit } from './memory/edit.ts';
import { memoryDecrypt, memoryEncrypt } from './memory/encrypt.ts';
import { memoryErase, memoryExport, memoryExportOpen } from './memory/everything.ts';
import { memoryExportToon } from './memory/exportToon.ts';
import { memoryForget } from './memory/forget.ts';
import { memoryGet } from './memory/get.ts';
import { memoryExportGist, memoryImportGist } from './memory/gist.ts';
import { memoryExportGlobal, memoryImportGlobal } from './memory/globalMemory.ts';
import { memoryGraphPath, memoryVisualize } from './memory/graph.ts';
import { memoryImport } from './memory/import.ts';
import { memoryInject } from './memory/inject.ts';
import { memoryList } from './memory/list.ts';
import { memoryMap } from './memory/map.ts';
import { memoryMergeSessions } from './memory/mergeSessions.ts';
import { memoryOpen } from './memory/open.ts';
import { memoryPin, memoryUnpin } from './memory/pin.ts';
import { memoryPrimer } from './memory/primer.ts';
import { memoryPromote } from './memory/promote.ts';
import { memoryRecall } from './memory/recall.ts';
import { memoryReflect } from './memory/reflect.ts';
import { memoryRemember } from './memory/remember.ts';
import { memorySave } from './memory/save.ts';
import { memorySearch } from './memory/search.ts';
import { memorySecret } from './memory/secret.ts';
import { memorySessions } from './memory/sessions.ts';
import { memorySmartRecall } from './memory/smartRecall.ts';
import { memoryStats } from './memory/stats.ts';
import { memorySuggest } from './memory/suggest.ts';
import { memorySummary } from './memory/summary.ts';
import { memoryTag } from './memory/tag.ts';
import { memoryTakeBack } from './memory/takeBack.ts';
import { memoryViewer } from './memory/viewer.ts';
import { sealShow } from './sealing.ts';
import { sessionAcknowledge } from './session/acknowledge.ts';
import { agentsList } from './session/agentsList.ts';
import {
  checkpoint,
  checkpointCancel,
  checkpointEnable,
  checkpointRewind,
  checkpointShow,
  rewind,
} from './session/checkpoint.ts';
import { sessionCompact } from './session/compact.ts';
import { foldReopen, foldShow } from './session/fold.ts';
import { sessionsHistory } from './session/history.ts';
import { sessionsList } from './session/list.ts';
import { sessionPutAway } from './session/putAway.ts';
import { sessionRaise } from './session/raise.ts';
import { sessionResume, sessionsBrowse } from './session/resume.ts';
import { transcriptsSearch } from './session/search.ts';
import { sessionsSend } from './session/send.ts';
import { sessionsRead, sessionsShow } from './session/sessionsPanel.ts';
import { sessionsChange, sessionsStop } from './session/sessionsPanelActs.ts';
import { sessionsSpawn } from './session/spawn.ts';
import { sessionStatus } from './session/status.ts';
import { subagentsFile, subagentsLeftFile, subagentsOutput, subagentsWork } from './subagent/documents.ts';
import { job } from './subagent/job.ts';
import {
  subagentsLeft,
  subagentsLeftApply,
  subagentsLeftDiscard,
  subagentsLeftFiles,
  subagentsLeftRestore,
} from './subagent/left.ts';
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
  memorySmartRecall,
  memoryForget,
  memorySave,
  memoryGet,
  memoryList,
  memoryDelete,
  memoryPin,
  memoryUnpin,
  memoryTag,
  memoryStats,
  memoryDiff,
  memorySuggest,
  memorySummary,
  memorySessions,
  memoryCaptured,
  contextBrief,
  contextFocus,
  contextGenerate,
  contextDiff,
  contextHealth,
  contextExport,
  memoryArchive,
  memoryConsolidate,
  memoryPromote,
  memoryReflect,
  memoryPrimer,
  memoryCompress,
  memoryMergeSessions,
  memoryGraphPath,
  memoryVisualize,
  memoryCheckpoint,
  memoryBackup,
  memorySecret,
  memoryEncrypt,
  memoryDecrypt,
  memoryExportGlobal,
  memoryImportGlobal,
  memoryExportGist,
  memoryImportGist,
  bankRecall,
  bankRetain,
  bankReflect,
  todoWrite,
  checkpoint,
  rewind,
  sessionsList,
  sessionsHistory,
  sessionsSend,
  sessionsSpawn,
  sessionStatus,
  agentsList,
  task,
  job,
  memoryBrowse,
  memoryOpen,
  memoryMap,
  memoryDrafts,
  memoryConflicts,
  memoryTakeBack,
  memoryEdit,
  memoryExport,
  memoryExportOpen,
  memoryImport,
  memoryExportToon,
  memoryErase,
  memoryCopies,
  memoryRestore,
  backendStatus,
  backendRetry,
  backendCopy,
  auditShow,
  auditVerify,
  todoShow,
  todoEdit,
  todoCommand,
  foldShow,
  foldReopen,
  checkpointShow,
  checkpointRewind,
  checkpointCancel,
  checkpointEnable,
  sessionsBrowse,
  transcriptsSearch,
  sessionResume,
  sessionAcknowledge,
  sessionCompact,
  sessionPutAway,
  sessionRaise,
  sessionsShow,
  sessionsRead,
  sessionsChange,
  sessionsStop,
  subagentsShow,
  subagentsDiff,
  subagentsApply,
  subagentsDiscard,
  subagentsRevert,
  subagentsCancel,
  subagentsRetry,
  subagentsLeft,
  subagentsLeftFiles,
  subagentsLeftApply,
  subagentsLeftDiscard,
  subagentsLeftRestore,
  subagentsOutput,
  subagentsWork,
  subagentsFile,
  subagentsLeftFile,
  damageShow,
  sealShow,
  memoryViewer,
  memoryInject,
  backendInject,
  backendKeep,
] as readonly ToolDefinition[];
