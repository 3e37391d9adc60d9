/**
 * A Copilot chat as its hooks tell of it, in a session of ours: what the editor's own transcript says, and the calls
 * that hooks see with their results. Reading is repeated rather than remembered exactly, since every record has an
 * id that follows from what it tells, and a transcript takes an id once.
 */
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFrom } from '../journal/disk.ts';
import { makeDir } from '../journal/folder.ts';
import { type Level, maxLevel } from '../policy/level.ts';
import { Inbox } from './inbox.ts';
import { LineCodec } from './line.ts';
import { locateTranscript, nextChunk, type ReadPosition } from './observedTranscriptFile.ts';
import { callDrafts, draftsOf, type LineOptions, type SeenCall } from './observedTranscriptLines.ts';
import { localDir, transcriptFile } from './place.ts';
import type { Draft, SessionInfo, SessionRecord } from './record.ts';
import { openTranscript, type TranscriptOptions } from './transcript.ts';

const LF = 0x0a;
/** Both ends of a transcript within which its first and its last record are looked for. */
const END_BYTES = 256 * 1024;

/** What a hook knows of a chat. */
export interface ObservedChat extends LineOptions {
  /** The session's transcript; its id follows from the chat's. */
  readonly place: TranscriptOptions;
  /** The agent, such as `copilot`. */
  readonly source: string;
  /** At least; a session that stands higher stays there. */
  readonly level: Level;
  /** Where the editor says that its transcript lies. */
  readonly transcript: string | undefined;
  /** A call that ended just now. */
  readonly call: SeenCall | undefined;
}

/**
 * Takes in what is new in a chat.
 * @returns why something could not be taken in, for a person to read; undefined when all is well.
 * @throws when the disk does not take it.
 */
export async function observeChat(chat: ObservedChat): Promise<string | undefined> {
  const { place } = chat;
  const known = endsOf(place);
  // In a session whose loop is ours everything is recorded, and nothing may come between its calls and results.
  if (known && (known.first?.type !== 'session' || known.first.session.kind !== 'copilot')) return undefined;
  const read = await readTranscript(chat);
  const drafts = joined(read.drafts, chat.call ? await callDrafts(chat.call, chat) : []);
  const isRecorded = record(chat, known?.level, drafts);
  // What only waits in the inbox is read again: its process may end before it takes it in.
  if (isRecorded && read.position) savePosition(place, read.position);
  return read.problem;
}

/** The level that a session has come to, as its last record says; undefined when there is none. */
export function levelOf(place: TranscriptOptions): Level | undefined {
  return endsOf(place)?.level;
}

interface Reading {
  readonly drafts: readonly Draft[];
  readonly position?: ReadPosition;
  readonly problem?: string;
}

async function readTranscript(chat: ObservedChat): Promise<Reading> {
  if (chat.transcript === undefined) return { drafts: [] };
  const located = locateTranscript(chat.transcript, chat.chat);
  if ('problem' in located)
    return { drafts: [], problem: `The chat's transcript is not read: ${located.problem}.` };
  const chunk = nextChunk(located.file, savedPosition(chat.place));
  const { drafts, next } = await draftsOf(chunk, chat);
  return { drafts, position: chunk.at(next) };
}

/** The transcript may tell of a call already: what the hook was told of it counts, in its place. */
function joined(read: readonly Draft[], told: readonly Draft[]): Draft[] {
  const all = new Map([...read, ...told].map((draft) => [draft.uuid, draft]));
  return [...all.values()];
}

/** Whether the records are in the transcript, and not only on their way. */
function record(chat: ObservedChat, level: Level | undefined, drafts: readonly Draft[]): boolean {
  if (drafts.length === 0) return true;
  if (append(chat, drafts)) return true;
  const inbox = new Inbox(chat.place);
  const waiting = new Set(inbox.pending(() => false).map(({ uuid }) => uuid));
  for (const draft of drafts) {
    if (draft.uuid === undefined || !waiting.has(draft.uuid))
      inbox.give({ ...draft, level: maxLevel(level ?? chat.level, chat.level) });
  }
  // Should the other process let go at this moment, it has not seen what it was given.
  return append(chat, drafts);
}

/** Writes to the transcript unless another process does. What waits in its inbox is left to the session's own process. */
function append({ place, source, level, chat }: ObservedChat, drafts: readonly Draft[]): boolean {
  const opened = openTranscript(place);
  if (!opened.writer) return false;
  const { writer, records } = opened;
  const session: SessionInfo = { key: chat, kind: 'copilot', source, started: place.now(), depth: 0 };
  const first: Draft[] = records.length === 0 ? [{ type: 'session', session }] : [];
  const result = writer.append([...first, ...drafts].map((draft) => ({ ...draft, level })));
  const closed = writer.close();
  const error = result.ok ? closed : result.error;
  if (error?.reason === 'write-failed') throw new Error(error.message);
  return error === undefined;
}

interface Ends {
  /** Undefined when it cannot be read. */
  readonly first: SessionRecord | undefined;
  readonly level: Level | undefined;
}

/** Of a transcript the first record and the last one's level, without what is between; undefined when there is none. */
function endsOf(place: TranscriptOptions): Ends | undefined {
  const file = transcriptFile(place);
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const start = readFrom(file, 0, END_BYTES)?.bytes;
  if (size === 0 || start === undefined) return undefined;
  const codec = new LineCodec(place);
  const first = codec.decode(start, 0, Math.max(0, start.indexOf(LF)), 0)?.record;
  return { first, level: lastLevel(file, size, codec) };
}

function lastLevel(file: string, size: number, codec: LineCodec): Level | undefined {
  for (let length = END_BYTES; ; length *= 4) {
    const from = Math.max(0, size - length);
    const bytes = readFrom(file, from)?.bytes ?? Buffer.alloc(0);
    const end = bytes.lastIndexOf(LF);
    const before = end > 0 ? bytes.lastIndexOf(LF, end - 1) : -1;
    if (before >= 0 || from === 0) return codec.decode(bytes, before + 1, Math.max(0, end))?.record.level;
  }
}

function positionFile(place: TranscriptOptions): string {
  return join(localDir(place), 'observed.json');
}

function savedPosition(place: TranscriptOptions): ReadPosition | undefined {
  try {
    const { head, headLength, offset } = JSON.parse(
      readFileSync(positionFile(place), 'utf8'),
    ) as ReadPosition;
    const isWhole =
      typeof head === 'string' && [headLength, offset].every((n) => Number.isSafeInteger(n) && n >= 0);
    return isWhole ? { head, headLength, offset } : undefined;
  } catch {
    // Missing or damaged: everything is read again, and what is known counts once.
    return undefined;
  }
}

function savePosition(place: TranscriptOptions, position: ReadPosition): void {
  const file = positionFile(place);
  const draft = `${file}.${process.pid}.tmp`;
  makeDir(localDir(place));
  writeFileSync(draft, JSON.stringify(position), { mode: 0o600 });
  renameSync(draft, file);
}
