/**
 * The person's rules for levels: which files and which tools raise a session that touches them. Pure: whoever asks
 * says where the folder is and how links are followed.
 */
import { Minimatch, minimatch } from 'minimatch';
import {
  absolutePath,
  type Candidates,
  candidatesOf,
  comparable,
  type LedPath,
  ledBy,
  type RulePlace,
  writtenPath,
} from './filePaths.ts';
import { canFlowTo, type Level, maxLevel, parseLevel } from './level.ts';
import { nameMatcher } from './namePattern.ts';

interface Rule {
  /** As the person wrote it. */
  readonly pattern: string;
  readonly level: Level;
  matches(candidates: Candidates): boolean;
}

interface ToolRule {
  readonly pattern: string;
  readonly level: Level;
  matches(name: string): boolean;
}

/** A path that was named before. Where it leads is looked up each time; what the rules say of that is not. */
interface NamedPath {
  readonly given: string;
  /** Where it has a `..`, which a shell may read otherwise. */
  readonly written: string | undefined;
  last?: { readonly led: string; readonly match: RuleMatch | undefined };
}

/** Paths as they were named in a place. */
type NamedPaths = Map<string, NamedPath>;

export interface ClassificationRules {
  readonly files: readonly Rule[];
  readonly tools: readonly ToolRule[];
  /** What is wrong with the settings, for the log. */
  readonly problems: readonly string[];
  readonly named: WeakMap<RulePlace, NamedPaths>;
}

export interface RuleMatch {
  readonly level: Level;
  /** Name of the rule, such as `file:secrets/**`. */
  readonly rule: string;
}

/**
 * Reads the settings `classification.files` and `classification.tools`, `{"secrets/**": "CONFIDENTIAL"}`. A rule whose
 * level is none counts as RESTRICTED, and one whose pattern is none, or stands for too many, covers every file: a slip
 * must not lower what the person wanted raised.
 * @param home the person's home folder, for patterns that begin with `~/`
 */
export function readRules(files: unknown, tools: unknown, home: string): ClassificationRules {
  const problems: string[] = [];
  return {
    files: entriesOf('classification.files', files, problems).map(([pattern, level]) => {
      const matches = fileMatcher(pattern, home);
      if (matches !== undefined) return { pattern, level, matches };
      problems.push(
        `classification.files: "${pattern.slice(0, 200)}" cannot be read as a glob; it covers every file.`,
      );
      return { pattern, level, matches: () => true };
    }),
    tools: entriesOf('classification.tools', tools, problems).map(([pattern, level]) => ({
      ...{ pattern, level },
      matches: nameMatcher(pattern),
    })),
    problems,
    named: new WeakMap(),
  };
}

/** The highest level that a rule gives to one of these paths, as an agent names them; undefined when none does. */
export function levelOfPaths(
  rules: Pick<ClassificationRules, 'files' | 'named'>,
  paths: Iterable<string>,
  place: RulePlace,
): RuleMatch | undefined {
  if (rules.files.length === 0) return undefined;
  const known = rules.named.get(place) ?? new Map<string, NamedPath>();
  rules.named.set(place, known);
  let found: RuleMatch | undefined;
  // The same for all of them, and asking the disk is most of what this costs.
  let top: { readonly root: string | undefined } | undefined;
  for (const path of paths) {
    const named = known.get(path) ?? namedPath(path, place);
    if (named === undefined) continue;
    remember(known, path, named);
    const { given, written } = named;
    top ??= { root: place.realPath(place.workTree) };
    const led = [...ledBy(given, top.root, place)];
    if (written !== undefined) led.push(place.realPath(written) ?? given);
    found = higherOf(found, levelOfPath(rules.files, named, { given, led, ...top }, place));
  }
  return found;
}

function namedPath(path: string, place: RulePlace): NamedPath | undefined {
  const given = absolutePath(path, place);
  if (given === undefined) return undefined;
  const written = writtenPath(path, place);
  return { given, written: written?.includes('/../') ? written : undefined };
}

/** Agents name the same paths again and again. */
function remember(known: NamedPaths, path: string, named: NamedPath): void {
  if (path.length > MAX_REMEMBERED) return;
  if (known.size >= MAX_PATHS) known.clear();
  known.set(path, named);
}

const MAX_PATHS = 2_000;
/** Longer than what people call files. */
const MAX_REMEMBERED = 1_000;

/** The rules that give a file more than a session at this level may see, in the shape that `levelOfPaths` takes. */
export function rulesAbove(
  { files }: Pick<ClassificationRules, 'files'>,
  level: Level,
): Pick<ClassificationRules, 'files' | 'named'> {
  return { files: files.filter((rule) => !canFlowTo(rule.level, level)), named: new WeakMap() };
}

function levelOfPath(
  files: readonly Rule[],
  named: NamedPath,
  path: LedPath,
  place: RulePlace,
): RuleMatch | undefined {
  const led = [...path.led, path.root].join('\0');
  if (named.last?.led === led) return named.last.match;
  const candidates = candidatesOf(path, place);
  let match: RuleMatch | undefined;
  for (const { pattern, level, matches } of files)
    if (isHigher(level, match) && matches(candidates)) match = { level, rule: `file:${pattern}` };
  named.last = { led, match };
  return match;
}

/** The highest level that a rule gives to a tool, by its name; undefined when none does. */
export function levelOfTool(rules: Pick<ClassificationRules, 'tools'>, name: string): RuleMatch | undefined {
  return rules.tools
    .filter(({ matches }) => matches(name))
    .reduce<RuleMatch | undefined>(
      (found, { pattern, level }) => (isHigher(level, found) ? { level, rule: `tool:${pattern}` } : found),
      undefined,
    );
}

/** What a session uses. */
export interface Use {
  /** Name of the tool; undefined where none is called. */
  readonly tool?: string | undefined;
  /** As an agent names them. */
  readonly paths: Iterable<string>;
}

/**
 * What using a tool or files makes of a session: the one function that decides it, whichever way the use comes.
 * @param places where the paths may be meant; the highest counts
 */
export function levelOfUse(
  rules: ClassificationRules,
  { tool, paths }: Use,
  places: readonly RulePlace[],
): RuleMatch | undefined {
  const byTool = tool === undefined ? undefined : levelOfTool(rules, tool);
  return places.map((place) => levelOfPaths(rules, paths, place)).reduce(higherOf, byTool);
}

/** Of two matches the one with the higher level; the first where they are alike. */
export function higherOf(one: RuleMatch | undefined, other: RuleMatch | undefined): RuleMatch | undefined {
  return other !== undefined && isHigher(other.level, one) ? other : one;
}

function isHigher(level: Level, found: RuleMatch | undefined): boolean {
  return found === undefined || maxLevel(level, found.level) !== found.level;
}

function entriesOf(setting: string, value: unknown, problems: string[]): [string, Level][] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object' || Array.isArray(value)) {
    problems.push(`${setting} is not an object of patterns and levels, so it has no effect.`);
    return [];
  }
  return Object.entries(value).flatMap(([pattern, said]): [string, Level][] => {
    if (pattern.trim() === '') return [];
    const level = parseLevel(String(said));
    if (level === undefined)
      problems.push(`${setting}: the level of "${pattern}" is none of the four; it counts as RESTRICTED.`);
    return [[pattern.trim(), level ?? 'RESTRICTED']];
  });
}

/**
 * A pattern without a slash matches a name at any depth, one with a slash the path from the work tree. One that begins
 * with `/`, `~/` or a drive matches absolute paths; so does one that begins with `**` or has no slash, since what it
 * means does not depend on where the file is. A folder that matches covers what is in it.
 * @returns undefined where it cannot be read, or its braces stand for too many patterns.
 */
function fileMatcher(pattern: string, home: string): ((candidates: Candidates) => boolean) | undefined {
  const written = pattern.replaceAll('\\', '/');
  const text = comparable(
    written.startsWith('~/') ? `${home.replaceAll('\\', '/')}${written.slice(1)}` : written,
  );
  const isAbsolute = /^(?:\/|[a-z]:\/)/.test(text);
  const glob = text.replace(/^\.\//, '').replace(/\/+(?:\*\*)?\/*$/, '');
  const isAnywhere = !isAbsolute && (!/\/./.test(text) || glob.startsWith('**/'));
  const anchored = (isAnywhere && !glob.startsWith('**/') ? `**/${glob}` : glob).replace(/^\/+/, '');
  // `**` alone: everything in the work tree.
  if (glob === '' || glob === '**')
    return ({ inside, outside }) => (isAbsolute ? outside : inside).length > 0;
  const matchers = globs(anchored);
  if (matchers === undefined) return undefined;
  const matches = (path: string): boolean =>
    matchers.some((matcher) => matcher.match(path.replace(/^\/+/, '')));
  return ({ inside, outside }) =>
    (!isAbsolute && inside.some(matches)) || ((isAbsolute || isAnywhere) && outside.some(matches));
}

/** A folder's settings come with a repository: a few braces stand for millions of patterns. */
const MAX_ALTERNATIVES = 1_000;

function globs(glob: string): readonly Minimatch[] | undefined {
  try {
    if (minimatch.braceExpand(glob, { braceExpandMax: MAX_ALTERNATIVES + 1 }).length > MAX_ALTERNATIVES)
      return undefined;
    return [glob, `${glob}/**`].map(
      (each) => new Minimatch(each, { dot: true, nonegate: true, nocomment: true }),
    );
  } catch {
    // One that is longer than patterns may be.
    return undefined;
  }
}
