/** Between rows of `.toon` files and memories. What one of them has no place for is counted. */
import { createHash } from 'node:crypto';
import {
  CATEGORIES,
  type Category,
  type Entry,
  IMPORTANCE,
  type Importance,
  ORIGINS,
  type Origin,
  type Status,
} from './entry.ts';
import { normalizeKey } from './operation.ts';
import { type FileSummary, Losses, type Placed, type Taken, type TakenEntry, type Untaken } from './taken.ts';
import { normalizeToonText, type ToonFile, type ToonRow } from './toonFormat.ts';
import { isoDate } from './ttl.ts';

const DAY = 86_400_000;
/** Dates of four digits of years end here. */
const LAST_DAY = Date.parse('9999-12-31T00:00:00Z');
const ID_LENGTH = 8;
const SUCCESSOR = 'superseded_by:';
/** Its rows are entries of the vault, each sealed once more. */
const SECRET = 'secret';
const DEGREES = 'degree of pinning above 1; every pin is the same here';
const EVIDENCE = 'mark of evidence';

/** What a file says, as memories. */
export function takenFromToon(file: ToonFile): Taken {
  const entries: Placed<TakenEntry>[] = [];
  const damaged: Untaken[] = file.damaged.map(({ line, reason }) => ({ place: placeOf(line), reason }));
  const losses = new Losses();
  const notes: string[] = [];
  for (const { line, row } of file.rows) {
    const place = placeOf(line);
    const found = takeRow(row, file.isArchive, losses);
    if ('reason' in found) damaged.push({ place, reason: found.reason });
    else {
      entries.push({ place, value: found.entry });
      notes.push(...found.doubts.map((doubt) => `${place}: ${doubt}`));
    }
  }
  const there = file.rows.length + file.damaged.length;
  if (file.promised !== undefined && file.promised > there)
    notes.push(`the header promises ${file.promised} rows, and ${there} are there`);
  if (entries.length > 0) notes.push('ids and quality figures are made anew here');
  const summaries: Placed<FileSummary>[] = [];
  for (const { line, file: path, text } of file.summaries) {
    const place = placeOf(line);
    if (text.trim() === '') damaged.push({ place, reason: 'is a summary that says nothing' });
    else summaries.push({ place, value: { file: normalizePath(path), text } });
  }
  return { entries, summaries, damaged, notes: [...losses.lines(), ...notes] };
}

/** As paths of summaries are kept here. */
function normalizePath(path: string): string {
  return normalizeKey(path).replaceAll('\\', '/').replace(/^\.\//, '');
}

function placeOf(line: number): string {
  return `line ${line}`;
}

function takeRow(
  row: ToonRow,
  isArchive: boolean,
  losses: Losses,
): { readonly reason: string } | { readonly entry: TakenEntry; readonly doubts: readonly string[] } {
  const doubts: string[] = [];
  const at = dayOf(row.date);
  if (row.date !== '' && at === undefined)
    return { reason: `has "${shown(row.date)}" where the date is: a "|" in a text may lack its backslash` };
  if (row.category === SECRET) return { reason: 'is a secret of the vault; save it anew with memory_secret' };
  const tags = row.tags
    .split(';')
    .map((tag) => tag.trim())
    .filter(Boolean);
  const category = oneOf(CATEGORIES, row.category);
  if (category === undefined) {
    doubts.push(`the category "${shown(row.category)}" became knowledge, with a tag of that name`);
    tags.push(row.category.trim().slice(0, 100));
  }
  const doubted = <Value>(name: string, text: string, value: Value | undefined): Value | undefined => {
    if (value === undefined && text.trim() !== '')
      doubts.push(`${name} "${shown(text)}" is not known and was left out`);
    return value;
  };
  const links = row.links.split(/[ ;]+/).filter(Boolean);
  const state = statusOf(row, links, isArchive);
  const successor = state?.supersededBy;
  if (row.status === 'resolved') tags.push('resolved');
  else doubted('the status', row.status, state);
  const pins = doubted('the pin', row.pinned, numberOf(row.pinned)) ?? 0;
  if (pins > 1) losses.add(DEGREES);
  if (row.evidence !== '') losses.add(EVIDENCE);
  const confidence = doubted('the confidence', row.confidence, numberOf(row.confidence));
  const entry: TakenEntry = {
    key: row.key,
    category: category ?? 'knowledge',
    content: row.content,
    file: row.file,
    tags: tags.filter(Boolean),
    links: links.filter((link) => !successor || link !== `${SUCCESSOR}${successor}`),
    importance: doubted('the importance', row.importance, oneOf(IMPORTANCE, row.importance)),
    origin: doubted('the origin', row.origin, oneOf(ORIGINS, row.origin)),
    confidence: confidence === undefined ? undefined : Math.min(1, confidence),
    pinned: pins > 0,
    pathScope: row.pathScope,
    // There a memory has expired once its day has begun (UTC).
    expires: doubted('the time to live', row.ttl, dayOf(row.ttl)),
    ...(state ?? { status: isArchive ? 'archived' : 'active' }),
    at,
    used: Math.floor(doubted('the count of uses', row.accessed, numberOf(row.accessed)) ?? 0),
    lastUsed: doubted('the last use', row.lastAccessed, momentOf(row.lastAccessed)),
  };
  return { entry, doubts };
}

type State = Pick<TakenEntry, 'status' | 'supersededBy' | 'statusAt'>;

function statusOf(row: ToonRow, links: readonly string[], isArchive: boolean): State | undefined {
  if (row.status === 'draft') return { status: 'draft' };
  if (row.status === 'obsolete') {
    const supersededBy = links.find((link) => link.startsWith(SUCCESSOR))?.slice(SUCCESSOR.length);
    const statusAt = dayOf(row.supersededOn);
    return supersededBy
      ? { status: 'superseded', supersededBy, statusAt }
      : { status: 'forgotten', statusAt };
  }
  if (row.status === '' || row.status === 'active' || row.status === 'resolved')
    return { status: isArchive ? 'archived' : 'active' };
  return undefined;
}

/** Which memories such a file takes. What was forgotten, archived or has expired stays out of files that others read. */
export function isToonExportable({ status, expires }: Entry, now: number): boolean {
  return (
    (status === 'active' || status === 'draft' || status === 'superseded') &&
    (expires === undefined || expires > now)
  );
}

/**
 * The row of a memory.
 * @param theirs the row that the file has for it, whose id and whatever has no place here it keeps
 */
export function toonRow(entry: Entry, theirs: ToonRow | undefined, losses: Losses): ToonRow {
  const isSuperseded = entry.status === 'superseded';
  const links = isSuperseded ? [...entry.links, `${SUCCESSOR}${entry.supersededBy}`] : entry.links;
  const linkable = [...new Set(links)].filter((link) => !/[ ;\r\n]/.test(link));
  losses.add('link to a key with spaces', new Set(links).size - linkable.length);
  losses.add(
    'tag with a semicolon, which became a comma',
    entry.tags.filter((tag) => tag.includes(';')).length,
  );
  const additions = entry.revisions.filter(({ addition }) => addition).length;
  losses.add('text that was added beside a content', additions);
  losses.add('earlier text of a content', entry.revisions.length - additions);
  if (entry.content !== normalizeToonText(entry.content))
    losses.add('text with other line breaks or halves of characters');
  if (entry.confirmed) losses.add('mark that a person has confirmed it');
  if (isoDate(entry.created) !== isoDate(entry.updated)) losses.add('date of the first writing');
  if (entry.branch !== '') losses.add('name of a branch');
  if (entry.reason !== '') losses.add('reason why it was superseded');
  losses.add('session and agent that wrote it');
  const expires = entry.expires === undefined ? '' : lastDay(entry.expires, losses);
  return {
    id: theirs?.id ?? '',
    category: entry.category,
    key: entry.key,
    content: entry.content,
    file: entry.file,
    tags: entry.tags.map((tag) => tag.replaceAll(';', ',')).join(';'),
    date: isoDate(entry.updated),
    ttl: expires,
    accessed: String(Math.max(entry.used, numberOf(theirs?.accessed ?? '') ?? 0)),
    links: linkable.join(' '),
    quality: entry.quality.toFixed(2),
    confidence: String(Number(entry.confidence.toFixed(2))),
    lastAccessed: lastUse(entry, theirs),
    pinned: entry.pinned ? String(Math.max(1, numberOf(theirs?.pinned ?? '') ?? 1)) : '0',
    pathScope: entry.pathScope,
    origin: entry.origin,
    status: isSuperseded ? 'obsolete' : entry.status,
    supersededOn: isSuperseded ? isoDate(entry.updated) : '',
    importance: entry.importance ?? '',
    evidence: theirs?.evidence ?? '',
  };
}

/** The day from whose beginning on a memory is expired. */
function lastDay(expires: number, losses: Losses): string {
  const day = Math.ceil(expires / DAY) * DAY;
  if (day > LAST_DAY || day < 0) {
    losses.add('time to live that is no date of four digits');
    return '';
  }
  if (day !== expires) losses.add('hour at which it expires; the day stays');
  return isoDate(day);
}

function lastUse({ lastUsed }: Entry, theirs: ToonRow | undefined): string {
  const known = Math.max(lastUsed ?? 0, momentOf(theirs?.lastAccessed ?? '') ?? 0);
  return known > 0 ? new Date(known).toISOString() : '';
}

/** An id of eight hex characters for a key, none of those that are taken. The same key gets the same one. */
export function toonId(key: string, taken: ReadonlySet<string>): string {
  for (let attempt = 0; ; attempt++) {
    const id = createHash('sha256')
      .update(`${attempt}\0${normalizeKey(key)}`)
      .digest('hex')
      .slice(0, ID_LENGTH);
    if (!taken.has(id)) return id;
  }
}

function oneOf<Value extends Category | Importance | Origin | Status>(
  values: readonly Value[],
  text: string,
): Value | undefined {
  return values.find((value) => value === text.trim());
}

/** A number that is not below zero. */
function numberOf(text: string): number | undefined {
  const trimmed = text.trim();
  return /^\d{1,12}(?:\.\d{1,20})?$/.test(trimmed) ? Number(trimmed) : undefined;
}

/** The beginning of a day, UTC. */
function dayOf(text: string): number | undefined {
  const trimmed = text.trim();
  if (!/^\d{4}-\d{2}-\d{2}$/.test(trimmed)) return undefined;
  const day = Date.parse(`${trimmed}T00:00:00Z`);
  return Number.isNaN(day) || isoDate(day) !== trimmed ? undefined : day;
}

function momentOf(text: string): number | undefined {
  const trimmed = text.trim();
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/.test(trimmed)) return dayOf(trimmed);
  const moment = Date.parse(trimmed);
  return Number.isNaN(moment) ? undefined : moment;
}

function shown(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, 40);
}
