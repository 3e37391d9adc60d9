/** Which files of a folder a task is about, by their paths alone. */
import { analyze } from '../../recall/analyze.ts';

/** Longer texts say no more about which file is meant, and each word costs a look at every path. */
const MAX_WORDS = 40;
/** Shorter words are in every other path; a word of two syllables is not. */
const LONG_ENOUGH = /[^\p{ASCII}]{2}|.{3}/u;
/** Paths that are compared word by word, of those that have a piece of one. */
const MOST_COMPARED = 2_000;

const TEST_FOLDER = /(?:^|\/)(?:__tests__|tests?|specs?|e2e)\//i;
const TEST_NAME = /(?:[._-](?:test|tests|spec)\.[^./]+|(?:Test|Tests|Spec)\.[A-Za-z]+|_test\.[^./]+)$/;
const TEST_PREFIX = /^test_/;
/** `src/cache.ts`, `cache.ts:12`: what a text names as a file. */
const PATH =
  /(?<![\p{L}\p{N}_@.\\/-])(?:[\p{L}\p{N}_@.-]{1,255}[\\/]){0,64}[\p{L}\p{N}_@-][\p{L}\p{N}_@.-]{0,255}\.[A-Za-z][A-Za-z0-9]{0,9}/gu;
const PATH_AND_LINE = new RegExp(`(${PATH.source})(?::\\d+(?:-\\d+)?){0,2}`, 'gu');
/** Whoever names more files names none in particular. */
const MOST_NAMED = 50;

/** Whether a file is a test, by where it is or how it is called. */
export function isTest(path: string): boolean {
  const name = nameOf(path);
  return TEST_FOLDER.test(path) || TEST_NAME.test(name) || TEST_PREFIX.test(name);
}

/** What a text names as files, with slashes, in order, each once. */
export function pathsIn(text: string): string[] {
  const paths = new Set([...text.matchAll(PATH)].map(([path]) => path.replaceAll('\\', '/')));
  return [...paths].slice(0, MOST_NAMED);
}

/** The files a text names by their path, the end of it, or their name. */
export function namedFiles(text: string, files: readonly string[]): string[] {
  const named = pathsIn(text);
  if (named.length === 0) return [];
  return files.filter((file) => named.some((path) => file === path || file.endsWith(`/${path}`)));
}

/** Folders that every other path has, so that they say nothing of what is in them. */
const COMMON_FOLDER =
  /^(?:\.{1,2}|src|source|sources|libs?|apps?|packages?|pkg|internal|cmd|main|java|kotlin|python|tests?|__tests__|specs?|e2e|dist|build|out)$/i;
/** Endings of code, by which a name without folders is known for a file; `Node.js` is none. */
const CODE_NAME =
  /\.(?:[cm]?tsx?|[cm]js|jsx|py|rb|go|rs|java|kts?|cs|cc|cpp|hpp|php|swift|vue|svelte|mdx?|json|ya?ml|toml|s?css|html|sql|sh)$/i;

/**
 * A text with the paths in it as what they say: their folders, without those that are everywhere, and the name,
 * without its ending and line. To search with: `src` and `ts` would match whatever names a file.
 */
export function withPathsAsWords(text: string, files: readonly string[]): string {
  return text.replace(PATH_AND_LINE, (whole, path: string) => {
    const parts = path.split(/[\\/]/);
    const isFile = parts.length > 1 || CODE_NAME.test(path) || files.some((file) => nameOf(file) === path);
    if (!isFile) return whole;
    const name = parts.at(-1) ?? '';
    const folders = parts.slice(0, -1).filter((folder) => !COMMON_FOLDER.test(folder));
    return [...folders, name.replace(/(?<=.)\.[^.]+$/, '')].join(' ');
  });
}

/** Files whose paths have words of the text, the rarest words counting most, best first. */
export function filesByWords(text: string, files: readonly string[], limit: number): string[] {
  const words = new Map(
    analyze(text)
      .slice(0, MAX_WORDS)
      .map((term) => [term.text, term.weight]),
  );
  // A stem can end in another letter than its word: `polici` is in no path, `polic` is in `policy.ts`.
  const pieces = [...words.keys()]
    .filter((word) => LONG_ENOUGH.test(word))
    .map((word) => (word.length > 4 ? word.slice(0, -1) : word));
  const candidates = files
    .filter((file) => {
      const lower = file.normalize('NFC').toLowerCase();
      return pieces.some((piece) => lower.includes(piece));
    })
    .slice(0, MOST_COMPARED)
    .map((file) => ({ file, found: new Set(analyze(file).flatMap((term) => termOf(term.text, words))) }));
  const counts = new Map<string, number>();
  for (const { found } of candidates) for (const word of found) counts.set(word, (counts.get(word) ?? 0) + 1);
  const worth = (word: string) =>
    (words.get(word) ?? 0) * Math.log(1 + files.length / (counts.get(word) ?? 1));
  return candidates
    .map(({ file, found }) => ({ file, score: [...found].reduce((sum, word) => sum + worth(word), 0) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.file.length - b.file.length || (a.file < b.file ? -1 : 1))
    .slice(0, limit)
    .map(({ file }) => file);
}

/** The tests that are called like one of the files, nearest first. */
export function testsOf(sources: readonly string[], files: readonly string[], limit: number): string[] {
  const tests = files.filter(isTest);
  const found = sources.flatMap((source) => {
    const stem = stemOf(source);
    return tests
      .filter((test) => stemOf(test) === stem)
      .sort((a, b) => shared(b, source) - shared(a, source) || (a < b ? -1 : 1));
  });
  return [...new Set(found)].slice(0, limit);
}

function termOf(text: string, words: ReadonlyMap<string, number>): string[] {
  return words.has(text) ? [text] : [];
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A file's name without its ending and what makes it a test: `cache` for `test_cache.py` and `cache.test.ts`. */
function stemOf(path: string): string {
  const name = nameOf(path);
  const bare = TEST_NAME.test(name) ? name.replace(TEST_NAME, '') : name.replace(/\.[^./]+$/, '');
  return bare.replace(TEST_PREFIX, '').toLowerCase();
}

/** How many folders two paths have in common, in any order: `src/a/x.ts` and `test/a/x.ts` share one. */
function shared(one: string, other: string): number {
  const folders = new Set(other.split('/').slice(0, -1));
  return one
    .split('/')
    .slice(0, -1)
    .filter((folder) => folders.has(folder)).length;
}
