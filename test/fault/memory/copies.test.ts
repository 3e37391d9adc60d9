/** Whoever copies a memory or puts a copy back may be killed at any moment: the memory and every copy stay whole. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { KeyRing } from '../../../src/journal/keys.ts';
import { Copies } from '../../../src/memory/copies.ts';
import type { Author, Entry } from '../../../src/memory/entry.ts';
import { AGENT, DAY, openTestStore, START } from '../../unit/support/folder.ts';
import type { ChildOptions } from './copiesChild.ts';

const SOAK = process.env.LODELINE_SOAK === '1';
/** Moments of each role at which its process dies; all of them in a soak. */
const DEATHS = SOAK ? Number.POSITIVE_INFINITY : 8;
const ENTRIES = 12;
const EVERYBODY: Author = { ...AGENT, actor: 'person', level: 'RESTRICTED' };
const NOW = START + 2 * DAY;

const base = mkdtempSync(join(tmpdir(), 'lodeline-copies-'));
// Inside the project, where what stays outside of the bundle is found.
const programs = mkdtempSync(join(import.meta.dirname, '../../../node_modules/.fault-copies-'));
const program = join(programs, 'child.mjs');
const seed = join(base, 'seed');
let first = '';

beforeAll(async () => {
  await build({
    ...{ entryPoints: [join(import.meta.dirname, 'copiesChild.ts')], outfile: program, bundle: true },
    ...{ packages: 'external', platform: 'node', format: 'esm', logLevel: 'silent' },
  });
});
afterAll(() => {
  for (const folder of [base, programs]) rmSync(folder, { recursive: true, force: true });
});

/** A memory with a sealed half, ten backups and a snapshot, all of it changed since the first of them. */
async function makeSeed(): Promise<void> {
  const clock = { time: START };
  const store = openTestStore(seed, clock);
  const save = async (round: string): Promise<void> => {
    for (let at = 0; at < ENTRIES; at++)
      await store.remember(
        {
          category: 'knowledge',
          key: `k-${at}`,
          content: `${round} text of ${at}`,
          replace: true,
          links: [],
        },
        { ...AGENT, level: at % 2 === 0 ? 'PUBLIC' : 'CONFIDENTIAL' },
      );
  };
  await save('first');
  await store.setSummary('a.ts', 'about a', AGENT);
  first = (await store.care.copy('backup', EVERYBODY)).name;
  await store.care.copy('snapshot', EVERYBODY);
  clock.time += 1000;
  await save('second');
  for (let at = 0; at < 9; at++) {
    clock.time += 1000;
    await store.care.copy('backup', EVERYBODY);
  }
  await store.close();
}

function copiesIn(folder: string): Copies {
  return new Copies({
    dir: join(folder, 'store', 'memory', 'copies'),
    keys: new KeyRing({ dir: join(folder, 'keys') }),
    sealed: (level) => level !== 'PUBLIC',
    now: () => NOW,
  });
}

function run(options: ChildOptions): { name: string; steps: number; killed: boolean } {
  const { stdout, stderr, signal, status } = spawnSync(process.execPath, [program, JSON.stringify(options)], {
    encoding: 'utf8',
  });
  expect({ status, signal, stderr }).toMatchObject(
    options.dieAt === undefined ? { status: 0 } : { signal: 'SIGKILL' },
  );
  return { name: stdout, steps: Number(/steps (\d+)/.exec(stderr)?.[1]), killed: signal === 'SIGKILL' };
}

const textsOf = (entries: readonly Pick<Entry, 'key' | 'content'>[]) =>
  Object.fromEntries(entries.map(({ key, content }) => [key, content]));

it.each(['backup', 'snapshot', 'restore'] as const)(
  'a %s that is killed at any write harms neither the memory nor a copy',
  async (role) => {
    if (first === '') await makeSeed();
    const before = copiesIn(seed).list('RESTRICTED');
    const name = role === 'restore' ? first : undefined;
    const whole = join(base, `${role}-whole`);
    cpSync(seed, whole, { recursive: true });
    const { steps } = run({ role, folder: whole, name, now: NOW });
    expect(steps).toBeGreaterThan(3);

    const stride = Math.max(1, Math.ceil((steps * 3) / DEATHS));
    for (let death = 0; death < steps * 3; death += stride) {
      const how = (['before', 'within', 'after'] as const)[death % 3];
      const folder = join(base, `${role}-${death}`);
      cpSync(seed, folder, { recursive: true });
      const { name: told } = run({ role, folder, name, now: NOW, dieAt: 1 + Math.floor(death / 3), how });

      const copies = copiesIn(folder);
      const listed = copies.list('RESTRICTED');
      // Every copy that is offered is all there, and none that was there gave way to one that is not.
      for (const copy of listed) {
        const { lines, unreadable } = copies.read(copy.name, 'RESTRICTED');
        expect({ death, unreadable, lines: lines.length }).toEqual({
          death,
          unreadable: 0,
          lines: ENTRIES + 1,
        });
      }
      const fresh = listed.filter(({ name: each }) => !before.some((old) => old.name === each));
      const backups = listed.filter(({ kind }) => kind === 'backup');
      expect(fresh.length).toBeLessThanOrEqual(1);
      expect(backups.length).toBeGreaterThanOrEqual(10);
      if (told !== '') expect(fresh.map((copy) => copy.name)).toEqual([told]);

      const store = openTestStore(folder, { time: NOW });
      const texts = textsOf(await store.exportAll(EVERYBODY));
      const rounds = [...Array(ENTRIES).keys()].map((at) => texts[`k-${at}`]?.split(' ')[0]);
      const allowed = role === 'restore' ? ['first', 'second'] : ['second'];
      expect({ death, rounds: rounds.filter((round) => !allowed.includes(round ?? '')) }).toEqual({
        death,
        rounds: [],
      });
      expect(await store.summaries(EVERYBODY)).toEqual({ 'a.ts': 'about a' });
      expect((await store.damage()).filter(({ reason }) => reason !== 'torn')).toEqual([]);

      // What was begun can be done again, and ends as if nothing had happened.
      if (role === 'restore') {
        await store.care.restore(first, EVERYBODY);
        const again = Object.values(textsOf(await store.exportAll(EVERYBODY)));
        expect(again.every((text) => text.startsWith('first'))).toBe(true);
      } else {
        expect((await store.care.copy('backup', EVERYBODY)).kept).toBe(10);
      }
      await store.close();
      rmSync(folder, { recursive: true });
    }
    expect(
      readdirSync(join(whole, 'store', 'memory', 'copies')).filter((each) => each.endsWith('.tmp')),
    ).toEqual([]);
  },
);
