/** Encryption through the built command line: what a shell is told, and what of a key that is not there. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bytesUnder } from '../unit/support/files.ts';
import { environment, newPlace } from './mcp/support.ts';
import { CLI, FILE_MODE, KEY, keyOf, keysOf, loseKeys, OWN, run, storeOf, withNote } from './sealingKit.ts';

describe('lodeline encrypt and decrypt', () => {
  it('names the file of the key where there is no terminal, and shows the key itself nowhere', () => {
    const place = withNote();
    const ended = run(place, ['encrypt']);
    const { file, key } = keyOf(place);
    expect(ended).toMatchObject({ status: 0, stderr: '' });
    expect(ended.stdout).toContain(`Its key is in ${file}, which only you can read.`);
    expect(`${ended.stdout}${ended.stderr}`).not.toMatch(KEY);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    if (process.platform !== 'win32') expect(statSync(file).mode & FILE_MODE).toBe(0o600);
    expect(bytesUnder(storeOf(place))).not.toMatch(/quietword/);
    expect(bytesUnder(storeOf(place))).not.toContain(key);
    expect(run(place, ['call', 'memory_recall', '{"query":"quietword"}']).stdout).toContain('the quietword');
    expect(run(place, ['status']).stdout).toMatch(/^Encryption: on, with the key [0-9a-f]{8}$/m);
    // Asked for again, nothing happens and no key is named anew.
    const again = run(place, ['encrypt']);
    expect(again).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/already\. Nothing was changed/),
    });
    const back = run(place, ['decrypt']);
    expect(back).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringContaining('in the clear again'),
    });
    expect(bytesUnder(storeOf(place))).toContain('quietword');
    expect(run(place, ['decrypt'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('in the clear already'),
    });
    expect(run(place, ['status']).stdout).toMatch(/^Encryption: off$/m);
  });

  it.skipIf(spawnSync('script', ['--version']).status !== 0)('shows the key once on a terminal', () => {
    const place = withNote();
    const onTerminal = (command: string) =>
      spawnSync('script', ['-qec', `'${process.execPath}' '${CLI}' ${command}`, '/dev/null'], {
        ...{ cwd: place.root, env: { ...environment(place), TERM: 'dumb' }, encoding: 'utf8' as const },
        stdio: ['ignore', 'pipe', 'pipe'],
      }).stdout;
    const shown = onTerminal('encrypt');
    const { key, file } = keyOf(place);
    expect(shown.split(key)).toHaveLength(2);
    expect(shown).not.toContain(file);
    for (const command of ['encrypt', 'status', 'decrypt']) expect(onTerminal(command)).not.toMatch(KEY);
  });

  it('takes the key in LODELINE_KEY, keeps it nowhere, and opens with nothing else', () => {
    const place = withNote();
    const ended = run(place, ['encrypt'], { LODELINE_KEY: OWN });
    expect(ended).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringContaining('the one in LODELINE_KEY'),
    });
    expect(ended.stdout).not.toMatch(KEY);
    expect(existsSync(keysOf(place)) ? bytesUnder(keysOf(place)) : '').not.toContain(OWN);
    expect(bytesUnder(storeOf(place))).not.toContain('quietword');
    const recall = ['call', 'memory_recall', '{"query":"quietword"}'];
    expect(run(place, recall, { LODELINE_KEY: OWN }).stdout).toContain('the quietword');
    expect(run(place, recall)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('LODELINE_KEY'),
    });
    expect(run(place, ['decrypt'], { LODELINE_KEY: OWN }).status).toBe(0);
    expect(run(place, recall).stdout).toContain('the quietword');
  });

  it.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ['missing', {}, /sealed with the key [0-9a-f]{8}, which is not here/],
    ['malformed', { LODELINE_KEY: 'short' }, /LODELINE_KEY: .*64 hexadecimal digits/],
    ['another one', { LODELINE_KEY: OWN }, /LODELINE_KEY holds another key/],
  ])('with a key that is %s says so, fails, and changes nothing', (_how, env, reason) => {
    const place = withNote();
    run(place, ['encrypt']);
    const restore = loseKeys(place);
    const before = bytesUnder(storeOf(place));
    for (const args of [
      ['decrypt'],
      ['encrypt'],
      ['stats'],
      ['export'],
      ['call', 'memory_recall', '{"query":"x"}'],
    ]) {
      const ended = run(place, args, env);
      expect({ args, ...ended }).toMatchObject({
        args,
        status: 1,
        stdout: '',
        stderr: expect.stringMatching(reason),
      });
      expect(ended.stderr).toMatch(/^lodeline: /);
      expect(ended.stderr).not.toMatch(/\n\s+at /);
    }
    if (env.LODELINE_KEY !== 'short') {
      const status = run(place, ['status'], env);
      expect(status).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Encryption: locked\. /m) });
      expect(status.stdout).not.toMatch(/Entries:|Agents at work|No active sessions/);
    }
    expect(bytesUnder(storeOf(place))).toBe(before);
    restore();
    expect(run(place, ['call', 'memory_recall', '{"query":"quietword"}']).stdout).toContain('the quietword');
  });

  it.skipIf(process.platform === 'win32')('makes a key that was there before its owner’s alone', () => {
    const place = withNote();
    mkdirSync(keysOf(place), { recursive: true });
    const id = createHash('sha256').update(Buffer.from(OWN, 'hex')).digest('hex').slice(0, 8);
    const file = join(keysOf(place), `${id}.key`);
    writeFileSync(file, OWN, { mode: 0o644 });
    expect(run(place, ['encrypt']).stdout).toContain(`${file}, which only you can read`);
    expect(statSync(file).mode & FILE_MODE).toBe(0o600);
  });

  it.each([
    [['encrypt', '--wrong'], /--wrong/],
    [['decrypt', 'more'], /more/],
    [['encrypt', '--root', 'gone'], /no folder/],
    [['decrypt', '--root'], /--root/],
  ])('refuses %j with exit code 2, and does nothing', (args, problem) => {
    const place = newPlace();
    expect(run(place, args)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(problem) });
    expect(readdirSync(place.root)).toEqual([]);
  });

  it('tells of exit codes, LODELINE_KEY and what losing the key means in its help', () => {
    for (const command of ['encrypt', 'decrypt']) {
      const { status, stdout } = run(newPlace(), [command, '--help']);
      expect(status).toBe(0);
      for (const said of ['LODELINE_KEY', 'exit code', 'Without the key', '~/.lodeline/keys'])
        expect(stdout).toContain(said);
    }
  });
});
