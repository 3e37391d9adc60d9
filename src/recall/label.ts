import { analyze } from './analyze.ts';

/** A name of up to three words before the first colon, as in a transcript (`Caroline: …`) or a titled note. */
const LABEL = /^\s*(\p{L}[\p{L}\p{N}]{1,24}(?: [\p{L}\p{N}]{1,24}){0,2}): /u;
/** No analysed term begins with it, so labels cannot be taken for words. */
const MARK = '\u0001';

/** The term that stands for a label in the index. */
export function labelTerm(word: string): string {
  return `${MARK}${word}`;
}

/** The label terms of a text that begins with a name and a colon: who says it, or what it is about. */
export function labelTerms(content: string): string[] {
  const label = LABEL.exec(content)?.[1];
  return label === undefined ? [] : analyze(label).map(({ text }) => labelTerm(text));
}
