/**
 * A heartbeat as toon-memory keeps it, one JSON file per session: `{id, agent, pid, branch, startedAt, lastSeen, ended,
 * files: {path: ISO time}}`. Whatever stands in it is somebody else's word: all of it is bounded, and nothing of it
 * becomes a path, a line or a sentence of ours.
 */
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { Level } from '../policy/level.ts';
import { isKnownPath } from './presencePath.ts';
import { newestFiles, type Presence } from './presenceRecord.ts';

/** What such sessions are seen through; the start of their keys, which no key of ours can have. */
const PEER = 'toon-memory';

const MAX_ID = 128;
/** DESIGN's grammar of ids; what does not follow it names no session. */
const ID = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
/** Names of ours in their folder. */
const OWN_NAME = /^lodeline-[0-9a-f]{16}\.json$/;
const MAX_NAME = 60;
/** Shown to agents in lists, where a longer one could be a text. */
const MAX_PATH = 300;
/** So many of a session's files are looked at at all. */
const MAX_LOOKED_AT = 2_000;
const DRIVE = /^[A-Za-z]:\//;

/** Where a heartbeat lies. */
export interface ForeignPlace {
  /** Top folder of the work tree, absolute and real: their paths begin here. */
  readonly root: string;
  /** The folder's: a heartbeat is a plain file in it. */
  readonly level: Level;
}

/** A session of theirs. */
export interface ForeignSession {
  readonly id: string;
  /** 0 when it names none. */
  readonly pid: number;
  readonly presence: Presence;
  /** How it spells the names of its files: their sessions find conflicts by the letters alone. */
  readonly spellings: ReadonlyMap<string, string>;
}

/** What a heartbeat says, or undefined when that is not what it should be. */
export function parseForeign(text: string, { root, level }: ForeignPlace): ForeignSession | undefined {
  const value = parseJson(text);
  if (value === undefined) return undefined;
  const { id, agent, pid, branch, startedAt, lastSeen, ended, files } = value;
  const seen = timeOf(lastSeen);
  if (typeof id !== 'string' || !isForeignId(id) || seen === undefined) return undefined;
  const { times, spellings } = touched(files, root, seen);
  const kept = newestFiles(times);
  const presence: Presence = {
    ...{ key: `${PEER}:${id}`, agent: nameIn(agent) || 'agent', branch: branchIn(branch), level, root },
    ...{ window: '', capture: false, started: Math.min(timeOf(startedAt) ?? seen, seen), seen },
    ended: isSaid(ended) ? seen : 0,
    files: kept,
    peer: PEER,
  };
  return { id, pid: pidOf(pid), presence, spellings };
}

/** Whether a text can be the id of a session, and so the name of its file. */
export function isForeignId(id: string): boolean {
  return id.length <= MAX_ID && ID.test(id);
}

/** The name of the file in which a session of ours stands among theirs. Keys hold anything, and say where chats run. */
export function ownName(key: string): string {
  return `lodeline-${createHash('sha256').update(JSON.stringify(key)).digest('hex').slice(0, 16)}.json`;
}

/** Whether a file in their folder is one that `ownName` names. */
export function isOwnName(name: string): boolean {
  return OWN_NAME.test(name);
}

/**
 * A session of ours as they keep it.
 * @param spell how a file is named to them
 */
export function foreignText(presence: Presence, pid: number, spell: (file: string) => string): string {
  const { key, agent, branch, started, seen, files } = presence;
  const ended = presence.ended >= seen;
  const touched = ended ? [] : Object.entries(files).map(([file, time]) => [spell(file), iso(time)]);
  return `${JSON.stringify(
    {
      ...{ id: ownName(key).slice(0, -'.json'.length), agent, pid, branch: branch || 'unknown' },
      ...{ startedAt: iso(started), lastSeen: iso(Math.max(seen, presence.ended)), ended },
      files: Object.fromEntries(touched),
    },
    null,
    2,
  )}\n`;
}

/**
 * The name under which presence knows a file that they name: absolute or from the root, with either separator. It is
 * read as a text and never looked for on disk, where a name from elsewhere could lead anywhere, to other machines, too.
 */
export function foreignFile(path: string, root: string): string | undefined {
  if (path.length > root.length + MAX_PATH) return undefined;
  const given = path.trim().replaceAll('\\', '/').normalize('NFC');
  const top = root.replaceAll('\\', '/').normalize('NFC').replace(/\/+$/, '');
  const isDrive = DRIVE.test(given);
  let name = given;
  if (given.startsWith('/') || isDrive) {
    const start = given.slice(0, top.length + 1);
    const isInside = isDrive ? start.toLowerCase() === `${top}/`.toLowerCase() : start === `${top}/`;
    if (!isInside) return undefined;
    name = given.slice(top.length + 1);
  }
  const plain = posix.normalize(name);
  return plain !== '.' && plain.length <= MAX_PATH && !plain.endsWith('/') && isKnownPath(plain)
    ? plain
    : undefined;
}

function touched(files: unknown, root: string, seen: number) {
  const times: Record<string, number> = Object.create(null);
  const spellings = new Map<string, string>();
  if (typeof files !== 'object' || files === null || Array.isArray(files)) return { times, spellings };
  let looked = 0;
  for (const path in files) {
    if (++looked > MAX_LOOKED_AT) break;
    const file = Object.hasOwn(files, path) ? foreignFile(path, root) : undefined;
    if (file === undefined) continue;
    const time = Math.min(timeOf((files as Record<string, unknown>)[path]) ?? seen, seen);
    if (time < (times[file] ?? 0)) continue;
    times[file] = time;
    spellings.set(file, path);
  }
  return { times, spellings };
}

function parseJson(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Unix milliseconds. Later versions may say when it ended instead of that it did. */
function timeOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || value.length > 64) return undefined;
  const time = Date.parse(value);
  return Number.isFinite(time) && time >= 0 ? time : undefined;
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== '' && value !== 0;
}

function pidOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** A name without anything that a sentence, a line or a place of ours could be made of. */
function nameIn(value: unknown): string {
  if (typeof value !== 'string') return '';
  const name = value.slice(0, MAX_NAME).toWellFormed().normalize('NFC');
  return name.replace(/[^\p{L}\p{M}\p{N}._+/-]+/gu, '-').replace(/^-+|-+$/g, '');
}

/** They write `unknown` where there is no branch. */
function branchIn(value: unknown): string {
  const branch = nameIn(value);
  return branch === 'unknown' ? '' : branch;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
