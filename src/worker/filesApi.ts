/** Memory as Markdown files of the work tree: what the host asks, and is told. */
import type { Author } from '../memory/entry.ts';

export interface FilesInput {
  readonly branch: Author['branch'];
  /**
   * What the person decided about files of which many are gone at once: `forget` what they held, or `restore` the
   * files. Nothing happens to them until then.
   */
  readonly missing?: 'forget' | 'restore' | undefined;
}

/**
 * Why a file was left as it is. `conflict`: git could not merge it; both texts are kept. `unreadable`, `level`: what
 * it says cannot be taken in. `same-name`: another file is the same entry. `link`: it leads elsewhere. `secret`: it
 * was taken in without the secret that it holds. `forgotten`: what it says was forgotten on purpose. `too-long`: a
 * memory may not have as much text. `sealed`: the store is, so that no file is read or written.
 */
export type FileProblemKind =
  | 'conflict'
  | 'unreadable'
  | 'level'
  | 'same-name'
  | 'link'
  | 'secret'
  | 'forgotten'
  | 'too-long'
  | 'sealed';

export interface FileProblem {
  readonly kind: FileProblemKind;
  /** Its name in the folder; the folder's own path where that is meant. */
  readonly file: string;
  /** More about it, in English. */
  readonly detail: string;
}

export interface FilesReport {
  /** Another process was at it: ask again in a moment. */
  readonly isBusy: boolean;
  /** Names of files that were written or removed here, the index left out. */
  readonly written: readonly string[];
  readonly removed: readonly string[];
  /** Keys of entries that files changed. */
  readonly created: readonly string[];
  readonly changed: readonly string[];
  readonly restored: readonly string[];
  readonly forgotten: readonly string[];
  readonly problems: readonly FileProblem[];
  /** Keys of entries whose files are gone, too many at once for nobody to be asked. */
  readonly missing: readonly string[];
}

export interface FilesApi {
  /** Brings entries and files together. @throws StoreError where the folder cannot be written */
  filesSync(input: FilesInput): Promise<FilesReport>;
}
