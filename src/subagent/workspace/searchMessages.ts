/** What the host asks the search thread, and what it says. */
import type { SealedPlace } from '../../journal/sealedPlaces.ts';

interface Where {
  /** Real path of the workspace folder. */
  readonly root: string;
  /** Names of the folder to look in. */
  readonly names: readonly string[];
  /** Only this file of the folder. */
  readonly file: string | undefined;
  /** Only files that match this glob. */
  readonly glob: string | undefined;
  /** Most paths or matches. */
  readonly limit: number;
  readonly descriptorPaths: boolean | undefined;
  /** Folders at hand whose files may be sealed. */
  readonly sealed?: readonly SealedPlace[] | undefined;
}

export interface FindJob extends Where {
  readonly type: 'find';
}

export interface SearchJob extends Where {
  readonly type: 'search';
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  /** Lines shown before and after each match. */
  readonly context: number;
}

export type Job = FindJob | SearchJob;

export interface Tally {
  /** Files looked at. */
  readonly files: number;
  /** Files too large to search. */
  readonly large: number;
  /** Why the walk ended before the last file. */
  readonly stopped: 'limit' | 'files' | undefined;
}

export type SearchMessage =
  /** Text for the answer, as it is found; `file`: whose content that shows, from the workspace folder. */
  | { readonly type: 'found'; readonly lines: readonly string[]; readonly file?: string }
  | { readonly type: 'done'; readonly tally: Tally }
  /** The input is wrong: for the model. */
  | { readonly type: 'refused'; readonly message: string };
