/** Memory as files of a work tree, both ways. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Author } from '../../../src/memory/entry.ts';
import type { RememberInput } from '../../../src/worker/api.ts';
import type { FilesInput } from '../../../src/worker/filesApi.ts';
import { bytesUnder } from '../support/files.ts';
import { AGENT, openTestStore, PERSON, START, temporaryFolder } from '../support/folder.ts';

const READER = { level: 'RESTRICTED' } as const;

/** One work tree with its memory. `work`: another work tree on the same memory. */
function openFiles(
  defaultLevel: 'PUBLIC' | 'INTERNAL' = 'PUBLIC',
  kept = temporaryFolder(),
  work = temporaryFolder(),
) {
  const clock = { time: START };
  const store = openTestStore(kept, clock, { root: work, defaultLevel });
  const dir = join(work, '.lodeline', 'memory');
  return {
    ...{ clock, store, dir, kept, work },
    remember: (input: Partial<RememberInput> & { key: string }, author: Author = PERSON) =>
      store.remember({ category: 'decision', content: `About ${input.key}`, tags: [], ...input }, author),
    sync: (input: Partial<FilesInput> = {}) => store.files.filesSync({ branch: 'main', ...input }),
    names: () => readdirSync(dir).filter((name) => !name.startsWith('.')),
    read: (name: string) => readFileSync(join(dir, name), 'utf8'),
    write: (name: string, text: string) => {
      mkdirSync(dir, { recursive: true });
      writeFileSync(join(dir, name), text);
    },
    change: (name: string, from: string, to: string) => {
      const text = readFileSync(join(dir, name), 'utf8');
      expect(text).toContain(from);
      writeFileSync(join(dir, name), text.replace(from, to));
    },
    entry: async (key: string) => (await store.fetch([key], READER, false))[0],
    recalled: async (query: string) =>
      (
        await store.recall({ query, filter: {}, limit: 10, count: false, matchesOnly: true }, READER)
      ).results.map(({ entry }) => entry.key),
  };
}

describe('an entry', () => {
  test('of a person gets a file and a line in the index', async () => {
    const files = openFiles();
    await files.remember({ key: 'User Role!', content: 'd' });
    await files.remember({ key: '배포 절차', content: '금요일에는 배포하지 않는다' });
    const report = await files.sync();
    expect(report.written).toEqual(['user-role.md', '배포-절차.md']);
    expect(files.names()).toEqual(['MEMORY.md', 'user-role.md', '배포-절차.md']);
    expect(files.read('MEMORY.md')).toBe(
      '# Memory\n\n- [User Role!](user-role.md) — d\n- [배포 절차](배포-절차.md) — 금요일에는 배포하지 않는다\n',
    );
  });

  test('is left alone where nothing changed', async () => {
    const files = openFiles();
    await files.remember({ key: 'a', content: ' With \r\n spaces \n', tags: ['b', 'a'], ttl: '2027-01-01' });
    await files.sync();
    const before = bytesUnder(files.dir);
    for (const report of [await files.sync(), await files.sync()])
      expect(report).toMatchObject({ written: [], removed: [], changed: [], created: [], problems: [] });
    expect(bytesUnder(files.dir)).toBe(before);
    expect((await files.entry('a'))?.revisions).toEqual([]);
  });

  test('that no person wrote or confirmed is not for others', async () => {
    const files = openFiles();
    await files.remember({ key: 'of-an-agent' }, AGENT);
    await files.remember({ key: 'draft', draft: { confidence: 0.7 } }, AGENT);
    expect((await files.sync()).written).toEqual([]);
    await files.store.edit('of-an-agent', { confirmed: true }, PERSON);
    expect((await files.sync()).written).toEqual(['of-an-agent.md']);
  });

  test('above the folder’s level is never written, whatever its key', async () => {
    const files = openFiles('INTERNAL');
    for (const level of ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL', 'RESTRICTED'] as const)
      await files.remember({ key: 'k', content: `canary at ${level}` }, { ...PERSON, level });
    await files.sync();
    expect(bytesUnder(files.work)).toContain('canary at INTERNAL');
    expect(bytesUnder(files.work)).not.toMatch(/canary at (?:CONFIDENTIAL|RESTRICTED)/);
  });

  test('that an agent added to is written without what nobody has read', async () => {
    const files = openFiles();
    await files.remember({ key: 'a', content: 'Ours' });
    await files.remember({ key: 'a', content: 'Of an agent' }, AGENT);
    await files.remember({ key: 'a', content: 'Of a person' });
    await files.sync();
    expect(files.read('a.md')).toContain('Ours\n\n<!-- lodeline: added -->\n\nOf a person\n');
    expect(files.read('a.md')).not.toContain('Of an agent');
    files.change('a.md', 'Ours\n\n', 'Mine\n\n');
    await files.sync();
    const entry = await files.entry('a');
    expect(entry?.content).toBe('Mine');
    const shown = entry?.revisions.filter(({ addition }) => addition);
    expect(shown?.map(({ text, actor }) => [text, actor])).toEqual(
      expect.arrayContaining([
        ['Of an agent', 'agent'],
        ['Of a person', 'person'],
      ]),
    );
  });

  test('that is forgotten here takes its file with it, and brings it back', async () => {
    const files = openFiles();
    await files.remember({ key: 'a' });
    await files.sync();
    await files.store.forget({ target: 'a', action: 'soft' }, PERSON);
    expect((await files.sync()).removed).toEqual(['a.md']);
    expect(files.read('MEMORY.md')).toContain('(no memories yet)');
    await files.store.forget({ target: 'a', action: 'restore' }, PERSON);
    expect((await files.sync()).written).toEqual(['a.md']);
  });

  test('that is deleted for good leaves no file and no trace in what is kept about files', async () => {
    const files = openFiles();
    await files.remember({ key: 'a', content: 'the canary', tags: ['canarytag'] });
    await files.sync();
    await files.store.forget({ target: 'a', action: 'hard' }, PERSON);
    await files.sync();
    expect(bytesUnder(files.dir) + bytesUnder(join(files.kept, 'store', 'memory'))).not.toContain('canary');
  });
});

test('"Delete Everything" leaves no file behind', async () => {
  const files = openFiles();
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f'])
    await files.remember({ key, content: `the canary ${key}` });
  await files.sync();
  await files.store.eraseAll(PERSON);
  expect(await files.sync()).toMatchObject({ missing: [], created: [] });
  expect(files.names()).toEqual(['MEMORY.md']);
  expect(bytesUnder(files.work)).not.toContain('canary');
});

test('what a writer left that was ended is no memory, and goes', async () => {
  const files = openFiles();
  await files.remember({ key: 'a' });
  await files.sync();
  const draft = '.a.md.123.0badf00d.tmp';
  files.write(draft, '---\nname: half');
  expect(await files.sync()).toMatchObject({ created: [], problems: [] });
  expect(readdirSync(files.dir)).toContain(draft);
  utimesSync(join(files.dir, draft), new Date(0), new Date(0));
  await files.sync();
  expect(readdirSync(files.dir)).not.toContain(draft);
});

describe('a file', () => {
  test('that a person edits changes its entry, whose old text stays', async () => {
    const files = openFiles();
    await files.remember({ key: 'port', content: 'The server listens on 8080', tags: ['net'] });
    await files.sync();
    files.change('port.md', '\nThe server listens on 8080\n', '\nThe server listens on 9090\n');
    files.change('port.md', 'category: decision', 'category: knowledge');
    files.change('port.md', '  - net', '  - tcp');
    expect((await files.sync()).changed).toEqual(['port']);
    const entry = await files.entry('port');
    expect(entry).toMatchObject({
      content: 'The server listens on 9090',
      category: 'knowledge',
      tags: ['tcp'],
      source: 'file',
      confirmed: false,
    });
    expect(entry?.revisions).toMatchObject([{ text: 'The server listens on 8080', addition: false }]);
    expect(await files.recalled('9090')).toEqual(['port']);
    expect((await files.sync()).changed).toEqual([]);
    expect(files.read('MEMORY.md')).toContain('port.md');
  });

  test('that is new becomes an entry, with or without front matter', async () => {
    const files = openFiles();
    files.write('배포.md', '금요일에는 배포하지 않는다\n');
    files.write('role.md', '---\nname: User Role!\ndescription: d\ntype: user\n---\n\nc\n');
    expect((await files.sync()).created).toEqual(['User Role!', '배포']);
    expect(await files.entry('배포')).toMatchObject({
      content: '금요일에는 배포하지 않는다',
      confirmed: false,
    });
    expect(await files.entry('User Role!')).toMatchObject({ content: 'd\n\nc', tags: ['user'] });
    // Nobody's file is rewritten for its looks.
    expect(files.read('role.md')).toBe('---\nname: User Role!\ndescription: d\ntype: user\n---\n\nc\n');
    files.change('role.md', '\nc\n', '\nc2\n');
    await files.sync();
    expect((await files.entry('User Role!'))?.content).toBe('d\n\nc2');
    expect((await files.entry('User Role!'))?.revisions.map(({ text }) => text)).toEqual(['d\n\nc']);
  });

  test('round-trips to another clone', async () => {
    const [a, b] = [openFiles(), openFiles()];
    await a.remember({
      ...{
        key: '캐시 만료',
        content: '캐시는 60초 뒤에 만료된다\n\n자세한 것은 [[redis]]',
        tags: ['캐시'],
        importance: 'high',
      },
      ...{ links: ['redis'], file: 'src/cache.ts:3', pathScope: 'src/**', category: 'bug' },
    });
    await a.remember({ key: '캐시 만료', content: '덧붙임' });
    await a.store.edit('캐시 만료', { pinned: true }, PERSON);
    await a.sync();
    a.clock.time += 1000;
    b.clock.time += 86_400_000;
    for (const name of a.names()) b.write(name, a.read(name));
    await b.sync();
    const [from, to] = [await a.entry('캐시 만료'), await b.entry('캐시 만료')];
    const fields = [
      'id',
      'key',
      'content',
      'category',
      'tags',
      'links',
      'file',
      'pathScope',
      'importance',
      'pinned',
      'created',
    ] as const;
    for (const field of fields) expect(to?.[field]).toEqual(from?.[field]);
    expect(to?.revisions.map(({ text }) => text)).toEqual(['덧붙임']);
    for (const name of a.names()) expect(b.read(name)).toBe(a.read(name));
  });

  test('that is deleted forgets its entry, which comes back with it', async () => {
    const files = openFiles();
    await files.remember({ key: 'a', content: 'Kept' });
    await files.sync();
    const text = files.read('a.md');
    rmSync(join(files.dir, 'a.md'));
    expect((await files.sync()).forgotten).toEqual(['a']);
    expect(await files.entry('a')).toMatchObject({ status: 'forgotten' });
    expect(await files.recalled('Kept')).toEqual([]);
    files.write('a.md', text);
    expect((await files.sync()).restored).toEqual(['a']);
    expect(await files.entry('a')).toMatchObject({ status: 'active', content: 'Kept' });
    expect(await files.recalled('Kept')).toEqual(['a']);
  });

  test('that comes back of what was forgotten on purpose is told of, and stays a file', async () => {
    const files = openFiles();
    await files.remember({ key: 'a', content: 'Wrong' });
    await files.sync();
    const text = files.read('a.md');
    await files.store.forget({ target: 'a', action: 'soft', reason: 'wrong' }, PERSON);
    await files.sync();
    files.write('a.md', text);
    expect((await files.sync()).problems).toMatchObject([{ kind: 'forgotten', file: 'a.md' }]);
    expect(await files.entry('a')).toMatchObject({ status: 'forgotten' });
    files.change('a.md', '\nWrong\n', '\nRight\n');
    expect((await files.sync()).restored).toEqual(['a']);
    expect(await files.entry('a')).toMatchObject({ status: 'active', content: 'Right' });
  });

  test('may be called otherwise', async () => {
    const files = openFiles();
    await files.remember({ key: 'a' });
    await files.sync();
    renameSync(join(files.dir, 'a.md'), join(files.dir, 'other.md'));
    expect(await files.sync()).toMatchObject({ forgotten: [], created: [], written: [] });
    expect(files.names()).toEqual(['MEMORY.md', 'other.md']);
    expect(files.read('MEMORY.md')).toContain('- [a](other.md)');
  });

  test('changed by a person while an agent changed the entry: both texts are shown', async () => {
    const files = openFiles();
    await files.remember({ key: 'a', content: 'First', tags: ['one'] });
    await files.sync();
    files.change('a.md', '\nFirst\n', '\nBy hand\n');
    await files.remember({ key: 'a', content: 'By an agent', replace: true, tags: ['two'] });
    await files.sync();
    const entry = await files.entry('a');
    expect(entry?.content).toBe('By hand');
    expect(entry?.tags).toEqual(expect.arrayContaining(['one', 'two']));
    expect(entry?.revisions.map(({ text, addition }) => [text, addition])).toEqual(
      expect.arrayContaining([
        ['By an agent', true],
        ['First', false],
      ]),
    );
    expect(await files.sync()).toMatchObject({ changed: [], written: [] });
  });

  test('with a secret is taken in without it and left as it is', async () => {
    const files = openFiles();
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    files.write('token.md', `---\nname: token\n---\n\nUse ${secret} here\n`);
    expect((await files.sync()).problems).toMatchObject([{ kind: 'secret', file: 'token.md' }]);
    expect((await files.entry('token'))?.content).not.toContain(secret);
    await files.sync();
    expect(files.read('token.md')).toContain(secret);
    expect(bytesUnder(join(files.kept, 'store'))).not.toContain(secret);
  });

  test.each([
    ['---\nname: [\n---\nx', 'unreadable'],
    ['---\nname: a\n---\n', 'unreadable'],
    ['---\nname: a\nlevel: RESTRICTED\n---\nx', 'level'],
    [`---\nname: ${'n'.repeat(300)}\n---\nx`, 'unreadable'],
    [Buffer.from([0xff, 0xfe, 0x41]), 'unreadable'],
  ])('%j is told of and loses nothing', async (text, kind) => {
    const files = openFiles();
    await files.remember({ key: 'a', content: 'Kept' });
    await files.sync();
    writeFileSync(join(files.dir, 'a.md'), text);
    expect((await files.sync()).problems).toMatchObject([{ kind, file: 'a.md' }]);
    expect(await files.entry('a')).toMatchObject({ status: 'active', content: 'Kept' });
    expect(readFileSync(join(files.dir, 'a.md'))).toEqual(Buffer.from(text as string));
  });

  test('of an entry that has one already is told of', async () => {
    const files = openFiles();
    await files.remember({ key: 'a', content: 'Kept' });
    await files.sync();
    files.write('A copy.md', files.read('a.md').replace('\nKept\n', '\nOther\n'));
    expect((await files.sync()).problems).toMatchObject([{ kind: 'same-name', file: 'A copy.md' }]);
    const entry = await files.entry('a');
    expect(entry?.content).toBe('Kept');
    // It may be gone before anybody has decided.
    expect(entry?.revisions).toMatchObject([{ text: 'Other', addition: false }]);
    await files.sync();
    expect((await files.entry('a'))?.revisions).toHaveLength(1);
  });
});

describe('links', () => {
  test.each(['.lodeline', join('.lodeline', 'memory')])('%s is not followed', async (name) => {
    const files = openFiles();
    const elsewhere = temporaryFolder();
    mkdirSync(join(files.work, name, '..'), { recursive: true });
    symlinkSync(elsewhere, join(files.work, name));
    await files.remember({ key: 'a' });
    expect((await files.sync()).problems).toMatchObject([{ kind: 'link' }]);
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test('in the folder are neither read nor written through', async () => {
    const files = openFiles();
    const target = join(temporaryFolder(), 'target.md');
    writeFileSync(target, '---\nname: a\n---\nstolen');
    mkdirSync(files.dir, { recursive: true });
    for (const name of ['a.md', 'MEMORY.md']) symlinkSync(target, join(files.dir, name));
    await files.remember({ key: 'a', content: 'Ours' });
    const { problems } = await files.sync();
    expect(problems.map(({ kind, file }) => [kind, file])).toEqual([
      ['link', 'a.md'],
      ['link', 'MEMORY.md'],
    ]);
    expect(readFileSync(target, 'utf8')).toContain('stolen');
    expect((await files.entry('a'))?.content).toBe('Ours');
    // It gets a name of its own.
    expect(files.names()).toEqual(expect.arrayContaining([expect.stringMatching(/^a-[0-9a-z]{8}\.md$/)]));
  });
});

describe('many files that are gone at once', () => {
  async function withSix() {
    const files = openFiles();
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) await files.remember({ key });
    await files.sync();
    return files;
  }

  test('are a question, until which nothing happens', async () => {
    const files = await withSix();
    for (const key of ['a', 'b', 'c', 'd']) rmSync(join(files.dir, `${key}.md`));
    for (const report of [await files.sync(), await files.sync()])
      expect(report).toMatchObject({ missing: ['a', 'b', 'c', 'd'], forgotten: [], written: [] });
    expect(await files.entry('a')).toMatchObject({ status: 'active' });
  });

  test('are forgotten or written again as the person says', async () => {
    const files = await withSix();
    rmSync(files.dir, { recursive: true });
    expect((await files.sync()).missing).toHaveLength(6);
    expect(existsSync(files.dir)).toBe(false);
    expect((await files.sync({ missing: 'restore' })).written).toHaveLength(6);
    rmSync(files.dir, { recursive: true });
    expect((await files.sync({ missing: 'forget' })).forgotten).toHaveLength(6);
    expect(await files.entry('a')).toMatchObject({ status: 'forgotten' });
    expect(await files.sync()).toMatchObject({ missing: [], written: [] });
  });

  test('are written again also where nobody has confirmed what they say', async () => {
    const files = openFiles();
    files.write('a.md', 'By hand');
    await files.sync();
    rmSync(files.dir, { recursive: true });
    expect((await files.sync()).missing).toEqual(['a']);
    expect((await files.sync({ missing: 'restore' })).written).toEqual(['a.md']);
    expect(files.read('a.md')).toContain('By hand');
    expect(await files.sync()).toMatchObject({ missing: [], changed: [], created: [] });
  });

  test('and come back are as if nothing had been', async () => {
    const files = await withSix();
    renameSync(files.dir, `${files.dir}-away`);
    await files.sync();
    renameSync(`${files.dir}-away`, files.dir);
    expect(await files.sync()).toMatchObject({ missing: [], forgotten: [], restored: [], changed: [] });
  });

  test('one by one are deleted', async () => {
    const files = await withSix();
    for (const key of ['a', 'b', 'c']) rmSync(join(files.dir, `${key}.md`));
    expect((await files.sync()).forgotten).toEqual(['a', 'b', 'c']);
  });
});

describe('several at it', () => {
  test('one process at a time looks at a work tree', async () => {
    const files = openFiles();
    await files.remember({ key: 'a' });
    const other = openTestStore(files.kept, files.clock, { root: files.work });
    const reports = await Promise.all([files.sync(), other.files.filesSync({ branch: 'main' })]);
    expect(reports.map(({ isBusy }) => isBusy).sort()).toEqual([false, true]);
    expect(await other.files.filesSync({ branch: 'main' })).toMatchObject({
      isBusy: false,
      created: [],
      written: [],
    });
    expect(files.names()).toEqual(['MEMORY.md', 'a.md']);
  });

  test('a lock whose process is gone does not last', async () => {
    const files = openFiles();
    await files.remember({ key: 'a' });
    await files.sync();
    const dir = join(files.kept, 'store', 'memory', 'files');
    const [state = ''] = readdirSync(dir).filter((name) => name.endsWith('.json'));
    writeFileSync(
      join(dir, state.replace(/json$/, 'lock')),
      JSON.stringify({ pid: 2 ** 30, host: (await import('node:os')).hostname(), at: Date.now() }),
    );
    expect((await files.sync()).isBusy).toBe(false);
  });

  test('work trees on one memory each have their own files', async () => {
    const first = openFiles();
    const second = openFiles('PUBLIC', first.kept);
    await first.remember({ key: 'a', content: 'Shared' });
    await first.sync();
    expect((await second.sync()).written).toEqual(['a.md']);
    second.change('a.md', '\nShared\n', '\nChanged\n');
    await second.sync();
    expect((await first.entry('a'))?.content).toBe('Changed');
    // Nobody has confirmed it yet, so it is not written anywhere else.
    expect((await first.sync()).written).toEqual([]);
    await first.store.edit('a', { confirmed: true }, PERSON);
    expect((await first.sync()).written).toEqual(['a.md']);
    expect(first.read('a.md')).toContain('\nChanged\n');
  });

  test('a file that changes as it is written waits for the next look', async () => {
    const files = openFiles();
    await files.remember({ key: 'a', content: 'One' });
    await files.sync();
    await files.remember({ key: 'a', content: 'Two', replace: true });
    // Between reading and writing somebody saves the file.
    const running = files.sync();
    writeFileSync(join(files.dir, 'a.md'), files.read('a.md').replace('\nOne\n', '\nThree\n'));
    await running;
    expect(files.read('a.md')).toContain('\nThree\n');
    await files.sync();
    const entry = await files.entry('a');
    expect([entry?.content, ...(entry?.revisions ?? []).map(({ text }) => text)]).toEqual(
      expect.arrayContaining(['One', 'Two', 'Three']),
    );
  });

  test('what was kept about files can be lost', async () => {
    const files = openFiles();
    await files.remember({ key: 'a', content: 'One' });
    await files.remember({ key: 'b', content: 'Old' });
    await files.sync();
    rmSync(join(files.kept, 'store', 'memory', 'files'), { recursive: true });
    await files.remember({ key: 'b', content: 'New', replace: true });
    files.change('a.md', '\nOne\n', '\nEdited\n');
    expect(await files.sync()).toMatchObject({ changed: ['a'], written: ['a.md', 'b.md'] });
    expect(files.read('b.md')).toContain('\nNew\n');
  });
});
