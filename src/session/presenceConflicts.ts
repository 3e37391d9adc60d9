/** Soft conflicts: files that more than one active session has touched (seed 001). */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Presence } from './presenceRecord.ts';

export interface SoftConflict {
  /** As the session that touched it last names it. */
  readonly file: string;
  /** The work tree that it lies in. */
  readonly root: string;
  /** `agent@branch` of each session, last seen first. */
  readonly sessions: readonly string[];
  readonly keys: readonly string[];
}

/**
 * The conflicts among sessions, by file name. Work trees of one repository are different places: a file in two of
 * them is no conflict.
 * @param ignoresCase whether the file system takes `A.ts` and `a.ts` for one file
 */
export function conflictsOf(sessions: readonly Presence[], ignoresCase: boolean): SoftConflict[] {
  const touched = new Map<string, { file: string; root: string; by: Presence[] }>();
  for (const session of sessions) {
    for (const file of Object.keys(session.files)) {
      const place = `${session.root}\0${file.normalize('NFC')}`;
      const key = ignoresCase ? place.toLowerCase() : place;
      const known = touched.get(key) ?? { file, root: session.root, by: [] };
      touched.set(key, known);
      if (known.by.at(-1) !== session) known.by.push(session);
    }
  }
  return [...touched.values()]
    .map(({ file, root, by }) => ({ file, root, by: withoutOwnWindow(by) }))
    .filter(({ by }) => by.length > 1)
    .sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0))
    .map(({ file, root, by }) => ({
      file,
      root,
      sessions: by.map(nameOf),
      keys: by.map(({ key }) => key),
    }));
}

/** Files that a session is about to use. */
export interface FilesInUse {
  /** The session's key. */
  readonly key: string;
  /** The window that it runs in; without it the one that presence knows of. */
  readonly window?: string | undefined;
  readonly root: string;
  /** As `fileIn` names them. */
  readonly files: readonly string[];
}

/** Another session that touched a file. */
export interface FileHolder {
  /** As it was asked for. */
  readonly file: string;
  readonly key: string;
  readonly agent: string;
  readonly branch: string;
  /** When it touched the file last, in Unix milliseconds. */
  readonly at: number;
}

/**
 * Who else touched files, in the order of the files, the one who touched a file last first. What happens in the
 * session's own window is its own: a person and their agents do not stand in each other's way.
 */
export function holdersOf(
  sessions: readonly Presence[],
  use: FilesInUse,
  ignoresCase: boolean,
): FileHolder[] {
  const folded = (file: string) => {
    const name = file.normalize('NFC');
    return ignoresCase ? name.toLowerCase() : name;
  };
  const { key: own, root, files } = use;
  const window = use.window || sessions.find(({ key }) => key === own)?.window;
  const others = sessions
    .filter((each) => each.key !== own && each.root === root)
    .filter(({ key, window: theirs }) => !(window && key === window) && theirs !== own);
  const touched = others.map(({ key, agent, branch, files: theirs }) => ({
    ...{ key, agent, branch },
    times: new Map(Object.entries(theirs).map(([file, time]) => [folded(file), time])),
  }));
  return files.flatMap((file) =>
    touched
      .flatMap(({ times, ...session }) => {
        const at = times.get(folded(file));
        return at === undefined ? [] : [{ file, ...session, at }];
      })
      .sort((a, b) => b.at - a.at),
  );
}

/** `copilot@feature/login`, or the agent alone outside a branch. */
export function nameOf({ agent, branch }: Pick<Presence, 'agent' | 'branch'>): string {
  return branch === '' ? agent : `${agent}@${branch}`;
}

/** A window saves the files that its own agents write, and does not stand in their way. */
function withoutOwnWindow(sessions: readonly Presence[]): Presence[] {
  return sessions.filter(({ key }) => !sessions.some((other) => other.key !== key && other.window === key));
}

/** Whether a file system takes names for the same that differ in case, found out by a folder's own name. */
export function foldsCase(dir: string): boolean {
  const name = basename(dir);
  const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
  return other !== name && existsSync(dir) && existsSync(join(dirname(dir), other));
}
