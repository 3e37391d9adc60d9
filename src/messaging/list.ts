/** The list of sessions as agents get it (seed 003), within a size. */
import type { AcrossAgents } from '../policy/visibility.ts';
import type { RowKind } from '../session/key.ts';
import type { SessionApi } from '../worker/sessionApi.ts';
import type { SessionAccess } from './access.ts';
import { historyOf, jsonBytes, MAX_BYTES } from './history.ts';
import type { Requester, SessionCall } from './requester.ts';
import { type SessionRow, type ShownRow, shownRow } from './row.ts';
import type { ShownMessage } from './shownMessages.ts';

const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 1_000;
const MAX_MESSAGES = 20;
const MINUTE_MS = 60_000;

export interface ListQuery {
  readonly kinds?: readonly RowKind[] | undefined;
  /** Most rows: 200 when not given, at most 1,000. */
  readonly limit?: number | undefined;
  /** Only sessions with something new in so many minutes. */
  readonly activeMinutes?: number | undefined;
  /** So many of each session's last messages, at most 20; none when not given. */
  readonly messageLimit?: number | undefined;
}

export interface ListedRow extends ShownRow {
  readonly messages?: readonly ShownMessage[];
}

export interface SessionListing {
  readonly count: number;
  readonly sessions: readonly ListedRow[];
  /** Not everything that was asked for fits. */
  readonly truncated?: true;
  /** How many sessions were left out for `limit`, or since the answer would be too large. */
  readonly omitted?: number;
  /** Ends of texts, or messages, were left out. */
  readonly contentTruncated?: true;
  readonly contentRedacted?: true;
  readonly visibility?: { readonly mode: string; readonly restricted: true; readonly warning: string };
}

export interface ListHost {
  readonly access: SessionAccess;
  readonly sessions: Pick<SessionApi, 'sessionPage'>;
  /** Unix milliseconds. */
  now(): number;
}

/** The sessions that the caller may see, last active first, without those that are put away. */
export async function listSessions(
  host: ListHost,
  call: SessionCall,
  { kinds = [], limit = DEFAULT_LIMIT, activeMinutes, messageLimit = 0 }: ListQuery,
): Promise<SessionListing> {
  const { rows, requester, restricted, acrossAgents } = await host.access.visible(call);
  const since = activeMinutes === undefined ? undefined : host.now() - activeMinutes * MINUTE_MS;
  const found = rows.filter(
    ({ kind, archived, updatedAt }) =>
      !archived &&
      (kinds.length === 0 || kinds.includes(kind)) &&
      (since === undefined || (updatedAt ?? 0) >= since),
  );
  const asked = found.slice(0, Math.min(limit, MAX_LIMIT));
  const listing = new Listing();
  for (const row of asked) {
    if (!listing.add(await shownRow(row, requester.agentId))) break;
    if (messageLimit > 0) listing.said(await lastMessages(host, row, messageLimit, call));
  }
  const omitted = found.length - listing.rows.length;
  const { isFull, isCut, isRedacted } = listing;
  return {
    count: listing.rows.length,
    sessions: listing.rows,
    ...((omitted > 0 || isFull) && { truncated: true }),
    ...(omitted > 0 && { omitted }),
    ...(isCut && { contentTruncated: true }),
    ...(isRedacted && { contentRedacted: true }),
    ...(restricted && {
      visibility: { mode: requester.mode, restricted, warning: warningOf(requester, acrossAgents) },
    }),
  };
}

interface Said {
  readonly messages: readonly ShownMessage[];
  readonly isCut: boolean;
  readonly isRedacted: boolean;
}

/** Rows as far as they fit: first all of a session, then it without messages. */
class Listing {
  readonly rows: ListedRow[] = [];
  isFull = false;
  isCut = false;
  isRedacted = false;
  #bytes = 0;

  add({ row, isRedacted }: { readonly row: ListedRow; readonly isRedacted: boolean }): boolean {
    this.isFull = !this.#takes(jsonBytes(row));
    if (this.isFull) return false;
    this.rows.push(row);
    this.isRedacted ||= isRedacted;
    return true;
  }

  /** What was said in the session added last. */
  said({ messages, isCut, isRedacted }: Said): void {
    const row = this.rows.at(-1);
    if (row === undefined) return;
    let first = messages.length;
    while (first > 0 && this.#takes(jsonBytes(messages[first - 1]))) first--;
    this.rows[this.rows.length - 1] = { ...row, messages: messages.slice(first) };
    this.isCut ||= isCut || first > 0;
    this.isRedacted ||= isRedacted;
  }

  #takes(bytes: number): boolean {
    // With a comma, and room for what stands around rows and messages.
    if (this.#bytes + bytes + 16 > MAX_BYTES - 1_024) return false;
    this.#bytes += bytes + 16;
    return true;
  }
}

async function lastMessages(
  host: ListHost,
  row: SessionRow,
  limit: number,
  call: SessionCall,
): Promise<Said> {
  try {
    const query = { limit: Math.min(limit, MAX_MESSAGES) };
    const { messages, contentTruncated, droppedMessages, contentRedacted } = await historyOf(
      host.sessions,
      row,
      query,
      { level: call.level },
    );
    return { messages, isCut: contentTruncated || droppedMessages, isRedacted: contentRedacted };
  } catch {
    // One that cannot be read, or is gone by now, must not hide the others.
    return { messages: [], isCut: true, isRedacted: false };
  }
}

function warningOf({ mode, sandboxed }: Requester, acrossAgents: AcrossAgents): string {
  if (mode === 'all') {
    const others = acrossAgents === 'none' ? 'those that it started' : 'those of the agents that may talk';
    const why = acrossAgents === 'none' ? 'is not enabled' : 'names those alone';
    return `Only this agent's sessions and ${others} can be seen here, since tools.agentToAgent ${why}. Others may exist.`;
  }
  const whose = {
    self: 'this session alone',
    tree: 'this session and those that it started',
    agent: "this agent's sessions",
  }[mode];
  const why = sandboxed ? 'this agent runs in a sandbox' : `tools.sessions.visibility is "${mode}"`;
  return `Only ${whose} can be seen here, since ${why}. Others may exist.`;
}
