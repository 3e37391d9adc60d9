import { keysFromHangul } from './keyboard.ts';

/** Shorter words have too many neighbours to tell a typing error from another word. */
const SHORTEST = 5;
/** From this length on two errors are believed. */
const LONG = 8;
/** Longer ones are hashes and joined names, which nobody mistypes. */
const LONGEST = 24;

const LATIN = /^[\p{Script=Latin}]+$/u;
const HANGUL = /^[가-힣]+$/u;

/** A known word near a mistyped one. */
export interface Spelling {
  readonly text: string;
  /** Letters inserted, left out, replaced or swapped. */
  readonly errors: number;
}

/**
 * Looks up known words near a mistyped one. Words stand in drawers by their first and by their last letter, each with
 * the length: one error leaves one of the two letters alone, and two errors mostly do.
 */
export class Spellings {
  readonly #drawers = new Map<string, string[]>();

  add(word: string): void {
    if (!isSpelled(word)) return;
    const length = word.length;
    this.#put(`^${word[0]}${length}`, word);
    this.#put(`${word[length - 1]}$${length}`, word);
  }

  /** The known words nearest to `word` for which `accept` holds, at most `most`; none when it is too short. */
  near(word: string, most: number, accept: (known: string) => boolean): Spelling[] {
    if (!isSpelled(word)) return [];
    const hangul = HANGUL.test(word);
    const letters = spell(word, hangul);
    const limit = letters.length >= LONG && (!hangul || word.length >= 4) ? 2 : 1;
    // An error in a Hangul letter leaves the number of syllables as it is.
    const reach = hangul ? 0 : limit;
    const found = new Map<string, number>();
    for (let length = word.length - reach; length <= word.length + reach; length++) {
      for (const drawer of [`^${word[0]}${length}`, `${word[word.length - 1]}$${length}`]) {
        for (const known of this.#drawers.get(drawer) ?? []) {
          if (known === word || found.has(known)) continue;
          const errors = distance(letters, spell(known, hangul), limit);
          if (errors <= limit && accept(known)) found.set(known, errors);
        }
      }
    }
    const nearest = Math.min(...found.values());
    return [...found]
      .filter(([, errors]) => errors === nearest)
      .map(([text, errors]) => ({ text, errors }))
      .sort((one, other) => (one.text < other.text ? -1 : 1))
      .slice(0, most);
  }

  #put(drawer: string, word: string): void {
    const words = this.#drawers.get(drawer);
    if (words === undefined) this.#drawers.set(drawer, [word]);
    else words.push(word);
  }
}

/** Letters at the end of a word in which an error is looked for. */
const ENDING = 6;
const ALPHABET = [...'abcdefghijklmnopqrstuvwxyz'];

/** An English word with one error in its ending undone, in every way there is; none when it is too short or long. */
export function respelledEndings(word: string): string[] {
  if (!/^[a-z]+$/.test(word) || word.length < LONG || word.length > LONGEST) return [];
  const respelled: string[] = [];
  for (let at = word.length - ENDING; at <= word.length; at++) {
    const [before, here, after] = [word.slice(0, at), word.slice(at, at + 1), word.slice(at + 1)];
    if (after !== '') respelled.push(before + after[0] + here + after.slice(1));
    if (here !== '') respelled.push(before + after, ...ALPHABET.map((letter) => before + letter + after));
    respelled.push(...ALPHABET.map((letter) => before + letter + here + after));
  }
  return respelled;
}

function isSpelled(word: string): boolean {
  if (word.length > LONGEST) return false;
  return (word.length >= SHORTEST && LATIN.test(word)) || (word.length >= 2 && HANGUL.test(word));
}

/** Hangul is compared by its letters, of which a syllable has two to five. */
function spell(word: string, hangul: boolean): string {
  return hangul ? keysFromHangul(word) : word;
}

/** Damerau-Levenshtein distance (swaps of neighbours count once), or more than `limit` as soon as it must be. */
function distance(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      let errors = Math.min(
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
        errors = Math.min(errors, (beforeLast[column - 2] as number) + 1);
      current.push(errors);
      if (errors < least) least = errors;
    }
    if (least > limit) return limit + 1;
    beforeLast = last;
    last = current;
  }
  return last[other.length] as number;
}
