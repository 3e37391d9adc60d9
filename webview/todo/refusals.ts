import { count } from '../kit/format.ts';
import { t } from '../kit/l10n.ts';
import { clip, visible, visibleLine } from '../kit/text.ts';

/** What the list takes of one text, in UTF-16 units. */
const LONGEST = 10_000;
const NAME = 80;

/** The list refuses steps in the words that agents read; these are the same for the person. */
const REFUSALS: readonly (readonly [RegExp, (name: string) => string])[] = [
  [/^Task "(.*)" not found(?: \(.*\))?$/s, (name) => t('“{0}” is not in the plan any more.', name)],
  [/^Task "(.*)" already exists$/s, (name) => t('“{0}” is in the plan already.', name)],
  [/^Phase "(.*)" not found$/s, (name) => t('The phase “{0}” is not in the plan any more.', name)],
  [/^Phase "(.*)" already exists$/s, (name) => t('There is a phase “{0}” already.', name)],
];

/** Why a step was refused, in the person's language where it is known. */
export function refusal(error: string): string {
  for (const [pattern, say] of REFUSALS) {
    const name = pattern.exec(error)?.[1];
    if (name !== undefined) return say(visibleLine(name.length > NAME ? `${clip(name, NAME)}…` : name));
  }
  return visible(error);
}

/** Why a text cannot become a name or a note; undefined when it can. */
export function tooLong(text: string): string | undefined {
  if (text.length <= LONGEST) return undefined;
  return t(
    'That is too long: at most {0} characters. Put it into a file and name the file here.',
    count(LONGEST),
  );
}
