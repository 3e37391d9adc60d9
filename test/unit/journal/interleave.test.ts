/** What happens between any two steps: a crash, another process' append, read or compaction. */
import { cpSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Journal } from '../../../src/journal/journal.ts';
import { filesWith, names, open, type Place, place, say, stored, texts } from './kit.ts';

// Each test runs the whole story once for every step there is.
vi.setConfig({ testTimeout: 60_000 });

/** Ten minutes and more ahead: whoever asks this clock finds every lock stale. */
const later = () => Date.now() + 11 * 60 * 1000;

const kinds = [
  { title: 'folding', newGeneration: false },
  { title: 'a new generation', newGeneration: true },
];

/** A store with a base, segments of ended and living processes, and something to delete. */
function furnished(): { at: Place; living: Journal; expected: string[] } {
  const at = place();
  const first = open(at);
  for (const text of ['in base', 'delete me: base']) say(first, text);
  first.compact({ retain: () => true });
  first.close();
  const closed = open(at, { maxSegmentBytes: 300 });
  for (const text of ['closed 1', 'delete me: closed', 'closed 2']) say(closed, text);
  closed.close();
  const living = open(at);
  for (const text of ['living', 'sealed']) say(living, text, text === 'sealed' ? 'SECRET' : 'OPEN');
  return { at, living, expected: ['in base', 'closed 1', 'closed 2', 'living', 'sealed'] };
}

const retain = ({ payload }: { payload: unknown }) => !String(payload).startsWith('delete me');

const kept = (payloads: unknown[]) => payloads.filter((payload) => retain({ payload }));

/** Runs `work` with an instance that calls `meddle` at each of its steps; returns the steps. */
function stepping(
  at: Place,
  meddle: (step: string, count: number) => void,
  work: (journal: Journal) => void,
) {
  const steps: string[] = [];
  let inside = false;
  const step = (name: string) => {
    if (inside) return;
    inside = true;
    try {
      meddle(name, steps.push(name));
    } finally {
      inside = false;
    }
  };
  work(open(at, { seam: { step } }));
  return steps;
}

describe.each(kinds)('$title', ({ newGeneration }) => {
  it('survives a crash at every step', () => {
    const { at, expected } = furnished();
    const images: { step: string; at: Place }[] = [];
    const compacted = stepping(
      at,
      (step, count) => {
        const image = { ...at, dir: `${at.dir}-${count}` };
        cpSync(at.dir, image.dir, { recursive: true, preserveTimestamps: true });
        images.push({ step, at: image });
      },
      (journal) => {
        say(journal, 'own');
        journal.compact({ retain, newGeneration });
      },
    );
    expect(compacted.length).toBeGreaterThan(15);
    const ends = compacted.indexOf('append: checked');
    for (const [i, image] of images.entries()) {
      const all = kept(stored(image.at));
      // The compacting instance's own record was acknowledged only after its last step.
      const certain = i > ends ? [...expected, 'own'] : expected;
      expect(
        all.filter((text) => text !== 'own'),
        image.step,
      ).toEqual([...expected].sort());
      expect(all, image.step).toEqual(expect.arrayContaining(certain));
      // Everybody is dead after the crash: the next compaction clears everything up.
      const next = open(image.at, { seam: { alive: () => false } });
      expect(next.compact({ retain, newGeneration }), image.step).toMatchObject({ done: true });
      expect(stored(image.at), image.step).toEqual(all);
      // A segment that was opened and not written to yet names no owner: it is left for a day.
      const empty = image.step === 'append: open' && !newGeneration ? 1 : 0;
      expect(names(image.at, /./), image.step).toHaveLength(2 + empty);
      expect(filesWith(image.at.dir, 'delete me'), image.step).toEqual([]);
      rmSync(image.at.dir, { recursive: true });
    }
  });

  it.each(['alive', 'wrongly taken for dead'])('keeps what a writer (%s) appends at any step', (state) => {
    const { at, living, expected } = furnished();
    const said = [...expected];
    const watcher = open(at);
    let watched = watcher.load();
    const seam = {
      step: (name: string) => {
        for (const writer of [living, open(at)]) {
          const text = `at ${name} ${said.length}`;
          say(writer, text);
          said.push(text);
        }
        const { records, reset } = watcher.refresh();
        watched = reset ? records : [...watched, ...records];
        expect(kept(texts(watched))).toEqual([...said].sort());
        expect(kept(stored(at))).toEqual([...said].sort());
      },
      alive: () => state === 'alive',
    };
    // Appends of the compacting instance itself make steps too, within which nothing more is to happen.
    let inside = false;
    const step = (name: string) => {
      if (inside) return;
      inside = true;
      seam.step(name);
      inside = false;
    };
    const compacting = open(at, { seam: { ...seam, step } });
    expect(compacting.compact({ retain, newGeneration })).toMatchObject({ done: true });
    expect(stored(at)).toEqual([...said].sort());
    if (newGeneration || state !== 'alive') expect(names(at, /retired/)).toEqual([]);
    expect(filesWith(at.dir, 'delete me')).toEqual([]);
    if (newGeneration) expect(filesWith(at.dir, '"h":{"generation":0')).toEqual([]);
    expect(living.refresh().reset || compacting.refresh().reset).toBe(true);
  });

  it('keeps an append whose segment is folded away at any of its steps', () => {
    const probe = place();
    const steps = stepping(
      probe,
      () => {},
      (journal) => {
        say(journal, 'first');
        say(journal, 'second');
      },
    );
    for (let target = 1; target <= steps.length; target++) {
      const { at, expected } = furnished();
      const compacting = open(at, { seam: { alive: () => false } });
      stepping(
        at,
        (_, count) => {
          if (count === target) compacting.compact({ retain, newGeneration });
        },
        (journal) => {
          say(journal, 'first');
          if (newGeneration && steps[target - 1] === 'append: opening') {
            expect(filesWith(at.dir, '"h":{"generation":1')).toHaveLength(1);
          }
          expect(kept(stored(at)), steps[target - 1]).toEqual([...expected, 'first'].sort());
          say(journal, 'second');
        },
      );
      expect(kept(stored(at)), steps[target - 1]).toEqual([...expected, 'first', 'second'].sort());
      compacting.compact({ retain, newGeneration });
      expect(stored(at), steps[target - 1]).toEqual([...expected, 'first', 'second'].sort());
    }
  });

  it('reads everything that is folded away while it is read', () => {
    const { at, living, expected } = furnished();
    const compacting = open(at, { seam: { alive: () => false } });
    const steps = stepping(
      at,
      (_, count) => {
        if (count > 7) return;
        say(living, `${count}`);
        say(open(at), `${count} in a new segment`);
        expected.push(`${count}`, `${count} in a new segment`);
        if (count < 7) compacting.compact({ retain, newGeneration });
      },
      (journal) => expect(kept(texts(journal.load()))).toEqual([...expected].sort()),
    );
    expect(steps.length).toBeGreaterThan(7);
  });

  it('stays right when, at any step, a second compaction breaks in and dies at any of its own', () => {
    const last = (steps: string[]) => steps.filter((step) => step.startsWith('compact: ')).length;
    const count = last(
      stepping(
        furnished().at,
        () => {},
        (journal) => journal.compact({ retain, newGeneration }),
      ),
    );
    for (let target = 1; target <= count; target++) {
      for (const death of ['manifest in place', 'rest appended', 'segment removed', 'old manifest removed']) {
        const { at, living, expected } = furnished();
        const step = (name: string) => {
          if (name === `compact: ${death}`) throw new Error('dead');
        };
        const dying = open(at, { now: later, seam: { alive: () => false, step } });
        stepping(
          at,
          (_, n) => {
            if (n !== target) return;
            say(living, 'meanwhile');
            expect(() => dying.compact({ retain })).toThrow('dead');
            say(living, 'after that');
          },
          (journal) => journal.compact({ retain, newGeneration }),
        );
        const context = `${death} within step ${target}`;
        expect(kept(stored(at)), context).toEqual([...expected, 'meanwhile', 'after that'].sort());
      }
    }
  });

  it.each(kinds)('stays right when, at any step, a second compaction ($title) breaks in', (second) => {
    const count = stepping(
      furnished().at,
      () => {},
      (journal) => {
        journal.compact({ retain, newGeneration });
      },
    ).length;
    for (let target = 1; target <= count; target++) {
      const { at, living, expected } = furnished();
      let at2 = '';
      const other = open(at, { now: later, seam: { alive: () => false } });
      const results: unknown[] = [];
      stepping(
        at,
        (step, n) => {
          if (n !== target) return;
          at2 = step;
          say(living, 'meanwhile');
          results.push(other.compact({ retain, newGeneration: second.newGeneration }));
          say(living, 'after that');
        },
        (journal) => results.push(journal.compact({ retain, newGeneration })),
      );
      expect(results[0], at2).toMatchObject({ done: true });
      expect(names(at, /^manifest/), at2).not.toEqual([]);
      expect(kept(stored(at)), at2).toEqual([...expected, 'meanwhile', 'after that'].sort());
      other.compact({ retain, newGeneration: true });
      expect(stored(at), at2).toEqual([...expected, 'meanwhile', 'after that'].sort());
      expect(filesWith(at.dir, 'delete me'), at2).toEqual([]);
    }
  });
});

it('falls back on the segments when a new base breaks before they are gone', () => {
  const { at, expected } = furnished();
  const step = (name: string) => {
    if (name === 'compact: committed') throw new Error('dead');
  };
  const dying = open(at, { seam: { step, alive: () => false } });
  expect(() => dying.compact({ retain })).toThrow('dead');
  const [base = ''] = names(at, /^base-0-2/);
  truncateSync(join(at.dir, base), 200);
  const left = expected.filter((text) => text !== 'in base');
  expect(stored(at)).toEqual(expect.arrayContaining(left));
  open(at, { seam: { alive: () => false } }).compact({ retain });
  expect(stored(at)).toEqual(expect.arrayContaining(left));
});

it('does not fold what a compaction that lost its lock left half done, but clears it up', () => {
  const { at, expected } = furnished();
  writeFileSync(join(at.dir, 'base-0-2-0000000000aa.seg.tmp'), 'half a base');
  writeFileSync(join(at.dir, 'manifest-2-0000000000aa.tmp'), 'half a manifest');
  writeFileSync(join(at.dir, 'base-0-2-0000000000aa.seg'), 'half a base');
  writeFileSync(join(at.dir, 'compact.lock.0000000000aa'), 'half broken');
  const next = open(at, { seam: { alive: () => false } });
  next.compact({ retain });
  expect(stored(at)).toEqual([...expected].sort());
  expect(names(at, /./)).toHaveLength(2);
});
