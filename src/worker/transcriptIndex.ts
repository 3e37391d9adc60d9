import { rmSync } from 'node:fs';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import initSqlJs, { type SqlJsStatic } from 'sql.js';
import type { KeyRing } from '../journal/keys.ts';
import { canFlowTo, LEVELS, type Level, levelRank } from '../policy/level.ts';
import { analyze } from '../recall/analyze.ts';
import { RecallIndex } from '../recall/recallIndex.ts';
import { LineCodec } from '../session/line.ts';
import { type SessionPlace, transcriptFile } from '../session/place.ts';
import { TranscriptReader } from '../session/reader.ts';
import type { SessionReader } from './sessionApi.ts';
import {
  type Candidate,
  type KnownTranscript,
  TranscriptCatalog,
  type TranscriptInfo,
} from './transcriptCatalog.ts';
import { nameOf, TranscriptLook } from './transcriptLook.ts';
import { infoOf, messageOf } from './transcriptText.ts';

/** A question is shorter; what is pasted is found by its beginning. In UTF-16 units. */
const MAX_QUERY = 1_000;
/** Of the words of a question the rarest find it, in bounded time. */
const MAX_TERMS = 16;
/** Messages that words may lead to before the more common ones of them are left aside. */
const MOST_LOOKED_AT = 5_000;
/** After so many at once, words lie in many places. */
const MANY = 100;
/** Messages that are ranked; more when more are asked for. */
const CANDIDATES = 50;
/** Calls for memory wait no longer than this for the reading of transcripts, milliseconds. */
const SLICE = 20;

export interface TranscriptIndexParts {
  /** The folder of all sessions. */
  readonly dir: string;
  /** Where the catalog is saved. */
  readonly file: string;
  readonly keys: KeyRing;
  /** Records above it are sealed on disk, and so never in our file. */
  readonly defaultLevel: Level;
  /** The transcripts there are, subagents' too. */
  places(): readonly SessionPlace[];
  /** Reads `sql-wasm.wasm`. */
  wasm(): Promise<Uint8Array>;
}

/** A message that was found. */
export interface FoundMessage {
  readonly id: string;
  readonly agentId?: string | undefined;
  readonly uuid: string;
  readonly role: string;
  readonly at: number;
  readonly level: Level;
  readonly text: string;
  readonly info: TranscriptInfo;
  /** 0–1; the best match of a query is 1. */
  readonly relevance: number;
}

interface Catalogs {
  readonly sql: SqlJsStatic;
  readonly open: TranscriptCatalog;
  /** Messages that are sealed on disk: in memory only. */
  readonly sealed: TranscriptCatalog;
  readonly look: TranscriptLook;
}

/** A transcript that is not as it was when it was read, or was not read. */
interface Changed {
  readonly place: SessionPlace;
  readonly name: string;
  readonly stamp: string;
}

/**
 * Search in what was said in all sessions. Words lead to candidates through sql.js, and these are ranked as memory is.
 * It follows the transcripts, of which only what was appended is read.
 */
export class TranscriptIndex {
  readonly #parts: TranscriptIndexParts;
  #catalogs: Promise<Catalogs> | undefined;
  #following: Promise<void> = Promise.resolve();
  #unsaved = false;
  /** Whether everything was sealed on disk when the catalogs were opened. */
  #isSealed = false;

  constructor(parts: TranscriptIndexParts) {
    this.#parts = parts;
  }

  /** Messages that match, best first. Any text is a valid query. */
  async search(query: string, reader: SessionReader, limit: number): Promise<readonly FoundMessage[]> {
    const catalogs = await this.#followed();
    const terms = [...new Set(analyze(query.slice(0, MAX_QUERY)).map(({ text }) => text))];
    const rank = levelRank(reader.level);
    const candidates = [catalogs.open, catalogs.sealed].flatMap((catalog) =>
      catalog.candidates(
        worthOf(terms, catalog.frequencies(terms, rank)),
        rank,
        Math.max(CANDIDATES, 2 * limit),
      ),
    );
    return ranked(query.slice(0, MAX_QUERY), candidates, reader, limit);
  }

  /** Saves what was read since the last time. A failure is ignored: the transcripts have everything. */
  async save(): Promise<void> {
    if (!this.#unsaved) return;
    const { sql, open } = await this.#followed();
    this.#unsaved = false;
    try {
      this.#parts.keys.settled(() => {
        // What is in it was in the clear when it was read.
        if (this.#parts.keys.sealsAll() === this.#isSealed) open.save(sql, this.#parts.file);
        else this.#discard();
      });
    } catch {
      // A full or read-only disk: the next start reads them again.
    }
  }

  /** After transcripts were removed for good, or put into another form: nothing of them may stay. */
  async erase(): Promise<void> {
    await this.close();
    this.#discard();
  }

  #discard(): void {
    for (const file of [this.#parts.file, `${this.#parts.file}.tmp`]) rmSync(file, { force: true });
  }

  /** Lets nothing stay on disk that was said in the clear. */
  async refit(): Promise<void> {
    if (!this.#parts.keys.sealsAll()) return;
    if (this.#isSealed) this.#discard();
    else await this.erase();
  }

  async close(): Promise<void> {
    const catalogs = this.#catalogs;
    this.#catalogs = undefined;
    this.#unsaved = false;
    if (catalogs === undefined) return;
    await this.#following;
    const opened = await catalogs.catch(() => undefined);
    opened?.open.close();
    opened?.sealed.close();
  }

  /** The catalogs, in step with the transcripts as they are now. */
  async #followed(): Promise<Catalogs> {
    if (this.#catalogs !== undefined && this.#parts.keys.sealsAll() !== this.#isSealed) await this.erase();
    this.#catalogs ??= this.#open().catch((error: unknown) => {
      // The next search tries again.
      this.#catalogs = undefined;
      throw error;
    });
    const catalogs = await this.#catalogs;
    this.#following = this.#following.then(() => this.#follow(catalogs));
    const following = this.#following;
    this.#following = following.catch(() => {});
    await following;
    return catalogs;
  }

  async #open(): Promise<Catalogs> {
    this.#isSealed = this.#parts.keys.sealsAll();
    if (this.#isSealed) this.#discard();
    const bytes = await this.#parts.wasm();
    const sql = await initSqlJs({ wasmBinary: bytes.slice().buffer });
    const { file } = this.#parts;
    const look = new TranscriptLook(this.#parts);
    return { sql, open: TranscriptCatalog.open(sql, file), sealed: TranscriptCatalog.open(sql), look };
  }

  async #follow(catalogs: Catalogs): Promise<void> {
    const { open, sealed } = catalogs;
    const { places, isWhole } = catalogs.look.look();
    const changed: Changed[] = [];
    for (const { place, stamp } of places) {
      const name = nameOf(place);
      const known = open.known().get(name);
      // What is sealed was lost with the process that read it.
      const current = known?.sealed === true ? sealed.known().get(name) : known;
      if (stamp !== undefined && current?.stamp !== stamp) changed.push({ place, name, stamp });
    }
    for (let at = 0; at < changed.length; await turnOfLoop()) {
      const until = performance.now() + SLICE;
      open.inOne(() =>
        sealed.inOne(() => {
          do this.#readOne(changed[at++] as Changed, catalogs);
          while (at < changed.length && performance.now() < until);
        }),
      );
    }
    const there = new Set(places.map(({ place }) => nameOf(place)));
    let anyGone = false;
    for (const catalog of isWhole ? [open, sealed] : []) {
      const gone = [...catalog.known().keys()].filter((name) => !there.has(name));
      catalog.remove(gone);
      anyGone ||= gone.length > 0;
    }
    if (changed.length > MANY) for (const catalog of [open, sealed]) catalog.merge();
    if (changed.length > 0 || anyGone) this.#unsaved = true;
  }

  #readOne(changed: Changed, catalogs: Catalogs): void {
    try {
      this.#read(changed, catalogs);
    } catch (error) {
      // One that cannot be read must not hide the others.
      if (!(error instanceof Error && 'syscall' in error)) throw error;
    }
  }

  #read({ place, name, stamp }: Changed, { open, sealed }: Catalogs): void {
    const { keys, defaultLevel } = this.#parts;
    const known = open.known().get(name);
    const knownSealed = sealed.known().get(name);
    const from = known?.sealed === true && knownSealed === undefined ? undefined : known;
    const reader = new TranscriptReader(transcriptFile(place), new LineCodec({ keys, defaultLevel }), from);
    const { records, reset } = reader.read();
    const fresh = reset || from === undefined;
    const isOpen = ({ level }: { readonly level: Level }) =>
      !this.#isSealed && canFlowTo(level, defaultLevel);
    const isSealed = (fresh ? false : known?.sealed === true) || records.some((record) => !isOpen(record));
    const now: Omit<KnownTranscript, 'info'> = {
      ...{ place: name, stamp, offset: reader.offset, count: reader.count, sealed: isSealed },
      ...{ hash: reader.hash, chained: reader.chained },
      // A session's level never falls, and what was read before had one, too.
      level: Math.max(fresh ? 0 : (known?.level ?? 0), levelRank(reader.level)),
    };
    const messages = records.flatMap(messageOf);
    const info = infoOf(records.filter(isOpen), fresh ? undefined : known?.info);
    open.add({ ...now, info }, messages.filter(isOpen), fresh);
    if (isSealed) {
      const whole = infoOf(records, fresh ? undefined : (knownSealed ?? known)?.info);
      const hidden = messages.filter((message) => !isOpen(message));
      sealed.add({ ...now, info: whole }, hidden, fresh);
    } else if (knownSealed !== undefined) sealed.remove([name]);
  }
}

/** The rarest terms with what each is worth, as many as lead to a bounded number of messages. */
function worthOf(terms: readonly string[], frequencies: ReadonlyMap<string, number>): Map<string, number> {
  const worth = new Map<string, number>();
  let looked = 0;
  const rarest = terms
    .flatMap((term) => ({ term, count: frequencies.get(term) ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => a.count - b.count || (a.term < b.term ? -1 : 1));
  for (const { term, count } of rarest.slice(0, MAX_TERMS)) {
    looked += count;
    if (worth.size > 0 && looked > MOST_LOOKED_AT) break;
    worth.set(term, 1 / Math.log2(2 + count));
  }
  return worth;
}

/** Ranks messages as memory is ranked, the messages of one transcript as those of one session. */
function ranked(
  query: string,
  candidates: readonly Candidate[],
  reader: SessionReader,
  limit: number,
): FoundMessage[] {
  const index = new RecallIndex();
  for (const [n, { place, at, text }] of candidates.entries()) {
    const nothing = { category: '', tags: [], file: '', links: [] };
    // Of those that match as well, the first by its id comes first.
    const id = String(n).padStart(6, '0');
    index.put({ id, key: '', content: text, level: reader.level, session: place, at, ...nothing });
  }
  return index.search(query, { level: reader.level, limit }).flatMap(({ id: n, relevance }) => {
    const found = candidates[Number(n)];
    const level = found === undefined ? undefined : LEVELS[found.level];
    if (found === undefined || level === undefined) return [];
    const [id = '', agentId] = found.place.split('/');
    return [{ ...found, level, id, agentId, relevance }];
  });
}
