/** What disks, other programs and hostile files do to imports and exports of `.toon` files. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { parseToon, toonText } from '../../../src/memory/toonFormat.ts';
import { mergeToon } from '../../../src/memory/toonMerge.ts';
import type { Imported } from '../../../src/tools/memory/import.ts';
import { StoreError } from '../../../src/worker/api.ts';
import { openTestTools, START, temporaryFolder } from '../support/folder.ts';

const PERSON = { actor: 'person', door: 'palette', source: 'palette', level: 'PUBLIC' } as const;
const NOTE = { category: 'bug', key: 'mine', content: 'Ours' };

const fileIn = (folder: string): string => join(folder, '.toon-memory', 'memory', 'data.toon');

function put(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

describe('an export while something else writes the file without its lock', () => {
  /** Somebody adds a row each time between the reading and the writing, so many times. */
  function busy(times: number) {
    const folder = temporaryFolder();
    const file = put(fileIn(folder), toonText(['  5d406310|bug|first|Theirs'], []));
    let changes = 0;
    const clock = {
      get time() {
        if (changes < times && existsSync(`${file}.lock`))
          appendFileSync(file, `  0000000${changes}|bug|late-${changes++}|Theirs\n`);
        return START;
      },
    };
    return { tools: openTestTools(folder, clock), file };
  }

  it('loses none of what was written meanwhile', async () => {
    const { tools, file } = busy(2);
    await tools.call('memory_remember', NOTE);
    expect((await tools.call('memory_export_toon', {}, PERSON)).isError).toBe(false);
    const keys = parseToon(readFileSync(file, 'utf8')).rows.map(({ row }) => row.key);
    expect(keys.sort()).toEqual(['first', 'late-0', 'late-1', 'mine']);
  });

  it('gives up where that never ends, and leaves the file to the other', async () => {
    const { tools, file } = busy(Number.POSITIVE_INFINITY);
    await tools.call('memory_remember', NOTE);
    expect((await tools.call('memory_export_toon', {}, PERSON)).text).toMatch(/^Busy: something else keeps/);
    expect(readFileSync(file, 'utf8')).not.toContain('mine');
    expect(readdirSync(dirname(file))).toEqual(['data.toon']);
  });
});

describe('an export beside things that are no files', () => {
  it.runIf(process.platform !== 'win32')('never waits for a pipe in the place of the settings', async () => {
    const tools = openTestTools();
    const config = join(dirname(fileIn(tools.folder)), 'config.json');
    mkdirSync(dirname(config), { recursive: true });
    execFileSync('mkfifo', [config]);
    await tools.call('memory_remember', NOTE);
    expect((await tools.call('memory_export_toon', {}, PERSON)).text).toMatch(
      /^Unreadable file: .*config\.json.*not a regular file/,
    );
  });

  it('takes a folder in the place of the lock for one that is held, however old', async () => {
    const tools = openTestTools();
    const lock = `${fileIn(tools.folder)}.lock`;
    mkdirSync(lock, { recursive: true });
    utimesSync(lock, new Date(0), new Date(0));
    await tools.call('memory_remember', NOTE);
    expect((await tools.call('memory_export_toon', {}, PERSON)).text).toMatch(/^Busy: another process holds/);
    expect(existsSync(lock)).toBe(true);
  });
});

describe('lines that cannot be read', () => {
  it('stay among their like, where they mean no more than before', () => {
    const rows = ['  5d406310|bug', 'x|y|z'];
    const summaries = ['  a summary without its colon|two|three|four', '  src/a.ts: Fine'];
    const given = parseToon(toonText(rows, summaries));
    const { text } = mergeToon([], [], given, START);
    const again = parseToon(text);
    const reasons = ({ damaged }: typeof given) => damaged.map(({ raw, reason }) => [raw, reason]).sort();
    expect(reasons(again)).toEqual(reasons(given));
    expect([again.rows, again.summaries.map(({ file }) => file)]).toEqual([[], ['src/a.ts']]);
    expect(mergeToon([], [], again, START).text).toBe(text);
  });

  it('may be as many as there are', () => {
    const count = 200_000;
    const given = parseToon(
      toonText(
        Array.from({ length: count }, () => 'x|y'),
        [],
      ),
    );
    expect(parseToon(mergeToon([], [], given, START).text).damaged).toHaveLength(count);
  });
});

it('an import that a full disk ends says how much of it stands, and the next one takes the rest', async () => {
  const tools = openTestTools();
  const rows = Array.from(
    { length: 2500 },
    (_, at) => `  ${String(at).padStart(8, '0')}|bug|key-${at}|Text ${at}`,
  );
  put(fileIn(tools.folder), toonText(rows, []));
  const { care } = tools.store;
  const takeIn = care.takeIn.bind(care);
  let batches = 0;
  vi.spyOn(care, 'takeIn').mockImplementation(async (...given) => {
    if (++batches === 3) throw new StoreError('Nothing was saved: ENOSPC: no space left on device, write.');
    return await takeIn(...given);
  });
  const load = () => tools.call('memory_import', { kind: 'toon' }, PERSON);
  const { text, isError } = await load();
  expect(isError).toBe(true);
  expect(text).toBe(
    'Stopped: 2000 of 2500 memories were imported and stay, the others were not. Nothing was saved: ENOSPC: no space left on device, write. Import again to take the rest.',
  );
  expect((await load()).text).toContain('500 entries new, 0 updated, 2000 unchanged');
});

it('summaries keep to the bounds that they have here, and those that do not are told with their line', async () => {
  const tools = openTestTools();
  const summaries = [
    '  a.ts: Fine',
    `  b.ts: ${'y'.repeat(20_001)}`,
    '  c\0.ts: x',
    `  ${'d'.repeat(5000)}: x`,
  ];
  put(fileIn(tools.folder), toonText(['  5d406310|bug|k|Text'], summaries));
  const { data } = await tools.call('memory_import', { kind: 'toon' }, PERSON);
  const { damaged } = data as Imported;
  expect(damaged.map(({ place }) => place)).toEqual(['line 7', 'line 8', 'line 9']);
  expect(await tools.store.summaries({ level: 'PUBLIC' })).toEqual({ 'a.ts': 'Fine' });
});

it('one that says it has no tags gets none, whatever its words are', async () => {
  const tools = openTestTools();
  put(fileIn(tools.folder), toonText(['  5d406310|bug|pool|The redis cache and the tests'], []));
  await tools.call('memory_import', { kind: 'toon' }, PERSON);
  const own = { tags: [], links: [], file: '' };
  const [entry] = await tools.store.exportAll({ level: 'PUBLIC' });
  expect(entry).toMatchObject(own);
  // Nor does it count for quality.
  const { quality } = entry ?? {};
  await tools.call('memory_remember', { ...NOTE, key: 'pole', content: 'The tides cable and the boats' });
  const plain = (await tools.store.exportAll({ level: 'PUBLIC' })).find(({ key }) => key === 'pole');
  expect(plain).toMatchObject({ ...own, quality });
});
