/** From an entry's fields to what the index keeps of them. */
import { hash } from 'node:crypto';
import { analyze } from './analyze.ts';
import { labelTerms } from './label.ts';
import { FREQUENCY_UNIT } from './partition.ts';

/** The fields of an entry that are searched. */
export interface SearchedFields {
  readonly key: string;
  readonly category: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly file: string;
}

/** How much one occurrence counts by field: what names an entry says more about it than what it mentions. */
const KEY_WEIGHT = 2;
const TAG_WEIGHT = 1.5;
const CATEGORY_WEIGHT = 0.5;
const CONTENT_WEIGHT = 1;
const FILE_WEIGHT = 1;
/** A label is only looked up, so it should not count as length. */
const LABEL_WEIGHT = 0.1;

/** Hex digits of a digest that are kept: 64 bits. */
export const DIGEST_LENGTH = 16;

/** The terms of a document and how often each occurs there, in frequency units. */
export function weightedFrequencies(document: SearchedFields): Map<string, number> {
  const occurrences = new Map<string, number>();
  const count = (text: string, fieldWeight: number) => {
    for (const term of analyze(text)) {
      occurrences.set(term.text, (occurrences.get(term.text) ?? 0) + term.weight * fieldWeight);
    }
  };
  count(document.key, KEY_WEIGHT);
  count(document.tags.join(' '), TAG_WEIGHT);
  count(document.category, CATEGORY_WEIGHT);
  count(document.content, CONTENT_WEIGHT);
  count(document.file, FILE_WEIGHT);
  for (const label of labelTerms(document.content)) occurrences.set(label, LABEL_WEIGHT);
  for (const [text, weight] of occurrences) {
    occurrences.set(text, Math.max(1, Math.round(weight * FREQUENCY_UNIT)));
  }
  return occurrences;
}

/** Names what of a document is searched: equal for equal fields. `DIGEST_LENGTH` hex digits. */
export function digestOf({ key, category, content, tags, file }: SearchedFields): string {
  return digest(JSON.stringify([key, category, content, file, ...tags]));
}

/** One of each kind of thing that analysis knows. */
const SAMPLE: SearchedFields = {
  key: 'use-zodSchema_v2',
  category: 'decision',
  content:
    'Caroline: the runners were deploying naïve C++20, std::move, --dry-run, v1.17.0, @scope/pkg, src\\auth/token.ts, ' +
    "don't relationally generalize skies; 데이터베이스에서는 캐시를 API는 使う東京タワー Ünïcode λόγος базы",
  tags: ['sized', '결정'],
  file: 'src/recallIndex.ts',
};

/** Names the present rules of analysis: what was analysed by others is of no use. */
export function analysisName(): string {
  return digest(JSON.stringify([...weightedFrequencies(SAMPLE)]));
}

function digest(text: string): string {
  return hash('sha256', text, 'hex').slice(0, DIGEST_LENGTH);
}
