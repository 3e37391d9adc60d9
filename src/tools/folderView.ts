/** The folder that memory belongs to, as a session is told of it: without files that are above its level. */
import type { History } from '../git/history.ts';
import type { Level } from '../policy/level.ts';
import type { Code, CodePlace } from '../ports.ts';
import type { Exposure, HiddenFiles } from './exposure.ts';

/** Of names from the top of the work tree, those that may be told, in their order. */
export type Shown = (names: readonly string[]) => Promise<readonly string[]>;

/** What the folder's host knows of it. */
export interface FolderSource {
  /** The workspace folder. */
  readonly root: string;
  /** Top folder of the git work tree that it lies in, else the folder itself. */
  readonly workTree: string;
  /** What language services know of the folder's code; absent where there are none. */
  readonly code?: Code | undefined;
  /** Paths of the folder's files, with slashes, without what git ignores: as many as can be looked at. */
  files(signal: AbortSignal): Promise<readonly string[]>;
  /** Commits and the files they changed since a moment, newest first; empty outside a repository. */
  history(since: number, shown?: Shown): Promise<History>;
  /** State of the work tree in one or two lines, or empty. */
  gitState(shown?: Shown): Promise<string>;
}

export interface FolderView extends Pick<FolderSource, 'code' | 'files'> {
  history(since: number): Promise<History>;
  gitState(): Promise<string>;
  /** Says that files may be missing; empty where no rule hides any. It depends on the rules alone, not on the files. */
  readonly note: string;
}

/**
 * What a session at a level is told of its folder. Where the person's rules give files a higher level, these are left
 * out of everything before anything is counted, chosen or cut.
 */
export function folderView(
  source: FolderSource,
  exposure: Pick<Exposure, 'hiddenFrom'>,
  level: Level,
): FolderView {
  const hidden = exposure.hiddenFrom(level);
  const { root, workTree, code } = source;
  if (hidden === undefined) {
    return {
      ...{ code, note: '' },
      files: (signal) => source.files(signal),
      history: (since) => source.history(since),
      gitState: () => source.gitState(),
    };
  }
  const shown: Shown = (names) => hidden.rest(workTree, names);
  return {
    code: code && shownCode(code, hidden),
    note: `Files that the person's rules put above ${level}, the level of this session, are left out.`,
    files: async (signal) => hidden.rest(root, await source.files(signal)),
    history: (since) => source.history(since, shown),
    gitState: () => source.gitState(shown),
  };
}

function shownCode(code: Code, hidden: HiddenFiles): Code {
  const isShown = ({ path }: CodePlace): boolean => !hidden.has(path);
  return {
    currentFile: () => {
      const file = code.currentFile();
      return file === undefined || hidden.has(file) ? undefined : file;
    },
    symbolsNamed: async (name) => (await code.symbolsNamed(name)).filter(isShown),
    symbolsIn: async (path) => (hidden.has(path) ? [] : await code.symbolsIn(path)),
    usesOf: async (symbol) => (isShown(symbol) ? (await code.usesOf(symbol)).filter(isShown) : []),
  };
}
