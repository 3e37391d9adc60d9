import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { JournalWriteError } from '../../../src/journal/errors.ts';
import { frame } from '../../../src/journal/frame.ts';
import { filesWith, names, open, place, say, scratch, stored, texts } from './kit.ts';

const SEGMENT = /\.seg$/;

it('seals the levels it is told to, and reads them where the key is', () => {
  const at = place();
  const journal = open(at);
  say(journal, 'open text');
  say(journal, 'sealed text', 'SECRET');
  expect(filesWith(at.dir, 'open text')).toHaveLength(1);
  expect(filesWith(at.dir, 'sealed text')).toEqual([]);
  expect(stored(at)).toEqual(['open text', 'sealed text']);
});

it('reports sealed records without a key, keeps them, and reads them when the key is back', () => {
  const at = place();
  const journal = open(at);
  say(journal, 'open text');
  say(journal, 'sealed 1', 'SECRET');
  say(journal, 'sealed 2', 'SECRET');
  const keyless = { dir: at.dir, keys: scratch() };
  const reader = open(keyless);
  expect(texts(reader.load())).toEqual(['open text']);
  expect(reader.damage()).toMatchObject([{ reason: 'key-missing', count: 2 }]);
  const other = open(keyless, { seam: { alive: () => false } });
  expect(other.compact({ retain: () => true })).toMatchObject({ done: true, kept: 3 });
  expect(stored(at)).toEqual(['open text', 'sealed 1', 'sealed 2']);
});

it('reports a sealed record whose clear fields were changed', () => {
  const at = place();
  say(open(at), 'sealed', 'SECRET');
  const file = join(at.dir, names(at, SEGMENT)[0] ?? '');
  const body = readFileSync(file, 'latin1').split('\n')[1]?.slice(10).replace('SECRET', 'PUBLIC') ?? '';
  appendFileSync(file, frame(body.replace(/"id":"[^"]*"/, '"id":"forged"')));
  const reader = open(at);
  expect(texts(reader.load())).toEqual(['sealed']);
  expect(reader.damage()).toMatchObject([{ reason: 'seal-broken' }]);
});

it('refuses to append when a key is needed and none can be made', () => {
  const at = place();
  const dir = scratch();
  writeFileSync(join(dir, 'file'), '');
  const journal = open({ dir: at.dir, keys: join(dir, 'file') });
  expect(() => say(journal, 'x', 'SECRET')).toThrow(JournalWriteError);
  expect(existsSync(at.dir)).toBe(false);
});
