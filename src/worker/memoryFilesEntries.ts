/** The entries that files are matched with, as the matching looks for them and writes to them. */
import { type Author, type Entry, FILE_SOURCE } from '../memory/entry.ts';
import type { FoldedEntry } from '../memory/fold.ts';
import { comparable, type FileEntry } from '../memory/markdownFile.ts';
import { entryIds, type PutOperation } from '../memory/operation.ts';
import { canFlowTo, type Level } from '../policy/level.ts';
import { signature } from './changes.ts';
import type { HeldMemory } from './heldMemory.ts';
import { asHistory, creation, FILE_GONE, fileChanges } from './memoryFilesMerge.ts';
import { entryIn, type Read } from './memoryFilesRead.ts';
import type { Agreed } from './memoryFilesState.ts';

export class FileEntries {
  readonly #memory: HeldMemory;
  readonly #home: Level;
  readonly #branch: Author['branch'];

  /** @param home the folder's default level, which no file's entry is above */
  constructor(memory: HeldMemory, home: Level, branch: Author['branch']) {
    this.#memory = memory;
    this.#home = home;
    this.#branch = branch;
  }

  /** The entry that a file is of. */
  of({ level, key }: Pick<Entry, 'level' | 'key'>): FoldedEntry | undefined {
    return this.#memory.store.at(level, key);
  }

  byLongId(long: string): FoldedEntry | undefined {
    const { store } = this.#memory;
    return [long.slice(-8), long]
      .map((id) => store.folded(id))
      .find((entry) => entry !== undefined && longId(entry) === long);
  }

  /** Whether the entry was deleted for good. */
  isErased(long: string): boolean {
    return this.#memory.store.isErased(long, 0);
  }

  /** Every entry that has a file, or is to have one, by its key. */
  forOthers(): FoldedEntry[] {
    return [...this.#memory.store.visible({ level: this.#home })]
      .filter((entry) => this.isForOthers(entry))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** Only what a person wrote or confirmed is for others, and nothing that is over. */
  isForOthers(entry: FoldedEntry): boolean {
    return (
      entry.status === 'active' &&
      entry.confirmed &&
      !this.#memory.store.isExpired(entry) &&
      canFlowTo(entry.level, this.#home)
    );
  }

  create(read: Read): void {
    const { entry } = entryIn(read, undefined, undefined);
    const author = this.#author(read.level);
    this.#write(creation(entry, read.file.created, author, this.#memory.now()), read.level);
  }

  /** @returns whether there was something to change. See `fileChanges`. */
  change(file: FileEntry, entry: FoldedEntry, agreed: Agreed | undefined, keepsBoth: boolean): boolean {
    const author = this.#author(entry.level);
    return this.#write(fileChanges(file, entry, agreed, keepsBoth, author, this.#memory.now()), entry.level);
  }

  /** Keeps what a file says as history of its entry. */
  keep(file: FileEntry, entry: FoldedEntry): void {
    const author = this.#author(entry.level);
    const texts = [file.content, ...file.additions];
    this.#write(asHistory(texts, entry, author, this.#memory.now()), entry.level);
  }

  forget({ key, level }: FoldedEntry): void {
    const by = signature(this.#author(level));
    const set = { status: 'forgotten', reason: FILE_GONE } as const;
    this.#write({ op: 'put', key, at: this.#memory.now(), by, set }, level);
  }

  #write(operation: PutOperation | undefined, level: Level): boolean {
    if (operation !== undefined) this.#memory.writeAll([{ operation, level }]);
    return operation !== undefined;
  }

  #author(level: Level): Author {
    return { actor: 'person', level, source: FILE_SOURCE, session: 'files', branch: this.#branch };
  }
}

export function longId({ level, key }: Pick<Entry, 'level' | 'key'>): string {
  return entryIds(level, key).long;
}

/** Whether a file says nothing that its entry did not say. */
export function knows(entry: FoldedEntry, file: FileEntry): boolean {
  const texts = new Set([entry.content, ...entry.revisions.map(({ text }) => text)].map(comparable));
  return [file.content, ...file.additions].every((text) => texts.has(comparable(text)));
}

/** Whether a file says what its entry said before it was replaced. */
export function isPast(entry: FoldedEntry, file: FileEntry): boolean {
  return comparable(file.content) !== comparable(entry.content) && knows(entry, file);
}
