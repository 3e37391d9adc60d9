const SCRIPTS = [
  ['latin', /\p{Script=Latin}/gu],
  ['hangul', /\p{Script=Hangul}/gu],
  ['han', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['cyrillic', /\p{Script=Cyrillic}/gu],
  ['arabic', /\p{Script=Arabic}/gu],
  ['devanagari', /\p{Script=Devanagari}/gu],
] as const;

const ASCII = /^[\0-\x7f]*$/;

/** Enough to tell what a text is written in. */
const SAMPLE = 400;
/** Texts in other scripts are full of Latin names, so Latin is what a text is in only when nothing else is there. */
const SHARE = 0.3;

/** The script a text is mostly written in; '' when it has no letters. */
export function scriptOf(text: string): string {
  const sample = text.slice(0, SAMPLE);
  // Most texts are, and recall asks of every candidate.
  if (ASCII.test(sample)) return /[a-z]/i.test(sample) ? 'latin' : '';
  const counts = SCRIPTS.map(([name, letters]) => ({ name, count: sample.match(letters)?.length ?? 0 }));
  const letters = counts.reduce((sum, { count }) => sum + count, 0);
  if (letters === 0) return '';
  const others = counts.filter(({ name, count }) => name !== 'latin' && count > SHARE * letters);
  const [most] = others.sort((one, other) => other.count - one.count);
  return most?.name ?? 'latin';
}
