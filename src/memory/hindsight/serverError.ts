/** Why a call to the server did not work out. */
import type { Phrase } from '../../backendProtocol.ts';
import { BackendError, detailOf, phrase } from './texts.ts';

/** What the client answers; without a response nothing came. */
export interface Answer {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response?: Response;
}

/**
 * `unreachable`: nothing answered, or not in time, or not to its end. `busy`: it says that it cannot now. `refused`: it
 * does not do this for us. `rejected`: it does not do it with what it was given.
 */
export type FailureKind = 'unreachable' | 'busy' | 'refused' | 'rejected';

const TOO_EARLY = [408, 425, 429];
const REJECTED = [400, 413, 415, 422];

/** A call that did not work out. */
export class ServerError extends BackendError {
  readonly kind: FailureKind;
  readonly statusCode: number | undefined;
  /** How long the server wants to be left alone, in milliseconds; undefined where it does not say. */
  readonly retryAfter: number | undefined;

  constructor(said: Phrase, kind: FailureKind, statusCode?: number, retryAfter?: number) {
    super(said);
    this.kind = kind;
    this.statusCode = statusCode;
    this.retryAfter = retryAfter;
  }
}

/**
 * The error of a call that brought nothing.
 * @param waited how long, in milliseconds, where it took too long
 * @param clean takes the token out of a text
 */
export function failureOf(
  name: string,
  { error, response }: Answer,
  { waited, clean }: { waited: number | undefined; clean(text: string): string },
): ServerError {
  if (response === undefined || response.ok) {
    const reason = waited === undefined ? clean(causeOf(error)) : `no answer within ${waited / 1000} s`;
    return new ServerError(phrase('{0} request failed: {1}', name, reason), 'unreachable');
  }
  const { status, headers } = response;
  const detail = clean(detailOf(error)) || `HTTP ${status}`;
  return new ServerError(
    phrase('{0} failed: {1}', name, detail),
    kindOf(status),
    status,
    retryAfterOf(headers),
  );
}

/** In milliseconds. The header says seconds; a date is of a clock that is not ours, and does not count. */
function retryAfterOf(headers: Headers): number | undefined {
  const said = headers.get('retry-after')?.trim() ?? '';
  return /^\d{1,9}$/.test(said) ? Number(said) * 1000 : undefined;
}

function kindOf(status: number): FailureKind {
  if (status >= 500 || TOO_EARLY.includes(status)) return 'busy';
  return REJECTED.includes(status) ? 'rejected' : 'refused';
}

/** Why nothing came: the system's own word for it, which the fetch hides in its cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer';
  if (error instanceof SyntaxError) return 'what answers is no JSON, and so no Hindsight server';
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const said = cause instanceof Error ? cause.message : error.message;
  return detailOf(code === '' || said.includes(code) ? said : `${said} (${code})`) || code || 'no answer';
}
