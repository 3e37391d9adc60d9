/** Result texts in the shapes of seed 001's examples. English; what they quote is whatever was saved. */
import type { Entry } from '../memory/entry.ts';
import { isoDate } from '../memory/ttl.ts';
import type { Recalled } from '../worker/api.ts';

const LINE = 80;

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
    entry.status === 'active' ? '' : `Status: ${entry.status}`,
    entry.confirmed ? '' : 'Unconfirmed',
  ];
  const lines = [
    `[${entry.category}] ${oneLine(entry.key)}${entry.pinned ? ' 📌' : ''} (${entry.id})`,
    indent(entry.content),
    ...entry.revisions
      .filter(({ addition }) => addition)
      .map((revision) => indent(`↺ ${isoDate(revision.at)} (${revision.source}): ${revision.text}`)),
    `  ${facts.filter(Boolean).join(' | ')}`,
  ];
  if (entry.links.length > 0) lines.push(`  links: ${entry.links.map(oneLine).join(';')}`);
  if (options.reason !== undefined) lines.push(`  ↳ ${options.reason}`);
  return lines.join('\n');
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

/** On one line, so that a saved text cannot pretend to be a line of ours. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}

/** The start of a text on one line, cut with an ellipsis and never inside a character. */
export function clip(text: string, length: number): string {
  const line = oneLine(text.slice(0, length * 4)).trim();
  const characters = [...line];
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join('')}…`;
}

function indent(text: string): string {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/u)
    .map((line) => `  ${line}`)
    .join('\n');
}
