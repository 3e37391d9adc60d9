/** The built `lodeline import` and `lodeline export toon` as a person runs them. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { parseToon, toonText } from '../../src/memory/toonFormat.ts';
import { sealText } from '../../src/memory/toonSeal.ts';
import { DIST, environment, newPlace, type Place } from './mcp/support.ts';

const KEY = '0123456789abcdef'.repeat(4);
const FILE = toonText(
  ['  5d406310|warning|한글-경고|레디스 풀을 0으로 두지 마세요', '  9b3fc09b|bug|b|a\\|b'],
  [],
);

function run(place: Place, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [join(DIST, 'cli.js'), ...args, '--root', place.root], {
    env: { ...environment(place), ...env },
    cwd: place.home,
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (err += chunk));
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, out, err })),
  );
}

function put(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const fileOf = ({ root }: Place): string => join(root, '.toon-memory', 'memory', 'data.toon');

it('takes a file in, twice without duplicates, and writes it again', async () => {
  const place = newPlace();
  put(fileOf(place), FILE);
  expect(await run(place, ['import', 'toon'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('2 entries new, 0 updated, 0 unchanged') as unknown,
  });
  expect((await run(place, ['import', 'toon', fileOf(place)])).out).toContain('2 unchanged');
  const { code, out } = await run(place, ['export', 'toon', 'out.toon']);
  expect([code, out.split('\n')[0]]).toEqual([0, `📤 2 entries in ${join(place.home, 'out.toon')}`]);
  const rows = parseToon(readFileSync(join(place.home, 'out.toon'), 'utf8')).rows;
  expect(rows.map(({ row }) => row.content).sort()).toEqual(['a|b', '레디스 풀을 0으로 두지 마세요']);
});

it('takes the key of a sealed file from the environment, and keeps the file sealed', async () => {
  const place = newPlace();
  put(fileOf(place), sealText(FILE, KEY));
  const sealed = { TOON_MEMORY_KEY: KEY };
  expect(await run(place, ['import', 'toon'])).toMatchObject({ code: 1, out: '' });
  expect((await run(place, ['import', 'toon'])).err).toContain('lodeline: Missing key: ');
  const wrong = await run(place, ['import', 'toon'], { TOON_MEMORY_KEY: 'f'.repeat(64) });
  expect(wrong.err).toContain('lodeline: Wrong key: ');
  expect((await run(place, ['import', 'toon'], sealed)).code).toBe(0);
  expect((await run(place, ['export', 'toon'], sealed)).out).toContain(', sealed');
  expect(readFileSync(fileOf(place), 'utf8')).toMatch(/^[0-9a-f:]+$/);
});

it('loses nothing and takes nothing twice, killed in the middle and with others beside it', async () => {
  const place = newPlace();
  const count = 3000;
  const keys = Array.from({ length: count }, (_, at) => `key-${at}`).sort();
  put(
    fileOf(place),
    toonText(
      keys.map((key, at) => `  ${String(at).padStart(8, '0')}|bug|${key}|Text of ${key}`),
      [],
    ),
  );
  const killed = spawn(process.execPath, [join(DIST, 'cli.js'), 'import', 'toon', '--root', place.root], {
    env: environment(place),
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => killed.on('close', (_code, signal) => resolve(signal)));
  const memory = join(place.root, '.lodeline', 'store', 'memory');
  const written = () =>
    existsSync(memory)
      ? readdirSync(memory, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .some(({ parentPath, name }) => statSync(join(parentPath, name)).size > 50_000)
      : false;
  while (killed.exitCode === null && !written()) await new Promise((done) => setTimeout(done, 5));
  killed.kill('SIGKILL');
  await ended;
  const beside = await Promise.all([run(place, ['import', 'toon']), run(place, ['import', 'toon'])]);
  expect(beside.map(({ code, err }) => [code, err])).toEqual([
    [0, ''],
    [0, ''],
  ]);
  expect((await run(place, ['import', 'toon'])).out).toContain(
    `0 entries new, 0 updated, ${count} unchanged`,
  );
  const { out } = await run(place, ['export', 'toon', 'out.toon']);
  expect(out).not.toContain('beside a content');
  const rows = parseToon(readFileSync(join(place.home, 'out.toon'), 'utf8')).rows;
  expect(rows.map(({ row }) => row.key).sort()).toEqual(keys);
}, 180_000);

it('ends with a code and a reason where it cannot do what it is told', async () => {
  const place = newPlace();
  const no = join(place.home, 'no.toon');
  const notes = put(join(place.home, 'notes.md'), '# Notes');
  for (const [args, code, reason] of [
    [['import', 'toon'], 1, 'Missing file: '],
    [['import', 'toon', no], 1, 'Missing file: '],
    [['import', 'toon', place.home], 1, 'Unreadable file: '],
    [['import', 'toon', notes], 1, 'Not a .toon file: '],
    [['export', 'toon', notes], 1, 'Not a .toon file: '],
    [['import', 'basic-memory'], 1, 'Missing file: '],
    [['import', 'something'], 2, 'import takes one of toon, copilot'],
    [['import'], 2, 'import takes one of toon, copilot'],
    [['import', 'toon', 'a', 'b'], 2, 'import takes one path.'],
    [['import', 'toon', '--classification', 'TOP'], 2, '--classification: '],
    [['import', 'toon', '--nothing'], 2, "Unknown option '--nothing'"],
  ] as const) {
    const ended = await run(place, args);
    expect([args, ended.code, ended.out]).toEqual([args, code, '']);
    expect(ended.err).toContain(reason);
  }
  expect(existsSync(no)).toBe(false);
});

it('takes what is whole of a damaged file, names the lines of the rest, and fails', async () => {
  const place = newPlace();
  put(fileOf(place), FILE.replace('  9b3fc09b|bug|b|a\\|b', '  9b3fc09b|bug'));
  const { code, out, err } = await run(place, ['import', 'toon']);
  expect(code).toBe(1);
  expect(out).toContain('1 entry new');
  expect(out).toContain('line 4: has 2 of at least 3 fields');
  expect(err).toContain('Damaged rows: 1 could not be imported; the rest was.');
});

it('says how it is used', async () => {
  const { code, out } = await run(newPlace(), ['import', '--help']);
  expect(code).toBe(0);
  expect(out).toContain('Usage: lodeline import KIND [PATH]');
});
