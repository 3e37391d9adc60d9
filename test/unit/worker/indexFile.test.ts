import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Author } from '../../../src/memory/entry.ts';
import { IndexFile } from '../../../src/worker/indexFile.ts';
import type { StoreService } from '../../../src/worker/service.ts';
import { bytesUnder } from '../support/files.ts';
import { AGENT, openTestStore, PERSON, START, temporaryFolder } from '../support/folder.ts';

/** Enough that the index is worth saving. */
const MANY = 1100;
const SECRET: Author = { ...AGENT, level: 'CONFIDENTIAL' };

const memoryDir = (folder: string) => join(folder, 'store', 'memory');
const indexFile = (folder: string) => join(memoryDir(folder), 'index.bin');

async function fill(folder: string): Promise<void> {
  const store = openTestStore(folder);
  const entries = Array.from({ length: MANY }, (_, at) => ({
    category: 'knowledge' as const,
    key: `note-${at}`,
    content: `The pool number ${at} uses ${at % 7 === 0 ? 'redis' : 'postgres'} with shard${at % 50}`,
    tags: ['pool'],
  }));
  await store.care.importEntries(entries, false, AGENT);
  await store.care.importEntries(
    entries.slice(0, 5).map((entry) => ({ ...entry, content: 'a quetzalcoatl in the vault' })),
    false,
    SECRET,
  );
  await store.close();
}

async function remember(store: StoreService, key: string, content: string): Promise<void> {
  await store.remember({ category: 'knowledge', key, content, replace: true }, AGENT);
}

const QUERIES = ['redis shard7', 'note-42', 'postgres', 'quetzalcoatl', 'axolotl', 'shrad12 redis'];

async function answers(store: StoreService) {
  const all = [];
  for (const query of QUERIES)
    for (const { level } of [AGENT, SECRET])
      all.push(await store.recall({ query, filter: {}, limit: 20, count: false }, { level }));
  return all;
}

/** What the folder answers, with and without the file that is there now. */
async function expectSameWithout(folder: string): Promise<void> {
  const file = readFileSync(indexFile(folder));
  const having = openTestStore(folder);
  const found = await answers(having);
  await having.close();
  new IndexFile(memoryDir(folder), () => false).discard();
  const lacking = openTestStore(folder);
  expect(found).toEqual(await answers(lacking));
  await lacking.close();
  writeFileSync(indexFile(folder), file);
}

describe('the file of the index', () => {
  it('is there for the owner only, once there is much to index, and holds no sealed word', async () => {
    const folder = temporaryFolder();
    await fill(folder);
    expect(statSync(indexFile(folder)).mode & 0o777).toBe(0o600);
    expect(readdirSync(memoryDir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    const bytes = readFileSync(indexFile(folder), 'latin1');
    expect(bytes).toContain('postgr');
    expect(bytes).not.toContain('quetzalcoatl');
  });

  it('changes no answer: as saved, behind by changes of every kind, and after them', async () => {
    const folder = temporaryFolder();
    await fill(folder);
    await expectSameWithout(folder);
    const saved = readFileSync(indexFile(folder));
    const store = openTestStore(folder);
    await remember(store, 'note-3', 'An axolotl instead of redis');
    await remember(store, 'note-new', 'Another axolotl in shard7');
    await store.edit('note-42', { pinned: true, addTags: ['redis'] }, PERSON);
    await store.forget({ target: 'note-7', action: 'soft' }, AGENT);
    await store.forget({ target: 'note-14', action: 'supersede', newKey: 'note-new' }, AGENT);
    await store.close();
    expect(readFileSync(indexFile(folder)).equals(saved)).toBe(true);
    await expectSameWithout(folder);
  });

  it('is not believed when it is damaged', async () => {
    const folder = temporaryFolder();
    await fill(folder);
    const whole = readFileSync(indexFile(folder));
    const intact = openTestStore(folder);
    const expected = await answers(intact);
    await intact.close();
    const at = (share: number) => Math.floor(share * (whole.length - 1));
    const damaged = [0, 0.2, 0.5, 0.8, 1].flatMap((share) => {
      const flipped = Buffer.from(whole);
      flipped[at(share)] = (flipped[at(share)] ?? 0) ^ 1;
      return [flipped, whole.subarray(0, at(share))];
    });
    for (const bytes of damaged) {
      writeFileSync(indexFile(folder), bytes);
      const store = openTestStore(folder);
      expect(existsSync(indexFile(folder))).toBe(false);
      expect(await answers(store)).toEqual(expected);
    }
  });

  it('goes when it holds words of a level that is sealed by now', async () => {
    const folder = temporaryFolder();
    const open = openTestStore(folder, { time: START }, { defaultLevel: 'CONFIDENTIAL' });
    const entries = Array.from({ length: MANY }, (_, at) => ({
      category: 'knowledge' as const,
      key: `note-${at}`,
      content: 'quetzalcoatl',
    }));
    await open.care.importEntries(entries, false, SECRET);
    await open.close();
    expect(readFileSync(indexFile(folder), 'latin1')).toContain('quetzalcoatl');
    openTestStore(folder);
    expect(existsSync(indexFile(folder))).toBe(false);
  });
});

describe('deleting for good', () => {
  const gone = (folder: string) => {
    const bytes = bytesUnder(folder);
    return !bytes.includes('axolotl') && !bytes.includes('secret-note');
  };
  const withSecret = async () => {
    const folder = temporaryFolder();
    const first = openTestStore(folder);
    await remember(first, 'secret-note', 'An axolotl');
    await first.close();
    await fill(folder);
    expect(readFileSync(indexFile(folder), 'latin1')).toContain('axolotl');
    return folder;
  };
  const erase = (store: StoreService) => store.forget({ target: 'secret-note', action: 'hard' }, PERSON);

  it('leaves no word in any file when it returns', async () => {
    const folder = await withSecret();
    await erase(openTestStore(folder));
    expect(gone(folder)).toBe(true);
  });

  it('leaves none when everything goes', async () => {
    const folder = await withSecret();
    await openTestStore(folder).eraseAll(PERSON);
    expect(gone(folder)).toBe(true);
  });

  it('lets no other process bring one back that had it in memory', async () => {
    const folder = await withSecret();
    const other = openTestStore(folder);
    await other.care.importEntries(
      Array.from({ length: MANY }, (_, at) => ({
        category: 'knowledge' as const,
        key: `more-${at}`,
        content: 'm',
      })),
      false,
      AGENT,
    );
    await erase(openTestStore(folder));
    await other.close();
    expect(existsSync(indexFile(folder))).toBe(true);
    expect(gone(folder)).toBe(true);
  });

  it('overtakes whoever is just saving the index', async () => {
    const folder = await withSecret();
    const file = new IndexFile(memoryDir(folder), () => false);
    const saved = file.read('0.') ?? { position: '', shelves: [] };
    const written = file.write(() => {
      new IndexFile(memoryDir(folder), () => false).discard();
      return saved;
    });
    expect(written).toBe(false);
    expect(readdirSync(memoryDir(folder)).filter((name) => name.startsWith('index'))).toEqual([]);
  });

  it('takes away what a killed process left of it', async () => {
    const folder = await withSecret();
    const before = readFileSync(indexFile(folder));
    await erase(openTestStore(folder));
    // Killed after the journal was rewritten, before the files were removed.
    for (const left of [['index.bin'], ['index-0123.tmp'], ['index.bin', 'index-0123.tmp']]) {
      for (const name of left) writeFileSync(join(memoryDir(folder), name), before);
      openTestStore(folder);
      expect(gone(folder)).toBe(true);
    }
  });
});
