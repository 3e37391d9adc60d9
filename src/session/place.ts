/**
 * Where a session's files are.
 *
 *     <dir>/<id>.jsonl                            the transcript
 *     <dir>/<id>.lease/<n>                        who writes to it (see lease.ts)
 *     <dir>/<id>/subagents/agent-<agent>.jsonl    a subagent's transcript, with its lease beside it
 *     <dir>/<id>/folds/                           originals of what is folded (see folding/)
 *     <dir>/<id>/subagents/agent-<agent>.folds/   the same of a subagent
 *     <dir>/<id>/local/inbox/                     what others have for the writer (see inbox.ts)
 *     <dir>/<id>/local/damaged/                   bytes that no record verifies
 */
import { join } from 'node:path';

const ID = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
const SUFFIX = '.jsonl';
const AGENT_FILE = /^agent-(.+)\.jsonl$/;

export interface SessionPlace {
  /** The folder of all sessions. */
  readonly dir: string;
  readonly id: string;
  /** For the transcript of a subagent of `id`. */
  readonly agentId?: string | undefined;
}

/** A text that must not become part of a path. */
export class SessionIdError extends Error {
  override readonly name = 'SessionIdError';
}

/** Whether a text may be part of a path: no separator, no leading or doubled dot, not empty. */
export function isSessionId(id: string): boolean {
  // A folder named like a transcript would stand in that transcript's way.
  return ID.test(id) && !id.endsWith(SUFFIX);
}

function checked(id: string, what: string): string {
  if (!isSessionId(id)) throw new SessionIdError(`invalid ${what} id`);
  return id;
}

/** @throws SessionIdError */
export function transcriptFile({ dir, id, agentId }: SessionPlace): string {
  const session = checked(id, 'session');
  if (agentId === undefined) return join(dir, session + SUFFIX);
  return join(subagentsDir(dir, session), `agent-${checked(agentId, 'agent')}${SUFFIX}`);
}

/** @throws SessionIdError */
export function leaseDir(place: SessionPlace): string {
  return `${transcriptFile(place).slice(0, -SUFFIX.length)}.lease`;
}

/** Where the originals of folded parts of a conversation are. @throws SessionIdError */
export function foldsDir({ dir, id, agentId }: SessionPlace): string {
  const session = checked(id, 'session');
  if (agentId === undefined) return join(dir, session, 'folds');
  return join(subagentsDir(dir, session), `agent-${checked(agentId, 'agent')}.folds`);
}

/** What belongs to a session and never leaves this machine. @throws SessionIdError */
export function localDir({ dir, id }: SessionPlace): string {
  return join(dir, checked(id, 'session'), 'local');
}

/** @throws SessionIdError */
export function subagentsDir(dir: string, id: string): string {
  return join(dir, checked(id, 'session'), 'subagents');
}

/** The session id that a file name in the folder of all sessions stands for. */
export function sessionIdOf(name: string): string | undefined {
  const id = name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : '';
  return isSessionId(id) ? id : undefined;
}

/** The agent id that a file name in a folder of subagents stands for. */
export function agentIdOf(name: string): string | undefined {
  const id = AGENT_FILE.exec(name)?.[1] ?? '';
  return isSessionId(id) ? id : undefined;
}
