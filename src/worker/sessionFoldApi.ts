/** What the store's thread answers about the folds of sessions. Errors the caller can act on are `StoreError`s. */
import type { FoldLine } from '../planProtocol.ts';
import type { Level } from '../policy/level.ts';
import type { FoldBlock } from '../session/folding/blocks.ts';
import type { FoldOpened } from '../session/record.ts';

/** The session of a loop of ours, in whose turn something is folded. */
export interface FoldPlace {
  readonly key: string;
  /** Of a subagent: its id under the session `parent`. */
  readonly agent?: { readonly id: string; readonly parent: string } | undefined;
}

/** Who looks: what is above this level is not told of. */
interface FoldReader {
  readonly level: Level;
}

/** What is known of a session's folds beside its messages. */
export interface FoldsOpened {
  /** Blocks that a person opened again. */
  readonly opened: readonly FoldOpened[];
  /** Tokens of the model for each that was estimated; at least 1. */
  readonly density: number;
}

/** A part of a block's original. */
export interface FoldText {
  readonly text: string;
  /** Where the next part begins; undefined when nothing follows. In UTF-16 units. */
  readonly next: number | undefined;
}

export interface SessionFoldApi {
  /**
   * What is known of the folds of a session, whose turn runs, beside its messages. The first time it is checked what is
   * on disk; what is missing or altered is made again.
   * @param density raises the known one, durably
   */
  foldOpen(place: FoldPlace, density?: number): Promise<FoldsOpened>;
  /**
   * Writes the originals of new blocks and then the state with them in it, all or nothing.
   * @param blocks planned on the session's view; the folds are theirs once the result of their call is recorded
   */
  foldCommit(place: FoldPlace, blocks: readonly FoldBlock[]): Promise<void>;
  /** A part of the original of a block, for its own session. */
  foldRead(place: FoldPlace, block: string, offset: number, length: number): Promise<FoldText>;
  /** The blocks of a session in the order in which they were made; none where nothing is folded. */
  folds(id: string, reader: FoldReader): Promise<readonly FoldLine[]>;
  /** The original of a block, as Markdown. */
  foldShow(id: string, block: string, reader: FoldReader): Promise<string>;
  /** Shows what a block folds in full again. It reaches the session whichever process works on it. */
  foldReopen(id: string, block: string, reader: FoldReader): Promise<void>;
}
