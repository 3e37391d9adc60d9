/**
 * Memory as Markdown files of the work tree, both ways: a file that changed changes its entry, an entry that changed
 * changes its file. Where it cannot be told which is right, both texts are kept. Lives in the store's thread.
 */
import type { Author, Entry } from '../memory/entry.ts';
import type { FoldedEntry } from '../memory/fold.ts';
import { comparable, type FileEntry, fileEntryOf, fileText } from '../memory/markdownFile.ts';
import { indexOf } from '../memory/markdownIndex.ts';
import { fileNameOf, foldName, INDEX_FILE } from '../memory/markdownName.ts';
import { entryIds, type PutOperation } from '../memory/operation.ts';
import { canFlowTo, type Level } from '../policy/level.ts';
import { phrase, StoreError } from './api.ts';
import { signature } from './changes.ts';
import type { FileProblemKind, FilesApi, FilesInput, FilesReport } from './filesApi.ts';
import type { Change, HeldMemory } from './heldMemory.ts';
import { type DiskFile, FileMoved, FilesFolder, hashOf } from './memoryFilesDisk.ts';
import { asHistory, creation, FILE_GONE, fileChanges } from './memoryFilesMerge.ts';
import { entryIn, type Read, readFiles, rowsOf } from './memoryFilesRead.ts';
import { type Agreed, agreedFacts, entryHash, FilesState } from './memoryFilesState.ts';

/** So many files at once do not go by a person's hand one by one, and then more than half of all: somebody is asked. */
const MANY = 5;

export interface FilesOptions {
  readonly memory: HeldMemory;
  /** Where what was agreed on is kept. */
  readonly dir: string;
  /** Top folder of the work tree; without one there are no files. */
  readonly workTree: string | undefined;
  /** Nothing above it is written to a file or taken from one. */
  readonly home: Level;
}

type Mutable<Value> = {
  -readonly [Name in keyof Value]: Value[Name] extends readonly (infer Item)[] ? Item[] : Value[Name];
};

export class FilesService implements FilesApi {
  readonly #options: FilesOptions;

  constructor(options: FilesOptions) {
    this.#options = options;
  }

  async filesSync(input: FilesInput): Promise<FilesReport> {
    const { workTree, dir } = this.#options;
    if (workTree === undefined) return emptyReport(false);
    try {
      const opened = FilesState.open(dir, workTree);
      if (opened === undefined) return emptyReport(true);
      try {
        return await new Sync(this.#options, new FilesFolder(workTree), opened.state, input).run();
      } finally {
        opened.release();
      }
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      throw new StoreError(
        phrase(
          'The memory files could not be read or written: {0}. Free disk space or check the folder’s permissions; it is tried again by itself.',
          error.message,
        ),
      );
    }
  }
}

function emptyReport(isBusy: boolean): Mutable<FilesReport> {
  return {
    ...{ isBusy, written: [], removed: [], created: [], changed: [], restored: [], forgotten: [] },
    ...{ problems: [], missing: [] },
  };
}

/** One look at everything. */
class Sync {
  readonly #memory: HeldMemory;
  readonly #home: Level;
  readonly #folder: FilesFolder;
  readonly #state: FilesState;
  readonly #input: FilesInput;
  readonly #report = emptyReport(false);
  /** Long ids of entries whose files are missing or not to be read: nothing is written for them. */
  readonly #held = new Set<string>();

  constructor({ memory, home }: FilesOptions, folder: FilesFolder, state: FilesState, input: FilesInput) {
    this.#memory = memory;
    this.#home = home;
    this.#folder = folder;
    this.#state = state;
    this.#input = input;
  }

  async run(): Promise<FilesReport> {
    const place = this.#folder.look();
    if (place === 'link') {
      this.#problem('link', '.lodeline/memory', 'it is no folder of its own');
      return this.#report;
    }
    this.#folder.sweep(Date.now());
    const disk = this.#folder.read();
    const { files, sides } = await readFiles(disk, {
      home: this.#home,
      tell: (...told) => this.#problem(...told),
      nameOf: (id) => this.#state.agreed.get(id)?.name,
    });
    // From here on nobody else has a turn.
    this.#memory.sync();
    this.#missing(files, disk, place === 'missing');
    for (const side of sides) this.#keepSides(side);
    for (const file of files) this.#guarded(file.disk.name, () => this.#reconcile(file));
    this.#export();
    const { agreed } = this.#state;
    if (place === 'there' || agreed.size > 0) this.#index();
    this.#state.save();
    return this.#report;
  }

  /** Files that are gone: few are deleted entries, many are a question. */
  #missing(files: readonly Read[], disk: readonly DiskFile[], isFolderGone: boolean): void {
    const there = new Set(files.map(({ id }) => id));
    const read = new Set(files.map((file) => foldName(file.disk.name)));
    const unread = new Set(disk.map(({ name }) => foldName(name)).filter((name) => !read.has(name)));
    const gone: FoldedEntry[] = [];
    const { agreed } = this.#state;
    const total = agreed.size;
    for (const [id, { name }] of agreed) {
      if (there.has(id)) continue;
      if (unread.has(foldName(name))) {
        this.#held.add(id);
        continue;
      }
      const entry = this.#entryOf(id);
      if (entry?.status === 'active') gone.push(entry);
      else agreed.delete(id);
    }
    gone.sort((a, b) => (a.key < b.key ? -1 : 1));
    const { missing } = this.#input;
    const isMass = isFolderGone || (total >= MANY && gone.length > total / 2);
    if (gone.length > 0 && isMass && missing === undefined) {
      this.#report.missing.push(...gone.map(({ key }) => key));
      for (const entry of gone) this.#held.add(longId(entry));
      return;
    }
    for (const entry of gone) {
      const id = longId(entry);
      const name = agreed.get(id)?.name ?? '';
      agreed.delete(id);
      if (missing === 'restore') {
        // They had files, so whether a person has read their last change is no question here.
        this.#guarded(name, () => this.#putFile(entry, undefined, name));
        continue;
      }
      this.#write([this.#put(entry, { set: { status: 'forgotten', reason: FILE_GONE } })], entry.level);
      this.#report.forgotten.push(entry.key);
    }
  }

  /** A file that git could not merge stays as it is until somebody has; what its sides say is kept. */
  #keepSides(sides: readonly Read[]): void {
    for (const side of sides) {
      const entry = this.#memory.store.at(side.level, side.key);
      this.#held.add(side.id);
      const { content, additions } = entryIn(side, entry, undefined).entry;
      if (entry === undefined) this.#create(side);
      else
        this.#write(
          asHistory([content, ...additions], entry, this.#author(entry.level), this.#memory.now()),
          entry.level,
        );
    }
  }

  #reconcile(read: Read): void {
    const { store, now } = this.#memory;
    const entry = store.at(read.level, read.key);
    const agreed = this.#state.agreed.get(read.id);
    const isSameFile = agreed?.hash === read.disk.hash;
    if (entry === undefined) {
      if (isSameFile && store.isErased(read.id, 0)) this.#remove(read);
      else {
        this.#create(read);
        this.#agree(read, entryIn(read, undefined, undefined).isOwn);
      }
      return;
    }
    const { entry: file, isOwn } = entryIn(read, entry, agreed);
    if (entry.status !== 'active' && entry.status !== 'draft') {
      // Removed here, not by its file: the file goes, unless somebody wrote something new into it.
      if (isSameFile) {
        this.#remove(read);
        return;
      }
      if (agreed === undefined && entry.reason !== FILE_GONE && knows(entry, file)) {
        this.#held.add(read.id);
        this.#problem('forgotten', read.disk.name, `"${entry.key}" is ${entry.status} here`);
        return;
      }
    }
    const own = fileEntryOf(entry);
    const isSame = entry.status === 'active' && entryHash(file) === entryHash(own);
    if (isSame || (isSameFile && agreed.entry === entryHash(own) && entry.status === 'active')) {
      this.#agree(read, isOwn, agreed);
      return;
    }
    const entryChanged = agreed !== undefined && agreed.entry !== entryHash(own);
    const isStale = agreed === undefined && entry.status === 'active' && isPast(entry, file);
    if (isSameFile || isStale) {
      if (this.#isForOthers(entry)) this.#putFile(entry, read);
      else if (isStale) this.#held.add(read.id);
      return;
    }
    const author = this.#author(entry.level);
    this.#write(fileChanges(file, entry, agreed, entryChanged, author, now()), entry.level);
    this.#report[entry.status === 'active' ? 'changed' : 'restored'].push(entry.key);
    this.#agree(read, isOwn);
    // Where both changed, the file learns of what the entry says besides.
    const after = store.at(read.level, read.key);
    if (
      after !== undefined &&
      entryChanged &&
      entryHash(fileEntryOf(after)) !== entryHash(file) &&
      this.#hasNoSecret(read)
    )
      this.#putFile(after, read);
  }

  /** Entries that have no file yet. */
  #export(): void {
    const taken = this.#folder.names();
    const entries = [...this.#memory.store.visible({ level: this.#home })].filter((entry) =>
      this.#isForOthers(entry),
    );
    for (const entry of entries.sort((a, b) => (a.key < b.key ? -1 : 1))) {
      const id = longId(entry);
      if (this.#held.has(id) || this.#state.agreed.has(id)) continue;
      const name = fileNameOf(entry.key, entry.id, (folded) => taken.has(folded));
      taken.add(foldName(name));
      this.#guarded(name, () => this.#putFile(entry, undefined, name));
    }
  }

  /** Only what a person wrote or confirmed is for others, and nothing that is over. */
  #isForOthers(entry: FoldedEntry): boolean {
    const { store } = this.#memory;
    return (
      entry.status === 'active' &&
      entry.confirmed &&
      !store.isExpired(entry) &&
      canFlowTo(entry.level, this.#home)
    );
  }

  /** Writes an entry's file. */
  #putFile(entry: FoldedEntry, read: Read | undefined, name = read?.disk.name ?? ''): void {
    const own = fileEntryOf(entry);
    const text = fileText(
      { ...own, created: read?.file.created ?? entry.created },
      this.#home,
      read?.file.others,
    );
    this.#folder.put(name, text, read?.disk.hash);
    this.#report.written.push(name);
    const agreed: Agreed = {
      name,
      hash: hashOf(text),
      entry: entryHash(own),
      isOwn: false,
      ...agreedFacts(own),
    };
    this.#state.agreed.set(longId(entry), agreed);
  }

  #remove(read: Read): void {
    this.#folder.remove(read.disk.name, read.disk.hash);
    this.#report.removed.push(read.disk.name);
    this.#state.agreed.delete(read.id);
    this.#held.add(read.id);
  }

  #create(read: Read): void {
    const { entry } = entryIn(read, undefined, undefined);
    this.#write(creation(entry, read.file.created, this.#author(read.level), this.#memory.now()), read.level);
    this.#report.created.push(read.key);
  }

  /** A file and its entry say the same, each in its way. */
  #agree({ disk, id, level, key }: Read, isOwn: boolean, before?: Agreed): void {
    const entry = this.#memory.store.at(level, key);
    if (entry === undefined) return;
    const own = fileEntryOf(entry);
    const agreed = { name: disk.name, hash: disk.hash, entry: entryHash(own), isOwn, ...agreedFacts(own) };
    if (JSON.stringify(before) !== JSON.stringify(agreed)) this.#state.agreed.set(id, agreed);
  }

  #index(): void {
    if (this.#folder.look() !== 'there') return;
    this.#folder.prepare();
    const before = this.#folder.index();
    if (before?.problem !== undefined) {
      this.#problem(before.problem, INDEX_FILE, 'it is no text file');
      return;
    }
    const text = indexOf(rowsOf(this.#folder.read()), before?.text ?? '');
    if (text === before?.text) return;
    this.#guarded(INDEX_FILE, () => this.#folder.put(before?.name ?? INDEX_FILE, text, before?.hash));
  }

  /** What somebody else changes at this moment waits for the next look. */
  #guarded(name: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      if (!(error instanceof FileMoved)) throw error;
      this.#problem('unreadable', name, 'it is being changed');
    }
  }

  #hasNoSecret({ disk }: Read): boolean {
    return !this.#report.problems.some(({ kind, file }) => kind === 'secret' && file === disk.name);
  }

  #entryOf(long: string): FoldedEntry | undefined {
    const { store } = this.#memory;
    return [long.slice(-8), long]
      .map((id) => store.folded(id))
      .find((entry) => entry !== undefined && longId(entry) === long);
  }

  #put(entry: FoldedEntry, rest: Partial<PutOperation>): PutOperation {
    const by = signature(this.#author(entry.level));
    return { op: 'put', key: entry.key, at: this.#memory.now(), by, ...rest };
  }

  #write(operations: readonly PutOperation[], level: Level): void {
    if (operations.length === 0) return;
    this.#memory.writeAll(operations.map((operation): Change => ({ operation, level })));
  }

  #author(level: Level): Author {
    return { actor: 'person', level, source: 'file', session: 'files', branch: this.#input.branch };
  }

  #problem(kind: FileProblemKind, file: string, detail: string): undefined {
    if (this.#report.problems.some((known) => known.kind === kind && known.file === file)) return;
    this.#report.problems.push({ kind, file, detail });
  }
}

function longId({ level, key }: Pick<Entry, 'level' | 'key'>): string {
  return entryIds(level, key).long;
}

/** Whether a file says nothing that its entry did not say. */
function knows(entry: FoldedEntry, file: FileEntry): boolean {
  const texts = new Set([entry.content, ...entry.revisions.map(({ text }) => text)].map(comparable));
  return [file.content, ...file.additions].every((text) => texts.has(comparable(text)));
}

/** Whether a file says what its entry said before it was replaced. */
function isPast(entry: FoldedEntry, file: FileEntry): boolean {
  return comparable(file.content) !== comparable(entry.content) && knows(entry, file);
}
