import { chmodSync, existsSync, lstatSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isolationDelta } from '../../../src/subagent/isolation.ts';
import { keepTask, landTask, landTasks } from '../../../src/subagent/landing.ts';
import { undoLanding } from '../../../src/subagent/landingUndo.ts';
import { readRecovery } from '../../../src/subagent/recovery.ts';
import { newRepo, open, put, snapshot, status, text } from '../git/repo.ts';
import { isolate, work } from './isolationSupport.ts';

describe('a hostile task', () => {
  it.each<[string, (path: string, outside: string) => void]>([
    [
      'a link to a folder outside',
      (path, outside) => {
        rmSync(join(path, 'dir'), { recursive: true });
        symlinkSync(outside, join(path, 'dir'));
      },
    ],
    [
      'an absolute link as a file',
      (path, outside) => symlinkSync(join(outside, 'keep.txt'), join(path, 'link')),
    ],
  ])('lands %s as a link and writes nothing through it', async (_what, act) => {
    const root = newRepo({ 'a.txt': 'one\n', 'dir/x.txt': 'x\n' });
    const outside = newRepo({ 'keep.txt': 'k\n' });
    const repository = await open(root);
    const first = await work(repository, 'one', (path) => act(path, outside));
    const second = await work(repository, 'two', (path) =>
      put(path, { 'dir/x.txt': 'written\n', 'dir/y.txt': 'y\n' }),
    );
    const before = snapshot(outside);
    const answers = await landTasks(repository, [first, second]);
    expect(answers[0]?.status).toBe('applied');
    expect(snapshot(outside)).toEqual(before);
  });

  it('cannot write through a link that the person has where it made a folder', async () => {
    const root = newRepo({ 'a.txt': 'one\n', '.gitignore': 'out\n' });
    const outside = newRepo({ 'keep.txt': 'k\n' });
    const repository = await open(root);
    const delta = await work(repository, 'task', (path) =>
      put(path, { '.gitignore': '', 'out/keep.txt': 'evil\n' }),
    );
    symlinkSync(outside, join(root, 'out'));
    expect((await landTask(repository, delta)).status).toBe('conflict');
    expect(text(outside, 'keep.txt')).toBe('k\n');
  });

  it.each([
    '.GIT/config',
    'sub/.Git/hooks/x',
    'GIT~1/config',
    'git~1',
    '.git./x',
    '.git /x',
    '.g\u200cit/config',
    'x/.git/config',
  ])('gets no %j into the files', async (name) => {
    const root = newRepo();
    const repository = await open(root);
    const delta = await work(repository, 'task', (path) =>
      put(path, { [name]: 'evil\n', 'good.txt': 'g\n' }),
    );
    expect(delta.files.map(({ path }) => path)).toEqual(['good.txt']);
    const forged = {
      ...delta,
      files: [{ path: name, status: 'added', added: 1, deleted: 0, binary: false } as const],
    };
    expect((await landTask(repository, forged)).status).toBe('recovery_available');
    expect((await landTask(repository, delta)).status).toBe('applied');
    expect(Object.keys(snapshot(root)).sort()).toEqual(['a.txt', 'good.txt']);
  });

  it('cannot have anything run: hooks, settings, drivers, another .git, another repository', async () => {
    const root = newRepo({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
    const repository = await open(root);
    const isolation = await isolate(repository);
    const { path } = isolation;
    const proof = join(dirname(root), 'ran');
    const program = `touch ${proof};`;
    const hook = `#!/bin/sh\n${program}\n`;
    const hooks = join(root, '.git/hooks');
    const names = [
      'post-checkout',
      'reference-transaction',
      'pre-commit',
      'post-index-change',
      'post-merge',
      'prepare-commit-msg',
    ];
    put(hooks, Object.fromEntries(names.map((name) => [name, hook])));
    for (const name of names) chmodSync(join(hooks, name), 0o755);
    put(path, { '.gitattributes': '* filter=evil diff=evil merge=evil\n', 'a.txt': 'task\n' });
    const config = [
      '[core]',
      `fsmonitor = ${program}`,
      `worktree = ${root}`,
      `sshCommand = ${program}`,
      `pager = ${program}`,
      `editor = ${program}`,
      '[filter "evil"]',
      `clean = ${program} cat`,
      `smudge = ${program} cat`,
      `process = ${program}`,
      'required = true',
      '[diff "evil"]',
      `command = ${program}`,
      `textconv = ${program}`,
      '[merge "evil"]',
      `driver = ${program}`,
      '[diff]',
      `external = ${program}`,
      '[gpg]',
      `program = ${program}`,
      '[commit]',
      'gpgSign = true',
    ]
      .map((line) => line.replace(/= (touch .*)$/, '= "$1"'))
      .join('\n');
    // In the shared settings, in the work tree's own, and in a repository put in its place.
    put(join(root, '.git'), {
      config: `${readFileSync(join(root, '.git/config'), 'utf8')}${config}\n[extensions]\nworktreeConfig = true\n`,
    });
    put(isolation.adminDir, { 'config.worktree': config, commondir: join(path, '.git') });
    rmSync(join(path, '.git'));
    put(path, {
      '.git/config': config,
      '.git/HEAD': 'ref: refs/heads/evil\n',
      '.git/objects/x': '',
      '.git/refs/x': '',
    });

    const delta = await isolationDelta(repository, isolation);
    expect(delta.files.map((file) => file.path)).toEqual(['.gitattributes', 'a.txt']);
    put(root, { 'b.txt': 'mine\n' });
    const again = await open(root);
    expect((await landTask(again, delta)).status).toBe('applied');
    expect((await keepTask(again, delta, 'again')).status).toBe('recovery_available');
    expect(await readRecovery(again, delta.id)).toMatchObject({ tree: delta.tree });
    const next = await isolate(again, 'next');
    expect(text(next.path, 'a.txt')).toBe('task\n');
    expect(text(root, 'a.txt')).toBe('task\n');
    expect(existsSync(proof)).toBe(false);
  });

  it('cannot lead what it left to another place', async () => {
    const root = newRepo({ 'a.txt': 'one\n' });
    const repository = await open(root);
    const delta = await work(repository, 'task', (path) => {
      rmSync(join(path, 'a.txt'));
      symlinkSync('/etc/hostname', join(path, 'a.txt'));
    });
    const { status: landed, landing = '' } = await landTask(repository, delta);
    expect(landed).toBe('applied');
    expect(lstatSync(join(root, 'a.txt')).isSymbolicLink()).toBe(true);
    expect(readlinkSync(join(root, 'a.txt'))).toBe('/etc/hostname');
    await undoLanding(repository, landing);
    expect(status(root)).toEqual([]);
  });
});
