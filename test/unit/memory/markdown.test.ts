/** The Markdown of memory: names, files, the index, what git leaves. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sidesOf } from '../../../src/memory/markdownConflict.ts';
import {
  comparable,
  contentOf,
  type FileEntry,
  fileText,
  type ReadFile,
  readFileText,
} from '../../../src/memory/markdownFile.ts';
import { indexOf } from '../../../src/memory/markdownIndex.ts';
import { fileNameOf, foldName, isEntryFile, slugOf } from '../../../src/memory/markdownName.ts';

const ENTRY: FileEntry & { created: number } = {
  key: 'use-zod',
  level: 'PUBLIC',
  content: 'Use Zod for validation',
  additions: [],
  category: 'decision',
  tags: ['api'],
  links: [],
  file: '',
  pathScope: '',
  importance: undefined,
  pinned: false,
  expires: undefined,
  created: Date.parse('2026-07-12T09:00:00Z'),
};

function readBack(entry: Partial<typeof ENTRY>): ReadFile {
  const read = readFileText(fileText({ ...ENTRY, ...entry }, 'PUBLIC'));
  if (typeof read === 'string') throw new Error(read);
  return read;
}

describe('names', () => {
  const name = (key: string, taken: string[] = []) =>
    fileNameOf(key, 'abcd1234', (each) => taken.includes(each));

  test('are words with dashes, in every script', () => {
    expect(name('User Role!')).toBe('user-role.md');
    expect(name('배포 절차')).toBe('배포-절차.md');
    expect(name('롤백 절차')).not.toBe(name('배포 절차'));
    expect(name('C++ / Δείκτης')).toBe('c-δείκτης.md');
  });

  test('are the same however a key is composed', () => {
    expect(name('배포'.normalize('NFD'))).toBe(name('배포'));
    expect(foldName('Å.MD')).toBe(foldName('å.md'.normalize('NFD')));
  });

  test.each(['con', 'NUL', 'com1', 'LPT9', 'memory', 'MEMORY'])('leave %s to its owner', (key) => {
    expect(name(key)).toBe(`${key.toLowerCase()}-abcd1234.md`);
  });

  test('of keys without letters are made of their ids', () => {
    for (const key of ['!!!', '🙂', '../..', '\ud800']) expect(name(key)).toBe('entry-abcd1234.md');
  });

  test('that are taken, in any case, get the id behind them', () => {
    expect(name('Deploy', ['deploy.md'])).toBe('deploy-abcd1234.md');
    expect(name('Deploy', ['deploy.md', 'deploy-abcd1234.md'])).toBe('deploy-abcd1234-2.md');
  });

  test('fit into any file system, whole characters only', () => {
    const long = slugOf('가'.repeat(200));
    expect(Buffer.byteLength(long.normalize('NFD'))).toBeLessThan(230);
    expect(long).toMatch(/^가+$/);
  });

  test('never lead out of the folder, whatever the key', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (key) => {
        const file = name(key);
        expect(file).not.toMatch(/[/\\:*?"<>|\p{Cc}]/u);
        expect(isEntryFile(file)).toBe(true);
        expect(file.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('a file', () => {
  test('says what the entry says, in a stable order', () => {
    expect(fileText({ ...ENTRY, tags: ['b', 'a'], pinned: true, importance: 'high' }, 'PUBLIC')).toBe(
      [
        ...[
          '---',
          'name: use-zod',
          'description: Use Zod for validation',
          'type: project',
          'category: decision',
        ],
        ...[
          'tags:',
          '  - a',
          '  - b',
          'importance: high',
          'pinned: true',
          'created: 2026-07-12T09:00:00.000Z',
        ],
        ...['---', '', 'Use Zod for validation', ''],
      ].join('\n'),
    );
  });

  test('keeps a name on its line, so that it cannot be another field', () => {
    const text = fileText(
      { ...ENTRY, key: 'a\ntype: feedback\n---', content: 'b\n---\ntype: user' },
      'PUBLIC',
    );
    expect(text).toContain('name: "a\\ntype: feedback\\n---"\n');
    expect(text.match(/^type: .*/m)?.[0]).toBe('type: project');
    expect(readFileText(text)).toMatchObject({ name: 'a\ntype: feedback\n---', body: 'b\n---\ntype: user' });
  });

  test('comes back as it was, whatever is in it', () => {
    const text = fc.string({ unit: 'binary', minLength: 1 }).filter((each) => comparable(each) !== '');
    const marks = fc.constantFrom(
      '<<<<<<< a',
      '=======',
      '>>>>>>> b',
      '---',
      '<!-- lodeline: added -->',
      '\\=======',
      '# x',
    );
    const content = fc
      .array(fc.oneof(text, marks), { minLength: 1, maxLength: 8 })
      .map((lines) => lines.join('\n'))
      .filter((each) => comparable(each) !== '');
    fc.assert(
      fc.property(content, fc.array(content, { maxLength: 2 }), (given, additions) => {
        const read = readBack({ content: given, additions });
        const said = contentOf(read, [], false).content;
        expect(comparable(said)).toBe(comparable(given));
        expect(read.additions.map(comparable)).toEqual(additions.map(comparable));
        expect(sidesOf(fileText({ ...ENTRY, content: given, additions }, 'PUBLIC'))).toBeUndefined();
      }),
    );
  });

  test('of somebody else’s hand may lack everything but a text', () => {
    expect(readFileText('Just a note\r\nof two lines\r\n')).toMatchObject({
      name: undefined,
      body: 'Just a note\nof two lines',
      category: 'knowledge',
      tags: [],
    });
    expect(readFileText('\uFEFF---\nname: n\ntype: user\ntags: a, b\n---\nc')).toMatchObject({
      name: 'n',
      tags: ['a', 'b', 'user'],
      body: 'c',
    });
    expect(readFileText('---\nname: n---\n---\nc')).toMatchObject({ name: 'n---', body: 'c' });
  });

  test.each([
    ['---\nname: [\n---\nc', 'cannot be read'],
    ['---\nname: n\nc', 'no end'],
    ['---\nname: n\n---\n', 'empty'],
    ['', 'empty'],
    ['---\nname: n\nlevel: SECRET\n---\nc', 'level'],
  ])('%j is told of', (text, why) => {
    expect(readFileText(text)).toContain(why);
  });

  test('keeps the lines of others', () => {
    const read = readFileText('---\nname: n\nowner: kim\n---\nc') as ReadFile;
    expect(fileText(ENTRY, 'PUBLIC', read.others)).toContain('\nowner: kim\n');
  });

  test('has a type of its key, and another one as a tag', () => {
    expect(fileText({ ...ENTRY, key: 'pref-tabs' }, 'PUBLIC')).toContain('type: user\n');
    expect(fileText({ ...ENTRY, key: 'rule-tabs' }, 'PUBLIC')).toContain('type: feedback\n');
    const changed = fileText(ENTRY, 'PUBLIC').replace('type: project', 'type: reference');
    expect(readFileText(changed)).toMatchObject({ tags: ['api', 'reference'] });
  });
});

describe('a description', () => {
  test('that was made of a text is not taken for one', () => {
    expect(
      contentOf({ description: 'Old first line', body: 'New text' }, ['Old first line\nmore'], false),
    ).toEqual({
      content: 'New text',
      isOwn: false,
    });
  });

  test('that a person thought of is a part of the content', () => {
    const own = { content: 'd\n\nc', isOwn: true };
    expect(contentOf({ description: 'd', body: 'c' }, [], false)).toEqual(own);
    expect(contentOf({ description: 'd', body: 'c' }, ['d\n\nold'], true)).toEqual(own);
    expect(contentOf({ description: 'd', body: '' }, [], false).content).toBe('d');
  });
});

describe('the index', () => {
  const rows = [
    { file: 'user-role.md', name: 'User Role!', description: 'd' },
    { file: 'a.md', name: 'a [x]\nb', description: '' },
  ];

  test('lists the files by name, one on a line', () => {
    expect(indexOf(rows, '')).toBe('# Memory\n\n- [a \\[x\\] b](a.md)\n- [User Role!](user-role.md) — d\n');
    expect(indexOf([], '')).toBe('# Memory\n\n(no memories yet)\n');
  });

  test('is the same for whoever makes it, and of whatever was there', () => {
    const made = indexOf(rows, '');
    const merged = `<<<<<<< HEAD\n${made}=======\n# Memory\n\n- [gone](gone.md) — x\n>>>>>>> other\n`;
    for (const before of [made, merged, '# Memory\n\n(no memories yet)\n', made.replaceAll('\n', '\r\n')])
      expect(indexOf(rows.toReversed(), before)).toBe(made);
  });

  test('keeps what a person wrote beside the list', () => {
    const own = indexOf(rows, '# Memory\n\nAsk Kim first.\n\n## More\n\n- a list\n');
    expect(own).toContain('— d\n\nAsk Kim first.\n\n## More\n\n- a list\n');
    expect(indexOf(rows, own)).toBe(own);
  });
});

describe('what git leaves', () => {
  test('is taken apart, with and without the base', () => {
    const text =
      'a\n<<<<<<< HEAD\nb\n||||||| base\nx\n=======\nc\n>>>>>>> other\nd\n<<<<<<< HEAD\n=======\ne\n>>>>>>> other\n';
    expect(sidesOf(text)).toEqual(['a\nb\nd\n', 'a\nc\nd\ne\n']);
  });

  test.each(['a\n=======\nb', '<<<<<<< HEAD\na\n=======\nb', ' <<<<<<< a\n=======\n>>>>>>> b'])(
    '%j is not it',
    (text) => {
      expect(sidesOf(text)).toBeUndefined();
    },
  );
});
