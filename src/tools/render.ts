/** Result texts in the shapes of seed 001's examples. English; what they quote is whatever was saved. */
import { type Entry, FILE_SOURCE } from '../memory/entry.ts';
import { clip, oneLine } from '../memory/line.ts';
import { normalizeKey } from '../memory/operation.ts';
import { referencedKeys } from '../memory/quality.ts';
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
export function block(
  entry: Entry,
  options: { reason?: string; importance?: boolean; now?: Recalled['now'] } = {},
): string {
  const facts = [
    entry.file === '' ? '' : `File: ${oneLine(entry.file)}`,
    entry.tags.length === 0 ? '' : `Tags: ${entry.tags.map(oneLine).join(';')}`,
    `Date: ${isoDate(entry.updated)}`,
    `Quality: ${entry.quality.toFixed(2)}`,
    entry.confidence < 1 ? `Confidence: ${entry.confidence.toFixed(2)}` : '',
    options.importance === true && entry.importance !== undefined ? `Importance: ${entry.importance}` : '',
    entry.expires === undefined ? '' : `TTL: ${isoDate(entry.expires)}`,
    entry.level === 'PUBLIC' ? '' : `Level: ${entry.level}`,
    statusOf(entry, 'Status'),
    options.now === undefined ? '' : statusOf(options.now, 'Since then'),
    entry.confirmed ? '' : entry.source === FILE_SOURCE ? 'Unconfirmed, from a memory file' : 'Unconfirmed',
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
function statusOf({ status, supersededBy }: Pick<Entry, 'status' | 'supersededBy'>, name: string): string {
  if (status === 'active') return '';
  return status === 'superseded' ? `${name}: superseded by "${oneLine(supersededBy)}"` : `${name}: ${status}`;
}

/** A neighbour in a compact answer is a pointer to the entry, not the entry. */
const NEIGHBOUR = 90;

/**
 * Entries with few tokens, numbered in their order, neighbours cut (seed 001, "compact"):
 * ```
 * [1] decision/risk-engine-priority
 *   The engine prioritizes risk over speed (see [[risk-spec]]).
 *   tags: risk;spec · edges: ->2, ->3
 * ```
 * Edges, in a graph, are the links between the entries shown, whichever of the two has them.
 */
export function compactBlocks(
  results: readonly (Pick<Recalled, 'entry'> & Partial<Recalled>)[],
  { graph, explain }: { readonly graph: boolean; readonly explain: boolean },
): string[] {
  const edges = graph ? edgesAmong(results.map(({ entry }) => entry)) : [];
  return results.map(({ entry, reason, hops }, at) => {
    const facts = [
      entry.tags.length === 0 ? '' : `tags: ${entry.tags.map(oneLine).join(';')}`,
      edges[at]?.length ? `edges: ${edges[at].map((other) => `->${other + 1}`).join(', ')}` : '',
    ].filter(Boolean);
    return [
      `[${at + 1}] ${entry.category}/${oneLine(entry.key)}${entry.pinned ? ' 📌' : ''}`,
      ...(hops === undefined
        ? [indent(entry.content), ...additionsOf(entry)]
        : [`  ${clip(entry.content, NEIGHBOUR)}`]),
      ...(facts.length > 0 ? [`  ${facts.join(' · ')}`] : []),
      ...(explain && reason !== undefined ? [`  ↳ ${reason}`] : []),
    ].join('\n');
  });
}

/** For each entry the places of those it is linked with, in order. */
function edgesAmong(entries: readonly Entry[]): number[][] {
  const places = new Map(entries.map(({ key }, at) => [key, at]));
  const edges = entries.map(() => new Set<number>());
  for (const [at, { links, content }] of entries.entries()) {
    for (const key of [...links.map(normalizeKey), ...referencedKeys(content)]) {
      const other = places.get(key);
      if (other === undefined || other === at) continue;
      edges[at]?.add(other);
      edges[other]?.add(at);
    }
  }
  return edges.map((others) => [...others].sort((a, b) => a - b));
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
