/**
 * The person's rules for levels: which files and which tools raise a session that touches them. Pure: whoever asks
 * says where the folder is and how links are followed.
 */
import { Minimatch } from 'minimatch';
import { type Candidates, comparable, pathCandidates, type RulePlace } from './filePaths.ts';
import { type Level, maxLevel, parseLevel } from './level.ts';

interface Rule {
  /** As the person wrote it. */
  readonly pattern: string;
  readonly level: Level;
  matches(candidates: Candidates): boolean;
}

interface ToolRule {
  readonly pattern: string;
  readonly level: Level;
  readonly names: RegExp;
}

export interface ClassificationRules {
  readonly files: readonly Rule[];
  readonly tools: readonly ToolRule[];
  /** What is wrong with the settings, for the log. */
  readonly problems: readonly string[];
}

export interface RuleMatch {
  readonly level: Level;
  /** Name of the rule, such as `file:secrets/**`. */
  readonly rule: string;
}

/**
 * Reads the settings `classification.files` and `classification.tools`, `{"secrets/**": "CONFIDENTIAL"}`. A rule whose
 * level is none counts as RESTRICTED, since a slip must not lower what the person wanted raised.
 * @param home the person's home folder, for patterns that begin with `~/`
 */
export function readRules(files: unknown, tools: unknown, home: string): ClassificationRules {
  const problems: string[] = [];
  return {
    files: entriesOf('classification.files', files, problems).map(([pattern, level]) => ({
      ...{ pattern, level },
      matches: fileMatcher(pattern, home),
    })),
    tools: entriesOf('classification.tools', tools, problems).map(([pattern, level]) => ({
      ...{ pattern, level, names: namesLike(pattern) },
    })),
    problems,
  };
}

/** The highest level that a rule gives to one of these paths, as an agent names them; undefined when none does. */
export function levelOfPaths(
  rules: Pick<ClassificationRules, 'files'>,
  paths: Iterable<string>,
  place: RulePlace,
): RuleMatch | undefined {
  if (rules.files.length === 0) return undefined;
  let found: RuleMatch | undefined;
  for (const path of paths) {
    const candidates = pathCandidates(path, place);
    for (const { pattern, level, matches } of rules.files)
      if (isHigher(level, found) && matches(candidates)) found = { level, rule: `file:${pattern}` };
  }
  return found;
}

/** The highest level that a rule gives to a tool, by its name; undefined when none does. */
export function levelOfTool(rules: Pick<ClassificationRules, 'tools'>, name: string): RuleMatch | undefined {
  return rules.tools
    .filter(({ names }) => names.test(name))
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
  return places
    .map((place) => levelOfPaths(rules, paths, place))
    .reduce((found, match) => (match !== undefined && isHigher(match.level, found) ? match : found), byTool);
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
 */
function fileMatcher(pattern: string, home: string): (candidates: Candidates) => boolean {
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
  const matchers = [anchored, `${anchored}/**`].map(
    (each) => new Minimatch(each, { dot: true, nonegate: true, nocomment: true }),
  );
  const matches = (path: string): boolean =>
    matchers.some((matcher) => matcher.match(path.replace(/^\/+/, '')));
  return ({ inside, outside }) =>
    (!isAbsolute && inside.some(matches)) || ((isAbsolute || isAnywhere) && outside.some(matches));
}

/** `*` stands for any part of a name; case does not count. */
function namesLike(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'isu');
}
