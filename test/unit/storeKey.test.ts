import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { KeyRing } from '../../src/journal/keys.ts';
import { keepKey, keyPlaces, revealKey } from '../../src/storeKey.ts';
import { temporaryFolder } from './support/folder.ts';

afterEach(() => vi.unstubAllEnvs());

function newKey(): { key: string; id: string } {
  const bytes = randomBytes(32);
  return { key: bytes.toString('hex'), id: createHash('sha256').update(bytes).digest('hex').slice(0, 8) };
}

it.each([
  ['as it was shown', (key: string) => key],
  ['in capitals', (key: string) => key.toUpperCase()],
  [
    'broken over lines, as a document has it',
    (key: string) => `  ${key.slice(0, 32)}\r\n\t${key.slice(32)}\n`,
  ],
])('keeps a key that is entered %s where every door finds it, for the person alone', (_how, entered) => {
  const dir = join(temporaryFolder(), 'keys');
  const { key, id } = newKey();
  expect(new KeyRing({ dir }).find(id)).toBeUndefined();
  expect(keepKey(entered(key), id, dir)).toBe('kept');
  const file = join(dir, `${id}.key`);
  expect(readFileSync(file, 'utf8')).toBe(`${key}\n`);
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(dir)).toEqual([`${id}.key`]);
  expect(new KeyRing({ dir }).find(id)?.id).toBe(id);
});

it('takes the place of a file that holds no key', () => {
  const dir = temporaryFolder();
  const { key, id } = newKey();
  writeFileSync(join(dir, `${id}.key`), 'half a ke');
  expect(keepKey(key, id, dir)).toBe('kept');
  expect(readFileSync(join(dir, `${id}.key`), 'utf8')).toBe(`${key}\n`);
});

it.each([
  '',
  ' ',
  'short',
  'g'.repeat(64),
  'a'.repeat(63),
  'a'.repeat(65),
  '../../evil',
  '\ud800',
  '가'.repeat(64),
])('takes %j for no key, and writes nothing', (text) => {
  const dir = join(temporaryFolder(), 'keys');
  expect(keepKey(text, newKey().id, dir)).toBe('malformed');
  expect(existsSync(dir)).toBe(false);
});

it('tells another key from the one that is wanted, also where that one lies in the current folder', () => {
  const dir = join(temporaryFolder(), 'keys');
  const wanted = newKey();
  mkdirSync(dir);
  writeFileSync(join(dir, `${wanted.id}.key`), `${wanted.key}\n`);
  vi.spyOn(process, 'cwd').mockReturnValue(dir);
  expect(keepKey(newKey().key, wanted.id, dir)).toBe('other');
  expect(readFileSync(join(dir, `${wanted.id}.key`), 'utf8')).toBe(`${wanted.key}\n`);
});

it('says where a key is looked for, and whether LODELINE_KEY is another one', () => {
  const { key, id } = newKey();
  const file = join('/keys', `${id}.key`);
  expect(keyPlaces(id, '/keys')).toEqual({ file, otherGiven: false });
  vi.stubEnv('LODELINE_KEY', key);
  expect(keyPlaces(id, '/keys')).toEqual({ file, otherGiven: false });
  for (const other of [newKey().key, 'short', '']) {
    vi.stubEnv('LODELINE_KEY', other);
    expect(keyPlaces(id, '/keys')).toEqual({ file, otherGiven: true });
  }
  expect(keyPlaces('', '/keys').file).toBe('');
});

it('shows a key to the person alone, and names its file where nobody can be shown anything', () => {
  const dir = join(temporaryFolder(), 'keys');
  const { key, id } = newKey();
  keepKey(key, id, dir);
  const shown: string[] = [];
  const showKey = (text: string) => void shown.push(text);
  expect(revealKey(id, dir, { showKey })).toEqual({ how: 'shown' });
  expect(shown).toEqual([key]);
  expect(revealKey(id, dir, {})).toEqual({ how: 'file', file: join(dir, `${id}.key`) });
  // Who gave it has it.
  vi.stubEnv('LODELINE_KEY', key);
  expect(revealKey(id, dir, { showKey })).toEqual({ how: 'given' });
  expect(shown).toHaveLength(1);
});
