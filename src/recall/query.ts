import { analyze, type Term } from './analyze.ts';
import { hangulFromKeys, keysFromHangul } from './keyboard.ts';
import { labelTerm } from './label.ts';
import { MOST_TERMS, type WeightedTerm } from './partition.ts';
import { type Period, periodsOf } from './period.ts';
import type { Signals } from './signals.ts';
import { respelledEndings, type Spelling } from './spellings.ts';
import { synonymsOf } from './synonyms.ts';
import { isStopWord, isSwappedStopWord, stemEnglish } from './words.ts';

/** A longer text is no question: what it says is in its words, and guesses at them would only cost time. */
const MAX_GUESSED_TERMS = 24;
/** Where guesses are looked for: one word said thousands of times is a short question, too. In UTF-16 units. */
const MAX_GUESSED_LENGTH = 2_000;
/** Known words that one mistyped word may mean. */
const MOST_SPELLINGS = 3;
/** A word is rare when it is in few documents or in a small share of many. */
const MOST_OF_FEW = 2;
const MOST_OF_MANY = 0.25;

/** What the documents a reader may see say about words. */
export interface Vocabulary {
  /** Documents. */
  readonly size: number;
  /** Documents that contain a term. */
  frequency(text: string): number;
  /** Known words near one that no document contains. */
  near(word: string, most: number): readonly Spelling[];
}

/** What makes a term part of a query: it is there, or it may be meant by what is there. */
export type TermKind = 'own' | 'synonym' | 'spelling' | 'keyboard';

/** A term to look for. */
export interface QueryTerm extends WeightedTerm {
  /** Which of the query's words it stands for. */
  readonly word: number;
  /** How surely it stands for that word, in (0, 1]. */
  readonly certainty: number;
  readonly kind: TermKind;
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
  const isQuestion = own.size <= MAX_GUESSED_TERMS;
  const question = isQuestion ? text.slice(0, MAX_GUESSED_LENGTH) : '';
  const written = writtenForms(question);
  const guesses = [...joined(question), ...mistyped(question, vocabulary)];
  const all: Guess[] = [...own.values()].map((term) => ({ term, kind: 'own' }));
  all.push(...guesses.filter(({ term }) => !own.has(term.text) && vocabulary.frequency(term.text) > 0));
  const terms: QueryTerm[] = [];
  const worth: number[] = [];
  let free = 0;
  for (const { term, kind } of all) {
    const { text: word, weight, form } = term;
    const at = worth.length;
    const rarity = rarityOf(word, vocabulary);
    if (rarity > 0) terms.push({ text: word, value: weight * rarity, word: at, certainty: 1, kind });
    // What only helps to find a word is none: a pair of Hangul, the word with its particle, the accented form.
    const others =
      weight === 1 && isQuestion
        ? alternatives(word, written.get(word) ?? word, rarity, vocabulary, signals)
        : [];
    terms.push(...others.map((other) => ({ ...other, word: at })));
    const most = Math.max(rarity, ...others.map(({ value }) => value));
    worth.push(form === 'word' ? most : 0);
    if (form !== 'word') free += weight * most;
  }
  return {
    // Questions have fewer terms; when an entry's whole text is the query (looking for duplicates), the rarest of its
    // terms identify it as well as all of them, in bounded time.
    terms: terms
      .sort((one, other) => other.value - one.value || (one.text < other.text ? -1 : 1))
      .slice(0, MOST_TERMS),
    worth,
    free,
    label: namedLabel(own.keys(), vocabulary),
    periods: periodsOf(question),
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
  written: string,
  rarity: number,
  vocabulary: Vocabulary,
  signals: Signals,
): Omit<QueryTerm, 'word'>[] {
  const synonyms = synonymsOf(word).flatMap((text) => {
    const own = rarityOf(text, vocabulary);
    // A rare synonym of a common word is worth no more than the word.
    const value = signals.synonym * (rarity > 0 ? Math.min(own, rarity) : own);
    return value > 0 ? [{ text, value, certainty: signals.synonym, kind: 'synonym' as const }] : [];
  });
  if (rarity > 0 || synonyms.length > 0) return synonyms;
  return spellings(word, written, vocabulary).map(({ text, errors }) => {
    const certainty = signals.spelling ** errors;
    return { text, value: certainty * rarityOf(text, vocabulary), certainty, kind: 'spelling' };
  });
}

/** Known words that a mistyped one may stand for. A common one is no guess: it would bring in what says little. */
function spellings(word: string, written: string, vocabulary: Vocabulary): Spelling[] {
  const { size, frequency } = vocabulary;
  if (isSwappedStopWord(written)) return [];
  const isRare = ({ text }: Spelling) => frequency(text) <= Math.max(MOST_OF_FEW, size * MOST_OF_MANY);
  const found = vocabulary.near(word, MOST_SPELLINGS).filter(isRare);
  if (found.length > 0) return found;
  // The index knows stems, and an error in its ending keeps a word from coming down to its own.
  const stems = new Set(respelledEndings(written).map(stemEnglish));
  return [...stems]
    .filter((text) => frequency(text) > 0)
    .map((text) => ({ text, errors: 1 }))
    .filter(isRare)
    .slice(0, MOST_SPELLINGS);
}

/** A term that was not written, with what suggests it. */
interface Guess {
  readonly term: Term;
  readonly kind: TermKind;
}

/** English words as they were written, by their terms. */
function writtenForms(text: string): Map<string, string> {
  const words = text.match(/(?<![\p{L}\p{N}])[A-Za-z]+(?![\p{L}\p{N}])/gu) ?? [];
  return new Map(words.flatMap((word) => analyze(word).map((term) => [term.text, word.toLowerCase()])));
}

/** Neighbouring words written as one, `로그 인` and `web hook`; a document need not have them. */
function joined(text: string): Guess[] {
  const pairs = [
    ...text.normalize('NFC').matchAll(/(?<![가-힣])([가-힣]{1,8}) (?=([가-힣]{1,8}))/gu),
    ...text.matchAll(/(?<![\p{L}\p{N}])([A-Za-z]{3,16}) (?=([A-Za-z]{3,16})(?![\p{L}\p{N}]))/gu),
  ].filter(([, one = '', other = '']) => ![one, other].some((word) => isStopWord(word.toLowerCase())));
  return pairs.flatMap(([, one = '', other = '']) =>
    analyze(one + other)
      .filter(({ form }) => form !== 'pair')
      .map((term) => ({ term: { ...term, form: 'loose' }, kind: 'spelling' })),
  );
}

/** What unknown words would say on the other keyboard layout. */
function mistyped(text: string, vocabulary: Vocabulary): Guess[] {
  const isUnknown = (word: string) => analyze(word).every((term) => vocabulary.frequency(term.text) === 0);
  const typed = [
    ...[...text.matchAll(/(?<![\p{L}\p{N}])[A-Za-z]{3,32}(?![\p{L}\p{N}])/gu)].map(([word]) => ({
      word,
      meant: hangulFromKeys(word),
    })),
    ...[...text.matchAll(/[가-힣ㄱ-ㅣ]{2,16}/gu)].map(([word]) => ({ word, meant: keysFromHangul(word) })),
  ];
  return typed
    .filter(({ word, meant }) => meant !== '' && isUnknown(word))
    .flatMap(({ meant }) => analyze(meant))
    .map((term) => ({ term, kind: 'keyboard' }));
}

/** A label that at least two documents bear and that is the only such one in the query. */
function namedLabel(words: Iterable<string>, vocabulary: Vocabulary): string | undefined {
  const named = [...words].map(labelTerm).filter((label) => vocabulary.frequency(label) > 1);
  return named.length === 1 ? named[0] : undefined;
}
