import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SharedState } from '../../../src/journal/sharedState.ts';
import { temporaryFolder } from '../support/folder.ts';

type Names = readonly string[];

function open(dir: string, alive: (pid: number) => boolean = () => true): SharedState<Names> {
  return new SharedState<Names>({
    ...{ dir, alive, now: Date.now, empty: [] },
    parse: (value) => (Array.isArray(value) ? value.filter((each) => typeof each === 'string') : undefined),
    merge: (a, b) => [...new Set([...a, ...b])].sort(),
  });
}

const add = (state: SharedState<Names>, name: string) => state.write((own) => [...own, name].sort());

it('is what all processes say together, each in a file of its own', () => {
  const dir = join(temporaryFolder(), 'a');
  const [one, two] = [open(dir), open(dir)];
  add(one, 'one');
  add(two, 'two');
  add(one, 'three');
  expect(readdirSync(dir)).toHaveLength(2);
  for (const each of [one, two, open(dir)]) expect(each.read()).toEqual(['one', 'three', 'two']);
});

it('takes in what ended processes said, and removes their files and drafts', () => {
  const dir = join(temporaryFolder(), 'a');
  for (const name of ['a', 'b', 'c']) add(open(dir), name);
  writeFileSync(join(dir, (readdirSync(dir)[0] ?? '').replace('.json', '.json.tmp')), '["half');
  const last = open(dir, () => false);
  expect(last.read()).toEqual(['a', 'b', 'c']);
  add(last, 'd');
  expect(readdirSync(dir)).toHaveLength(1);
  expect(open(dir).read()).toEqual(['a', 'b', 'c', 'd']);
});

it('counts once what stands in two files, as a process leaves it that is killed after it wrote', () => {
  const dir = join(temporaryFolder(), 'a');
  add(open(dir), 'a');
  const [name = ''] = readdirSync(dir);
  const bytes = readFileSync(join(dir, name));
  add(
    open(dir, () => false),
    'b',
  );
  writeFileSync(join(dir, name), bytes);
  expect(open(dir).read()).toEqual(['a', 'b']);
});

it.each(['', '[', 'null', '{}', '[1]', '\0\0\0', '"x"'])('is not harmed by a file that says %j', (text) => {
  const dir = join(temporaryFolder(), 'a');
  add(open(dir), 'a');
  writeFileSync(join(dir, (readdirSync(dir)[0] ?? '').replace(/-[0-9a-f]{8}\./, '-00000000.')), text);
  expect(open(dir).read()).toEqual(['a']);
  const next = open(dir, () => false);
  add(next, 'b');
  expect(next.read()).toEqual(['a', 'b']);
  expect(readdirSync(dir)).toHaveLength(1);
});

it('leaves alone what is not its own', () => {
  const dir = join(temporaryFolder(), 'a');
  mkdirSync(dir);
  for (const name of ['notes.txt', '../evil.json', 'x.json']) writeFileSync(join(dir, name), '["x"]');
  mkdirSync(join(dir, '00000000-1-00000000.json'));
  const state = open(dir, () => false);
  add(state, 'a');
  expect(state.read()).toEqual(['a']);
  expect(readdirSync(dir)).toContain('notes.txt');
});

describe('what a process said before others deleted it', () => {
  const said = () => {
    const dir = join(temporaryFolder(), 'a');
    const state = open(dir);
    add(state, 'deleted');
    return { dir, state };
  };

  it('is not read any more', () => {
    const { dir, state } = said();
    rmSync(dir, { recursive: true });
    expect(state.read()).toEqual([]);
  });

  it('does not come back with what it says next', () => {
    const { dir, state } = said();
    rmSync(dir, { recursive: true });
    add(state, 'new');
    for (const each of [state, open(dir)]) expect(each.read()).toEqual(['new']);
  });

  it('stays where another took it in and believed it to have ended', () => {
    const { dir, state } = said();
    add(
      open(dir, () => false),
      'other',
    );
    add(state, 'new');
    for (const each of [state, open(dir)]) expect(each.read()).toEqual(['deleted', 'new', 'other']);
  });
});

it('keeps what it said before when it cannot be written, and goes on when it can', () => {
  const folder = temporaryFolder();
  const dir = join(folder, 'a');
  writeFileSync(dir, 'in the way');
  const state = open(dir);
  expect(() => add(state, 'a')).toThrow(/ENOTDIR|EEXIST/);
  rmSync(dir);
  add(state, 'b');
  expect(state.read()).toEqual(['b']);
});

it('is for its owner only', () => {
  const dir = join(temporaryFolder(), 'a');
  add(open(dir), 'a');
  expect(statSync(dir).mode & 0o077).toBe(0);
  expect(statSync(join(dir, readdirSync(dir)[0] ?? '')).mode & 0o077).toBe(0);
});
