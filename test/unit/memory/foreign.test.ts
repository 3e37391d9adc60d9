import { describe, expect, it } from 'vitest';
import { takenFromClaude, takenFromCopilot } from '../../../src/memory/foreignAgents.ts';
import { takenFromGraph } from '../../../src/memory/foreignGraph.ts';
import { keyOf, readFrontMatter, sectionsOf } from '../../../src/memory/foreignMarkdown.ts';
import { takenFromNotes } from '../../../src/memory/foreignNotes.ts';
import type { Taken } from '../../../src/memory/taken.ts';

const values = ({ entries }: Taken) => entries.map(({ value }) => value);

describe('Markdown', () => {
  it('has sections by headings, none of them in code', () => {
    const body = 'before\n# One #\ntext\n```sh\n# no heading\n```\n### deeper\nmore\n## Two\n\n# Three\nend';
    expect(sectionsOf(body)).toEqual([
      { heading: '', text: 'before' },
      { heading: 'One', text: 'text\n```sh\n# no heading\n```\n### deeper\nmore' },
      { heading: 'Three', text: 'end' },
    ]);
  });

  it('has front matter, broken front matter, or none', () => {
    expect(readFrontMatter('---\r\na: b\r\n---\r\nrest')).toMatchObject({ body: 'rest', isBroken: false });
    expect(readFrontMatter('---\na: [\n---\nrest')).toMatchObject({ body: 'rest', isBroken: true });
    expect(readFrontMatter('rest\n---\na: b\n---\n')).toMatchObject({ fields: new Map() });
    expect(readFrontMatter('---\n__proto__: x\n---\nrest').fields.get('__proto__')).toBe('x');
  });

  it('gives keys on one line that are not too long and hold no half characters', () => {
    expect(keyOf('a\nb', '', 'c\u0000d')).toBe('a b#c d');
    expect(keyOf('😀'.repeat(150))).toBe('😀'.repeat(100));
    expect(keyOf(`x${'😀'.repeat(150)}`)).toBe(`x${'😀'.repeat(99)}`);
  });

  it('of a size that nobody writes by hand is read all the same', () => {
    const long = 200_000;
    for (const text of [
      `# ${'#'.repeat(long)}x`,
      `- ${' '.repeat(long)}`,
      '\n'.repeat(long),
      '```\n'.repeat(long),
    ]) {
      const file = { path: 'a.md', text: `${text}\nend` };
      for (const read of [takenFromClaude, takenFromCopilot, takenFromNotes])
        expect(read([file]).entries.length).toBeLessThan(3);
    }
  });
});

describe('Claude Code’s files', () => {
  it('are one memory each with front matter, and one for each section without', () => {
    const taken = takenFromClaude([
      {
        path: 'CLAUDE.md',
        own: 'CLAUDE.md',
        at: 5,
        text: '# Build\nnpm run build\n\n# Tests\n@docs/tests.md\n',
      },
      {
        path: 'slot-crash.md',
        text: '---\nname: slot-crash\ndescription: Why it crashed\nmetadata:\n  type: project\nextra: 1\n---\nSee [[other]].\n',
      },
      { path: 'MEMORY.md', text: '# Memory\n- [Slot crash](slot-crash.md) — why\n' },
      { path: 'empty.md', text: '' },
    ]);
    expect(values(taken)).toMatchObject([
      { key: 'CLAUDE.md#Build', content: 'npm run build', file: 'CLAUDE.md', at: 5, category: 'knowledge' },
      { key: 'CLAUDE.md#Tests', content: '@docs/tests.md' },
      { key: 'slot-crash', content: 'Why it crashed\n\nSee [[other]].', tags: ['project'] },
    ]);
    expect(taken.notes).toEqual([
      '1 × front matter field "extra"',
      'CLAUDE.md: takes in other files with @; import them by their own paths',
      'MEMORY.md: is the index of the other files, and was left out',
      'empty.md: says nothing',
    ]);
  });

  it('are taken by name, with the index left out (the reading side of N-ME-01)', () => {
    const taken = takenFromClaude([
      { path: 'user-role.md', text: '---\nname: User Role!\ndescription: d\ntype: user\n---\nc\n' },
      { path: 'MEMORY.md', text: '# Memory\n\n- [User Role!](user-role.md) — d\n' },
    ]);
    expect(values(taken)).toMatchObject([{ key: 'User Role!', content: 'd\n\nc', tags: ['user'] }]);
    expect(values(taken)).toHaveLength(1);
  });

  it('keep their type whatever their name says, which is one line (the reading side of N-ME-05)', () => {
    const text = '---\nname: "a\\ntype: feedback"\ndescription: d\ntype: user\n---\nc\n';
    const [entry] = values(takenFromClaude([{ path: 'a.md', text }]));
    expect(entry).toMatchObject({ tags: ['user'] });
    expect(entry?.key).toMatch(/^a.*type: feedback$/);
    expect(entry?.key).not.toContain('\n');
  });

  it('that are an index and more are taken', () => {
    const text = '- [A](a.md) — a\n- A fact of its own\n';
    expect(values(takenFromClaude([{ path: 'MEMORY.md', text }]))).toHaveLength(1);
  });
});

it('Copilot’s files are a memory for each section, under a name of their own', () => {
  const taken = takenFromCopilot([
    { path: 'repo/build.md', text: '# Commands\n- npm test\n' },
    { path: 'me.md', text: 'tabs' },
  ]);
  expect(values(taken)).toMatchObject([
    { key: 'copilot/repo/build#Commands', content: '- npm test' },
    { key: 'copilot/me', content: 'tabs' },
  ]);
});

describe('basic-memory’s notes', () => {
  it('keep text, tags, relations and dates', () => {
    const taken = takenFromNotes([
      {
        path: 'auth/design.md',
        own: 'notes/auth/design.md',
        at: 7,
        text: [
          '---',
          'title: Auth Design',
          'type: note',
          'tags: [auth, "#backend"]',
          'permalink: auth/design',
          'modified: 2026-05-01',
          'owner: me',
          '---',
          '# Auth Design',
          '',
          '- [decision] Use JWT #security (for now)',
          '- [ ] write tests #todo',
          '- [a link](https://example.com/#frag)',
          '- implements [[API|the API]]',
          '- depends_on [[db]]',
        ].join('\n'),
      },
      { path: 'db.md', text: '---\ntitle: User Database\npermalink: db\ntags: a, b\n---\n- [x] done\ntext' },
      { path: 'bare.md', text: 'only text' },
      { path: 'empty.md', text: '---\ntitle: Nothing\n---\n' },
    ]);
    const [first, second, third] = values(taken);
    expect(first).toMatchObject({
      key: 'Auth Design',
      category: 'decision',
      tags: ['auth', 'backend', 'security'],
      links: ['API', 'User Database'],
      file: 'notes/auth/design.md',
      at: Date.parse('2026-05-01'),
    });
    expect(first?.content).toMatch(/^- \[decision\] Use JWT[\s\S]*depends_on \[\[db\]\]$/);
    expect(second).toMatchObject({ key: 'User Database', tags: ['a', 'b'], category: 'knowledge' });
    expect(third).toMatchObject({ key: 'bare', content: 'only text' });
    expect(taken.notes).toEqual(['1 × front matter field "owner"', 'empty.md: says nothing']);
  });

  it('that are nothing but a title still say it', () => {
    expect(values(takenFromNotes([{ path: 'a.md', text: '# a' }]))).toMatchObject([{ content: '# a' }]);
  });
});

describe('server-memory’s graph', () => {
  const LINES = [
    '{"type":"entity","name":"Auth","entityType":"service","observations":["uses JWT","line\\nbreak",""]}',
    '{"type":"entity","name":"DB","entityType":"decision","observations":[]}',
    '{"type":"relation","from":"Auth","to":"DB","relationType":"reads from"}',
    '',
    '{"type":"relation","from":"Ghost","to":"DB","relationType":"haunts"}',
    '{"type":"entity","name":"","observations":[]}',
    '{"type":"thing"}',
    'not json',
  ];

  it('gives a memory for each entity, and tells of every line that is none', () => {
    const taken = takenFromGraph({ path: '', text: LINES.join('\n') });
    expect(values(taken)).toMatchObject([
      {
        key: 'Auth',
        category: 'knowledge',
        content: '- uses JWT\n- line\nbreak\n- reads from [[DB]]',
        tags: ['service'],
        links: ['DB'],
      },
      { key: 'DB', category: 'decision', content: '- DB', tags: [], links: [] },
    ]);
    expect(taken.damaged.map(({ place }) => place).sort()).toEqual(['line 5', 'line 6', 'line 7', 'line 8']);
  });

  it('may be one object', () => {
    const text = JSON.stringify({
      entities: [{ name: 'A', entityType: 'x', observations: ['o'] }, null],
      relations: [{ from: 'A', to: 'B', relationType: 'r' }],
    });
    const taken = takenFromGraph({ path: '', text });
    expect(values(taken)).toMatchObject([{ key: 'A', content: '- o\n- r [[B]]' }]);
    expect(taken.damaged.map(({ place }) => place)).toEqual(['entity 2']);
  });
});
