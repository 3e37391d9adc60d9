/** A process that writes, reads or compacts until it is stopped or killed. Run by fleet.ts. */
import { existsSync, writeFileSync, writeSync } from 'node:fs';
import { JournalWriteError } from '../../../src/journal/errors.ts';
import { Journal, type JournalRecord } from '../../../src/journal/journal.ts';
import { KeyRing } from '../../../src/journal/keys.ts';
import { type ChildOptions, randomFrom, saidIn } from './common.ts';

const options = JSON.parse(process.argv[2] ?? '') as ChildOptions;
const random = randomFrom(options.seed);

const journal = new Journal({
  dir: options.dir,
  keys: new KeyRing({ dir: options.keys }),
  sealed: (level) => level === 'SECRET',
  now: Date.now,
  ...(options.maxSegmentBytes === undefined ? {} : { maxSegmentBytes: options.maxSegmentBytes }),
});

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function stopped(): boolean {
  return existsSync(options.stop);
}

function write(): void {
  journal.load();
  for (let done = 0; done < options.count; ) {
    const drafts = Array.from({ length: random() < 0.2 ? 3 : 1 }, (_, k) => ({
      payload: { text: saidIn(options.label, done + k), noise: 'x'.repeat(random() * 200) },
      level: random() < 0.3 ? 'SECRET' : 'OPEN',
    }));
    try {
      for (const { id } of journal.append(drafts)) writeSync(1, `${id}\n`);
      done += drafts.length;
    } catch (error) {
      // The compactors may be faster than we are; what is not acknowledged is tried again.
      if (!(error instanceof JournalWriteError)) throw error;
    }
    if (random() < 0.1) journal.refresh();
    sleep(random() * options.pauseMs);
  }
  journal.close();
}

/** Keeps what a reader is told, and writes it down in the end. */
function read(): void {
  let known = new Map<string, JournalRecord>();
  let twice = 0;
  const take = () => {
    const { records, reset } = journal.refresh();
    if (reset) known = new Map();
    for (const record of records) {
      if (known.has(record.id)) twice++;
      known.set(record.id, record);
    }
  };
  while (!stopped()) {
    take();
    if (random() < 0.02) {
      known = new Map(journal.load().map((record) => [record.id, record]));
    }
    sleep(random() * 10);
  }
  take();
  const position = journal.position();
  const ids = [...known.keys()];
  writeFileSync(options.report, JSON.stringify({ ids, twice, position, damage: journal.damage() }));
}

function compact(): void {
  while (!stopped()) {
    try {
      const newGeneration = random() < 0.3;
      const result = journal.compact({ retain: () => true, newGeneration });
      writeSync(1, `${result.done ? (newGeneration ? 'generation' : 'folded') : result.reason}\n`);
    } catch (error) {
      if (!(error instanceof JournalWriteError)) throw error;
      writeSync(1, `failed ${String(error.cause ?? error)}\n`);
    }
    sleep(random() * options.pauseMs);
  }
}

if (options.role === 'write') write();
else if (options.role === 'read') read();
else compact();
