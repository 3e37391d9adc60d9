import porter2 from 'wink-porter2-stemmer';
import { RecentMap } from './recentMap.ts';

/** Function words of English that say nothing about a topic. */
const STOP_WORDS = new Set(
  (
    'a about above after again against all am an and any are as at be because been before being below ' +
    'between both but by can could did do does doing down during each few for from further had has have ' +
    'having he her here hers herself him himself his how i if in into is it its itself just me more most my ' +
    'myself no nor not now of off on once only or other our ours ourselves out over own same she should so ' +
    'some such than that the their theirs them themselves then there these they this those through to too ' +
    'under until up very was we were what when where which while who whom why will with would you your ' +
    'yours yourself yourselves don doesn didn isn wasn aren won cannot'
  ).split(' '),
);

/** Whether a lower-case word is an English stop word. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

/** Whether a lower-case word is an English stop word with two neighbouring letters swapped: `thier`, `becuase`. */
export function isSwappedStopWord(word: string): boolean {
  for (let at = 1; at < word.length; at++) {
    const swapped = `${word.slice(0, at - 1)}${word[at]}${word[at - 1]}${word.slice(at + 1)}`;
    if (STOP_WORDS.has(swapped)) return true;
  }
  return false;
}

/** Stems of words that `analyze` does not keep: long ones and parts of names. */
const KEPT_STEMS = 10_000;
const stems = new RecentMap<string, string>(KEPT_STEMS);

/** Porter2 stem of a lower-case word; anything but plain English letters is returned as it is. */
export function stemEnglish(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  const known = stems.get(word);
  if (known !== undefined) return known;
  const stem = porter2(word);
  stems.set(word, stem);
  return stem;
}

/** `text` without accents when it is Latin script; other scripts keep their marks, which carry meaning there. */
export function foldAccents(text: string): string {
  // The first test only saves time: most words are ASCII.
  return /[\u0080-\uFFFF]/.test(text) && /\p{Script=Latin}/u.test(text)
    ? text.normalize('NFD').replace(/\p{M}+|[ßæœøłđı]/gu, (mark) => LETTERS[mark] ?? '')
    : text;
}

/** Letters that carry no separable accent, as one writes them without. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
};

/** Korean particles (josa), single and combined. */
const PARTICLES = new Set(
  (
    '에서부터 으로부터 에게서 이라고 이라는 이라도 에서는 에서도 에서의 으로는 으로도 으로서 으로써 까지는 까지도 부터는 ' +
    '에게는 에게도 한테서 이든지 이란 에는 에도 에만 에서 에게 한테 께서 으로 로는 로도 로서 로써 라고 라는 라도 까지 부터 ' +
    '마다 보다 처럼 만큼 밖에 조차 마저 이나 이며 이랑 와의 과의 와는 과는 하고 을 를 이 가 은 는 의 에 도 만 과 와 로 나 랑 야'
  ).split(' '),
);
const LONGEST_PARTICLE = Math.max(...[...PARTICLES].map(({ length }) => length));

/** A Hangul word without its longest trailing particle; '' when it is nothing but a particle. */
export function stripParticle(word: string): string {
  for (let start = Math.max(0, word.length - LONGEST_PARTICLE); start < word.length; start++) {
    if (PARTICLES.has(word.slice(start))) return word.slice(0, start);
  }
  return word;
}
