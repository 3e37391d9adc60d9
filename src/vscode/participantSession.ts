/** Which session a chat with @lodeline is, and where in it the person stands. */
import { randomUUID } from 'node:crypto';
import type * as vscode from 'vscode';
import { chatSessionOf } from './chatSession.ts';

export const PARTICIPANT = 'lodeline.lodeline';

/** What an answer of ours remembers in the chat, which the editor keeps across reloads. */
export interface AnswerMetadata {
  /** The session's key. */
  readonly session: string;
  /**
   * The turn that the session stood at after the answer, as `TurnOutcome` names it; null before the first one.
   * Left out where nobody knows.
   */
  readonly turn?: string | null;
  /** What the person may want next. */
  readonly next?: 'continue';
}

/** A chat's session. */
export interface ChatPlace {
  readonly key: string;
  /** The turn that the chat shows last, as in `AnswerMetadata`. */
  readonly turn: string | null | undefined;
}

/**
 * The session that a request belongs to. The chat's own id is one that other agents of the chat use for their calls
 * as well, so they share the session; an answer of ours that names another one, after `/resume`, wins.
 * @param history the chat before this request; shorter than the transcript when the person went back
 */
export function placeOf(
  request: { readonly toolInvocationToken: unknown },
  history: readonly unknown[],
): ChatPlace {
  const answers = history.filter(isOurAnswer).map(({ result }) => metadataOf(result));
  const known = answers.findLast((metadata) => metadata !== undefined);
  const last = answers.at(-1);
  return {
    key: known?.session ?? chatSessionOf(request.toolInvocationToken) ?? randomUUID(),
    // An answer that was cancelled may have lost its metadata: then nobody knows, and nothing is taken back.
    turn: answers.length === 0 ? null : last?.turn,
  };
}

/** What an answer remembers, or undefined when it is not one of ours or not whole. */
export function metadataOf(result: vscode.ChatResult | undefined): AnswerMetadata | undefined {
  const { session, turn, next } = result?.metadata ?? {};
  if (typeof session !== 'string' || session === '') return undefined;
  return {
    session,
    ...(typeof turn === 'string' || turn === null ? { turn } : {}),
    ...(next === 'continue' ? { next } : {}),
  };
}

/** Histories hold requests and answers, of which only answers have a result. */
function isOurAnswer(turn: unknown): turn is Pick<vscode.ChatResponseTurn, 'result'> {
  return (
    typeof turn === 'object' &&
    turn !== null &&
    'result' in turn &&
    'participant' in turn &&
    turn.participant === PARTICIPANT
  );
}
