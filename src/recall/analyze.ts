import { RecentMap } from './recentMap.ts';
import { foldAccents, isStopWord, stemEnglish, stripParticle } from './words.ts';

/**
 * `word`: a word or name that one writes as one; a document that lacks it lacks something. `loose`: a Hangul word,
 * which one also writes glued to others. `pair`: two neighbouring characters, which stand in for a word.
 */
export type Form = 'word' | 'loose' | 'pair';

/** One searchable form of something in a text. */
export interface Term {
  /** Normalised form, the same for documents and queries. */
  readonly text: string;
  /** How much one occurrence counts, in (0, 1]: 1 for a word, less for forms that only help to find it. */
  readonly weight: number;
  readonly form: Form;
}

/**
 * Terms taken from one text; the rest of it is not searchable. A memory of 25 words has about 40, so this only
 * bounds the work and memory that a pasted log can cost.
 */
export const MAX_TERMS = 50_000;

/** A whole identifier (`useZodSchema`) beside its parts. */
const WHOLE_WEIGHT = 1;
/** The accented form beside the folded one, so that exact spelling wins a tie. */
const ACCENTED_WEIGHT = 0.5;
/** A Hangul word as written, beside its particle-stripped form. */
const INFLECTED_WEIGHT = 0.5;
/** A pair inside a Hangul word. A word of n syllables has n − 1 of them: at full weight they would swamp it. */
const HANGUL_BIGRAM_WEIGHT = 0.5;

const HANGUL = String.raw`\p{Script=Hangul}`;
const HAN_KANA = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー`;
const START = String.raw`[[\p{L}\p{N}]--[${HANGUL}${HAN_KANA}]]`;
// Every repetition is bounded: a longer run is read as several tokens, and no input can exhaust the stack.
const WORD = String.raw`${START}[[\p{L}\p{N}\p{M}]--[${HANGUL}${HAN_KANA}]]{0,63}`;
const JOINT = String.raw`(?:::|->|_{1,3}|[.\-\/\\:@#])`;

// Groups: language (`C++`), `--` before a flag, name, Hangul, Han and kana; by number, which is twice as fast as by
// name. Built from strings because the `v` flag (set subtraction) is newer than the compile target's literals.
const TOKEN = new RegExp(
  String.raw`([A-Za-z]{1,2}(?:\+\+|#)\d{0,4}(?!${START}))` +
    String.raw`|((?<![\p{L}\p{N}_])--)?(${WORD}(?:${JOINT}${WORD}){0,31})(?:['’](?:s|t|d|m|ll|re|ve)(?!${START}))?` +
    `|([${HANGUL}]{1,64})` +
    `|([${HAN_KANA}]{1,64})`,
  'gv',
);

/** What stop words come to. */
const NO_TERM: Term = { text: '', weight: 0, form: 'word' };
/** Words whose terms are kept: a language uses fewer. */
const KEPT_WORDS = 30_000;
/** The engine copies substrings up to this length. */
const LONGEST_COPIED = 12;
const plainWords = new RecentMap<string, Term>(KEPT_WORDS);

/** One dot between words: a name such as `Node.js`. */
const DOTTED_WORD = /^(\p{L}+)\.(\p{L}+)$/u;
const VERSION = /^v?\d+(?:\.\d+)+$/i;
const PLAIN_WORD = /^[A-Za-z]?[a-z]*$/;
/** How identifiers come apart, outermost first: paths, qualified names, words in a name. */
const JOINTS = [
  /[\\/]/,
  // A version comes off whole: `react@18.2.0`, `node-20.11.1`, `10.0.0.1:8080`.
  /::|->|[:@#]|[-_](?=v?\d+\.\d)/i,
  /\./,
  /[-_]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{N})(?=\p{L})|(?<=\p{L}{2})(?=\p{N})/u,
];

/**
 * The terms of a document field or a query, in order of appearance, repeated as often as they occur. Works on any
 * string (lone surrogates, NUL and other controls only separate words) in linear time, and never throws.
 */
export function analyze(text: string): Term[] {
  const terms: Term[] = [];
  let previousEnd = -1;
  for (const match of text.normalize('NFC').matchAll(TOKEN)) {
    if (terms.length >= MAX_TERMS) return terms.slice(0, MAX_TERMS);
    const name = match[3];
    const hangul = match[4];
    if (name !== undefined) {
      if (match[2] !== undefined) add(terms, match[2] + name.toLowerCase(), WHOLE_WEIGHT);
      if (PLAIN_WORD.test(name)) addPlainWord(terms, name);
      else addName(terms, name, 0);
    } else if (hangul !== undefined) {
      addHangul(terms, hangul, previousEnd === match.index);
    } else if (match[5] !== undefined) {
      addPairs(terms, match[5], 1);
    } else if (match[1] !== undefined) {
      addLanguage(terms, match[1].toLowerCase());
    }
    previousEnd = match.index + match[0].length;
  }
  return terms;
}

function add(terms: Term[], text: string, weight: number, form: Form = 'word'): void {
  terms.push({ text, weight, form });
}

/** A word of ASCII letters, which makes one term or none. Most of any text is the same few thousand of them. */
function addPlainWord(terms: Term[], word: string): void {
  let term = plainWords.get(word);
  if (term === undefined) {
    const own: Term[] = [];
    addWord(own, word);
    term = own[0] ?? NO_TERM;
    // A part of a text that is as long as this keeps the whole text in memory.
    if (word.length <= LONGEST_COPIED) plainWords.set(word, term);
  }
  if (term !== NO_TERM) terms.push(term);
}

/** A single word: stop words are dropped, English is stemmed, Latin accents are folded. */
function addWord(terms: Term[], raw: string): void {
  const word = raw.toLowerCase();
  if (isStopWord(word)) return;
  const folded = foldAccents(word);
  add(terms, stemEnglish(folded), 1);
  if (folded !== word) add(terms, word, ACCENTED_WEIGHT);
}

/** A name made of several words, whole and in parts, from the joint at `depth` inwards. */
function addName(terms: Term[], name: string, depth: number): void {
  const joint = JOINTS[depth];
  if (joint === undefined) {
    addWord(terms, name);
    return;
  }
  if (VERSION.test(name)) {
    addVersion(terms, name.toLowerCase().replace(/^v/, ''));
    return;
  }
  const parts = name.split(joint);
  if (parts.length > 1) add(terms, wholeName(name), WHOLE_WEIGHT);
  for (const part of parts) addName(terms, part, depth + 1);
}

/** Without `-` and `_`, so that `plug-ins`, `plugIns` and `plugins` are one term; `Node.js` and `nodejs`, too. */
function wholeName(name: string): string {
  const joined = name.toLowerCase().replace(DOTTED_WORD, '$1$2').replace(/[-_]+/g, '');
  return stemEnglish(foldAccents(joined));
}

/** `1.17.0` is also found as `1.17`; its single digits would match nearly everything. */
function addVersion(terms: Term[], version: string): void {
  const numbers = version.split('.');
  for (let count = 2; count <= numbers.length; count++) add(terms, numbers.slice(0, count).join('.'), 1);
}

/** `C++20` is also `C++`; neither is the letter alone. */
function addLanguage(terms: Term[], language: string): void {
  add(terms, language, 1);
  const bare = language.replace(/\d+$/, '');
  if (bare !== language) add(terms, bare, 1);
}

/** A run of Hangul: the word without its particle, the word as written, and pairs for what spacing hides. */
function addHangul(terms: Term[], run: string, afterWord: boolean): void {
  const stem = stripParticle(run);
  // `API는`: a particle glued to a word of another script is no word.
  if (stem === '' && afterWord) return;
  const word = stem === '' ? run : stem;
  add(terms, word, 1, 'loose');
  if (word !== run) add(terms, run, INFLECTED_WEIGHT, 'loose');
  if (run.length > 1) addPairs(terms, run, HANGUL_BIGRAM_WEIGHT);
}

/** Every two neighbouring characters of a run, or its only character. */
function addPairs(terms: Term[], run: string, weight: number): void {
  const characters = [...run];
  if (characters.length === 1) add(terms, run, weight, 'pair');
  for (let at = 1; at < characters.length; at++) {
    add(terms, `${characters[at - 1]}${characters[at]}`, weight, 'pair');
  }
}
