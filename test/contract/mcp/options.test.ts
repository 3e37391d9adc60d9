import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  call,
  connect,
  DIST,
  entryOf,
  environment,
  newPlace,
  type Place,
  RawServer,
  SERVER,
} from './support.ts';

function run(script: string, args: readonly string[], place: Place) {
  return spawnSync(process.execPath, [script, ...args], {
    env: environment(place),
    cwd: place.root,
    encoding: 'utf8',
  });
}

function writeConfig(base: string, text: string): string {
  mkdirSync(join(base, '.lodeline'), { recursive: true });
  const file = join(base, '.lodeline', 'config.json');
  writeFileSync(file, text);
  return file;
}

test('a wrong command line ends with 2 and says what is wrong', () => {
  const place = newPlace();
  for (const [args, message] of [
    [['--classification', 'SECRET'], 'none of PUBLIC, INTERNAL, CONFIDENTIAL, RESTRICTED'],
    [['--profile', 'tiny'], 'neither core nor full'],
    [['--root', '/no/such/folder'], 'there is no folder'],
    [['--session', 'two words'], '--session'],
    [['--nope'], '--nope'],
    [['stray'], 'stray'],
  ] as const) {
    const { status, stdout, stderr } = run(SERVER, args, place);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(message);
  }
});

test('--help and --version print and end', () => {
  const place = newPlace();
  expect(run(SERVER, ['--help'], place)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('--classification LEVEL'),
  });
  expect(run(SERVER, ['--version'], place).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('the command line program shares the store with the server', async () => {
  const place = newPlace();
  const cli = join(DIST, 'cli.js');
  const input = JSON.stringify({ category: 'bug', key: 'from-shell', content: 'Saved from a shell.' });
  expect(run(cli, ['call', 'memory_remember', input], place)).toMatchObject({ status: 0, stderr: '' });
  expect((await call(await connect(place), 'memory_recall', { query: 'shell' })).text).toContain(
    'from-shell',
  );
  expect(run(cli, ['stats', '--root', place.root], place).stdout).toContain('1');
  expect(JSON.parse(run(cli, ['export'], place).stdout)).toMatchObject({ entries: [{ key: 'from-shell' }] });
  expect(run(cli, ['call', 'memory_remember', '{'], place)).toMatchObject({ status: 2, stdout: '' });
  expect(run(cli, ['call', 'memory_erase'], place)).toMatchObject({ status: 1, stdout: '' });
  expect(run(cli, ['nope'], place)).toMatchObject({ status: 2, stdout: '' });
});

test('a broken settings file is named on standard error and harms nothing', async () => {
  const place = newPlace();
  const file = writeConfig(place.root, '{ "vocab": ');
  const own = writeConfig(place.home, '[]');
  const server = new RawServer(place);
  await server.initialize();
  expect(await server.call('memory_remember', { category: 'bug', key: 'k', content: 'c' })).toContain('k');
  expect(server.stderr).toContain(file);
  expect(server.stderr).toContain(own);
});

test("a repository's file neither raises nor lowers the person's level", async () => {
  const level = async (own: string, folder: string) => {
    const place = newPlace();
    writeConfig(place.home, own);
    writeConfig(place.root, folder);
    const { data } = await call(await connect(place), 'memory_remember', {
      category: 'bug',
      key: 'k',
      content: 'c',
    });
    return entryOf(data).level;
  };
  const file = (value: unknown) => JSON.stringify({ 'classification.defaultLevel': value });
  expect(await level('{}', file('RESTRICTED'))).toBe('PUBLIC');
  expect(await level(file('CONFIDENTIAL'), file('PUBLIC'))).toBe('CONFIDENTIAL');
  expect(await level(file('CONFIDENTIAL'), file('nonsense'))).toBe('CONFIDENTIAL');
});
