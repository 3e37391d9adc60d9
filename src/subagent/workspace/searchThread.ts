/**
 * The thread that finds and searches: a pattern that never ends can be ended with it, and a large tree keeps nobody
 * else waiting. One thread does one job.
 */
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { Minimatch } from 'minimatch';
import { openedAt, SealedAway, sealPlace } from '../../journal/sealedPlaces.ts';
import { HeldFolder } from './folder.ts';
import { type IgnoreRules, rulesIn } from './ignore.ts';
import { matchIn, needleOf, readSearchable } from './matches.ts';
import type { Job, SearchJob, SearchMessage, Tally } from './searchMessages.ts';
import { isBinary } from './text.ts';
import { MAX_RESULT, oneLine, WorkspaceError } from './tool.ts';
import { type Found, walk } from './walk.ts';

/** Most files of one walk. */
const MAX_FILES = 200_000;
/** Names match in any Unicode form: macOS writes another one than people type. */
const GLOB = { dot: true, nocomment: true, nonegate: true, normalize: true, platform: 'linux' } as const;
/** Leaves room for the notes below what was found. In UTF-16 units. */
const MAX_TEXT = MAX_RESULT - 1000;
/** Paths are sent in pieces of so many. */
const BATCH = 200;

function post(message: SearchMessage): void {
  parentPort?.postMessage(message);
}

function run(job: Job): Tally {
  const { folder, rules } = openWithRules(job);
  try {
    const path = job.names.join('/');
    const only = job.file;
    const found =
      only === undefined
        ? walk(folder, path, rules)
        : [{ folder, name: only, path: [...job.names, only].join('/') }];
    const files = only === undefined ? matching(found, job, path) : found;
    return job.type === 'find' ? find(files, job.limit) : search(files, job);
  } finally {
    folder.close();
  }
}

/** The folder to look in, and what the `.gitignore` files above it leave out. */
function openWithRules({ root, names, descriptorPaths }: Job) {
  let folder = HeldFolder.open(root, [], { descriptorPaths });
  let rules: IgnoreRules | undefined;
  for (const [index, name] of names.entries()) {
    rules = rulesIn(folder, names.slice(0, index).join('/'), rules);
    const next = folder.enter(name);
    folder.close();
    folder = next;
  }
  return { folder, rules };
}

/** The files whose path below the folder matches the glob; one without a slash matches names at any depth. */
function* matching(found: Iterable<Found>, { glob }: Job, path: string): Generator<Found> {
  const prefix = path === '' ? 0 : path.length + 1;
  const pattern = glob === undefined ? undefined : globOf(glob);
  for (const file of found) if (pattern?.match(file.path.slice(prefix)) !== false) yield file;
}

function globOf(glob: string): Minimatch {
  const slashes = glob.replaceAll('\\', '/').replace(/^(\.?\/)+/, '');
  const anywhere = slashes.includes('/') ? slashes : `**/${slashes}`;
  try {
    return new Minimatch(anywhere, GLOB);
  } catch {
    throw new WorkspaceError('The glob is too complicated. Use one such as "src/**/*.{ts,tsx}".');
  }
}

function find(files: Iterable<Found>, limit: number): Tally {
  let batch: string[] = [];
  let count = 0;
  let stopped: Tally['stopped'];
  for (const { path } of files) {
    if (count === limit) {
      stopped = 'limit';
      break;
    }
    count++;
    batch.push(oneLine(path));
    if (batch.length < BATCH) continue;
    post({ type: 'found', lines: batch });
    batch = [];
  }
  post({ type: 'found', lines: batch });
  return { files: count, large: 0, stopped };
}

function search(files: Iterable<Found>, { root, limit, ...job }: SearchJob): Tally {
  const needle = needleOf(job);
  let count = 0;
  let large = 0;
  let left = limit;
  let room = MAX_TEXT;
  for (const { folder, name, path } of files) {
    if (count === MAX_FILES) return { files: count, large, stopped: 'files' };
    count++;
    const read = readSearchable(folder, name);
    if (read === 'large') large++;
    const bytes = typeof read === 'string' ? undefined : openedText(join(root, path), read);
    if (bytes === undefined) continue;
    const { lines, matches } = matchIn(bytes, needle, left);
    if (matches === 0) continue;
    left -= matches;
    const shown: string[] = [];
    for (const line of [oneLine(path), ...lines]) {
      room -= line.length + 1;
      if (room < 0) break;
      shown.push(line);
    }
    post({ type: 'found', lines: shown, file: path });
    if (left <= 0 || room < 0) return { files: count, large, stopped: 'limit' };
  }
  return { files: count, large, stopped: undefined };
}

/** What a file says that may be sealed; undefined where that is no text, or cannot be opened here. */
function openedText(file: string, bytes: Buffer): Buffer | undefined {
  try {
    const opened = openedAt(file, bytes);
    return opened !== bytes && isBinary(opened) ? undefined : opened;
  } catch (error) {
    if (error instanceof SealedAway) return undefined;
    throw error;
  }
}

try {
  for (const place of (workerData as Job).sealed ?? []) sealPlace(place);
  post({ type: 'done', tally: run(workerData as Job) });
} catch (error) {
  if (!(error instanceof WorkspaceError)) throw error;
  post({ type: 'refused', message: error.message });
}
