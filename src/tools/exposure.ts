/** What raises a session: the files and tools that it uses, by the person's rules. Every door and loop asks here. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findGit } from '../git/layout.ts';
import type { RulePlace } from '../policy/filePaths.ts';
import {
  type ClassificationRules,
  higherOf,
  levelOfPaths,
  levelOfUse,
  type RuleMatch,
  readRules,
  rulesAbove,
} from '../policy/fileRules.ts';
import { pathsInInput } from '../policy/inputPaths.ts';
import { type Level, maxLevel } from '../policy/level.ts';
import { linksOn, realPathOf } from '../policy/realPath.ts';
import type { Taint, TaintedSession } from '../policy/taint.ts';
import type { Log, Settings } from '../ports.ts';

export interface ExposureOptions {
  /** The workspace folder, at which relative paths begin. */
  readonly root: string;
  /** Top folder of its work tree, at which rules begin. */
  readonly workTree: string;
  readonly settings: Pick<Settings, 'get'>;
  readonly taint: Pick<Taint, 'levelOf' | 'raise'>;
  readonly log: Pick<Log, 'warn'>;
}

/** A session that uses something. */
export interface Exposed extends TaintedSession {
  /** The agent or surface, such as `copilot`. */
  readonly source: string;
}

/** What a session is about to use, or has used. */
export interface Exposing {
  /** Name of the tool, the editor's and other agents' too. */
  readonly tool?: string | undefined;
  /** Its input: every file that it names counts. */
  readonly input?: unknown;
  /** Files beside those. */
  readonly paths?: readonly string[] | undefined;
  /** The folder that the agent works in, where that is not the workspace folder. */
  readonly folder?: string | undefined;
}

/** Which files a session is not told of, by rules that put them above its level. */
export interface HiddenFiles {
  /** Whether a file is one, or leads to one. A relative path begins at the folder, by default the workspace's. */
  has(path: string, folder?: string): boolean;
  /** The other ones of files in this folder, in their order: of many, whose names alone are told. */
  rest(folder: string, names: readonly string[]): Promise<readonly string[]>;
}

/** The rules, and the settings that they were read from. */
interface ReadRules {
  readonly files: unknown;
  readonly tools: unknown;
  readonly text: string;
  readonly rules: ClassificationRules;
  /** By the level of who looks. */
  readonly hidden: Map<Level, HiddenFiles | undefined>;
}

/** A host has other things to do between looks at so many names. */
const AT_ONCE = 1_000;
/** The same where the disk is asked for each. */
const LOOKS_AT_ONCE = 200;

export class Exposure {
  readonly #options: ExposureOptions;
  readonly #told = new Set<string>();
  readonly #places = new Map<string, RulePlace>();
  #last: ReadRules | undefined;

  constructor(options: ExposureOptions) {
    this.#options = options;
  }

  /** What the rules say of a use; undefined when none of them does. */
  match(exposing: Exposing): RuleMatch | undefined {
    const rules = this.#rules();
    if (isEmpty(rules)) return undefined;
    const { tool, folder } = exposing;
    return levelOfUse(rules, { tool, paths: namedBy(exposing, rules) }, this.#placesFrom(folder));
  }

  /**
   * Raises a session by what `match` said, on disk and in the audit log.
   * @returns the session's level after it.
   * @throws TaintError when that cannot be saved, or its level cannot be told: then nothing may be shown to it.
   */
  async raise(session: Exposed, match: RuleMatch | undefined, tool?: string): Promise<Level> {
    const { taint } = this.#options;
    if (match !== undefined) {
      const { level, rule } = match;
      const { source } = session;
      await taint.raise(session, level, { reason: reasonOf(rule, tool), source, tool, rule });
    }
    return maxLevel(taint.levelOf(session), match?.level ?? session.start);
  }

  /** The level of a session at this moment. @throws TaintError when it cannot be told. */
  levelOf(session: TaintedSession): Level {
    return this.#options.taint.levelOf(session);
  }

  /** Both at once, also of a command or a result with very many names. @throws TaintError as `raise` does. */
  async use(session: Exposed, exposing: Exposing): Promise<Level> {
    let found: RuleMatch | undefined;
    for (const match of this.#matches(exposing)) {
      found = higherOf(found, match);
      await new Promise(setImmediate);
    }
    return this.raise(session, found, exposing.tool);
  }

  /** What the rules say of the tool and the first of the files, then of the next. */
  *#matches(exposing: Exposing): Generator<RuleMatch | undefined> {
    const rules = this.#rules();
    if (isEmpty(rules)) return;
    const named = [...namedBy(exposing, rules)];
    const { tool, folder } = exposing;
    const places = this.#placesFrom(folder);
    yield levelOfUse(rules, { tool, paths: named.slice(0, LOOKS_AT_ONCE) }, places);
    for (let at = LOOKS_AT_ONCE; at < named.length; at += LOOKS_AT_ONCE)
      yield levelOfUse(rules, { paths: named.slice(at, at + LOOKS_AT_ONCE) }, places);
  }

  /** What a session at a level is not told of; undefined where no rule speaks of a higher one. */
  hiddenFrom(level: Level): HiddenFiles | undefined {
    const { rules, hidden } = this.#readRules();
    if (!hidden.has(level)) {
      const above = rulesAbove(rules, level);
      hidden.set(level, above.files.length === 0 ? undefined : this.#hiddenBy(above));
    }
    return hidden.get(level);
  }

  #hiddenBy(rules: ReturnType<typeof rulesAbove>): HiddenFiles {
    const { root } = this.#options;
    const known = new Map<string, boolean>();
    return {
      has: (path, folder) => this.#placesFrom(folder).some((place) => levelOfPaths(rules, [path], place)),
      rest: async (folder, names) => {
        const own = this.#place(root, () => this.#options.workTree);
        const top = own.realPath(own.workTree);
        // Lists hold no links, and asking the disk for each name would take longer than making the list.
        const place = {
          ...own,
          cwd: folder,
          realPath: (path: string) => (path === own.workTree ? top : path),
        };
        const rest: string[] = [];
        for (const [at, name] of names.entries()) {
          if (at % AT_ONCE === AT_ONCE - 1) await new Promise(setImmediate);
          const path = join(folder, name);
          const isHidden = known.get(path) ?? levelOfPaths(rules, [path], place) !== undefined;
          known.set(path, isHidden);
          if (!isHidden) rest.push(name);
        }
        return rest;
      },
    };
  }

  #rules(): ClassificationRules {
    return this.#readRules().rules;
  }

  /** Read anew, since the person may change them at any time; what is wrong with them is told once. */
  #readRules(): ReadRules {
    const { settings, log } = this.#options;
    const files = settings.get('classification.files');
    const tools = settings.get('classification.tools');
    const before = this.#last;
    if (before !== undefined && before.files === files && before.tools === tools) return before;
    // The editor makes new objects of the same settings each time.
    const text = JSON.stringify([files, tools]);
    if (before?.text === text) return before;
    const rules = readRules(files, tools, homedir());
    for (const problem of rules.problems) {
      if (!this.#told.has(problem)) log.warn(problem);
      this.#told.add(problem);
    }
    this.#last = { files, tools, text, rules, hidden: new Map() };
    return this.#last;
  }

  /** Who works in a copy of the work tree may name a file of either. */
  #placesFrom(folder: string | undefined): readonly RulePlace[] {
    const { root, workTree } = this.#options;
    const own = this.#place(root, () => workTree);
    if (folder === undefined || folder === root) return [own];
    return [own, this.#place(folder, () => findGit(folder)?.workTree ?? folder)];
  }

  #place(cwd: string, workTreeOf: () => string): RulePlace {
    const known = this.#places.get(cwd);
    if (known !== undefined) return known;
    const workTree = workTreeOf();
    const real = realPathOf(workTree);
    const place = {
      ...{ cwd, workTree, home: homedir() },
      realPath: (path: string) => (path === workTree ? real : realPathOf(path)),
      linksOn,
      isWindows: process.platform === 'win32',
    };
    this.#places.set(cwd, place);
    return place;
  }
}

function isEmpty({ files, tools }: ClassificationRules): boolean {
  return files.length === 0 && tools.length === 0;
}

/** The files that a use names, each once, where a rule could cover one. */
function namedBy({ input, paths = [] }: Exposing, { files }: ClassificationRules): ReadonlySet<string> {
  if (files.length === 0) return new Set();
  const named = pathsInInput(input);
  return paths.length === 0 ? named : new Set([...named, ...paths]);
}

function reasonOf(rule: string, tool: string | undefined): string {
  const what = rule.startsWith('file:') ? `a file that ${rule.slice('file:'.length)} covers` : 'the tool';
  return tool === undefined ? `used ${what}` : `${tool}: used ${what}`;
}
