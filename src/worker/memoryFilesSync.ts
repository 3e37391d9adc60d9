/**
 * One look at the files of a work tree and at memory. It may end at any moment: whatever it had done by then, the next
 * look comes to the same, because each file and each entry is written whole, and what was agreed on only tells which of
 * two texts is the newer one.
 */
import type { FoldedEntry } from '../memory/fold.ts';
import { describesAnother, type FileEntry, fileEntryOf, fileText } from '../memory/markdownFile.ts';
import { indexOf } from '../memory/markdownIndex.ts';
import { fileNameOf, foldName, INDEX_FILE } from '../memory/markdownName.ts';
import type { Level } from '../policy/level.ts';
import type { FileProblemKind, FilesInput, FilesReport } from './filesApi.ts';
import type { HeldMemory } from './heldMemory.ts';
import { type DiskFile, FileMoved, FilesFolder, FileTooLong, hashOf } from './memoryFilesDisk.ts';
import { FileEntries, isPast, knows, longId } from './memoryFilesEntries.ts';
import { FILE_GONE } from './memoryFilesMerge.ts';
import { entryIn, type Read, readFiles, rowsOf } from './memoryFilesRead.ts';
import { emptyReport, note } from './memoryFilesReport.ts';
import { type Agreed, agreedFacts, entryHash, type FilesState } from './memoryFilesState.ts';

/** So many files at once do not go by a person's hand one by one, and then more than half of all: somebody is asked. */
const MANY = 5;

export class FilesSync {
  readonly #entries: FileEntries;
  readonly #refresh: () => void;
  readonly #home: Level;
  readonly #folder: FilesFolder;
  readonly #state: FilesState;
  readonly #missing: FilesInput['missing'];
  readonly #report = emptyReport(false);
  /** Long ids of entries whose files are missing or not to be read: nothing is written for them. */
  readonly #held = new Set<string>();
  /** What the system said of the first file that could not be written; the others had their turn. */
  #failure: Error | undefined;

  /** @param home the folder's default level: nothing above it is written to a file or taken from one */
  constructor(
    { memory, home }: { readonly memory: HeldMemory; readonly home: Level },
    folder: FilesFolder,
    state: FilesState,
    { branch, missing }: FilesInput,
  ) {
    this.#entries = new FileEntries(memory, home, branch);
    this.#refresh = () => memory.sync();
    this.#home = home;
    this.#folder = folder;
    this.#state = state;
    this.#missing = missing;
  }

  /** @throws what the system says of a folder that cannot be read or written, once all that can be done is done */
  async run(): Promise<FilesReport> {
    const place = this.#folder.look();
    if (place === 'link') {
      this.#problem('link', FilesFolder.path, 'it is no folder of its own');
      return this.#report;
    }
    this.#folder.sweep(Date.now());
    const disk = this.#folder.read();
    const { files, doubles, sides } = await readFiles(disk, {
      home: this.#home,
      tell: (...told) => this.#problem(...told),
      nameOf: (id) => this.#state.agreed.get(id)?.name,
    });
    // From here on nobody else has a turn.
    this.#refresh();
    this.#lookForGone(files, disk, place === 'missing');
    for (const side of sides) this.#keepSides(side);
    for (const file of files) this.#guarded(file.disk.name, () => this.#reconcile(file));
    for (const double of doubles) this.#keep(double);
    this.#export();
    if (place === 'there' || this.#state.agreed.size > 0) this.#guarded(INDEX_FILE, () => this.#writeIndex());
    this.#state.save();
    if (this.#failure !== undefined) throw this.#failure;
    return this.#report;
  }

  /** Files that are gone: few are deleted entries, many are a question. */
  #lookForGone(files: readonly Read[], disk: readonly DiskFile[], isFolderGone: boolean): void {
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
      const entry = this.#entries.byLongId(id);
      if (entry?.status === 'active') gone.push(entry);
      else agreed.delete(id);
    }
    gone.sort((a, b) => (a.key < b.key ? -1 : 1));
    const isMass = isFolderGone || (total >= MANY && gone.length > total / 2);
    if (gone.length > 0 && isMass && this.#missing === undefined) {
      this.#report.missing.push(...gone.map(({ key }) => key));
      for (const entry of gone) this.#held.add(longId(entry));
      return;
    }
    for (const entry of gone) {
      const id = longId(entry);
      if (this.#missing === 'restore') {
        // They had files, so whether a person has read their last change is no question here.
        const name = agreed.get(id)?.name ?? '';
        this.#held.add(id);
        this.#guarded(name, () => this.#putFile(entry, undefined, name));
        continue;
      }
      this.#entries.forget(entry);
      agreed.delete(id);
      this.#report.forgotten.push(entry.key);
    }
  }

  /** A file that git could not merge stays as it is until somebody has; what its sides say is kept. */
  #keepSides(sides: readonly Read[]): void {
    for (const side of sides) {
      this.#held.add(side.id);
      if (this.#entries.of(side) === undefined) this.#create(side);
      else this.#keep(side);
    }
  }

  /** What a file says is history of its entry: the file may be gone before anybody has decided. */
  #keep(read: Read): void {
    const entry = this.#entries.of(read);
    if (entry !== undefined) this.#entries.keep(entryIn(read, entry, undefined).entry, entry);
  }

  #reconcile(read: Read): void {
    const entry = this.#entries.of(read);
    const agreed = this.#state.agreed.get(read.id);
    const isSameFile = agreed?.hash === read.disk.hash;
    if (entry === undefined) {
      if (isSameFile && this.#entries.isErased(read.id)) this.#remove(read);
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
    const isStale = agreed === undefined && entry.status === 'active' && isPast(entry, file);
    if (isSameFile || isStale) {
      if (this.#entries.isForOthers(entry)) this.#putFile(entry, read);
      else if (isStale) this.#held.add(read.id);
      return;
    }
    this.#takeIn(read, file, isOwn, entry, agreed);
  }

  /** What a file says that is not what its entry says. */
  #takeIn(read: Read, file: FileEntry, isOwn: boolean, entry: FoldedEntry, agreed: Agreed | undefined): void {
    const entryChanged = agreed !== undefined && agreed.entry !== entryHash(fileEntryOf(entry));
    if (this.#entries.change(file, entry, agreed, entryChanged))
      this.#report[entry.status === 'active' ? 'changed' : 'restored'].push(entry.key);
    const after = this.#entries.of(read);
    const knowsMore = after !== undefined && entryHash(fileEntryOf(after)) !== entryHash(file);
    // Where both changed, the file learns of what the entry says besides.
    if (entryChanged && knowsMore && this.#hasNoSecret(read)) this.#putFile(after, read);
    else this.#agree(read, isOwn);
  }

  /** Entries that have no file yet. */
  #export(): void {
    const taken = this.#folder.names();
    for (const entry of this.#entries.forOthers()) {
      const id = longId(entry);
      if (this.#held.has(id) || this.#state.agreed.has(id)) continue;
      const name = fileNameOf(entry.key, entry.id, (folded) => taken.has(folded));
      taken.add(foldName(name));
      this.#guarded(name, () => this.#putFile(entry, undefined, name));
    }
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
    this.#held.add(read.id);
    this.#folder.remove(read.disk.name, read.disk.hash);
    this.#report.removed.push(read.disk.name);
    this.#state.agreed.delete(read.id);
  }

  #create(read: Read): void {
    this.#entries.create(read);
    this.#report.created.push(read.key);
  }

  /** A file and its entry say the same, each in its way. */
  #agree(read: Read, isOwn: boolean, before?: Agreed): void {
    const entry = this.#entries.of(read);
    if (entry === undefined) return;
    // A description that was made of a text before is made anew: a clone that never had that text would take it for a
    // part of this one.
    if (!isOwn && describesAnother(read.file) && this.#hasNoSecret(read)) {
      this.#putFile(entry, read);
      return;
    }
    const { name, hash } = read.disk;
    const own = fileEntryOf(entry);
    const agreed = { name, hash, entry: entryHash(own), isOwn, ...agreedFacts(own) };
    if (JSON.stringify(before) !== JSON.stringify(agreed)) this.#state.agreed.set(read.id, agreed);
  }

  #writeIndex(): void {
    if (this.#folder.look() !== 'there') return;
    this.#folder.prepare();
    const before = this.#folder.index();
    if (before?.problem !== undefined) {
      this.#problem(before.problem, INDEX_FILE, 'it is no text file');
      return;
    }
    const rows = rowsOf(this.#folder.read(), (name) => this.#told(name, ['secret', 'level']));
    const text = indexOf(rows, before?.text ?? '');
    if (text !== before?.text) this.#folder.put(before?.name ?? INDEX_FILE, text, before?.hash);
  }

  /** What goes wrong with one file is no reason to leave the others: it waits for the next look. */
  #guarded(name: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      if (error instanceof FileMoved) this.#problem('unreadable', name, 'it is being changed');
      else if (error instanceof FileTooLong) this.#problem('too-long', name, 'its memory has too much text');
      else if (error instanceof Error && 'syscall' in error) this.#failure ??= error;
      else throw error;
    }
  }

  #hasNoSecret({ disk }: Read): boolean {
    return !this.#told(disk.name, ['secret']);
  }

  #told(name: string, kinds: readonly FileProblemKind[]): boolean {
    return this.#report.problems.some(({ kind, file }) => kinds.includes(kind) && file === name);
  }

  #problem(kind: FileProblemKind, file: string, detail: string): undefined {
    return note(this.#report, kind, file, detail);
  }
}
