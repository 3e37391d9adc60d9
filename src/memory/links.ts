import type { FoldedEntry } from './fold.ts';
import { normalizeKey } from './operation.ts';
import { referencedKeys } from './quality.ts';

/** Kinds that toon-memory writes before a link's key, as in `depends_on:redis`. */
const KINDS = new Set([
  'related',
  'supersedes',
  'superseded_by',
  'implements',
  'blocks',
  'depends_on',
  'references',
  'applies_to',
]);

/** What an entry links to, each once: its links, and the keys that its content names as `[[key]]`. */
export function linksOf({ links, content }: Pick<FoldedEntry, 'links' | 'content'>): string[] {
  return [...new Set([...links.map(normalizeKey), ...referencedKeys(content)])];
}

/** The keys that a link may mean, the likeliest first: the whole of it, and without a kind of link before it. */
export function meaningsOf(link: string): string[] {
  const colon = link.lastIndexOf(':');
  return KINDS.has(link.slice(0, Math.max(0, colon))) ? [link, link.slice(colon + 1).trim()] : [link];
}
