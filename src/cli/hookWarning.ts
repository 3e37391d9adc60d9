/**
 * What an agent is told of others that are at work on the files of its tool, once in a while for each. Each event has a
 * process of its own, so what was told stands in a file of the session's.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { removeFile } from '../journal/disk.ts';
import type { KeyRing } from '../journal/keys.ts';
import { openedBytes, sealedBytes } from '../journal/sealedFile.ts';
import { canFlowTo, type Level } from '../policy/level.ts';
import { idOf } from '../session/sessionId.ts';
import { ToldHolders, type ToldTimes, WARNED_FOLDER } from '../session/toldHolders.ts';
import { heldText } from '../tools/heldNote.ts';
import type { HookEvent } from './hookInput.ts';
import { isOwnTool } from './hookOwnTools.ts';
import type { HookPlace } from './hookPlace.ts';

/** Nothing that is written here comes near it. */
const MAX_BYTES = 256 * 1024;
/** Of a chat that is over nobody says so everywhere. */
const OLD_MS = 24 * 60 * 60 * 1000;

/** Undefined when there is nothing to say. Calls of our own tools tell it themselves. */
export function warningOf(
  { name, session, tool }: HookEvent,
  { root, storeDir, keys, window, board, level: ofFolder }: HookPlace,
  files: readonly string[],
  level: Level,
): string | undefined {
  if (!/^(?:pre|post)_?tool_?use$/i.test(name) || files.length === 0 || isOwnTool(tool)) return undefined;
  const holders = board.holders({ key: session, window, root, files }, level);
  if (holders.length === 0) return undefined;
  const isOpen = canFlowTo(level, ofFolder);
  // Which files a session above the folder's level works on must not be told from this file, so there it is told of
  // each other session once.
  const named = isOpen
    ? holders
    : [...new Map(holders.map((each) => [each.key, { ...each, file: '' }])).values()];
  const dir = join(storeDir, WARNED_FOLDER);
  const file = join(dir, `${idOf(session)}.json`);
  const told = new ToldHolders(read(file, keys));
  const now = Date.now();
  const untold = new Set(told.untold(session, named, now).map((each) => `${each.file}\0${each.key}`));
  if (untold.size === 0) return undefined;
  save(dir, file, told.times, keys);
  clear(dir, now);
  return heldText(
    holders.filter((each) => untold.has(`${isOpen ? each.file : ''}\0${each.key}`)),
    now,
  );
}

function read(file: string, keys: KeyRing): ToldTimes {
  try {
    if (statSync(file).size > MAX_BYTES) return [];
    const text = openedBytes(keys, nameOf(file), readFileSync(file));
    const value: unknown = JSON.parse(text?.toString('utf8') ?? '[]');
    return Array.isArray(value) ? value.filter(isTold) : [];
  } catch {
    // Missing or damaged: at worst something is told again.
    return [];
  }
}

function isTold(value: unknown): value is ToldTimes[number] {
  return (
    Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && Number.isFinite(value[1])
  );
}

/** Sealed where the store is: a hash of a file's name tells whoever guesses the name. */
function save(dir: string, file: string, times: ToldTimes, keys: KeyRing): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  const bytes = Buffer.from(JSON.stringify(times));
  try {
    keys.settled(() => {
      writeFileSync(draft, keys.sealsAll() ? sealedBytes(keys, nameOf(file), bytes) : bytes, { mode: 0o600 });
      renameSync(draft, file);
    });
  } catch (error) {
    removeFile(draft);
    throw error;
  }
}

/** See `sealedName`. */
function nameOf(file: string): string {
  return `${WARNED_FOLDER}/${basename(file)}`;
}

function clear(dir: string, now: number): void {
  for (const name of readdirSync(dir)) {
    const time = statSync(join(dir, name), { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (now - time > OLD_MS) removeFile(join(dir, name));
  }
}
