import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../src/memory/entry.ts';
import { normalizeToonText, parseToon, rowLine, toonText } from '../../../src/memory/toonFormat.ts';
import { mergeToon } from '../../../src/memory/toonMerge.ts';
import { sealText } from '../../../src/memory/toonSeal.ts';
import type { ExportedToon } from '../../../src/tools/memory/exportToon.ts';
import type { Imported } from '../../../src/tools/memory/import.ts';
import { generatedEntry, randomFrom } from '../memory/toonKit.ts';
import { bytesUnder } from '../support/files.ts';
import { openTestTools, START } from '../support/folder.ts';

const PERSON = { actor: 'person', door: 'palette', source: 'palette', level: 'PUBLIC' } as const;
const HIGH = { ...PERSON, level: 'RESTRICTED' } as const;
const KEY = '0123456789abcdef'.repeat(4);
const ROWS = [
  '  5d406310|warning|한글-경고|레디스 풀을 0으로 두지 마세요 [[use-zod]]||types|2026-07-10||0||0.40|1||0||agent|active|||',
  '  9b3fc09b|bug|redis-timeout|Redis \\| pool\\nexhausted C:\\\\tmp\\\\new|src/a.ts:3|redis|2026-07-09|2026-12-06|4|use-zod|0.70|0.8|2026-07-11T10:00:00.000Z|1|src/**.ts|human|active||critical|',
  '  9b7e8b43|pattern|use-joi|Joi|src/types.ts|validation;zod|2026-07-01||0|superseded_by:use-zod|0.50|1||0||agent|obsolete|2026-07-08||unverified',
];
const FILE = toonText(ROWS, ['  src/a.ts: line1\\nline2 \\| x']);

type Tools = ReturnType<typeof openTestTools>;

const fileOf = ({ folder }: Tools): string => join(folder, '.toon-memory', 'memory', 'data.toon');

function put(tools: Tools, text: string, path = fileOf(tools)): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const load = (tools: Tools, input: object = {}, as: object = PERSON) =>
  tools.call('memory_import', { kind: 'toon', ...input }, as);
const save = (tools: Tools, input: object = {}, as: object = PERSON) =>
  tools.call('memory_export_toon', input, as);
const all = async ({ store }: Tools, level: 'PUBLIC' | 'RESTRICTED' = 'PUBLIC') =>
  new Map((await store.exportAll({ level })).map((entry): [string, Entry] => [entry.key, entry]));

describe('importing a .toon file', () => {
  it('brings everything that has a place here, unconfirmed and with its source', async () => {
    const tools = openTestTools();
    put(tools, FILE);
    const { text, isError } = await load(tools);
    expect(isError).toBe(false);
    expect(text).toContain('3 entries new, 0 updated, 0 unchanged');
    const entries = await all(tools);
    expect(entries.get('redis-timeout')).toMatchObject({
      category: 'bug',
      content: 'Redis | pool\nexhausted C:\\tmp\\new',
      file: 'src/a.ts:3',
      tags: ['redis'],
      links: ['use-zod'],
      created: Date.parse('2026-07-09T00:00:00Z'),
      updated: Date.parse('2026-07-09T00:00:00Z'),
      expires: Date.parse('2026-12-06T00:00:00Z'),
      importance: 'critical',
      confidence: 0.8,
      pinned: true,
      pathScope: 'src/**.ts',
      origin: 'human',
      status: 'active',
      confirmed: false,
      source: 'import:toon',
      used: 4,
      lastUsed: Date.parse('2026-07-11T10:00:00Z'),
    });
    expect(entries.get('use-joi')).toMatchObject({ status: 'superseded', supersededBy: 'use-zod' });
    expect(await tools.store.summaries({ level: 'PUBLIC' })).toEqual({ 'src/a.ts': 'line1\nline2 | x' });
    const then = await tools.call('memory_recall', { query: 'Joi', as_of: '2026-07-05' });
    expect(then.text).toContain('use-joi');
  });

  it('changes nothing the second time, nor after an export', async () => {
    const tools = openTestTools();
    put(tools, FILE);
    await load(tools);
    const before = await all(tools);
    tools.clock.time += 60_000;
    expect((await load(tools)).data).toMatchObject({ created: 0, updated: 0, unchanged: 3, summaries: 0 });
    expect((await save(tools)).isError).toBe(false);
    expect((await load(tools)).data).toMatchObject({ created: 0, updated: 0, unchanged: 3, skipped: [] });
    // Quality falls with time.
    tools.clock.time -= 60_000;
    expect(await all(tools)).toEqual(before);
  });

  it('keeps another text under a known key as a dated revision', async () => {
    const tools = openTestTools();
    await tools.call('memory_remember', { category: 'bug', key: 'redis-timeout', content: 'Ours' });
    put(tools, FILE);
    expect((await load(tools)).data).toMatchObject({ created: 2, updated: 1 });
    const entry = (await all(tools)).get('redis-timeout');
    expect(entry?.content).toBe('Ours');
    expect(entry?.revisions).toMatchObject([
      {
        text: 'Redis | pool\nexhausted C:\\tmp\\new',
        at: Date.parse('2026-07-09T00:00:00Z'),
        addition: true,
      },
    ]);
    expect((await load(tools)).data).toMatchObject({ created: 0, updated: 0, unchanged: 3 });
  });

  it('follows its own source, and keeps what it said before as history', async () => {
    const tools = openTestTools();
    put(tools, FILE);
    await load(tools);
    put(tools, FILE.replace('|Joi|', '|Joi 17|').replace('exhausted', 'is empty'));
    expect((await load(tools)).data).toMatchObject({ updated: 1, skipped: ['use-joi'] });
    const entry = (await all(tools)).get('redis-timeout');
    expect(entry?.content).toBe('Redis | pool\nis empty C:\\tmp\\new');
    expect(entry?.revisions).toMatchObject([{ addition: false }]);
    // What was said before is known: it does not come back.
    put(tools, FILE);
    expect((await load(tools)).data).toMatchObject({ updated: 0, unchanged: 3 });
  });

  it('leaves what is forgotten here forgotten, and a summary that is here', async () => {
    const tools = openTestTools();
    put(tools, FILE.replace('C:', 'D:'));
    await load(tools);
    await tools.call('memory_forget', { key: 'redis-timeout' });
    await tools.call('memory_summary', { action: 'set', file: 'src/a.ts', summary: 'ours' });
    put(tools, FILE);
    const { data } = await load(tools);
    expect(data).toMatchObject({ skipped: ['redis-timeout'], keptSummaries: ['src/a.ts'] });
    expect((await all(tools)).get('redis-timeout')?.status).toBe('forgotten');
    expect(await tools.store.summaries({ level: 'PUBLIC' })).toEqual({ 'src/a.ts': 'ours' });
  });

  it('keeps every text of a key that has several rows', async () => {
    const tools = openTestTools();
    put(tools, toonText(['  a|bug|k|new', '  b|bug|k|old', '  c|bug|k|new'], []));
    expect((await load(tools)).data).toMatchObject({ created: 1, updated: 1, unchanged: 1 });
    const entry = (await all(tools)).get('k');
    expect([entry?.content, ...(entry?.revisions ?? []).map(({ text }) => text)]).toEqual(['new', 'old']);
    expect((await load(tools)).data).toMatchObject({ created: 0, updated: 0, unchanged: 3 });
  });

  it('takes composed and decomposed Hangul for one key', async () => {
    const tools = openTestTools();
    const key = '한글';
    put(
      tools,
      toonText([`  a|bug|${key.normalize('NFD')}|${key.normalize('NFD')}`, `  b|bug|${key}|${key}`], []),
    );
    expect((await load(tools)).data).toMatchObject({ created: 1, updated: 0, unchanged: 1 });
    expect([...(await all(tools)).keys()]).toEqual([key.normalize('NFC')]);
  });

  it('tells of each damaged row with its line, and takes the others', async () => {
    const tools = openTestTools();
    const rows = [
      '  a|bug|fine|text',
      '  b|bug',
      '  c|bug|no-text|',
      `  d|bug|${'k'.repeat(201)}|text`,
      '  e|bug|with\0nul|text',
      `  f|bug|giant|${'x'.repeat(1_000_001)}`,
      '  g|bug|text-with-nul|a\0b',
      '  h|bug|bad-file|text|a\0b',
      `  i|bug|long-tag|text||${'t'.repeat(257)}`,
    ];
    put(tools, toonText(rows, []));
    const { data, text } = await load(tools);
    const { damaged, created } = data as Imported;
    expect(created).toBe(2);
    expect(damaged.map(({ place }) => place)).toEqual([
      ...['line 4', 'line 5', 'line 6', 'line 7', 'line 8', 'line 10', 'line 11'],
    ]);
    for (const { place } of damaged) expect(text).toContain(`${place}: `);
    expect((await all(tools)).get('text-with-nul')?.content).toBe('a\0b');
  });

  it('takes secrets out and says so', async () => {
    const tools = openTestTools();
    const secret = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6'}`;
    put(tools, toonText([`  a|bug|token|The token is ${secret}`], []));
    const { text } = await load(tools);
    expect(text).not.toContain(secret);
    expect(text.toLowerCase()).toContain('redacted');
    expect(bytesUnder(join(tools.folder, 'store'))).not.toContain(secret);
    expect((await load(tools)).data).toMatchObject({ updated: 0, unchanged: 1 });
  });

  it('puts what a rule protects at the level of the rule', async () => {
    const tools = openTestTools(undefined, undefined, {
      'classification.files': { '.toon-memory/**': 'CONFIDENTIAL' },
    });
    put(tools, FILE);
    await load(tools);
    expect((await all(tools)).size).toBe(0);
    expect((await all(tools, 'RESTRICTED')).get('redis-timeout')?.level).toBe('CONFIDENTIAL');
  });

  it('opens a sealed file with its key', async () => {
    const tools = openTestTools();
    put(tools, `${sealText(FILE, KEY)}\n`);
    expect((await load(tools, { key: KEY })).data).toMatchObject({ created: 3 });
  });

  it.each([
    ['Missing file', undefined, {}],
    ['Missing file', undefined, { path: 'nothing/here.toon' }],
    ['Unreadable file', undefined, { path: '.' }],
    ['Not a .toon file', '# Notes\n', {}],
    ['Not a .toon file', '', {}],
    ['Missing key', sealText(FILE, KEY), {}],
    ['Wrong key', sealText(FILE, KEY), { key: 'f'.repeat(64) }],
    ['Wrong key', sealText(FILE, KEY), { key: 'short' }],
  ])('names what is wrong: %s', async (reason, text, input) => {
    const tools = openTestTools();
    if (text !== undefined) put(tools, text);
    const outcome = await load(tools, input);
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toMatch(new RegExp(`^${reason}: `));
    expect((await all(tools)).size).toBe(0);
  });

  it.runIf(process.platform !== 'win32')('follows no link', async () => {
    const tools = openTestTools();
    const elsewhere = put(tools, FILE, join(tools.folder, 'elsewhere.toon'));
    mkdirSync(dirname(fileOf(tools)), { recursive: true });
    symlinkSync(elsewhere, fileOf(tools));
    expect((await load(tools)).text).toMatch(/^Unreadable file: .*link/);
  });

  it('is for the person only', async () => {
    const tools = openTestTools();
    put(tools, FILE);
    for (const name of ['memory_import', 'memory_export_toon'])
      expect((await tools.call(name, { kind: 'toon' })).isError).toBe(true);
    expect((await all(tools)).size).toBe(0);
  });
});

describe('exporting a .toon file', () => {
  it('brings a thousand memories through two stores', async () => {
    const random = randomFrom(11);
    const entries = Array.from({ length: 1000 }, (_, index) => generatedEntry(random, index));
    const first = openTestTools();
    put(first, mergeToon(entries, [], undefined, START).text);
    expect((await load(first)).data).toMatchObject({ created: 1000, damaged: [] });
    const exported = (await save(first, { path: 'out.toon' })).data as ExportedToon;
    expect(exported).toMatchObject({ written: 1000, withheld: 0 });
    const second = openTestTools();
    put(second, readFileSync(exported.path, 'utf8'));
    expect((await load(second)).data).toMatchObject({ created: 1000, damaged: [] });
    const [one, other] = [await all(first), await all(second)];
    for (const { key, content, tags } of entries) {
      expect(one.get(key)?.tags).toEqual(tags);
      const { session: _, id: _id, ...mine } = one.get(key) ?? ({} as Entry);
      expect(mine.content).toBe(normalizeToonText(content));
      expect(other.get(key)).toMatchObject(mine);
    }
  });

  it('writes nothing above the level of the folder, and tells the person how many', async () => {
    const tools = openTestTools();
    await tools.call('memory_remember', { category: 'bug', key: 'open', content: 'Open text' });
    await tools.call(
      'memory_remember',
      { category: 'bug', key: 'open', content: 'Hidden text' },
      { level: 'CONFIDENTIAL' },
    );
    const outcome = await save(tools, {}, HIGH);
    expect(outcome.text).toContain("1 entry above the folder's level stayed here");
    expect(readFileSync(fileOf(tools), 'utf8')).toContain('|open|Open text|');
    expect(readFileSync(fileOf(tools), 'utf8')).not.toContain('Hidden');
    expect((await save(tools)).text).not.toContain('above');
  });

  it('is a file of its owner alone, whole, and without leftovers', async () => {
    const tools = openTestTools();
    await tools.call('memory_remember', { category: 'bug', key: 'k', content: 'text' });
    await save(tools);
    if (process.platform !== 'win32') expect(statSync(fileOf(tools)).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(fileOf(tools)))).toEqual(['data.toon']);
    expect(parseToon(readFileSync(fileOf(tools), 'utf8')).rows).toHaveLength(1);
  });

  it('keeps a file sealed, and seals a new one where toon-memory expects that', async () => {
    const tools = openTestTools();
    put(tools, sealText(FILE, KEY));
    await tools.call('memory_remember', { category: 'bug', key: 'k', content: 'Text in clear' });
    expect((await save(tools)).text).toMatch(/^Missing key: /);
    expect((await save(tools, { key: 'f'.repeat(64) })).text).toMatch(/^Wrong key: /);
    expect((await save(tools, { key: KEY })).data).toMatchObject({ isSealed: true, written: 1, foreign: 3 });
    const other = join(tools.folder, 'other');
    put(tools, '{"encrypted": true}', join(other, 'config.json'));
    expect((await save(tools, { path: 'other/data.toon' })).text).toMatch(/^Missing key: /);
    await save(tools, { path: 'other/data.toon', key: KEY });
    for (const folder of [other, dirname(fileOf(tools))])
      expect(readFileSync(join(folder, 'data.toon'), 'utf8')).toMatch(/^[0-9a-f:]+$/);
    put(tools, '{', join(other, 'b', 'config.json'));
    expect((await save(tools, { path: 'other/b/data.toon' })).text).toMatch(/^Unreadable file: /);
  });

  it('loses no row that nothing here knows', async () => {
    const tools = openTestTools();
    put(tools, FILE);
    await tools.call('memory_remember', { category: 'bug', key: 'redis-timeout', content: 'Ours' });
    const { data, text } = await save(tools);
    expect(data).toMatchObject({ written: 0, foreign: 2, unknown: ['redis-timeout'] });
    expect(text).toContain('import them first');
    for (const row of ROWS) expect(readFileSync(fileOf(tools), 'utf8')).toContain(row);
  });

  it('waits for the lock of others, and takes one that was left behind', async () => {
    const tools = openTestTools();
    await tools.call('memory_remember', { category: 'bug', key: 'k', content: 'text' });
    const lock = put(tools, '1', `${fileOf(tools)}.lock`);
    expect((await save(tools)).text).toMatch(/^Busy: /);
    expect(existsSync(fileOf(tools))).toBe(false);
    utimesSync(lock, new Date(0), new Date(0));
    expect((await save(tools)).isError).toBe(false);
    expect(existsSync(lock)).toBe(false);
  });

  it.runIf(process.platform !== 'win32')('writes through no link', async () => {
    const tools = openTestTools();
    await tools.call('memory_remember', { category: 'bug', key: 'k', content: 'text' });
    const target = put(tools, 'theirs', join(tools.folder, 'target'));
    symlinkSync(target, join(tools.folder, 'link.toon'));
    expect((await save(tools, { path: 'link.toon' })).text).toMatch(/^Unwritable file: /);
    expect(readFileSync(target, 'utf8')).toBe('theirs');
    const outside = openTestTools();
    symlinkSync(outside.folder, join(tools.folder, '.toon-memory'));
    expect((await save(tools)).text).toMatch(/^Unwritable file: .*out of the folder/);
    expect(existsSync(join(outside.folder, 'memory'))).toBe(false);
  });

  it.each([
    ['Not a .toon file', '# Notes\n'],
    ['Not a .toon file', 'version: 1\narchived:\n\narchived[0|]:\n'],
    ['Damaged file', Buffer.concat([Buffer.from(FILE), Buffer.from([0xff, 0x0a])]).toString('latin1')],
  ])('leaves a file that it cannot keep whole: %s', async (reason, text) => {
    const tools = openTestTools();
    mkdirSync(dirname(fileOf(tools)), { recursive: true });
    writeFileSync(fileOf(tools), Buffer.from(text, 'latin1'));
    const before = readFileSync(fileOf(tools));
    expect((await save(tools)).text).toMatch(new RegExp(`^${reason}: `));
    expect(readFileSync(fileOf(tools))).toEqual(before);
    expect(readdirSync(dirname(fileOf(tools)))).toEqual(['data.toon']);
  });

  it.runIf(process.platform !== 'win32' && process.getuid?.() !== 0)(
    'names a folder that takes nothing',
    async () => {
      const tools = openTestTools();
      mkdirSync(join(tools.folder, 'shut'));
      chmodSync(join(tools.folder, 'shut'), 0o500);
      expect((await save(tools, { path: 'shut/a.toon' })).text).toMatch(/^Unwritable file: /);
    },
  );
});

it('a row that is written is the row that is read', () => {
  const { row } = parseToon(FILE).rows[1] ?? {};
  expect(row && rowLine(row)).toBe(ROWS[1]);
});
