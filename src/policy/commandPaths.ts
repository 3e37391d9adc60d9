/**
 * What a command line names. No shell reads it here, so what only a shell can tell (wildcards, variables other than those
 * below) and what a program opens by itself is not found.
 */

/** The folders that variables stand for in nearly every shell. */
const HOME = /\$HOME\b|\$\{HOME\}|\$env:(?:HOME|USERPROFILE)\b|%USERPROFILE%/gi;
const HERE = /\$PWD\b|\$\{PWD\}|\$\(pwd\)|%CD%/gi;
/** What ends a word, in quotes as well: what is quoted may be a command of its own, or a program's text. */
const RAW_WORD = /[^\s"'`;|&<>(){}$=,]+/g;
const ENDS_WORD = /[\s;|&<>(){}`]/;
/** A path may follow: `--from=a`, `HEAD:a`, `@a`. */
const BEFORE_PATH = /[=@,]|:(?!\/\/)/;
/** Words before the folder in which what follows is meant. */
const GOES_TO = /^(?:cd|chdir|pushd|set-location|push-location|-C|--cwd|--prefix)$/i;
/** Behind these there are no more folders to be gone to, but texts that a command writes. */
const MAX_PLACED = 1_000;
const MAX_FOLDER = 4_096;
/** How a path begins that is meant in no folder. */
export const FROM_TOP = /^(?:[/\\~]|[a-z][a-z0-9+.-]*:)/i;

/** Every word, and every part of one, that may be a path. */
export function* pathsInCommand(command: string): Generator<string> {
  const text = command.replace(HOME, '~').replace(HERE, '.');
  yield* placed(shellWords(text));
  yield* placed((text.match(RAW_WORD) ?? []).values());
}

/** Words as a shell reads them: quotes and escapes are no part of them. */
function* shellWords(text: string): Generator<string> {
  let word = '';
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    const next = text.charAt(at + 1);
    if (char === '\\' && (quote === '' || (quote === '"' && /["\\$`]/.test(next)))) {
      word += next;
      at += 1;
    } else if (char === quote) quote = '';
    else if (quote === '' && (char === '"' || char === "'")) quote = char;
    else if (quote !== '' || !ENDS_WORD.test(char)) word += char;
    else {
      if (word !== '') yield word;
      word = '';
    }
  }
  if (word !== '') yield word;
}

function* placed(words: Iterable<string>): Generator<string> {
  let folder = '';
  let before = '';
  let count = 0;
  for (const word of words) {
    const isPlaced = folder !== '' && count++ < MAX_PLACED;
    for (const path of new Set([word, ...word.split(BEFORE_PATH)])) {
      yield path;
      if (isPlaced && path !== '' && !FROM_TOP.test(path)) yield `${folder}/${path}`;
    }
    if (GOES_TO.test(before) && folder.length + word.length < MAX_FOLDER)
      folder = folder === '' || FROM_TOP.test(word) ? word : `${folder}/${word}`;
    before = word;
  }
}
