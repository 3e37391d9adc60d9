/** Copies of the whole memory at a moment: backups, of which the newest are kept, and snapshots for a week. */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, removeFile } from '../journal/disk.ts';
import type { KeyRing } from '../journal/keys.ts';
import { canFlowTo, LEVELS, type Level } from '../policy/level.ts';
import { openBox, sealBox } from './box.ts';
import { type CopyLine, type CopyNote, parseHead, parseLine, withoutNote } from './copyFormat.ts';
import { putFile } from './newFile.ts';

/** Seed 001: a backup "keeps the newest 10". */
const KEPT_BACKUPS = 10;
/** Seed 001: a checkpoint of memory has a time to live of 7 days. */
const SNAPSHOT_LIFE = 7 * 86_400_000;
/** Nobody writes on a copy for so long, in milliseconds: its process was ended. */
const ABANDONED = 3_600_000;
/** The same where a store is sealed or opened and nothing may be left in the other form. */
const DRAFTED = 10_000;
/** Of a line of which nobody can tell: it is sealed under no id. */
const UNREADABLE: Level = 'RESTRICTED';
const FORMAT = 1;
/** Names the deletion up to which every copy here was looked through. */
const MARK = 'scrubbed';
const NAME = /^(?:memory|snapshot)-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-\d{3}-[0-9a-f]{4}\.jsonl$/;

export type CopyKind = 'backup' | 'snapshot';

/** The first line with a note of 500 characters, sealed, is shorter, in bytes. */
const HEAD_BYTES = 16_384;
/** Names the note in its seal, where a line of the copy has its id. */
const NOTE = 'note';

/** What is known of a copy without reading it. */
export interface CopyName {
  readonly name: string;
  readonly kind: CopyKind;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Of who made it: below it nothing tells of the copy. */
  readonly level: Level;
  /** Why it was made; only for who may see it. */
  readonly note?: string | undefined;
}

/** Whether a line is to go out of a copy that was made at a moment, epoch milliseconds. */
export type Gone = (line: Pick<CopyLine, 'id' | 'level'>, at: number) => boolean;

export interface CopiesParts {
  readonly dir: string;
  readonly keys: KeyRing;
  sealed(level: Level): boolean;
  now(): number;
}

/** The copies in one folder. A damaged line harms only itself. */
export class Copies {
  readonly #parts: CopiesParts;

  constructor(parts: CopiesParts) {
    this.#parts = parts;
  }

  /**
   * Writes a copy for somebody at a level, and removes backups past the newest ten of each level and snapshots past
   * their week. `kept`: how many of its kind they may know of.
   */
  make(
    kind: CopyKind,
    level: Level,
    lines: Iterable<CopyLine>,
    note?: CopyNote,
  ): CopyName & { readonly kept: number } {
    const at = this.#parts.now();
    const stamp = new Date(at).toISOString().replace(/[:.]/g, '-').replace('Z', '');
    const name = `${kind === 'backup' ? 'memory' : 'snapshot'}-${stamp}-${randomBytes(2).toString('hex')}.jsonl`;
    const given = [...lines];
    const texts = () => [
      JSON.stringify({
        lodeline: FORMAT,
        ...{ at, level },
        ...(note === undefined ? {} : { note: this.#sealNote(name, note) }),
      }),
      ...given.map((line) => this.#write(name, line)),
    ];
    this.#parts.keys.settled(() => putFile(join(this.#parts.dir, name), `${texts().join('\n')}\n`));
    this.#prune();
    const kept = this.list(level).filter((copy) => copy.kind === kind).length;
    return { name, kind, at, level, kept };
  }

  /** Those of `list`, with the notes that the reader may see. */
  noted(reader: Level): CopyName[] {
    return this.list(reader).map((copy) => ({ ...copy, note: this.#noteOf(copy.name, reader) }));
  }

  /** Every copy that still counts and that a reader may know of, newest first. */
  list(reader: Level): CopyName[] {
    return this.#names()
      .map(
        (name): CopyName => ({
          name,
          kind: name.startsWith('memory-') ? 'backup' : 'snapshot',
          at: momentOf(name),
          level: parseHead(this.#head(name))?.level ?? 'PUBLIC',
        }),
      )
      .filter(({ kind, at }) => kind === 'backup' || at + SNAPSHOT_LIFE > this.#parts.now())
      .filter(({ level }) => canFlowTo(level, reader))
      .sort((a, b) => b.at - a.at || (a.name < b.name ? 1 : -1));
  }

  /** What a copy holds, and how many lines that a reader may know of cannot be read (damaged, or their key is not here). */
  read(name: string, reader: Level): { lines: CopyLine[]; unreadable: number } {
    const lines: CopyLine[] = [];
    let unreadable = 0;
    for (const text of this.#texts(name).slice(1)) {
      const line = this.#read(name, text);
      if (line !== undefined) lines.push(line);
      else if (canFlowTo(parseLine(text)?.level ?? LEVELS[0], reader)) unreadable++;
    }
    return { lines, unreadable };
  }

  /** The mark of the last `scrub`; empty when there was none. */
  scrubbed(): string {
    try {
      return readFileSync(join(this.#parts.dir, MARK), 'utf8');
    } catch {
      return '';
    }
  }

  /**
   * Takes out of every copy, snapshots past their week too, the lines that `gone` names. `mark` says up to which
   * deletion, for processes that come later.
   */
  scrub(gone: Gone, mark: string): void {
    // What a process that was ended left half written.
    for (const name of this.#all().filter((each) => each.endsWith('.tmp')))
      removeFile(join(this.#parts.dir, name));
    const names = this.#names();
    if (names.length === 0) return;
    const sealsAll = this.#parts.keys.sealsAll();
    for (const name of names) {
      const at = momentOf(name);
      const texts = this.#textsIfThere(name);
      const [first = '', ...others] = texts;
      const head = withoutNote(first, ({ level }) => gone({ id: '', level }, at));
      const kept = others.filter((text) => {
        const line = parseLine(text);
        return line === undefined || !gone(line, at);
      });
      if (head !== first || kept.length < others.length)
        putFile(join(this.#parts.dir, name), `${[head, ...kept].join('\n')}\n`);
    }
    putFile(join(this.#parts.dir, MARK), mark);
    // What was read before the switch was moved is not to be left in the form that no longer counts.
    if (this.#parts.keys.sealsAll() !== sealsAll) this.refit();
  }

  /**
   * Puts the lines of every copy into the form that the store's switch wants; what cannot be opened stays in its box.
   * @returns how many drafts of copies are still being written
   * @throws what the disk says, KeyError
   */
  refit(): number {
    const { dir } = this.#parts;
    for (const name of this.#names()) {
      const texts = this.#textsIfThere(name);
      const fitted = texts.map((text, at) =>
        at === 0 ? this.#refitHead(name, text) : this.#refitLine(name, text),
      );
      if (fitted.some((text, at) => text !== texts[at])) putFile(join(dir, name), `${fitted.join('\n')}\n`);
    }
    const drafts = this.#all().filter((name) => name.endsWith('.tmp'));
    const left = new Set(this.#abandoned(DRAFTED));
    for (const name of left) removeFile(join(dir, name));
    return drafts.length - left.size;
  }

  #refitHead(place: string, text: string): string {
    const head = parseHead(text);
    if (head?.note === undefined) return text;
    const { level, text: plain, box } = head.note;
    const said = box === undefined ? plain : openBox(this.#parts.keys, { id: NOTE, level, place }, box);
    if (said === undefined || this.#parts.sealed(level) === (box !== undefined)) return text;
    return JSON.stringify({ ...head, note: this.#sealNote(place, { text: said, level }) });
  }

  #refitLine(place: string, text: string): string {
    const { keys } = this.#parts;
    const line = parseLine(text);
    const { id = '', level = UNREADABLE, box } = line ?? {};
    const wanted = id === '' ? keys.sealsAll() : this.#parts.sealed(level);
    if (wanted === (box !== undefined)) return text;
    const label = { id, level, place };
    if (box === undefined) {
      const { id: _, level: __, ...rest } = line === undefined ? {} : JSON.parse(text);
      return JSON.stringify({
        ...{ id, level },
        box: sealBox(keys, label, line === undefined ? text : JSON.stringify(rest)),
      });
    }
    const opened = openBox(keys, label, box);
    if (opened === undefined) return text;
    return id === '' ? opened : JSON.stringify({ id, level, ...JSON.parse(opened) });
  }

  #names(): string[] {
    return this.#all().filter((name) => NAME.test(name));
  }

  #all(): string[] {
    try {
      return readdirSync(this.#parts.dir);
    } catch {
      return [];
    }
  }

  #texts(name: string): string[] {
    const texts = readFileSync(join(this.#parts.dir, name), 'utf8')
      .split('\n')
      .filter((text) => text !== '');
    return parseHead(texts[0] ?? '') !== undefined ? texts : ['', ...texts];
  }

  /** Nothing for a copy that another process has just pruned. */
  #textsIfThere(name: string): string[] {
    try {
      return this.#texts(name);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  #sealNote(place: string, { text, level }: CopyNote) {
    if (!this.#parts.sealed(level)) return { level, text };
    return { level, box: sealBox(this.#parts.keys, { id: NOTE, level, place }, text) };
  }

  #noteOf(place: string, reader: Level): string | undefined {
    const { note } = parseHead(this.#head(place)) ?? {};
    if (note === undefined || !canFlowTo(note.level, reader)) return undefined;
    const { level, text, box } = note;
    return box === undefined ? text : openBox(this.#parts.keys, { id: NOTE, level, place }, box);
  }

  /** The first line; empty when it cannot be read. */
  #head(name: string): string {
    try {
      const fd = openSync(join(this.#parts.dir, name), 'r');
      try {
        const bytes = Buffer.alloc(HEAD_BYTES);
        const text = bytes.toString('utf8', 0, readSync(fd, bytes));
        return text.split('\n')[0] ?? '';
      } finally {
        closeSync(fd);
      }
    } catch {
      return '';
    }
  }

  #write(place: string, { id, level, ...rest }: CopyLine): string {
    if (!this.#parts.sealed(level)) return JSON.stringify({ id, level, ...rest });
    return JSON.stringify({
      id,
      level,
      box: sealBox(this.#parts.keys, { id, level, place }, JSON.stringify(rest)),
    });
  }

  #read(place: string, text: string): CopyLine | undefined {
    const line = parseLine(text);
    if (line?.box === undefined) return (line?.entry ?? line?.summary) ? line : undefined;
    const { id, level, box } = line;
    const opened = openBox(this.#parts.keys, { id, level, place }, box);
    if (opened === undefined) return undefined;
    return parseLine(opened, { id, level });
  }

  #abandoned(after = ABANDONED): string[] {
    // By the disk's clock, which is the one that its files have.
    const before = Date.now() - after;
    return this.#all().filter((name) => {
      if (!name.endsWith('.tmp')) return false;
      const file = statSync(join(this.#parts.dir, name), { throwIfNoEntry: false });
      return file !== undefined && file.mtimeMs < before;
    });
  }

  #prune(): void {
    const all = this.list('RESTRICTED');
    const kept = new Set(
      [
        ...LEVELS.flatMap((level) =>
          all.filter((copy) => copy.kind === 'backup' && copy.level === level).slice(0, KEPT_BACKUPS),
        ),
        ...all.filter(({ kind }) => kind === 'snapshot'),
      ].map(({ name }) => name),
    );
    const gone = [...this.#names().filter((name) => !kept.has(name)), ...this.#abandoned()];
    for (const name of gone) removeFile(join(this.#parts.dir, name));
  }
}

/** `memory-2026-07-12T09-00-00-000-….jsonl` → its moment. */
function momentOf(name: string): number {
  const [, day = '', hour, minute, second, ms] =
    /-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})-(\d{3})/.exec(name) ?? [];
  return Date.parse(`${day}T${hour}:${minute}:${second}.${ms}Z`) || 0;
}
