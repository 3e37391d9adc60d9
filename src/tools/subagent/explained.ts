import { IsolationUnavailableError } from '../../git/repository.ts';
import { ModelError } from '../../session/chatModel.ts';
import { ArtifactError } from '../../subagent/artifacts.ts';
import { IsolationMovedError } from '../../subagent/isolationRecord.ts';
import { LandingActionError } from '../../subagent/landingActions.ts';
import { LandingChoiceError } from '../../subagent/landingChoice.ts';
import { CannotUndoError } from '../../subagent/landingUndo.ts';
import { NoRecoveryError } from '../../subagent/recovery.ts';
import { RepositoryBusyError } from '../../subagent/repositoryLock.ts';
import { SubagentsRunning } from '../../subagent/subagents.ts';
import { ToolError } from '../tool.ts';
import { toldPhrase } from './told.ts';

/** Errors whose message says what to do next. */
const KNOWN = [
  ArtifactError,
  CannotUndoError,
  IsolationMovedError,
  IsolationUnavailableError,
  LandingActionError,
  LandingChoiceError,
  ModelError,
  NoRecoveryError,
  RepositoryBusyError,
  SubagentsRunning,
];

/** Does work of subagents; what went wrong in a way that the caller can act on becomes a `ToolError`. */
export async function explained<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && KNOWN.some((known) => error instanceof known))
      throw new ToolError(toldPhrase(error.message));
    throw error;
  }
}
