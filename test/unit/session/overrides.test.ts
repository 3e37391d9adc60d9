import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { KeyRing } from '../../../src/journal/keys.ts';
import { OverriddenSessions } from '../../../src/session/overrides.ts';
import { folder, START } from './kit.ts';

function opened(dir: string, now = () => START) {
  const keys = new KeyRing({ dir: join(dir, 'keys') });
  return new OverriddenSessions({ dir: join(dir, 'overrides'), now, keys, defaultLevel: 'INTERNAL' });
}

it('keeps what is said of a session, piece by piece, for every process', () => {
  const dir = folder();
  const one = opened(dir);
  const other = opened(dir);
  one.put('a', 'PUBLIC', { title: 'Mine', sendPolicy: 'deny' });
  other.put('a', 'PUBLIC', { label: 'work', sendPolicy: 'allow' });
  expect(one.reader()('a')).toEqual({ title: 'Mine', label: 'work', sendPolicy: 'allow' });
  one.put('a', 'PUBLIC', { sendPolicy: null });
  expect(other.reader()('a')).toEqual({ title: 'Mine', label: 'work' });
  expect(other.reader()('b')).toEqual({});
  other.erase();
  expect(opened(dir).reader()('a')).toEqual({});
});

it('lets the later word count when a clock was put back', () => {
  const dir = folder();
  opened(dir, () => START + 60_000).put('a', 'PUBLIC', { title: 'first' });
  const later = opened(dir, () => START);
  later.put('a', 'PUBLIC', { title: 'second' });
  expect(later.reader()('a')).toEqual({ title: 'second' });
});

it('seals what is said of sessions above the default level', () => {
  const dir = folder();
  opened(dir).put('s', 'CONFIDENTIAL', { title: 'merger with Acme' });
  const files = readdirSync(join(dir, 'overrides')).map((name) => join(dir, 'overrides', name));
  expect(files.map((file) => readFileSync(file, 'utf8')).join()).not.toContain('merger');
  expect(opened(dir).reader()('s')).toEqual({ title: 'merger with Acme' });
  rmSync(join(dir, 'keys'), { recursive: true });
  expect(opened(dir).reader()('s')).toEqual({});
});

it('takes a damaged file for one that says nothing', () => {
  const dir = folder();
  opened(dir).put('a', 'PUBLIC', { title: 'kept' });
  writeFileSync(join(dir, 'overrides', '00000000-1-00000000.json'), '{"a:title":{"at":"x"},"b":7}');
  expect(opened(dir).reader()('a')).toEqual({ title: 'kept' });
});

it('forgets nothing of a session for what is said of those of another level', () => {
  const dir = folder();
  const clock = { now: START };
  const sessions = opened(dir, () => clock.now);
  sessions.put('a', 'PUBLIC', { title: 'kept', sendPolicy: 'deny' });
  const words = Object.fromEntries(
    Array.from({ length: 6_000 }, (_, at) => [
      `h${at}:title`,
      { at: START + 1 + at, value: 'x', level: 'INTERNAL' },
    ]),
  );
  writeFileSync(join(dir, 'overrides', '00000000-1-00000000.json'), JSON.stringify(words));
  sessions.put('b', 'INTERNAL', { title: 'one more' });
  expect(opened(dir).reader()('a')).toEqual({ title: 'kept', sendPolicy: 'deny' });
});
