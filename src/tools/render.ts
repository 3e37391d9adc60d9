/** Result texts in the shapes of seed 001's examples. English; what they quote is whatever was saved. */
import type { Entry } from '../memory/entry.ts';
import { clip, oneLine } from '../memory/line.ts';
import { isoDate } from '../memory/ttl.ts';
import type { Recalled } from '../worker/api.ts';

const LINE = 80;
/** A key that is saved again and again must not fill every answer with its history. */
const MOST_ADDITIONS = 5;

/** `decision/use-zod (a1b2c3d4)` */
export function nameOf(entry: Entry): string {
  return `${entry.category}/${oneLine(entry.key)} (${entry.id})`;
}

/** `[decision] use-zod — Use Zod for validation`, content cut to a line. */
export function headline(entry: Entry): string {
  return `[${entry.category}] ${oneLine(entry.key)} — ${clip(entry.content, LINE)}`;
}

/**
 * A whole entry:
 * ```
 * [bug] redis-pool-fix (i9j0k1l2)
 *   Added max_connections=20
 *   File: redis.ts | Tags: redis;fix | Date: 2026-07-10 | Quality: 0.82
 *   ↳ 92% relevance · used 14× · used today · importance HIGH
 * ```
 */
export function block(entry: Entry, options: { reason?: string; importance?: boolean } = {}): string {
  const facts = [
    entry.file === '' ? '' : `File: ${oneLine(entry.file)}`,
    entry.tags.length === 0 ? '' : `Tags: ${entry.tags.map(oneLine).join(';')}`,
    `Date: ${isoDate(entry.updated)}`,
    `Quality: ${entry.quality.toFixed(2)}`,
    entry.confidence < 1 ? `Confidence: ${entry.confidence.toFixed(2)}` : '',
    options.importance === true && entry.importance !== undefined ? `Importance: ${entry.importance}` : '',
    entry.expires === undefined ? '' : `TTL: ${isoDate(entry.expires)}`,
    entry.level === 'PUBLIC' ? '' : `Level: ${entry.level}`,
    statusOf(entry),
    entry.confirmed ? '' : 'Unconfirmed',
  ];
  const lines = [
    `[${entry.category}] ${oneLine(entry.key)}${entry.pinned ? ' 📌' : ''} (${entry.id})`,
    indent(entry.content),
    ...additionsOf(entry),
    `  ${facts.filter(Boolean).join(' | ')}`,
  ];
  if (entry.links.length > 0) lines.push(`  links: ${entry.links.map(oneLine).join(';')}`);
  if (options.reason !== undefined) lines.push(`  ↳ ${options.reason}`);
  return lines.join('\n');
}

/** Texts that were saved under the key beside its content, newest first. */
function additionsOf({ revisions }: Entry): string[] {
  const additions = revisions.filter(({ addition }) => addition);
  const older = additions.length - MOST_ADDITIONS;
  return [
    ...additions
      .slice(0, MOST_ADDITIONS)
      .map(({ at, source, text }) => indent(`↺ ${isoDate(at)} (${source}): ${text}`)),
    ...(older > 0
      ? [
          `  ↺ and ${older} older. Save with replace: true to make one text of them all; the old ones stay as history.`,
        ]
      : []),
  ];
}

/** Nothing for an active entry; `Status: superseded by "use-valibot"`. */
function statusOf({ status, supersededBy }: Entry): string {
  if (status === 'active') return '';
  return status === 'superseded' ? `Status: superseded by "${oneLine(supersededBy)}"` : `Status: ${status}`;
}

/** `[1] use-zod (a1b2c3d4) · decision · 2026-07-10 · 100%` */
export function indexLine({ entry, relevance }: Recalled, number: number): string {
  const pin = entry.pinned ? ' 📌' : '';
  return `[${number}] ${oneLine(entry.key)}${pin} (${entry.id}) · ${entry.category} · ${isoDate(entry.updated)} · ${Math.round(relevance * 100)}%`;
}

/** The line that tells which kinds of secrets were taken out, or nothing. */
export function redactionLine(kinds: readonly string[]): string[] {
  if (kinds.length === 0) return [];
  return [
    `🔒 Redacted before saving: ${kinds.join(', ')}. Secrets are never stored; name where the secret is kept instead.`,
  ];
}

function indent(text: string): string {
  return text
    .split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/u)
    .map((line) => `  ${line}`)
    .join('\n');
}
