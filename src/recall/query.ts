import { analyze, type Term } from './analyze.ts';
import { hangulFromKeys, keysFromHangul } from './keyboard.ts';
import { labelTerm } from './label.ts';
import type { WeightedTerm } from './partition.ts';
import { type Period, periodsOf } from './period.ts';
import type { Signals } from './signals.ts';
import type { Spelling } from './spellings.ts';
import { synonymsOf } from './synonyms.ts';

/**
 * Query terms used. Questions have fewer; when an entry's whole text is the query (looking for duplicates), the
 * rarest of its terms identify it as well as all of them, in bounded time.
 */
const MAX_QUERY_TERMS = 64;
/** A longer text is no question: what it says is in its words, and guesses at them would only cost time. */
const MAX_GUESSED_TERMS = 24;
/** Known words that one mistyped word may mean. */
const MOST_SPELLINGS = 3;

/** What the documents a reader may see say about words. */
export interface Vocabulary {
  /** Documents. */
  readonly size: number;
  /** Documents that contain a term. */
  frequency(text: string): number;
  /** Known words near one that no document contains. */
  near(word: string, most: number): readonly Spelling[];
}

/** A term to look for. */
export interface QueryTerm extends WeightedTerm {
  /** Which of the query's words it stands for. */
  readonly word: number;
  /** How surely it stands for that word, in (0, 1]. */
  readonly certainty: number;
}

/** A query as a search uses it. */
export interface Query {
  /** Best first. */
  readonly terms: readonly QueryTerm[];
  /** How much each of the query's words is worth, 0 for those that a document need not contain. */
  readonly worth: readonly number[];
  /** What the others are worth: Hangul, Han and kana, where pairs of characters stand in for words. */
  readonly free: number;
  /** The label that the query names, when it names exactly one. */
  readonly label: string | undefined;
  readonly periods: readonly Period[];
}

/** Reads a query. Nothing outside `vocabulary` decides anything. */
export function readQuery(text: string, vocabulary: Vocabulary, signals: Signals): Query {
  const own = new Map<string, Term>();
  for (const term of analyze(text)) {
    const known = own.get(term.text);
    if (known === undefined || known.weight < term.weight) own.set(term.text, term);
  }
  const guesses = own.size <= MAX_GUESSED_TERMS ? guessed(text, own, vocabulary) : [];
  const terms: QueryTerm[] = [];
  const worth: number[] = [];
  let free = 0;
  for (const { text: word, weight, form } of [...own.values(), ...guesses]) {
    const at = worth.length;
    const rarity = rarityOf(word, vocabulary);
    if (rarity > 0) terms.push({ text: word, value: weight * rarity, word: at, certainty: 1 });
    // A pair of Hangul may be any two syllables, of Han or kana it is mostly a word.
    const isWord = form !== 'pair' || weight === 1;
    const others =
      isWord && own.size <= MAX_GUESSED_TERMS ? alternatives(word, rarity, vocabulary, signals) : [];
    terms.push(...others.map((other) => ({ ...other, word: at })));
    const most = Math.max(rarity, ...others.map(({ value }) => value));
    worth.push(form === 'word' ? most : 0);
    if (form !== 'word') free += weight * most;
  }
  return {
    terms: terms
      .sort((one, other) => other.value - one.value || (one.text < other.text ? -1 : 1))
      .slice(0, MAX_QUERY_TERMS),
    worth,
    free,
    label: namedLabel(own.keys(), vocabulary),
    periods: own.size <= MAX_GUESSED_TERMS ? periodsOf(text) : [],
  };
}

/** Inverse document frequency as BM25 has it; 0 for a term that no document contains. */
function rarityOf(text: string, { size, frequency }: Vocabulary): number {
  const documents = frequency(text);
  return documents === 0 ? 0 : Math.log(1 + (size - documents + 0.5) / (documents + 0.5));
}

/** Other terms that may be meant by a word: its synonyms, and when nobody wrote it, words spelled nearly so. */
function alternatives(
  word: string,
  rarity: number,
  vocabulary: Vocabulary,
  signals: Signals,
): Omit<QueryTerm, 'word'>[] {
  const synonyms = synonymsOf(word).flatMap((text) => {
    const own = rarityOf(text, vocabulary);
    // A rare synonym of a common word is worth no more than the word.
    const value = signals.synonym * (rarity > 0 ? Math.min(own, rarity) : own);
    return value > 0 ? [{ text, value, certainty: signals.synonym }] : [];
  });
  if (rarity > 0 || synonyms.length > 0) return synonyms;
  return vocabulary.near(word, MOST_SPELLINGS).map(({ text, errors }) => {
    const certainty = signals.spelling ** errors;
    return { text, value: certainty * rarityOf(text, vocabulary), certainty };
  });
}

/** What unknown words would say on the other keyboard layout, where that makes known words. */
function guessed(text: string, own: ReadonlyMap<string, Term>, vocabulary: Vocabulary): Term[] {
  const unknown = (word: string) => analyze(word).every((term) => vocabulary.frequency(term.text) === 0);
  const typed = [
    ...[...text.matchAll(/(?<![\p{L}\p{N}])[A-Za-z]{3,32}(?![\p{L}\p{N}])/gu)].map(([word]) => ({
      word,
      meant: hangulFromKeys(word),
    })),
    ...[...text.matchAll(/[가-힣ㄱ-ㅣ]{2,16}/gu)].map(([word]) => ({ word, meant: keysFromHangul(word) })),
  ];
  return typed
    .filter(({ word, meant }) => meant !== '' && unknown(word))
    .flatMap(({ meant }) => analyze(meant))
    .filter(({ text: term }) => !own.has(term) && vocabulary.frequency(term) > 0);
}

/** A label that at least two documents bear and that is the only such one in the query. */
function namedLabel(words: Iterable<string>, vocabulary: Vocabulary): string | undefined {
  const named = [...words].map(labelTerm).filter((label) => vocabulary.frequency(label) > 1);
  return named.length === 1 ? named[0] : undefined;
}
