/** Files that nobody would write, and some that people do. */
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openTestStore, PERSON, START, temporaryFolder } from '../support/folder.ts';

const READER = { level: 'RESTRICTED' } as const;

function openFiles() {
  const [kept, work] = [temporaryFolder(), temporaryFolder()];
  const store = openTestStore(kept, { time: START }, { root: work });
  const dir = join(work, '.lodeline', 'memory');
  mkdirSync(dir, { recursive: true });
  return {
    ...{ store, dir, kept, work },
    sync: () => store.files.filesSync({ branch: 'main' }),
    names: () => readdirSync(dir).filter((name) => !name.startsWith('.')),
    read: (name: string) => readFileSync(join(dir, name), 'utf8'),
    write: (name: string, text: string | Buffer) => writeFileSync(join(dir, name), text),
    remember: (key: string, content = `About ${key}`) =>
      store.remember({ category: 'decision', key, content, tags: [], replace: true }, PERSON),
    entry: async (key: string) => (await store.fetch([key], READER, false))[0],
    keys: async () => (await store.exportAll(READER)).map(({ key }) => key).sort(),
  };
}

describe('too much or something else', () => {
  const nested = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...[...'bcdefghi'].map((name, at) => {
      const before = 'abcdefgh'[at];
      return `${name}: &${name} [${Array(9).fill(`*${before}`).join(',')}]`;
    }),
  ].join('\n');

  test.each([
    ['10 MB', Buffer.alloc(10 * 1024 * 1024, 'a '), 'too-long'],
    ['more characters than a memory may have', 'a'.repeat(1_000_001), 'too-long'],
    ['bytes that are no text', Buffer.from(Array.from({ length: 4096 }, (_, at) => at % 256)), 'unreadable'],
    ['text of another encoding', Buffer.from('\uFEFF기억', 'utf16le'), 'unreadable'],
    ['a nest of lists', `---\nname: a\nx: ${nested}\n---\nc\n`, 'unreadable'],
    ['a bomb of aliases', `---\nname: a\n${bomb}\n---\nc\n`, 'unreadable'],
    ['a list for front matter', '---\n- a\n- b\n---\nc\n', 'unreadable'],
    ['a sentence for front matter', '---\nJust a sentence.\n---\nc\n', 'unreadable'],
    ['a field twice', '---\nname: a\nname: b\n---\nc\n', 'unreadable'],
    ['an alias of nothing', '---\nname: *nothing\n---\nc\n', 'unreadable'],
    ['front matter without an end', `---\nname: a\n${'x: y\n'.repeat(40_000)}---\nc\n`, 'unreadable'],
  ] as const)('%s is told of, changes nothing and stays', async (_what, bytes, kind) => {
    const files = openFiles();
    await files.remember('a', 'Kept');
    await files.sync();
    files.write('a.md', bytes as string);
    files.write('b.md', 'Beside it\n');
    const report = await files.sync();
    expect(report.problems).toMatchObject([{ kind, file: 'a.md' }]);
    expect(report.created).toEqual(['b']);
    expect(await files.entry('a')).toMatchObject({ status: 'active', content: 'Kept', revisions: [] });
    expect(readFileSync(join(files.dir, 'a.md')).equals(Buffer.from(bytes as string))).toBe(true);
    expect(files.names()).toEqual(['MEMORY.md', 'a.md', 'b.md']);
  });

  test('fields of others are kept as they are, with aliases, tags and names of objects', async () => {
    const files = openFiles();
    files.write(
      'a.md',
      '---\nname: a\nowner: &o {kim: [1, 0x10]}\nalso: *o\n__proto__: x\n"constructor": !!js/function y\n---\nc\n',
    );
    await files.sync();
    await files.store.edit('a', { content: 'c2' }, PERSON);
    expect((await files.sync()).written).toEqual(['a.md']);
    const text = files.read('a.md');
    for (const part of ['kim', '0x10', '__proto__: x', 'constructor: y', '\nc2\n'])
      expect(text).toContain(part);
    expect({}).not.toHaveProperty('x');
    expect((await files.sync()).problems).toEqual([]);
  });

  test.each([
    ['blanks before its last letter', `a${' '.repeat(900_000)}b\n`],
    ['blanks on every line', `a${' \n'.repeat(400_000)}b\n`],
    ['brackets', `${']('.repeat(400_000)}\n`],
    ['marks of a merge', `${'<<<<<<< a\n=======\n'.repeat(40_000)}b\n`],
    ['dashes', `---\n---\n${'-'.repeat(900_000)}x\n`],
  ])(
    'nearly a million %s do not keep it busy',
    async (_what, text) => {
      const files = openFiles();
      files.write('long.md', text);
      files.write('MEMORY.md', `- [${text}`);
      expect((await files.sync()).created).toEqual(['long']);
      expect((await files.sync()).problems).toEqual([]);
    },
    60_000,
  );

  test('a memory whose texts are more than a file may hold has none, and says so', async () => {
    const files = openFiles();
    for (const letter of ['가', '나'])
      await files.store.remember(
        { category: 'decision', key: 'long', content: letter.repeat(900_000), tags: [] },
        PERSON,
      );
    await files.remember('short');
    const report = await files.sync();
    expect(report.problems).toMatchObject([{ kind: 'too-long', file: 'long.md' }]);
    expect(report.written).toEqual(['short.md']);
    expect(files.names()).toEqual(['MEMORY.md', 'short.md']);
  });
});

describe('names', () => {
  test('in decomposed Hangul are the composed ones', async () => {
    const files = openFiles();
    files.write('배포.md'.normalize('NFD'), '금요일은 피한다\n');
    files.write('b.md', `---\nname: ${'롤백'.normalize('NFD')}\n---\n이전 판으로\n`);
    await files.sync();
    expect(await files.keys()).toEqual(['롤백', '배포']);
    await files.store.edit('배포', { content: '화요일에 한다' }, PERSON);
    const { written } = await files.sync();
    expect(written).toEqual(['배포.md'.normalize('NFD')]);
    expect(files.names()).toHaveLength(3);
    // A file system that composes names is no change.
    renameSync(join(files.dir, '배포.md'.normalize('NFD')), join(files.dir, '배포.md'));
    expect(await files.sync()).toMatchObject({ created: [], forgotten: [], changed: [] });
  });

  test('of keys that differ in case alone, or are the same on some file system, are not the same file', async () => {
    const files = openFiles();
    for (const key of ['Deploy', 'deploy!', 'DEPLOY?', 'déploy', 'de\u0301ploy.']) await files.remember(key);
    await files.sync();
    const folded = files.names().map((name) => name.normalize('NFC').toLowerCase());
    expect(new Set(folded).size).toBe(folded.length);
    expect(folded.length - 1).toBe((await files.keys()).length);
    for (const name of files.names().filter((each) => each !== 'MEMORY.md'))
      expect(files.read('MEMORY.md')).toContain(`](${name})`);
    expect(await files.sync()).toMatchObject({ written: [], created: [], changed: [], problems: [] });
  });

  test('that Windows keeps for itself, or cuts, are not used', async () => {
    const files = openFiles();
    const keys = [
      'CON',
      'nul',
      'com1',
      'COM²',
      'lpt9.txt',
      'aux...',
      'ends with dots...',
      'space ',
      ' .. ',
      'a:b',
      'c\\d',
    ];
    for (const key of keys) await files.remember(key);
    await files.sync();
    for (const name of files.names()) {
      expect(name).not.toMatch(/^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])\./i);
      expect(name).not.toMatch(/[. ]\.md$|[<>:"/\\|?*]/);
    }
    expect(files.names()).toHaveLength(keys.length + 1);
    const other = openFiles();
    for (const name of files.names()) other.write(name, files.read(name));
    await other.sync();
    expect(await other.keys()).toEqual(await files.keys());
  });

  test('that differ in case alone in the folder are each a file, and the same entry’s is told of', async () => {
    const files = openFiles();
    files.write('Note.md', '---\nname: note\n---\nOne\n');
    files.write('note.md', '---\nname: note\n---\nTwo\n');
    const { problems, created } = await files.sync();
    expect(created).toEqual(['note']);
    expect(problems).toMatchObject([{ kind: 'same-name' }]);
    expect(files.names()).toEqual(['MEMORY.md', 'Note.md', 'note.md']);
  });
});

describe('lines', () => {
  test('of Windows, with a mark at the beginning, are no change', async () => {
    const files = openFiles();
    await files.remember('a', 'One\nTwo');
    await files.sync();
    files.write('a.md', `\uFEFF${files.read('a.md').replaceAll('\n', '\r\n')}`);
    expect(await files.sync()).toMatchObject({ changed: [], written: [], problems: [] });
    files.write('a.md', files.read('a.md').replace('Two', 'Three'));
    expect((await files.sync()).changed).toEqual(['a']);
    expect((await files.entry('a'))?.content).toBe('One\nThree');
  });

  test.each(['\n', '\r\n'])('of a merge in the front matter keep both sides (%j)', async (end) => {
    const files = openFiles();
    await files.remember('a', 'Kept');
    await files.sync();
    const text = files
      .read('a.md')
      .replace('name: a\n', '<<<<<<< HEAD\nname: a\n||||||| base\nname: x\n=======\nname: b\n>>>>>>> other\n')
      .replaceAll('\n', end);
    files.write('a.md', text);
    expect((await files.sync()).problems).toMatchObject([{ kind: 'conflict', file: 'a.md' }]);
    expect(files.read('a.md')).toBe(text);
    expect(await files.keys()).toEqual(['a', 'b']);
    expect(await files.entry('a')).toMatchObject({ status: 'active', content: 'Kept' });
  });

  test('of a merge that cannot be read lose nothing', async () => {
    const files = openFiles();
    await files.remember('a', 'Kept');
    await files.sync();
    files.write('a.md', '<<<<<<< HEAD\n---\nname: a\n=======\n---\nname: [\n>>>>>>> other\nc\n');
    const { problems } = await files.sync();
    expect(problems.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['conflict', 'unreadable']));
    expect(await files.entry('a')).toMatchObject({ status: 'active', content: 'Kept' });
  });
});

test('a conflict confirms nothing and takes no confirmation away', async () => {
  const files = openFiles();
  await files.remember('ours', 'Ours');
  files.write('theirs.md', 'Theirs\n');
  await files.sync();
  for (const name of ['ours.md', 'theirs.md'])
    files.write(name, `${files.read(name)}<<<<<<< HEAD\nx\n=======\nSmuggled in\n>>>>>>> other\n`);
  await files.sync();
  expect(await files.entry('ours')).toMatchObject({ content: 'Ours', confirmed: true, source: 'panel' });
  expect(await files.entry('theirs')).toMatchObject({ content: 'Theirs', confirmed: false, source: 'file' });
});

test('the index repeats nothing of a file that holds a secret, or is above the level of the folder', async () => {
  const files = openFiles();
  const token = `ghp_${'0123456789abcdefghij'.repeat(2).slice(0, 36)}`;
  files.write('body.md', `The token is ${token}\n`);
  files.write('head.md', `---\nname: ${token}\ndescription: ${token}\n---\nText\n`);
  files.write('sides.md', `<<<<<<< HEAD\n${token}\n=======\nx\n>>>>>>> other\n`);
  files.write(
    'above.md',
    '---\nname: Merger\ndescription: We buy them\nlevel: RESTRICTED\n---\nWe buy them\n',
  );
  files.write('plain.md', 'Plain words\n');
  for (const _ of [1, 2]) {
    await files.sync();
    expect(files.read('MEMORY.md').split('\n').slice(2, -1)).toEqual([
      '- [above](above.md)',
      '- [body](body.md)',
      '- [head](head.md)',
      '- [plain](plain.md) — Plain words',
      '- [sides](sides.md)',
    ]);
  }
});

describe('links', () => {
  test('that leave the folder are neither followed nor replaced, of whatever kind', async () => {
    const files = openFiles();
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'secret.md'), 'Secret of elsewhere\n');
    mkdirSync(join(outside, 'notes'));
    symlinkSync(join(outside, 'secret.md'), join(files.dir, 'file.md'));
    symlinkSync(join(outside, 'notes'), join(files.dir, 'folder.md'));
    symlinkSync(join(outside, 'nothing'), join(files.dir, 'dangling.md'));
    symlinkSync('file.md', join(files.dir, 'inside.md'));
    mkdirSync(join(files.dir, 'real.md'));
    for (const name of ['file', 'folder', 'dangling', 'inside', 'real']) await files.remember(name);
    const { problems } = await files.sync();
    expect(problems.map(({ kind, file }) => `${kind} ${file}`)).toEqual(
      ['dangling', 'file', 'folder', 'inside', 'real'].map((name) => `link ${name}.md`),
    );
    expect(JSON.stringify(await files.store.exportAll(READER))).not.toContain('Secret of elsewhere');
    expect(readFileSync(join(outside, 'secret.md'), 'utf8')).toBe('Secret of elsewhere\n');
    expect(readdirSync(outside).sort()).toEqual(['notes', 'secret.md']);
    expect(readdirSync(join(outside, 'notes'))).toEqual([]);
    // The entries have files of their own, and the list does not lead to what the links do.
    expect(files.names().filter((name) => /-[0-9a-z]{8}\.md$/.test(name))).toHaveLength(5);
    expect(files.read('MEMORY.md')).not.toMatch(/\((?:file|folder|dangling|inside|real)\.md\)/);
  });
});
