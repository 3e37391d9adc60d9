const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Nothing was remembered before the year 1; further back, dates cannot be written. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');
/** A century: longer is a typing mistake. */
const MAX_DURATION = 36_525 * DAY;

/**
 * The moment a time to live ends, epoch milliseconds. Accepts `24h`, `7d`, an ISO date (through the end of
 * that day, UTC) or an ISO date with time. Undefined when the text is none of these.
 */
export function parseTtl(text: string, now: number): number | undefined {
  const trimmed = text.trim();
  const relative = /^(\d{1,9})([hd])$/i.exec(trimmed);
  if (relative !== null) {
    const duration = Number(relative[1]) * (relative[2]?.toLowerCase() === 'h' ? HOUR : DAY);
    return duration > 0 && duration <= MAX_DURATION ? now + duration : undefined;
  }
  return parseIsoDate(trimmed, 'end');
}

/**
 * A moment in the past for `since` and date filters: `24h` and `7d` count back from `now`, an ISO date is
 * its start or end (UTC).
 */
export function parseMoment(text: string, now: number, edge: 'start' | 'end'): number | undefined {
  const trimmed = text.trim();
  const relative = /^(\d{1,9})([hd])$/i.exec(trimmed);
  if (relative !== null) {
    const duration = Number(relative[1]) * (relative[2]?.toLowerCase() === 'h' ? HOUR : DAY);
    return Math.max(EARLIEST, now - duration);
  }
  return parseIsoDate(trimmed, edge);
}

function parseIsoDate(text: string, edge: 'start' | 'end'): number | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/.exec(
    text,
  );
  if (match === null) return undefined;
  const day = Date.parse(`${match[1]}-${match[2]}-${match[3]}T00:00:00Z`);
  // Parsing carries February 30 over into March; such a date is a mistake.
  if (Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== text.slice(0, 10)) return undefined;
  if (match[4] === undefined) return edge === 'start' ? day : day + DAY - 1;
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? undefined : moment;
}

/** `YYYY-MM-DD`, UTC, as the seed's examples print dates. */
export function isoDate(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
