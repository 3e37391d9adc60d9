import { describe, expect, it } from 'vitest';
import { takenFromToon } from '../../../src/memory/toonEntries.ts';
import {
  escapeField,
  normalizeToonText,
  parseToon,
  splitFields,
  summaryLine,
  ToonError,
  toonText,
  unescapeField,
} from '../../../src/memory/toonFormat.ts';
import { mergeToon } from '../../../src/memory/toonMerge.ts';
import { isSealed, openSealed, sealText } from '../../../src/memory/toonSeal.ts';
import { generatedEntry, randomFrom, trickyText } from './toonKit.ts';

const NOW = Date.parse('2026-07-12T09:00:00Z');
const DAY = 86_400_000;
const HEADER =
  'entries[3|]{id|category|key|content|file|tags|date|ttl|accessed|links|quality|confidence|lastAccessed|pinned}:';
const FILE = [
  'version: 1',
  HEADER,
  '  5d406310|warning|한글-경고|레디스 풀을 0으로 두지 마세요 [[use-zod]]||types|2026-07-10||0||0.40|1||0||agent|active|||',
  '  9b3fc09b|bug|redis-timeout|Redis \\| pool\\nexhausted C:\\\\tmp\\\\new||redis|2026-07-10|2026-12-06|4|use-zod depends_on:risk-spec|0.70|0.8|2026-07-11T10:00:00.000Z|3|src/**.ts|human|active||critical|',
  '  9b7e8b43|pattern|use-zod|Zod v4 now|src/types.ts|validation;types;zod|2026-07-10||0||0.50|1||0||agent|active|||unverified',
  '',
  'summaries:',
  '  src/a.ts: line1\\nline2 \\| x',
  '',
].join('\n');

const taken = (text: string) => takenFromToon(parseToon(text));
const row = (fields: string): string => `version: 1\n${HEADER}\n  ${fields}\n`;

describe('a .toon file', () => {
  it('reads whole', () => {
    const { entries, summaries, damaged, notes } = taken(FILE);
    expect(damaged).toEqual([]);
    expect(summaries).toEqual([{ place: 'line 8', value: { file: 'src/a.ts', text: 'line1\nline2 | x' } }]);
    expect(entries.map(({ place, value }) => [place, value.key, value.category, value.content])).toEqual([
      ['line 3', '한글-경고', 'warning', '레디스 풀을 0으로 두지 마세요 [[use-zod]]'],
      ['line 4', 'redis-timeout', 'bug', 'Redis | pool\nexhausted C:\\tmp\\new'],
      ['line 5', 'use-zod', 'pattern', 'Zod v4 now'],
    ]);
    expect(entries[1]?.value).toMatchObject({
      tags: ['redis'],
      links: ['use-zod', 'depends_on:risk-spec'],
      at: Date.parse('2026-07-10T00:00:00Z'),
      // There it is out of recall once that day has begun.
      expires: Date.parse('2026-12-06T00:00:00Z'),
      used: 4,
      lastUsed: Date.parse('2026-07-11T10:00:00Z'),
      confidence: 0.8,
      pinned: true,
      pathScope: 'src/**.ts',
      origin: 'human',
      status: 'active',
      importance: 'critical',
    });
    expect(notes).toEqual([
      '1 × degree of pinning above 1; every pin is the same here',
      '1 × mark of evidence',
      'ids and quality figures are made anew here',
    ]);
  });

  it.each([
    ['a bare header', '[1|]{id|category|key|content}:'],
    ['a bare header without names', '[1|]:'],
    ['a header without a count', 'entries[|]{id}:'],
    ['no version', HEADER.replace('3', '1')],
  ])('has %s', (_name, header) => {
    expect(taken(`${header}\n  0000000a|bug|k|text\n`).entries.map(({ value }) => value.key)).toEqual(['k']);
  });

  it('has rows of any length from three fields on, and none is dropped in silence', () => {
    const { entries, damaged } = taken(
      [HEADER, '  a|bug', '  b|bug|k', '  c|bug|k2|text', ' d|bug|k3|text', `  ${'e|'.repeat(21)}`].join(
        '\n',
      ),
    );
    expect(entries.map(({ place }) => place)).toEqual(['line 3', 'line 4']);
    expect(damaged.map(({ place }) => place)).toEqual(['line 2', 'line 5', 'line 6']);
  });

  it('has line breaks of Windows and a byte order mark', () => {
    const { entries, summaries, damaged } = taken(`\uFEFF${FILE.replaceAll('\n', '\r\n')}`);
    expect([entries.length, summaries.length, damaged.length]).toEqual([3, 1, 0]);
  });

  it('has rows after the summaries, and summaries under an indented name', () => {
    const { entries, summaries, damaged } = taken(
      `${HEADER}\n  summaries:\n  a.ts: x | y\n  0123abcd|bug|late|text\n  nothing\n`,
    );
    expect(entries.map(({ value }) => value.key)).toEqual(['late']);
    expect(summaries.map(({ value }) => value)).toEqual([{ file: 'a.ts', text: 'x | y' }]);
    expect(damaged.map(({ place }) => place)).toEqual(['line 5']);
  });

  it('is an archive', () => {
    const { entries } = taken('version: 1\narchived:\n\narchived[1|]{id|category}:\n  a|bug|old|text\n');
    expect(entries[0]?.value.status).toBe('archived');
  });

  it.each([
    ['', 'it has no'],
    ['# Notes', 'it has no'],
    ['{"a": 1}', 'it has no'],
    [`version: 2\n${HEADER}`, 'it is of version 2'],
  ])('is not %j', (text, reason) => {
    expect(() => parseToon(text)).toThrow(ToonError);
    expect(() => parseToon(text)).toThrow(reason);
  });

  it('says when the header promises more rows than there are', () => {
    expect(taken(`${HEADER}\n  a|bug|k|text\n`).notes).toContain(
      'the header promises 3 rows, and 1 are there',
    );
  });
});

describe('a row', () => {
  it.each([
    ['a date that is none, as after a | without its backslash', 'a|bug|k|one|two|three|four|five', /date/],
    ['a secret of the vault', 'a|secret|k|text', /secret/],
  ])('with %s is damaged', (_name, fields, reason) => {
    const { entries, damaged } = taken(row(fields));
    expect(entries).toEqual([]);
    expect(damaged).toEqual([{ place: 'line 3', reason: expect.stringMatching(reason) as unknown }]);
  });

  it('of unknown words is taken, and the words are told', () => {
    const { entries, notes } = taken(
      row('a|idea|k|text|||2026-07-01|soon|many||x|y|never|top||robot|odd||huge|'),
    );
    expect(entries[0]?.value).toMatchObject({ category: 'knowledge', tags: ['idea'], status: 'active' });
    const told = notes.join('\n');
    for (const word of ['idea', 'soon', 'many', 'y', 'never', 'top', 'robot', 'odd', 'huge'])
      expect(told).toContain(`"${word}"`);
  });

  it.each([
    [
      'obsolete with a successor',
      'superseded_by:k2',
      { status: 'superseded', supersededBy: 'k2', links: [] },
    ],
    ['obsolete without one', 'x', { status: 'forgotten', links: ['x'] }],
  ])('that is %s keeps its state', (_name, links, expected) => {
    const { entries } = taken(
      row(`a|bug|k|text|||2026-07-01||0|${links}|0|1||0||agent|obsolete|2026-07-05||`),
    );
    expect(entries[0]?.value).toMatchObject({ ...expected, statusAt: Date.parse('2026-07-05T00:00:00Z') });
  });

  it('that is resolved is active, with a tag', () => {
    const { entries } = taken(row('a|bug|k|text|||2026-07-01||0||0|1||0||agent|resolved|||'));
    expect(entries[0]?.value).toMatchObject({ status: 'active', tags: ['resolved'] });
  });
});

describe('escapes', () => {
  it.each([
    ['a|b', 'a\\|b'],
    ['a\\b', 'a\\\\b'],
    ['a\nb', 'a\\nb'],
    ['a\r\nb', 'a\\nb'],
    ['a\rb', 'a\\nb'],
    ['\\n', '\\\\n'],
    ['\\|', '\\\\\\|'],
    ['ends\\', 'ends\\\\'],
  ])('write %j as %j', (text, written) => {
    expect(escapeField(text)).toBe(written);
    expect(unescapeField(written)).toBe(normalizeToonText(text));
    expect(splitFields(`x|${written}|y`)).toEqual(['x', normalizeToonText(text), 'y']);
  });

  it('that are none stay as they are', () => {
    expect(splitFields('C:\\tmp|\\d+|ends\\')).toEqual(['C:\\tmp', '\\d+', 'ends\\']);
  });

  it('bring back any text', () => {
    const random = randomFrom(7);
    for (let at = 0; at < 2000; at++) {
      const fields = Array.from({ length: 1 + Math.floor(random() * 5) }, () => trickyText(random));
      const line = fields.map(escapeField).join('|');
      expect(line).not.toMatch(/[\r\n]/);
      expect(splitFields(line)).toEqual(fields.map(normalizeToonText));
    }
  });

  it('of a summary keep a path of Windows', () => {
    const line = summaryLine({ file: 'src\\new|1.ts', text: 'a: b|c\nd' }) ?? '';
    expect(parseToon(toonText([], [line])).summaries[0]).toMatchObject({
      file: 'src\\new|1.ts',
      text: 'a: b|c\nd',
    });
    expect(summaryLine({ file: 'a: b', text: 'x' })).toBeUndefined();
  });
});

describe('ten thousand memories', () => {
  const random = randomFrom(20_260_712);
  const entries = Array.from({ length: 10_000 }, (_, index) => generatedEntry(random, index));
  const merged = mergeToon(entries, [{ file: 'a.ts', text: 'x\ny' }], undefined, NOW);

  it('come back as they were, but for what the format cannot carry, which is told', () => {
    const back = taken(merged.text);
    expect(back.damaged).toEqual([]);
    expect(merged).toMatchObject({ written: 10_000, foreign: 0, unknown: [], withheld: 0 });
    const byKey = new Map(back.entries.map(({ value }) => [value.key, value]));
    for (const entry of entries) {
      expect(byKey.get(entry.key)).toEqual({
        key: entry.key,
        category: entry.category,
        content: normalizeToonText(entry.content),
        file: entry.file,
        tags: entry.tags,
        links: entry.links,
        at: Math.floor(entry.updated / DAY) * DAY,
        expires: entry.expires,
        importance: entry.importance,
        origin: entry.origin,
        confidence: entry.confidence,
        pinned: entry.pinned,
        pathScope: entry.pathScope,
        status: entry.status,
        supersededBy: entry.supersededBy || undefined,
        statusAt: entry.status === 'superseded' ? Math.floor(entry.updated / DAY) * DAY : undefined,
        used: entry.used,
        lastUsed: entry.lastUsed,
      });
    }
    expect(merged.losses.toSorted()).toEqual([
      '10000 × session and agent that wrote it',
      expect.stringMatching(/^\d+ × text with other line breaks or halves of characters$/) as unknown,
    ]);
  });

  it('have ids of their own, of eight hex characters', () => {
    const ids = parseToon(merged.text).rows.map(({ row: { id } }) => id);
    expect(new Set(ids).size).toBe(10_000);
    expect(ids.every((id) => /^[0-9a-f]{8}$/.test(id))).toBe(true);
  });

  it('make the same file again', () => {
    expect(mergeToon(entries, [{ file: 'a.ts', text: 'x\ny' }], parseToon(merged.text), NOW).text).toBe(
      merged.text,
    );
  });
});

describe('an export into a file that is there', () => {
  const entry = { ...generatedEntry(randomFrom(1), 1), status: 'active', expires: undefined } as const;
  const ours = { ...entry, key: 'use-zod', content: 'Zod v4 now, everywhere' };
  const before = { text: 'Zod v4 now', at: NOW, actor: 'agent', source: 'x', addition: false } as const;

  it('replaces what is known here, and keeps its id, evidence and every other line', () => {
    const there = parseToon(`${FILE.replace('\n\nsummaries', '\n  broken\n\nsummaries')}`);
    const merged = mergeToon([{ ...ours, revisions: [before] }], [], there, NOW);
    const after = parseToon(merged.text);
    expect(merged).toMatchObject({ written: 1, foreign: 2, unknown: [] });
    expect(after.rows.map(({ row: { id, key } }) => [id, key])).toEqual([
      ['9b7e8b43', 'use-zod'],
      ['5d406310', '한글-경고'],
      ['9b3fc09b', 'redis-timeout'],
    ]);
    expect(after.rows[0]?.row).toMatchObject({ content: 'Zod v4 now, everywhere', evidence: 'unverified' });
    expect(after.damaged.map(({ raw }) => raw)).toEqual(['  broken']);
    expect(after.summaries).toHaveLength(1);
  });

  it('leaves a text that is not known here, and tells of it', () => {
    const merged = mergeToon([ours], [], parseToon(FILE), NOW);
    expect(merged).toMatchObject({ written: 0, foreign: 2, unknown: ['use-zod'] });
    expect(merged.text).toContain('|use-zod|Zod v4 now|');
  });

  it('leaves out what is forgotten, archived or has expired', () => {
    const withheld = [
      { ...ours, key: 'a', status: 'forgotten' },
      { ...ours, key: 'b', status: 'archived' },
      { ...ours, key: 'c', expires: NOW },
    ] as const;
    const merged = mergeToon(withheld, [], undefined, NOW);
    expect(merged).toMatchObject({ written: 0, withheld: 3 });
    expect(merged.text).not.toContain('everywhere');
  });

  it('tells of every kind of loss', () => {
    const lossy = {
      ...ours,
      ...{ tags: ['a;b'], links: ['a key', 'b'], revisions: [before, { ...before, addition: true }] },
      ...{ confirmed: true, branch: 'main', created: NOW - 9 * DAY, updated: NOW, expires: NOW + 1 },
    };
    const { losses, text } = mergeToon(
      [lossy, { ...lossy, key: 'far', expires: 8.64e15 }],
      [],
      undefined,
      NOW,
    );
    expect(parseToon(text).rows.map(({ row: { ttl } }) => ttl)).toEqual(['', '2026-07-13']);
    for (const loss of ['spaces', 'semicolon', 'added beside', 'earlier text', 'confirmed', 'first writing'])
      expect(losses.join('\n')).toContain(loss);
    for (const loss of ['branch', 'session', 'hour at which', 'date of four digits'])
      expect(losses.join('\n')).toContain(loss);
  });
});

describe('a sealed file', () => {
  const key = '0123456789abcdef'.repeat(4);

  it('opens with its key only', () => {
    const sealed = sealText(FILE, key);
    expect(sealed).toMatch(/^[0-9a-f]{32}:[0-9a-f]{32}:[0-9a-f]+$/);
    expect(isSealed(`${sealed}\n`)).toBe(true);
    expect(openSealed(`${sealed}\n`, key)).toBe(FILE);
    expect(openSealed(sealed, 'f'.repeat(64))).toBeUndefined();
    expect(
      openSealed(
        sealed.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')),
        key,
      ),
    ).toBeUndefined();
    expect(isSealed(FILE)).toBe(false);
  });

  it('that another program sealed opens', () => {
    // AES-256-GCM of "version: 1\n[0|]:\n" under this key and an initialisation vector of 16 zero bytes.
    const iv = '0'.repeat(32);
    const sealed = `${iv}:deab864c61c1e50839e34b374d7dca6f:8e974a8c4947e400050e43bb488a8bdd53`;
    expect(openSealed(sealed, key)).toBe('version: 1\n[0|]:\n');
  });
});
