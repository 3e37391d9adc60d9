/**
 * Which sessions there are. The truth is in the transcripts: of each, the first lines and the last ones are
 * read, again only when the file has changed.
 */
import { existsSync, statSync } from 'node:fs';
import { readFrom } from '../journal/disk.ts';
import { namesIn } from '../journal/folder.ts';
import { canFlowTo, LEVELS, type Level } from '../policy/level.ts';
import { leaseHolder } from './lease.ts';
import { type CodecOptions, LineCodec } from './line.ts';
import { textOf } from './messages.ts';
import {
  agentIdOf,
  leaseDir,
  type SessionPlace,
  sessionIdOf,
  subagentsDir,
  transcriptFile,
} from './place.ts';
import type { SessionInfo, SessionRecord } from './record.ts';
import { readTail, type SessionTail } from './tail.ts';

const LF = 0x0a;
/** Read at the beginning of a transcript; more when a line there is longer. */
const CHUNK_BYTES = 32 * 1024;
const TITLE_LENGTH = 80;
/** Longer than any file system's clock ticks. */
const SETTLED_MS = 5_000;
const HIGHEST = LEVELS[LEVELS.length - 1] as Level;

export interface SessionSummary extends SessionInfo {
  readonly id: string;
  /** In the transcript of a subagent; `id` is then the session it belongs to. */
  readonly agentId?: string | undefined;
  readonly level: Level;
  /** Unix milliseconds. */
  readonly lastActive: number;
  /** Whether a living process writes to it. */
  readonly live: boolean;
  readonly tail: SessionTail;
}

export interface RegistryOptions extends Omit<CodecOptions, 'reader'> {
  /** The folder of all sessions. */
  readonly dir: string;
  /** Unix milliseconds. */
  now(): number;
  readonly alive?: (pid: number) => boolean;
  /** Threads of this process that are gone, and with them the leases they held. */
  readonly deadThreads?: ReadonlySet<number> | undefined;
}

type Scanned = Omit<SessionSummary, 'live'>;

/** A session of which a key is missing: no more is known of it. */
export type LockedSession = Pick<SessionSummary, 'id' | 'level' | 'lastActive'>;

interface Scan {
  readonly stamp: string;
  readonly summary?: Scanned | undefined;
  readonly locked?: LockedSession | undefined;
}

export class SessionRegistry {
  readonly #options: RegistryOptions;
  readonly #codec: LineCodec;
  #scanned = new Map<string, Scan>();
  /** Folders of leases that nobody held, and when they had last changed: whoever takes one puts a file there. */
  readonly #unheld = new Map<string, number>();

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#codec = new LineCodec(options);
  }

  /** The sessions that a reader of this level may know of, last active first. */
  list(reader: Level): SessionSummary[] {
    return this.#scan()
      .flatMap(({ summary }) => (summary ? [summary] : []))
      .filter(({ level }) => canFlowTo(level, reader))
      .sort((a, b) => b.lastActive - a.lastActive || (a.id < b.id ? -1 : 1))
      .map((summary) => this.#withLive(summary));
  }

  /** One session, without a look at the others, if a reader of this level may know of it. */
  at({ id, agentId }: Pick<SessionPlace, 'id' | 'agentId'>, reader: Level): SessionSummary | undefined {
    const place = { dir: this.#options.dir, id, agentId };
    const summary = this.#look(place, this.#scanned)?.summary;
    return summary && canFlowTo(summary.level, reader) ? this.#withLive(summary) : undefined;
  }

  /** The session with this key that was active last. */
  find(key: string, reader: Level): SessionSummary | undefined {
    return this.list(reader).find((summary) => summary.key === key);
  }

  /** The sessions that a reader of this level may know of, and cannot read since their key is not here. */
  locked(reader: Level): LockedSession[] {
    return this.#scan().flatMap(({ locked }) => (locked && canFlowTo(locked.level, reader) ? [locked] : []));
  }

  /** Where there are transcripts, subagents' too, readable or not. */
  places(): SessionPlace[] {
    const { dir } = this.#options;
    const places: SessionPlace[] = [];
    const names = new Set(namesIn(dir));
    for (const name of names) {
      const id = sessionIdOf(name);
      if (id === undefined) continue;
      places.push({ dir, id });
      // Most sessions have no subagents, and an error costs more than a look.
      if (!names.has(id) || !existsSync(subagentsDir(dir, id))) continue;
      for (const child of namesIn(subagentsDir(dir, id))) {
        const agentId = agentIdOf(child);
        if (agentId !== undefined) places.push({ dir, id, agentId });
      }
    }
    return places;
  }

  #scan(): Scan[] {
    const before = this.#scanned;
    if ([...before.values()].some(({ locked }) => locked)) this.#options.keys.lookAgain();
    this.#scanned = new Map();
    return this.places().flatMap((place) => this.#look(place, before) ?? []);
  }

  #look(place: SessionPlace, before: ReadonlyMap<string, Scan>): Scan | undefined {
    const file = transcriptFile(place);
    const stat = statSync(file, { throwIfNoEntry: false });
    if (!stat?.isFile()) return undefined;
    const stamp = `${stat.size} ${stat.mtimeMs} ${stat.ino}`;
    const known = before.get(file);
    // A key may have been put back in the meantime.
    const isKnown = known?.stamp === stamp && !known.locked;
    const now = isKnown ? known : { stamp, ...this.#read(place, file, stat.size) };
    this.#scanned.set(file, now);
    return now;
  }

  #withLive(summary: Scanned): SessionSummary {
    const { dir } = this.#options;
    return { ...summary, live: this.#isHeld(leaseDir({ dir, id: summary.id, agentId: summary.agentId })) };
  }

  #isHeld(lease: string): boolean {
    const { now, alive, deadThreads } = this.#options;
    const changed = statSync(lease, { throwIfNoEntry: false })?.mtimeMs;
    if (changed === undefined || this.#unheld.get(lease) === changed) return false;
    const isHeld = leaseHolder({ dir: lease, now, alive, deadThreads }) !== undefined;
    // Of two changes in one tick of the file system's clock the second would not be seen.
    if (!isHeld && Date.now() - changed > SETTLED_MS) this.#unheld.set(lease, changed);
    return isHeld;
  }

  /** Nothing when it is no session of ours, or one whose beginning or end cannot be read. */
  #read(place: SessionPlace, file: string, size: number): Omit<Scan, 'stamp'> {
    try {
      return this.#readSummary(place, file, size);
    } catch {
      // One that cannot be read must not hide the others.
      return {};
    }
  }

  #readSummary({ id, agentId }: SessionPlace, file: string, size: number): Omit<Scan, 'stamp'> {
    const first = this.#firstRecords(file, size);
    const end = readTail(file, this.#codec);
    if (!first[0]) return {};
    const last = end?.last ?? first.at(-1) ?? first[0];
    // Without its last record nobody can tell what level the session has come to: then it is the highest.
    const level = end === undefined ? HIGHEST : last.level;
    const known = { id, level, lastActive: Date.parse(last.timestamp), tail: end?.tail ?? {} };
    if (first[0].type === 'opaque' && first[0].reason === 'key-missing' && agentId === undefined) {
      return { locked: known };
    }
    if (first[0].type !== 'session') return {};
    const info = first[0].session;
    const title = info.title === undefined ? titleOf(first) : brief(info.title);
    return { summary: { ...info, ...(title === undefined ? {} : { title }), ...known, agentId } };
  }

  /** The records in the first chunk, at least one. */
  #firstRecords(file: string, size: number): SessionRecord[] {
    for (let length = CHUNK_BYTES; ; length *= 4) {
      const bytes = readFrom(file, 0, length)?.bytes ?? Buffer.alloc(0);
      const records: SessionRecord[] = [];
      let at = 0;
      for (let end = bytes.indexOf(LF); end >= 0; at = end + 1, end = bytes.indexOf(LF, at)) {
        const line = this.#codec.decode(bytes, at, end);
        if (!line) break;
        records.push(line.record);
      }
      if (at > 0 || length >= size) return records;
    }
  }
}

function titleOf(records: readonly SessionRecord[]): string | undefined {
  for (const record of records) {
    if (record.type !== 'message' || record.message.role !== 'user') continue;
    const line = brief(textOf(record.message));
    if (line !== '') return line;
  }
  return undefined;
}

/** The first line of what may be a whole prompt. */
function brief(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1).toWellFormed()}…` : line;
}
