/** A page of a session's transcript for other sessions, within a size. */
import type { SessionApi, SessionReader } from '../worker/sessionApi.ts';
import type { TranscriptPage } from '../worker/sessionLookApi.ts';
import type { SessionRow } from './row.ts';
import { READ_TEXT, type ShownMessage, shownMessages } from './shownMessages.ts';

/** Most bytes of an answer's messages, as JSON in UTF-8 (seed 003's reference). */
export const MAX_BYTES = 80 * 1024;
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1_000;

export interface HistoryQuery {
  /** Most messages: 50 when not given, at most 1,000. */
  readonly limit?: number | undefined;
  readonly includeTools?: boolean | undefined;
  /** `before` of a page, for the page before it. */
  readonly before?: number | undefined;
}

export interface SessionHistory {
  /** Oldest first. */
  readonly messages: readonly ShownMessage[];
  /** Something of the page is not there: whole messages, or ends of texts. */
  readonly truncated: boolean;
  /** Older messages of the page were left out, since all of it would be too large. */
  readonly droppedMessages: boolean;
  readonly contentTruncated: boolean;
  /** Secrets were taken out. */
  readonly contentRedacted: boolean;
  /** Of the messages, as JSON. */
  readonly bytes: number;
  /** How many messages with nothing but calls and results were passed over. */
  readonly toolMessages: number;
  /** For the page before this one; null where nothing comes before. */
  readonly before: number | null;
  /** Something of the transcript cannot be read here. */
  readonly damaged: boolean;
}

/** The latest messages of a session, or those before an earlier page. @throws StoreError */
export async function historyOf(
  sessions: Pick<SessionApi, 'sessionPage'>,
  { origin }: Pick<SessionRow, 'origin'>,
  { limit = DEFAULT_LIMIT, includeTools = false, before }: HistoryQuery,
  reader: SessionReader,
): Promise<SessionHistory> {
  if (!origin.hasTranscript) return NOTHING;
  const page = await sessions.sessionPage(
    { id: origin.id, agentId: origin.subagent },
    { limit: Math.min(limit, MAX_LIMIT), tools: includeTools, before, textLength: READ_TEXT },
    reader,
  );
  const { messages, isCut, isRedacted } = await shownMessages(page.messages);
  const fitting = fitInto(messages, MAX_BYTES);
  const contentTruncated = isCut || page.isCut;
  const isDropped = fitting.messages.length < messages.length || fitting.isReplaced;
  return {
    messages: fitting.messages,
    truncated: isDropped || contentTruncated,
    droppedMessages: isDropped,
    contentTruncated,
    contentRedacted: isRedacted,
    bytes: fitting.bytes,
    toolMessages: page.omitted,
    before: (isDropped ? startOf(fitting.messages, page) : page.before) ?? null,
    damaged: page.isDamaged,
  };
}

const NOTHING: SessionHistory = {
  ...{ messages: [], truncated: false, droppedMessages: false, contentTruncated: false },
  ...{ contentRedacted: false, bytes: 2, toolMessages: 0, before: null, damaged: false },
};

/** The last messages that fit; a single one that does not is replaced by a word about it. */
function fitInto(
  messages: readonly ShownMessage[],
  limit: number,
): { messages: readonly ShownMessage[]; bytes: number; isReplaced: boolean } {
  let bytes = 2;
  let first = messages.length;
  for (; first > 0; first--) {
    // With the comma between two.
    const more = jsonBytes(messages[first - 1]) + (first < messages.length ? 1 : 0);
    if (bytes + more > limit) break;
    bytes += more;
  }
  const last = messages.at(-1);
  if (first < messages.length || last === undefined) {
    const whole = wholeFrom(messages, first);
    const kept = messages.slice(whole);
    return { messages: kept, bytes: whole === first ? bytes : jsonBytes(kept), isReplaced: false };
  }
  const { role, timestamp, id } = last;
  const text = '[left out: this message is too large for an answer]';
  const placeholder = { role, timestamp, id, content: [{ type: 'text', text }] } as const;
  return { messages: [placeholder], bytes: jsonBytes([placeholder]), isReplaced: true };
}

/** Where the first record begins that is there whole, so that the page before has all of the one before it. */
function wholeFrom(messages: readonly ShownMessage[], first: number): number {
  const cut = first > 0 ? messages[first - 1]?.id : undefined;
  const whole = messages.findIndex(({ id }, at) => at >= first && id !== cut);
  return whole < 0 ? first : whole;
}

function startOf([first]: readonly ShownMessage[], page: TranscriptPage): number | undefined {
  return page.messages.find(({ uuid }) => uuid === first?.id)?.offset;
}

/** How large a value is as JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
