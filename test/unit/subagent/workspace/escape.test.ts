/** No path leads a subagent out of its folder. */
import { spawn } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Workspace } from '../../../../src/subagent/workspace/workspace.ts';
import { folderWith, openTools } from './kit.ts';

const SECRET = 'outside-secret';

/** Puts a link in the place of a folder and takes it away again, without end. */
const SWAPPING = `
  const { existsSync, renameSync, symlinkSync, rmSync } = require('node:fs');
  const [, folder, target] = process.argv;
  for (;;) {
    try {
      renameSync(folder, folder + '-away');
      symlinkSync(target, folder);
    } catch {
      // The other side made the folder anew in between.
    }
    if (!existsSync(folder + '-away')) continue;
    rmSync(folder, { recursive: true, force: true });
    renameSync(folder + '-away', folder);
  }`;

/** A workspace, and a folder beside it that no call may reach. */
function beside() {
  const outside = folderWith({ 'secret.txt': SECRET, 'deep/secret.txt': SECRET });
  const root = folderWith({ 'src/a.ts': 'inside', '.git/config': '[core]', 'sub/.git': 'gitdir: x' });
  return { root, outside, ...openTools(root, { diagnostics: async () => [] }) };
}

/** Every call that takes a path. */
const CALLS = [
  ['read', (path: string) => ({ path })],
  ['list', (path: string) => ({ path })],
  ['write', (path: string) => ({ path, content: 'taken' })],
  ['edit', (path: string) => ({ path, old: SECRET, new: 'taken' })],
  ['find', (path: string) => ({ path, glob: '*' })],
  ['search', (path: string) => ({ path, pattern: SECRET })],
  ['diagnostics', (path: string) => ({ paths: [path] })],
] as const;

describe.each(CALLS)('%s', (name, input) => {
  it('refuses absolute paths and ..', async () => {
    const { wrong, outside } = beside();
    for (const path of [`${outside}/secret.txt`, '../x', 'src/../../x', '/etc/passwd', 'C:\\x', '\\\\h\\s'])
      expect(await wrong(name, input(path))).not.toContain(SECRET);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET);
  });

  it('refuses links that lead out: to files, to folders, to nothing, and in a chain', async () => {
    const { root, outside, wrong } = beside();
    symlinkSync(join(outside, 'secret.txt'), join(root, 'file'));
    symlinkSync(outside, join(root, 'folder'));
    symlinkSync(join(outside, 'new.txt'), join(root, 'nothing'));
    symlinkSync('folder', join(root, 'chain'));
    symlinkSync('loop', join(root, 'loop'));
    for (const path of [
      'file',
      'folder',
      'folder/secret.txt',
      'folder/new.txt',
      'nothing',
      'chain/deep/secret.txt',
      'loop',
    ])
      if (!(name === 'diagnostics' && path === 'x'))
        expect(await wrong(name, input(path))).not.toContain(SECRET);
    expect(existsSync(join(outside, 'new.txt'))).toBe(false);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET);
  });

  it("refuses git's data, also through a link inside the folder", async () => {
    const { root, wrong } = beside();
    symlinkSync('.git', join(root, 'harmless'));
    for (const path of ['.git', '.git/config', '.GIT/config', 'sub/.git', 'harmless/config', 'harmless'])
      expect(await wrong(name, input(path))).toContain('git');
    expect(readFileSync(join(root, '.git/config'), 'utf8')).toBe('[core]');
  });
});

describe('links that stay inside', () => {
  it('are followed, and writing goes to what they lead to', async () => {
    const root = folderWith({ 'AGENTS.md': 'rules', 'pkg/x/a.ts': 'a' });
    symlinkSync('AGENTS.md', join(root, 'CLAUDE.md'));
    symlinkSync('pkg/x', join(root, 'x'));
    const { call } = openTools(root);
    expect(await call('read', { path: 'x/a.ts' })).toContain('a');
    await call('edit', { path: 'CLAUDE.md', old: 'rules', new: 'laws' });
    expect(readFileSync(join(root, 'AGENTS.md'), 'utf8')).toBe('laws');
    await call('write', { path: 'x/b.ts', content: 'b' });
    expect(readFileSync(join(root, 'pkg/x/b.ts'), 'utf8')).toBe('b');
  });
});

it('does not write into a file outside that has a second name inside', async () => {
  const { root, outside, call } = beside();
  linkSync(join(outside, 'secret.txt'), join(root, 'twin'));
  await call('edit', { path: 'twin', old: SECRET, new: 'taken' });
  expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET);
  expect(readFileSync(join(root, 'twin'), 'utf8')).toBe('taken');
});

describe.each([
  ['with descriptors as paths', undefined],
  ['with checks after opening', false],
])('a link that is made after the check, %s', (_, descriptorPaths) => {
  const swap = (root: string, name: string, target: string) => {
    renameSync(join(root, name), join(root, `${name}-away`));
    symlinkSync(target, join(root, name));
  };

  it('in the place of a folder is not gone through', async () => {
    const { root, outside } = beside();
    writeFileSync(join(root, 'src/secret.txt'), 'inside');
    const workspace = new Workspace(root, descriptorPaths);
    const place = workspace.locate('src/secret.txt', 'write');
    const fresh = workspace.locate('src/fresh.txt', 'write');
    const before = await workspace.peek(place);
    swap(root, 'src', outside);
    await expect(workspace.read(place)).rejects.toThrow(/changed while it was opened/);
    await expect(workspace.write(place, Buffer.from('taken'), before)).rejects.toThrow();
    await expect(workspace.write(fresh, Buffer.from('taken'), undefined)).rejects.toThrow();
    expect(() => workspace.hold(['src'])).toThrow();
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET);
    expect(existsSync(join(outside, 'fresh.txt'))).toBe(false);
  });

  it('in the place of a file is not read', async () => {
    const { root, outside } = beside();
    const workspace = new Workspace(root, descriptorPaths);
    const place = workspace.locate('src/a.ts', 'read');
    swap(root, 'src/a.ts', join(outside, 'secret.txt'));
    await expect(workspace.read(place)).rejects.toThrow(/changed while it was opened/);
  });

  it('in the place of a folder that is already held leaves the work in what was held, or fails', () => {
    const { root, outside } = beside();
    const workspace = new Workspace(root, descriptorPaths);
    const folder = workspace.hold(['src']);
    swap(root, 'src', outside);
    const inside = () => folder.entries().map(({ name }) => name);
    if (descriptorPaths === false) expect(inside).toThrow(/changed/);
    else expect(inside()).toEqual(['a.ts']);
    folder.close();
  });

  it('by another process, again and again, never lets anything out', async () => {
    const { root, outside } = beside();
    writeFileSync(join(root, 'src/secret.txt'), 'inside');
    const workspace = new Workspace(root, descriptorPaths);
    const attacker = spawn(process.execPath, ['-e', SWAPPING, join(root, 'src'), outside], {
      stdio: 'ignore',
    });
    onTestFinished(() => void attacker.kill('SIGKILL'));
    const ended = new Promise((resolve) => attacker.once('exit', resolve));
    const seen = { inside: 0, refused: 0 };
    while (seen.inside < 5 || seen.refused < 5) {
      try {
        const place = workspace.locate('src/secret.txt', 'write');
        const { bytes } = await workspace.read(place);
        expect(bytes.toString()).toMatch(/^inside/);
        seen.inside++;
        await workspace.write(place, Buffer.from(`inside ${seen.inside}`), await workspace.peek(place));
      } catch (error) {
        if (!(error instanceof Error) || error.name === 'AssertionError') throw error;
        seen.refused++;
        await new Promise(setImmediate);
      }
    }
    attacker.kill('SIGKILL');
    await ended;
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET);
  });
});

it('answers every path with text of the folder or with an error, whatever the tree and the path', async () => {
  const { root, outside, tools } = beside();
  mkdirSync(join(root, '한글'.normalize('NFD')));
  writeFileSync(join(root, '한글'.normalize('NFD'), 'a'), 'inside');
  symlinkSync(outside, join(root, 'out'));
  symlinkSync('src', join(root, 'in'));
  const piece = fc.constantFrom(
    'src',
    'a.ts',
    'out',
    'in',
    '..',
    '.',
    '',
    '.git',
    'secret.txt',
    '한글',
    outside,
    '~',
    'C:',
    'a',
    '-rf',
  );
  const path = fc
    .array(piece, { maxLength: 6 })
    .chain((names) => fc.constantFrom('/', '\\').map((sep) => names.join(sep)));
  await fc.assert(
    fc.asyncProperty(path, fc.constantFrom(...CALLS), async (text, [name, input]) => {
      if (name === 'find' || name === 'search') return;
      const result = await tools.call(
        { id: 'c', name, input: input(text) as never },
        new AbortController().signal,
      );
      expect(result.text).not.toContain(SECRET);
      expect(result.text).not.toContain('[core]');
    }),
    { numRuns: 500 },
  );
  expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET);
  expect(readFileSync(join(root, '.git/config'), 'utf8')).toBe('[core]');
});
