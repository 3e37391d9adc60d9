import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { refreshLauncher } from '../../../src/mcp/launcher.ts';
import { DIST, environment, newPlace, type Place } from './support.ts';

/** An installed extension in a folder whose name needs every kind of quoting. */
function install(place: Place): string {
  const extensionDir = join(place.root, `it's "my" $HOME \`x\` 확장`, 'lodeline.lodeline-0.9.0');
  mkdirSync(extensionDir, { recursive: true });
  cpSync(DIST, join(extensionDir, 'dist'), { recursive: true });
  vi.stubEnv('HOME', place.home);
  vi.stubEnv('USERPROFILE', place.home);
  return extensionDir;
}

function start(launcher: string, place: Place) {
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  };
  const options = {
    env: environment(place),
    input: `${JSON.stringify(message)}\n`,
    encoding: 'utf8' as const,
  };
  return spawnSync(launcher, ['--root', place.root, '--session', "it's"], options);
}

test.skipIf(process.platform === 'win32')(
  'the launcher starts the server, also after an update moved it',
  async () => {
    const place = newPlace();
    const extensionDir = install(place);
    const launcher = await refreshLauncher({ extensionDir, execPath: process.execPath });
    expect(launcher).toBe(join(place.home, '.lodeline', 'bin', 'lodeline-mcp'));
    expect(start(launcher, place)).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringContaining('"lodeline"'),
    });

    renameSync(extensionDir, extensionDir.replace('0.9.0', '0.10.0'));
    expect(start(launcher, place)).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringContaining('"lodeline"'),
    });

    renameSync(extensionDir.replace('0.9.0', '0.10.0'), join(place.root, 'gone'));
    expect(start(launcher, place)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('not installed'),
    });
  },
);

test.skipIf(process.platform === 'win32')(
  "without the editor's executable a Node on the path does",
  async () => {
    const place = newPlace();
    const launcher = await refreshLauncher({ extensionDir: install(place), execPath: '/gone/code' });
    expect(start(launcher, place)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('"lodeline"'),
    });
  },
);

test.skipIf(process.platform === 'win32')(
  'the hook has one, too, which does not stand in an agent’s way when the extension is gone',
  async () => {
    const place = newPlace();
    const extensionDir = install(place);
    const hook = join(
      await refreshLauncher({ extensionDir, execPath: process.execPath }),
      '..',
      'lodeline-hook',
    );
    const run = () => spawnSync(hook, { env: environment(place), input: '{}', encoding: 'utf8' });
    expect(run()).toMatchObject({
      status: 0,
      stdout: '',
      stderr: expect.stringContaining('hook_event_name'),
    });
    renameSync(extensionDir, join(place.root, 'gone'));
    expect(run()).toMatchObject({ status: 0, stdout: '', stderr: expect.stringContaining('not installed') });
  },
);

test('files are written only when they change, for their owner only', async () => {
  const place = newPlace();
  const target = { extensionDir: install(place), execPath: join(place.root, '100% & more', "Code's.exe") };
  const bin = join(await refreshLauncher(target), '..');
  const times = () => readdirSync(bin).map((name) => [name, statSync(join(bin, name)).mtimeMs]);
  const before = times();
  expect(before.map(([name]) => name).sort()).toEqual(
    ['lodeline', 'lodeline-hook', 'lodeline-mcp']
      .flatMap((name) => [name, `${name}.cmd`, `${name}.mjs`])
      .sort(),
  );
  await refreshLauncher(target);
  expect(times()).toEqual(before);
  if (process.platform !== 'win32') {
    for (const name of readdirSync(bin)) expect(statSync(join(bin, name)).mode & 0o777).toBe(0o700);
  }
  const batch = readFileSync(join(bin, 'lodeline-mcp.cmd'), 'utf8');
  expect(batch).toContain(`100%% & more`);
  expect(
    batch
      .split('\n')
      .slice(0, -1)
      .every((line) => line.endsWith('\r')),
  ).toBe(true);
});
