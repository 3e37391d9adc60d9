/** What git leaves in a file that it could not merge. */

const BEGIN = /^<{7}(?:\s|$)/;
const BASE = /^\|{7}(?:\s|$)/;
const MIDDLE = /^={7}\s*$/;
const END = /^>{7}(?:\s|$)/;
const SPECIAL = /^\\*(?:<{7}|\|{7}|={7}|>{7})(?:\s|$)/;
const ESCAPED = /^\\+(?:<{7}|\|{7}|={7}|>{7})(?:\s|$)/;

/** The whole text as each side has it; undefined when git left no marks in it. */
export function sidesOf(text: string): readonly [string, string] | undefined {
  const ours: string[] = [];
  const theirs: string[] = [];
  let state: 'both' | 'ours' | 'base' | 'theirs' = 'both';
  let found = false;
  for (const line of text.split(/\r\n?|\n/)) {
    if (state === 'both' && BEGIN.test(line)) state = 'ours';
    else if (state === 'ours' && BASE.test(line)) state = 'base';
    else if ((state === 'ours' || state === 'base') && MIDDLE.test(line)) state = 'theirs';
    else if (state === 'theirs' && END.test(line)) {
      state = 'both';
      found = true;
    } else {
      if (state === 'both' || state === 'ours') ours.push(line);
      if (state === 'both' || state === 'theirs') theirs.push(line);
    }
  }
  // A mark that never ends is somebody's text, or a file that is being written.
  return found && state === 'both' ? [ours.join('\n'), theirs.join('\n')] : undefined;
}

/** A text whose lines nobody takes for git's marks. */
export function withoutMarks(text: string): string {
  return eachLine(text, (line) => (SPECIAL.test(line) ? `\\${line}` : line));
}

/** The text that `withoutMarks` was given. */
export function withMarks(text: string): string {
  return eachLine(text, (line) => (ESCAPED.test(line) ? line.slice(1) : line));
}

function eachLine(text: string, change: (line: string) => string): string {
  return text.split('\n').map(change).join('\n');
}
