/**
 * What others have for the writer of a transcript: one file for each record, so that the one who gives and the
 * one who takes never touch the same file at once. A file is in place whole or not at all, and it is removed
 * after its record is durable in the transcript; the record keeps its uuid, by which a second time is noticed.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, readFrom, removeFile, syncDir, writeNewFile } from '../journal/disk.ts';
import { makeDir } from '../journal/folder.ts';
import { HybridClock, isStamp } from '../journal/stamp.ts';
import { LEVELS } from '../policy/level.ts';
import { LineCodec } from './line.ts';
import { isMisfitLine, putRefitted, removeLeftDrafts } from './lineFile.ts';
import { localDir } from './place.ts';
import type { Draft, RecordBody, RecordHead, SessionRecord } from './record.ts';
import type { AppendResult, TranscriptOptions, TranscriptWriter } from './transcript.ts';

const SUFFIX = '.json';
/** From the start of a file's name to the end of its stamp. */
const STAMP_LENGTH = 17;

/** A session takes edits for itself; a subagent's transcript has no inbox. */
export type InboxOptions = Omit<TranscriptOptions, 'agentId'>;

export class Inbox {
  readonly #options: InboxOptions;
  readonly #dir: string;
  readonly #codec: LineCodec;
  readonly #clock: HybridClock;

  constructor(options: InboxOptions) {
    this.#options = options;
    this.#dir = join(localDir(options), 'inbox');
    this.#codec = new LineCodec(options);
    this.#clock = new HybridClock(options.now);
  }

  /**
   * Leaves a record for the writer; durable when this returns.
   * @returns the uuid of the record.
   * @throws when it cannot be written.
   */
  give(draft: Draft): string {
    const { seam, id, now } = this.#options;
    const { uuid = randomUUID(), timestamp, level = LEVELS[0], parent_uuid: _, ...rest } = draft;
    const head: RecordHead = {
      uuid,
      session_id: id,
      timestamp: timestamp ?? new Date(now()).toISOString(),
      level,
      seq: 0,
    };
    for (const name of this.#names()) this.#clock.observe(name.slice(0, STAMP_LENGTH));
    const file = join(this.#dir, `${this.#clock.next()}-${uuid}${SUFFIX}`);
    makeDir(this.#dir);
    this.#options.keys.settled(() => {
      const { bytes } = this.#codec.encode(head, rest as RecordBody, '');
      seam?.step?.('inbox: write');
      writeNewFile(`${file}.tmp`, bytes, seam?.write);
      seam?.step?.('inbox: written');
      renameSync(`${file}.tmp`, file);
      syncDir(this.#dir);
    });
    seam?.step?.('inbox: given');
    return uuid;
  }

  /**
   * Puts what waits into the form that the store's switch wants. What is taken in meanwhile may come again, and its uuid
   * tells so.
   * @returns how many files are still being written
   * @throws what the disk says, KeyError
   */
  refit(): number {
    const { keys, seam } = this.#options;
    for (const name of this.#names()) {
      const file = join(this.#dir, name);
      const bytes = readFrom(file, 0)?.bytes;
      if (bytes !== undefined && isMisfitLine(bytes, this.#codec, keys.sealsAll()))
        putRefitted(file, bytes, this.#codec, seam?.write);
    }
    return removeLeftDrafts(this.#dir);
  }

  /** What was given and is not in the transcript yet, in the order of giving. */
  pending(isApplied: (uuid: string) => boolean): SessionRecord[] {
    return this.#items()
      .map(({ record }) => record)
      .filter(({ uuid }) => !isApplied(uuid));
  }

  /**
   * Takes what was given into the transcript, durably. The records in the result are new to it.
   * @param append appends one record, where what is given has to be made a record of the transcript.
   * @param canTake says no to what has to wait
   */
  takeIn(
    writer: TranscriptWriter,
    append = (draft: Draft): AppendResult => writer.append([draft]),
    canTake: (record: SessionRecord) => boolean = () => true,
  ): AppendResult {
    // What cannot be opened here stays for a process that has the key.
    const items = this.#items().filter(({ record }) => record.type !== 'opaque' && canTake(record));
    if (items.length === 0) return { ok: true, records: [] };
    const records: SessionRecord[] = [];
    for (const { record } of items) {
      if (writer.has(record.uuid)) continue;
      const { seq, session_id, ...draft } = record;
      const result = append(draft as Draft);
      if (!result.ok) return result;
      records.push(...result.records);
    }
    const error = writer.sync();
    if (error) return { ok: false, error };
    for (const { file } of items) {
      this.#options.seam?.step?.('inbox: remove');
      removeFile(file);
    }
    return { ok: true, records };
  }

  #items(): { file: string; record: SessionRecord }[] {
    return this.#names().flatMap((name) => {
      const file = join(this.#dir, name);
      const bytes = readFrom(file, 0)?.bytes;
      const line = bytes && this.#codec.decode(bytes, 0, bytes.length - 1, 0);
      return line ? [{ file, record: line.record }] : [];
    });
  }

  /** In the order of giving. */
  #names(): string[] {
    // Most sessions never have one, and an error would cost more than the question.
    if (!existsSync(this.#dir)) return [];
    let names: string[];
    try {
      names = readdirSync(this.#dir);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
    return names.filter((name) => name.endsWith(SUFFIX) && isStamp(name.slice(0, STAMP_LENGTH))).sort();
  }
}
