/**
 * Quality, 0–1, by the weights of seed 001 ("Quality score"): tag coverage 0.3, link richness 0.2, detail of
 * the content 0.2, recency 0.15, specificity 0.15. The seed gives weights but no curves; each part here grows
 * linearly to a point where more no longer helps.
 */
const WEIGHT = { tags: 0.3, links: 0.2, detail: 0.2, recency: 0.15, specificity: 0.15 };
const FULL_TAGS = 3;
const FULL_LINKS = 2;
const FULL_CHARACTERS = 200;
const RECENT_DAYS = 90;
const DAY = 86_400_000;

export interface QualityParts {
  readonly key: string;
  readonly content: string;
  readonly file: string;
  readonly tags: readonly string[];
  readonly links: readonly string[];
}

/** `[[key]]` in a text. */
const REFERENCE = /\[\[([^[\]\n]{1,200})\]\]/gu;

/** The parts that do not depend on time: at most 0.85. */
export function staticQuality(parts: QualityParts): number {
  const links = new Set([...parts.links, ...referencedKeys(parts.content)]).size;
  const concreteKey = parts.key.split(/[^\p{L}\p{N}]+/u).filter(Boolean).length >= 2;
  const specificity = (parts.file === '' ? 0 : 0.5) + (concreteKey ? 0.5 : 0);
  return (
    WEIGHT.tags * Math.min(1, parts.tags.length / FULL_TAGS) +
    WEIGHT.links * Math.min(1, links / FULL_LINKS) +
    WEIGHT.detail * Math.min(1, parts.content.length / FULL_CHARACTERS) +
    WEIGHT.specificity * specificity
  );
}

/** The recency part: 0.15 when just written, falling to 0 over 90 days. Times in epoch milliseconds. */
export function recencyQuality(updated: number, now: number): number {
  const days = Math.max(0, now - updated) / DAY;
  return WEIGHT.recency * Math.max(0, 1 - days / RECENT_DAYS);
}

/** Confidence of asserted knowledge is 1, of inferred knowledge 0.65–0.75 (seed 001): more with evidence. */
export function confidenceOf(
  origin: 'human' | 'agent' | 'inferred',
  parts: Pick<QualityParts, 'file' | 'tags'>,
): number {
  if (origin !== 'inferred') return 1;
  return 0.65 + (parts.file === '' ? 0 : 0.05) + (parts.tags.length >= 2 ? 0.05 : 0);
}

/** Keys named by `[[key]]` in a text, in order, each once. Letters of every script are allowed. */
export function referencedKeys(content: string): string[] {
  const keys = [...content.matchAll(REFERENCE)].map(([, inner = '']) => keyIn(inner));
  return [...new Set(keys)].filter((key) => key !== '');
}

/** A text in which `[[key]]` is `key`, for these keys only. */
export function withoutReferences(content: string, keys: readonly string[]): string {
  if (keys.length === 0) return content;
  return content.replace(REFERENCE, (whole, inner: string) =>
    keys.includes(keyIn(inner)) ? inner.trim() : whole,
  );
}

function keyIn(inner: string): string {
  return inner.normalize('NFC').trim();
}
