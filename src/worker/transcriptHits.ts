import { oneLine } from '../memory/line.ts';
import type { TranscriptHit } from './sessionApi.ts';
import type { FoundMessage } from './transcriptIndex.ts';

const EXCERPT = 240;
const MAX_QUERY = 1_000;
/** How much of an excerpt stands before the first word that was asked for. */
const LEAD = 60;

/** What was found, as it is shown. */
export function hitsOf(found: readonly FoundMessage[], query: string): TranscriptHit[] {
  return found.map(({ text, id, info, uuid, role, at, level, relevance, agentId }) => {
    const session = { id, ...info, kind: info.kind as TranscriptHit['session']['kind'] };
    return { session, agentId, uuid, role, at, level, relevance, excerpt: excerptOf(text, query) };
  });
}

/** The part of a text around the first word of the query that is in it, on one line; else its beginning. */
function excerptOf(text: string, query: string): string {
  const lower = text.toLowerCase();
  const words =
    query
      .slice(0, MAX_QUERY)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
  // Lower case can be longer than the text itself; then the place is only near.
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const from = Math.max(0, Math.min(text.length, ...places) - LEAD);
  const start = places.length === 0 || from < LEAD ? 0 : from;
  const part = oneLine(text.slice(start, start + EXCERPT)).trim();
  const cut = start + EXCERPT < text.length;
  return `${start > 0 ? '…' : ''}${part}${cut ? '…' : ''}`;
}
