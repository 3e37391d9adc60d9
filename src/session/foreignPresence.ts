/**
 * Presence through toon-memory: sessions of agents that run it are read from its folder, and ours are written there,
 * so that both see each other. The folder is theirs and in the work tree, where anybody may have put anything: it is
 * never made, never followed through a link, and never the reason that something of ours fails.
 *
 * What a session above the folder's level does is not told there at all, not even that it is at work; and while the
 * store is sealed nothing is: names of sessions, branches and files would stand in the work tree in the clear.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readSync,
  renameSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { errorCode, removeFile } from '../journal/disk.ts';
import { isAlive } from '../journal/liveness.ts';
import { canFlowTo, type Level } from '../policy/level.ts';
import {
  type ForeignSession,
  foreignText,
  isForeignId,
  isOwnName,
  ownName,
  parseForeign,
} from './foreignPresenceRecord.ts';
import { ACTIVE_MS, hasEnded, type Presence } from './presenceRecord.ts';

const PARTS = ['.toon-memory', 'memory', 'sessions'];
/** Names that are looked at; a folder with more holds something else. */
const MAX_NAMES = 4_096;
/** The files written last are read. */
const MAX_READ = 200;
const MAX_BYTES = 256 * 1024;
/** A process id is given again after a while: what is silent for so long has ended, whoever has its id now. */
const SILENT_MS = 24 * 60 * 60 * 1000;
const DRAFT = /^\.lodeline-[0-9a-f]{16}-[0-9a-f]{8}\.tmp$/;

export interface ForeignPresenceOptions {
  /** Top folder of the work tree, absolute and real. */
  readonly root: string;
  /** The folder's: of sessions above it nothing is written. */
  readonly defaultLevel: Level;
  /** Unix milliseconds. */
  now(): number;
  /** Whether the store is sealed as a whole. */
  readonly isSealed?: (() => boolean) | undefined;
  /** Whether a process lives; tests put another in its place. */
  readonly alive?: ((pid: number) => boolean) | undefined;
}

interface Found {
  readonly name: string;
  readonly time: number;
  /** Changes when the file does. */
  readonly stamp: string;
}

/** Their folder in a work tree; undefined where there is none, or where a link leads elsewhere. */
function foreignFolder(root: string): string | undefined {
  let folder = root;
  for (const part of PARTS) {
    folder = join(folder, part);
    if (statOf(folder)?.isDirectory() !== true) return undefined;
  }
  return folder;
}

export class ForeignPresence {
  readonly #options: ForeignPresenceOptions;
  #known = new Map<string, { readonly stamp: string; readonly said: ForeignSession | undefined }>();

  constructor(options: ForeignPresenceOptions) {
    this.#options = options;
  }

  /** Whether the other program is used in the work tree. */
  get isThere(): boolean {
    return foreignFolder(this.#options.root) !== undefined;
  }

  /**
   * Their sessions that are at work, without those that are known here: an agent may have hooks of both.
   * @param ours keys of sessions that presence of ours knows
   */
  active(ours: ReadonlySet<string>): Presence[] {
    return this.#theirs()
      .filter(({ id }) => !ours.has(id))
      .map(({ presence }) => presence);
  }

  /**
   * Says what sessions of ours do, and clears away what ours that are gone left behind.
   * @param sessions as they stand now, also those that have just ended
   * @param all everybody of ours who is at work
   */
  tell(sessions: readonly Presence[], all: readonly Presence[]): void {
    const dir = foreignFolder(this.#options.root);
    if (dir === undefined) return;
    try {
      if (this.#isSealed) {
        this.erase();
        return;
      }
      const theirs = this.#theirs();
      for (const session of sessions) this.#put(dir, session, theirs, all);
      this.#clear(dir, new Set(sessions.map(({ key }) => ownName(key))));
      // Asked last, so that whoever seals the store finds either what was told, or somebody who takes it back.
      if (this.#isSealed) this.erase();
    } catch {
      // A folder that is full or not to be written to: they do not see us, which harms nothing of ours.
    }
  }

  /** Takes back what was told, where the store is sealed. @throws what the disk says */
  refit(): void {
    if (this.#isSealed) this.erase();
  }

  get #isSealed(): boolean {
    return this.#options.isSealed?.() ?? false;
  }

  /** Removes everything of ours. */
  erase(): void {
    const dir = foreignFolder(this.#options.root);
    if (dir === undefined) return;
    for (const { name } of list(dir, isOwnFile)) remove(dir, name);
  }

  #put(dir: string, session: Presence, theirs: readonly ForeignSession[], all: readonly Presence[]): void {
    const { root, defaultLevel } = this.#options;
    const name = ownName(session.key);
    // A session whose own hooks say it there would stand in its own way.
    const isSaid = isForeignId(session.key) && theirs.some(({ id }) => id === session.key);
    const isElsewhere = session.root !== root;
    if (isSaid || isElsewhere || !canFlowTo(session.level, defaultLevel)) {
      remove(dir, name);
      return;
    }
    if (hasEnded(session) && statOf(join(dir, name)) === undefined) return;
    const spellings = new Map(theirs.flatMap(({ spellings }) => [...spellings]));
    const text = foreignText(this.#told(session, all), process.pid, (file) => spellings.get(file) ?? file);
    const draft = join(dir, `.${name.slice(0, -'.json'.length)}-${randomBytes(4).toString('hex')}.tmp`);
    try {
      writeFileSync(draft, text, { flag: 'wx', mode: 0o600 });
      renameSync(draft, join(dir, name));
    } catch (error) {
      removeFile(draft);
      throw error;
    }
  }

  /**
   * A window saves what its own agents write: told twice, it would look like a conflict of theirs. And what an agent
   * above the folder's level writes must not be told through its window.
   */
  #told(session: Presence, all: readonly Presence[]): Presence {
    if (session.window !== session.key) return session;
    const agents = all.filter(({ key, window }) => window === session.key && key !== session.key);
    if (agents.some(({ level }) => !canFlowTo(level, this.#options.defaultLevel)))
      return { ...session, files: {} };
    const written = new Set(agents.flatMap(({ files }) => Object.keys(files)));
    const files = Object.entries(session.files).filter(([file]) => !written.has(file));
    return { ...session, files: Object.fromEntries(files) };
  }

  /** Of ours only: what is theirs they clear away themselves. */
  #clear(dir: string, kept: ReadonlySet<string>): void {
    const { alive = isAlive } = this.#options;
    const now = this.#options.now();
    for (const { name, time, stamp } of list(dir, isOwnFile)) {
      if (kept.has(name)) continue;
      const said = DRAFT.test(name) ? undefined : this.#said(dir, name, stamp);
      const age = Math.abs(now - (said?.presence.seen ?? time));
      if (age <= ACTIVE_MS) continue;
      const lives = said !== undefined && !hasEnded(said.presence) && said.pid > 0 && alive(said.pid);
      if (lives && age <= SILENT_MS) continue;
      remove(dir, name);
      this.#known.delete(name);
    }
  }

  #theirs(): ForeignSession[] {
    const dir = foreignFolder(this.#options.root);
    if (dir === undefined) return [];
    const now = this.#options.now();
    const found = list(dir, (name) => name.endsWith('.json') && !isOwnName(name)).slice(0, MAX_READ);
    const before = this.#known;
    const byId = new Map<string, ForeignSession>();
    for (const { name, stamp } of found) {
      const said = this.#said(dir, name, stamp);
      if (said === undefined) continue;
      const { seen } = said.presence;
      // A stamp from the future is one of a clock that is wrong: nobody can tell when it was.
      if (hasEnded(said.presence) || Math.abs(now - seen) > ACTIVE_MS) continue;
      const other = byId.get(said.id);
      if (other === undefined || other.presence.seen < seen) byId.set(said.id, said);
    }
    const names = new Set(found.map(({ name }) => name));
    this.#known = new Map([...before].filter(([name]) => names.has(name) || isOwnName(name)));
    return [...byId.values()];
  }

  /** They write a file in place, so it may be read half: then it says what it said before. */
  #said(dir: string, name: string, stamp: string): ForeignSession | undefined {
    const before = this.#known.get(name);
    if (before?.stamp === stamp) return before.said;
    const { root, defaultLevel } = this.#options;
    const text = read(join(dir, name));
    const said =
      (text === undefined ? undefined : parseForeign(text, { root, level: defaultLevel })) ?? before?.said;
    this.#known.set(name, { stamp, said });
    return said;
  }
}

function isOwnFile(name: string): boolean {
  return isOwnName(name) || DRAFT.test(name);
}

/** Plain files of a bearable size with such names, the one written last first. */
function list(dir: string, isWanted: (name: string) => boolean): Found[] {
  const found: Found[] = [];
  try {
    const entries = opendirSync(dir);
    try {
      for (let looked = 0; looked < MAX_NAMES; looked++) {
        const entry = entries.readSync();
        if (entry === null) break;
        if (!isWanted(entry.name)) continue;
        const stat = statOf(join(dir, entry.name));
        if (stat === undefined || !isReadable(stat)) continue;
        const { mtimeMs, size, ino } = stat;
        found.push({ name: entry.name, time: mtimeMs, stamp: `${mtimeMs} ${size} ${ino}` });
      }
    } finally {
      entries.closeSync();
    }
  } catch {
    // Gone meanwhile, or not to be read: nobody is seen.
  }
  return found.sort((a, b) => b.time - a.time);
}

function isReadable(stat: Stats): boolean {
  return stat.isFile() && stat.size <= MAX_BYTES;
}

/** Looks again at what was opened: since the list was made it may have become a link, a pipe, or long. */
function read(file: string): string | undefined {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  let fd: number | undefined;
  try {
    fd = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stat = fstatSync(fd);
    if (!isReadable(stat)) return undefined;
    const bytes = Buffer.alloc(stat.size);
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function remove(dir: string, name: string): void {
  if (statOf(join(dir, name))?.isFile() === true) removeFile(join(dir, name));
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
