/** What the tests of encryption share: a folder with something in it, its key, and the command line. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { bytesUnder } from '../unit/support/files.ts';
import { DIST, environment, newPlace, type Place } from './mcp/support.ts';

export const CLI = join(DIST, 'cli.js');
export const KEY = /\b[0-9a-f]{64}\b/i;
export const NOTE = { category: 'knowledge', key: 'quiet', content: 'the quietword of this project' };
export const OWN = 'c0ffee'.padEnd(64, '0');
export const FILE_MODE = 0o777;

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in a folder. @param input what stands on its standard input, as JSON */
export function run(
  place: Place,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input?: object,
): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    ...{ cwd: place.root, env: { ...environment(place), ...env }, encoding: 'utf8' },
    input: input === undefined ? '' : JSON.stringify(input),
  });
  return { status, stdout, stderr };
}

export const keysOf = ({ home }: Place) => join(home, '.lodeline', 'keys');
export const storeOf = ({ root }: Place) => join(root, '.lodeline', 'store');

/** The key's file, and the key. */
export function keyOf(place: Place): { file: string; id: string; key: string } {
  const [name = ''] = readdirSync(keysOf(place)).filter((each) => each.endsWith('.key'));
  const file = join(keysOf(place), name);
  return { file, id: name.slice(0, 8), key: readFileSync(file, 'utf8').trim() };
}

export function withNote(): Place {
  const place = newPlace();
  expect(run(place, ['call', 'memory_remember', JSON.stringify(NOTE)]).status).toBe(0);
  expect(bytesUnder(storeOf(place))).toContain('quietword');
  return place;
}

/** Takes the keys away; the answer puts them back. */
export function loseKeys(place: Place): () => void {
  const away = `${keysOf(place)}.away`;
  renameSync(keysOf(place), away);
  return () => renameSync(away, keysOf(place));
}
