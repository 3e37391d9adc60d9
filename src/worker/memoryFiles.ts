/**
 * Memory as Markdown files of the work tree, both ways: a file that changed changes its entry, an entry that changed
 * changes its file. Where it cannot be told which is right, both texts are kept. Lives in the store's thread.
 *
 * A store that is sealed as a whole has no files: nothing is written to them or taken from them, and what was agreed on
 * is thrown away, since it holds their names.
 */
import type { Level } from '../policy/level.ts';
import { phrase, StoreError } from './api.ts';
import type { FilesApi, FilesInput, FilesReport } from './filesApi.ts';
import type { HeldMemory } from './heldMemory.ts';
import { FilesFolder, StoreSealed } from './memoryFilesDisk.ts';
import { emptyReport } from './memoryFilesReport.ts';
import { FilesState } from './memoryFilesState.ts';
import { FilesSync } from './memoryFilesSync.ts';

/** A draft in a message (see newFile.ts), whose name is never the same: the person knows the file. */
const DRAFT = /([\\/])\.([^\\/]+)\.\d+\.[0-9a-f]{8}\.tmp/g;

export interface FilesOptions {
  readonly memory: HeldMemory;
  /** Where what was agreed on is kept. */
  readonly dir: string;
  /** Top folder of the work tree; without one there are no files. */
  readonly workTree: string | undefined;
  /** Nothing above it is written to a file or taken from one. */
  readonly home: Level;
}

export class FilesService implements FilesApi {
  readonly #options: FilesOptions;

  constructor(options: FilesOptions) {
    this.#options = options;
  }

  async filesSync(input: FilesInput): Promise<FilesReport> {
    const { workTree, dir, memory } = this.#options;
    const isSealed = (): boolean => memory.keys.sealsAll();
    if (workTree === undefined) return emptyReport(false);
    try {
      if (isSealed()) throw new StoreSealed();
      const opened = FilesState.open(dir, workTree, isSealed);
      if (opened === undefined) return emptyReport(true);
      try {
        const folder = new FilesFolder(workTree, isSealed);
        return await new FilesSync(this.#options, folder, opened.state, input).run();
      } finally {
        opened.release();
      }
    } catch (error) {
      if (error instanceof StoreSealed) {
        this.refit();
        const detail = 'the store is sealed, and files are clear text';
        return { ...emptyReport(false), problems: [{ kind: 'sealed', file: FilesFolder.path, detail }] };
      }
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      throw new StoreError(
        phrase(
          'The memory files could not be read or written: {0}. Free disk space or check the folder’s permissions; it is tried again by itself.',
          error.message.replace(DRAFT, '$1$2'),
        ),
      );
    }
  }

  /** Leaves nothing about files in a store that is sealed. */
  refit(): void {
    if (this.#options.memory.keys.sealsAll()) FilesState.discard(this.#options.dir);
  }
}
