/** What the journal's tests share. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Journal, type JournalOptions, type JournalRecord } from '../../../src/journal/journal.ts';
import { KeyRing } from '../../../src/journal/keys.ts';
import { filesUnder } from '../support/files.ts';

/** These tests sync thousands of times: in memory where that is to be had. */
const SHARED_MEMORY = '/dev/shm';
const root = existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir();

/** An empty folder that goes away after the test. */
export function scratch(): string {
  const dir = mkdtempSync(join(root, 'journal-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export interface Place {
  dir: string;
  keys: string;
}

/** Where a test's journal and keys are. */
export function place(): Place {
  const dir = scratch();
  return { dir: join(dir, 'store'), keys: join(dir, 'keys') };
}

/** Opens an instance; the level SECRET is sealed. */
export function open(at: Place, options: Partial<JournalOptions> = {}): Journal {
  return new Journal({
    dir: at.dir,
    keys: new KeyRing({ dir: at.keys }),
    sealed: (level) => level === 'SECRET',
    now: Date.now,
    ...options,
  });
}

/** Appends one text and returns its record. */
export function say(journal: Journal, text: string, level = 'OPEN'): JournalRecord {
  const [record] = journal.append([{ payload: text, level }]);
  if (!record) throw new Error('not appended');
  return record;
}

/** The payloads, sorted. */
export function texts(records: readonly JournalRecord[]): unknown[] {
  return records.map((record) => record.payload).sort();
}

/** What a new instance reads. */
export function stored(at: Place): unknown[] {
  return texts(open(at).load());
}

/** Every file below `dir` whose bytes contain `text`. */
export function filesWith(dir: string, text: string): string[] {
  return filesUnder(dir).flatMap(({ path, bytes }) => (bytes.includes(text) ? [path] : []));
}

/** The names in a journal's folder that match. */
export function names(at: Place, pattern: RegExp): string[] {
  return readdirSync(at.dir).filter((name) => pattern.test(name));
}
