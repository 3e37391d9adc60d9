/** What the store's thread tells of sessions that are only looked at. */
import type { JsonValue } from '../journal/record.ts';
import type { Level } from '../policy/level.ts';
import type { Message } from '../session/messages.ts';
import type { SessionOverrides } from '../session/overrides.ts';
import type { InterSession, SessionKind, SpawnInfo } from '../session/record.ts';
import type { UnknownCall, Unresolved } from '../session/resume/ledger.ts';
import type { SessionTail } from '../session/tail.ts';

/** A session as far as its ends tell: nothing here needs more of a transcript than its first and last records. */
export interface SessionFacts {
  /** Of the session; for a task's subagent of the session it belongs to. */
  readonly id: string;
  readonly agentId?: string | undefined;
  /** As the door gave it. */
  readonly key: string;
  readonly kind: SessionKind;
  readonly source: string;
  readonly title?: string | undefined;
  readonly level: Level;
  readonly lastActive: number;
  readonly live: boolean;
  readonly depth: number;
  readonly started: number;
  readonly parent?: string | undefined;
  readonly spawn?: SpawnInfo | undefined;
  readonly tail: SessionTail;
  /** It was seen at work within the last minutes. */
  readonly isPresent: boolean;
  /** The other program that it is seen through, as presence names it. */
  readonly peer?: string | undefined;
  /** Its file; undefined for a session that is known from presence alone. */
  readonly transcript?: string | undefined;
  /** Whether it was put away, or back into the lists; undefined when nothing was said since it was last active. */
  readonly saidAway: boolean | undefined;
  readonly overrides: SessionOverrides;
}

/** Which part of a transcript is asked for. */
export interface PageQuery {
  /** Most messages. */
  readonly limit: number;
  /** Calls, results and thinking, too. */
  readonly tools: boolean;
  /** `before` of a page, for the one before it. */
  readonly before?: number | undefined;
  /** Most characters of a text; the rest is cut off. */
  readonly textLength: number;
}

/** A message in a page; texts may have been cut. */
export interface PageMessage {
  readonly uuid: string;
  /** Where its record begins, for a page before it. */
  readonly offset: number;
  /** Unix milliseconds. */
  readonly at: number;
  readonly message: Message;
  readonly model?: string | undefined;
  readonly provenance?: InterSession | undefined;
}

/** The latest messages of a transcript, or those before an earlier page, oldest first. */
export interface TranscriptPage {
  readonly messages: readonly PageMessage[];
  /** For the page before this one; undefined where nothing comes before. */
  readonly before: number | undefined;
  /** How many messages were passed over since they are calls and results alone. */
  readonly omitted: number;
  readonly isCut: boolean;
  /** Something in it cannot be read: what does not verify, or records whose key is not here. */
  readonly isDamaged: boolean;
}

/** What a session that was left has to be asked about before it goes on. */
export interface SessionLeft {
  readonly id: string;
  readonly key: string;
  readonly kind: SessionKind;
  readonly level: Level;
  /** The app that ran it last; undefined when nobody wrote that down. */
  readonly instance: string | undefined;
  /** Calls that were announced and whose results are not there. */
  readonly calls: readonly Unresolved[];
}

/** What keeps tools of a session from acting until somebody says that it is in order. */
export interface OpenQuestions {
  readonly calls: readonly UnknownCall[];
  /** Settings that are looser than when it was left: what counts, and what they say. */
  readonly policy: readonly {
    readonly key: string;
    readonly counts: JsonValue;
    readonly says: JsonValue;
  }[];
}
