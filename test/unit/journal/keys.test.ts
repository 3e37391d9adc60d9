import { createHash } from 'node:crypto';
import fs, {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { KeyError, KeyRing } from '../../../src/journal/keys.ts';
import { seal, unseal } from '../../../src/journal/seal.ts';
import { scratch } from './kit.ts';

const hex = (digit: string) => digit.repeat(64);
const idOf = (text: string) =>
  createHash('sha256').update(Buffer.from(text, 'hex')).digest('hex').slice(0, 8);

function put(dir: string, text: string, name = `${idOf(text)}.key`): string {
  writeFileSync(join(dir, name), text);
  return name;
}

it('makes a key when there is none, readable by its owner only', () => {
  const dir = join(scratch(), 'deep', 'keys');
  const key = new KeyRing({ dir }).sealingKey();
  expect(readdirSync(dir)).toEqual([`${key.id}.key`]);
  expect(readFileSync(join(dir, `${key.id}.key`), 'utf8').trim()).toBe(
    Buffer.from(key.bytes).toString('hex'),
  );
  expect(key.id).toBe(idOf(Buffer.from(key.bytes).toString('hex')));
  if (process.platform !== 'win32') {
    expect(statSync(join(dir, `${key.id}.key`)).mode & 0o777).toBe(0o600);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
  }
});

it('uses the lowest-named key that is there, in every process', () => {
  const dir = scratch();
  const names = ['1', '2', '3'].map((digit) => put(dir, hex(digit))).sort();
  expect(`${new KeyRing({ dir }).sealingKey().id}.key`).toBe(names[0]);
  expect(new KeyRing({ dir }).sealingKey()).toEqual(new KeyRing({ dir }).sealingKey());
});

it('finds any key by its id, also one that is put back later', () => {
  const dir = scratch();
  const ring = new KeyRing({ dir });
  const id = idOf(hex('4'));
  expect(ring.find(id)).toBeUndefined();
  put(dir, hex('4'));
  expect(ring.find(id)).toBeUndefined();
  ring.lookAgain();
  expect(ring.find(id)?.id).toBe(id);
});

it('reads no path that is no key id', () => {
  const dir = join(scratch(), 'keys');
  mkdirSync(dir);
  put(dir, hex('5'), '../outside.key');
  expect(new KeyRing({ dir }).find('../outside')).toBeUndefined();
});

it('ignores and reports key files that are malformed, misnamed or unreadable', () => {
  const dir = scratch();
  put(dir, 'short', '00000000.key');
  put(dir, hex('6'), '00000001.key');
  mkdirSync(join(dir, '00000002.key'));
  const ring = new KeyRing({ dir });
  const key = ring.sealingKey();
  expect(key.id).not.toMatch(/^0000000/);
  expect(ring.problems().map(({ file, reason }) => [file.slice(-12), reason])).toEqual([
    ['00000000.key', 'malformed'],
    ['00000001.key', 'malformed'],
    ['00000002.key', 'unreadable'],
  ]);
});

it('seals with a given key only, and still opens with those of the folder', () => {
  const dir = scratch();
  put(dir, hex('7'));
  const ring = new KeyRing({ dir, value: ` ${hex('8')}\n` });
  expect(ring.sealingKey().id).toBe(idOf(hex('8')));
  expect(ring.find(idOf(hex('7')))).toBeDefined();
  expect(readdirSync(dir)).toHaveLength(1);
});

it('refuses a given key that is none, rather than sealing with another', () => {
  expect(() => new KeyRing({ dir: scratch(), value: 'passphrase' })).toThrow(KeyError);
});

it('says so when a new key cannot be stored', () => {
  const dir = scratch();
  writeFileSync(join(dir, 'file'), '');
  chmodSync(join(dir, 'file'), 0o400);
  expect(() => new KeyRing({ dir: join(dir, 'file', 'keys') }).sealingKey()).toThrow(KeyError);
});

it('leaves no part of a key behind when it cannot be stored', () => {
  const dir = scratch();
  vi.spyOn(fs, 'renameSync').mockImplementation(() => {
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  expect(() => new KeyRing({ dir }).sealingKey()).toThrow(KeyError);
  expect(readdirSync(dir)).toEqual([]);
});

it.each(['sealing', 'sealed', 'opening', 'plain'] as const)(
  'tells what is missing from a store that is %s, and of a file that holds something else',
  (state) => {
    const dir = scratch();
    const key = idOf(hex('9'));
    const word = { state, key };
    const sealsAll = () => state === 'sealing' || state === 'sealed';
    const ring = new KeyRing({ dir, seals: { read: () => word, sealsAll, found: () => {} } });
    const said = () => {
      ring.lookAgain();
      return ring.missingKey();
    };
    if (state === 'plain') {
      expect(said()).toBeUndefined();
      return;
    }
    expect(said()).toMatch(new RegExp(`key ${key}, which is not here\\. Set LODELINE_KEY`));
    for (const other of ['', hex('8'), hex('9').slice(1)]) {
      put(dir, other, `${key}.key`);
      expect(said()).toContain(`The file ${key}.key is there, but`);
    }
    rmSync(join(dir, `${key}.key`));
    expect(said()).not.toContain('is there, but');
    put(dir, hex('9'));
    expect(said()).toBeUndefined();
  },
);

const fields = { id: 'op', stamp: '000000000001-0000', writer: 'w', level: 'SECRET' };
const key = Buffer.alloc(32, 1);
const nonce = Buffer.alloc(12, 2);

it('opens what it sealed', () => {
  const box = seal(key, nonce, fields, 'text \ud83d\ude00');
  expect(unseal(key, fields, box)).toBe('text \ud83d\ude00');
  expect(Buffer.from(box, 'base64').includes('text')).toBe(false);
});

it('opens nothing whose key, text or clear fields are others', () => {
  const box = seal(key, nonce, fields, 'text');
  expect(unseal(Buffer.alloc(32, 3), fields, box)).toBeUndefined();
  for (const name of ['id', 'stamp', 'writer', 'level'] as const) {
    expect(unseal(key, { ...fields, [name]: 'other' }, box)).toBeUndefined();
  }
  const bytes = Buffer.from(box, 'base64');
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(unseal(key, fields, changed.toString('base64'))).toBeUndefined();
  }
  expect(unseal(key, fields, bytes.subarray(0, 20).toString('base64'))).toBeUndefined();
});
