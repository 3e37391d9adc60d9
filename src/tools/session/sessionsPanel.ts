/** What a person sees of sessions, in the panel. */
import { z } from 'zod';
import { agentsOf } from '../../messaging/agentList.ts';
import type { SessionRow } from '../../messaging/row.ts';
import type { HistoryPage, SessionsView } from '../../sessionProtocol.ts';
import { StoreError } from '../../worker/api.ts';
import type { TranscriptPage } from '../../worker/sessionLookApi.ts';
import { readerOf } from '../author.ts';
import { defineTool, type ToolCall, type ToolContext, ToolError } from '../tool.ts';
import { historyLines } from './historyLines.ts';
import { linesOf, namesOf, timelineOf } from './sessionLines.ts';

/** As much of the timeline as a person looks back on. */
const TIMELINE = 100;
const PAGE = 40;
/** Files in conflict; who has more has one conflict, not many. */
const CONFLICTS = 100;
/** Messages in a page that has to reach back to a record. */
const MOST = 500;
const TEXT = 20_000;

export const sessionsShow = defineTool({
  name: 'sessions_show',
  family: 'session',
  profile: 'person',
  effect: 'read',
  title: 'Show Sessions',
  description: 'Every session and what sessions say to each other, for the panel.',
  input: z.object({}),
  async run(_input, call, context) {
    const { access, messaging, settings, sessions } = context;
    const [found, runs, present] = await Promise.all([
      access.visible(call),
      messaging.runs(readerOf(call)),
      sessions.presences(readerOf(call)),
    ]);
    const conflicts = present.conflicts.slice(0, CONFLICTS);
    const { rows } = found;
    const view: SessionsView = {
      sessions: linesOf(rows, runs, settings, conflicts),
      timeline: await timelineOf(runs, namesOf(rows), TIMELINE),
      conflicts: conflicts.map(({ file, sessions }) => ({ file, sessions })),
      agents: agentsOf(settings).map(({ id }) => id),
    };
    return { text: `${rows.length} sessions`, data: view };
  },
});

export const sessionsRead = defineTool({
  name: 'sessions_read',
  family: 'session',
  profile: 'person',
  effect: 'read',
  title: 'Read a Session',
  description: 'The latest messages of a session, those before them, or all back to one of them.',
  input: z.object({
    session: z.string().max(1_000),
    limit: z.number().int().min(1).max(MOST).default(PAGE),
    before: z.number().int().nonnegative().optional(),
    reach: z.string().max(256).optional().describe('The record that the page has to reach back to'),
  }),
  async run({ session, ...wanted }, call, context) {
    const row = await rowNamed(session, call, context);
    const { rows } = await context.access.visible(call);
    const page: HistoryPage = await readable(row, () => readBack(row, wanted, call, context, namesOf(rows)));
    return { text: `${page.messages.length} messages`, data: page };
  },
});

/** The session with this key. @throws ToolError when it is not there. */
export async function rowNamed(
  sessionKey: string,
  call: ToolCall,
  { access }: ToolContext,
): Promise<SessionRow> {
  const found = await access.resolve(call, { sessionKey });
  if ('error' in found) throw new ToolError(found.error);
  return found.row;
}

/** Where a session's records are. */
export function placeOf({ origin }: SessionRow): { readonly id: string; readonly agentId?: string } {
  const { id, subagent } = origin;
  return { id, ...(subagent !== undefined && { agentId: subagent }) };
}

interface Wanted {
  readonly limit: number;
  readonly before?: number | undefined;
  readonly reach?: string | undefined;
}

async function readBack(
  row: SessionRow,
  { limit, before, reach }: Wanted,
  call: ToolCall,
  { sessions }: ToolContext,
  names: ReadonlyMap<string, string>,
): Promise<HistoryPage> {
  const pages: TranscriptPage[] = [];
  const next = async (from: number | undefined) => {
    const query = { limit, tools: true, before: from, textLength: TEXT };
    const page = await sessions.sessionPage(placeOf(row), query, readerOf(call));
    pages.unshift(page);
    return page;
  };
  const has = (page: TranscriptPage) => page.messages.some(({ uuid }) => uuid === reach);
  let page = await next(before);
  while (reach !== undefined && page.before !== undefined && !has(page) && pages.length * limit < MOST)
    page = await next(page.before);
  return {
    key: row.key,
    messages: await historyLines(
      pages.flatMap(({ messages }) => messages),
      names,
    ),
    older: page.before ?? null,
    truncated: pages.some(({ isCut, isDamaged }) => isCut || isDamaged),
  };
}

/** The history, or why it cannot be read. */
async function readable({ key }: SessionRow, read: () => Promise<HistoryPage>): Promise<HistoryPage> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const unreadable = error.phrase ?? { text: error.message, values: [] };
    return { key, messages: [], older: null, truncated: false, unreadable };
  }
}
