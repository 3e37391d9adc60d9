/** What raises a session: the files and tools that it uses, by the person's rules. Every door and loop asks here. */
import { homedir } from 'node:os';
import { findGit } from '../git/layout.ts';
import type { RulePlace } from '../policy/filePaths.ts';
import { type ClassificationRules, levelOfUse, type RuleMatch, readRules } from '../policy/fileRules.ts';
import { pathsInInput } from '../policy/inputPaths.ts';
import { type Level, maxLevel } from '../policy/level.ts';
import { realPathOf } from '../policy/realPath.ts';
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

export class Exposure {
  readonly #options: ExposureOptions;
  readonly #told = new Set<string>();
  readonly #places = new Map<string, RulePlace>();
  #read: { readonly text: string; readonly rules: ClassificationRules } | undefined;

  constructor(options: ExposureOptions) {
    this.#options = options;
  }

  /** What the rules say of a use; undefined when none of them does. */
  match({ tool, input, paths = [], folder }: Exposing): RuleMatch | undefined {
    const rules = this.#rules();
    if (rules.files.length === 0 && rules.tools.length === 0) return undefined;
    const named = rules.files.length === 0 ? [] : new Set([...pathsInInput(input), ...paths]);
    return levelOfUse(rules, { tool, paths: named }, this.#placesFrom(folder));
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

  /** Both at once. @throws TaintError as `raise` does. */
  async use(session: Exposed, exposing: Exposing): Promise<Level> {
    return this.raise(session, this.match(exposing), exposing.tool);
  }

  /** Read anew, since the person may change them at any time; what is wrong with them is told once. */
  #rules(): ClassificationRules {
    const { settings, log } = this.#options;
    const files = settings.get('classification.files');
    const tools = settings.get('classification.tools');
    const text = JSON.stringify([files, tools]);
    if (this.#read?.text === text) return this.#read.rules;
    const rules = readRules(files, tools, homedir());
    for (const problem of rules.problems) {
      if (!this.#told.has(problem)) log.warn(problem);
      this.#told.add(problem);
    }
    this.#read = { text, rules };
    return rules;
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
      isWindows: process.platform === 'win32',
    };
    this.#places.set(cwd, place);
    return place;
  }
}

function reasonOf(rule: string, tool: string | undefined): string {
  const what = rule.startsWith('file:') ? `a file that ${rule.slice('file:'.length)} covers` : 'the tool';
  return tool === undefined ? `used ${what}` : `${tool}: used ${what}`;
}
