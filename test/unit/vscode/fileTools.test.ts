import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FileTools } from '../../../src/vscode/fileTools.ts';

const editor = vi.hoisted(() => ({
  isTrusted: true,
  textDocuments: [] as { isDirty: boolean; uri: { fsPath: string } }[],
}));

vi.mock('vscode', async () => ({
  ...(await import('./fakeEditor.ts')),
  Uri: { file: (fsPath: string) => ({ fsPath }) },
  workspace: editor,
}));

let base: string;
let root: string;
let files: FileTools;
let asked: string[];
let edited: string[];
let agrees: boolean;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'lodeline-files-')));
  root = join(base, 'folder');
  mkdirSync(join(root, 'src'), { recursive: true });
  mkdirSync(join(root, '.git', 'hooks'), { recursive: true });
  mkdirSync(join(root, '.github'));
  mkdirSync(join(base, 'outside'));
  writeFileSync(join(base, 'outside', 'secret.ts'), 'secret');
  writeFileSync(join(root, 'src', 'a.ts'), 'one two one');
  Object.assign(editor, { isTrusted: true, textDocuments: [] });
  asked = [];
  edited = [];
  agrees = true;
  files = new FileTools({
    root,
    settings: { get: () => undefined },
    approve: async ({ title }) => {
      asked.push(title);
      return agrees;
    },
    onEdit: ({ fsPath }) => edited.push(fsPath),
  });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const call = async (name: string, input: unknown) =>
  await files.call({ id: 'c', name, input: input as never }, new AbortController().signal);
const content = (path: string) => readFileSync(join(root, path), 'utf8');

/** Every file below a folder with what it holds; links as where they lead. */
function everything(): string[] {
  return readdirSync(base, { recursive: true, encoding: 'utf8' })
    .map((name) => join(base, name))
    .filter((path) => lstatSync(path).isFile())
    .map((path) => `${path}: ${readFileSync(path, 'utf8')}`)
    .sort();
}

test('makes a file with its folders, and replaces the whole of one that was read', async () => {
  expect(await call('write', { path: 'new/b.ts', content: 'new' })).toMatchObject({ isError: false });
  expect(await call('write', { path: 'src/a.ts', content: 'all' })).toMatchObject({ isError: true });
  expect((await call('read', { path: 'src/a.ts' })).text).toContain('one two one');
  expect(await call('write', { path: 'src/a.ts', content: 'all' })).toMatchObject({ isError: false });
  expect([content('new/b.ts'), content('src/a.ts')]).toEqual(['new', 'all']);
  expect(edited).toEqual([join(root, 'new', 'b.ts'), join(root, 'src', 'a.ts')]);
  expect(asked).toEqual([]);
});

test('takes the absolute path of a file in the folder, as the editor’s own tools name it', async () => {
  await call('edit', { path: join(root, 'src', 'a.ts'), old: 'two', new: 'three' });
  expect(content('src/a.ts')).toBe('one three one');
  expect(edited).toEqual([join(root, 'src', 'a.ts')]);
});

test.each([
  ['edit', { path: 'src/a.ts', old: 'one', new: 'x' }],
  ['edit', { path: 'src/a.ts', old: 'gone', new: 'x' }],
  ['edit', { path: 'src/gone.ts', old: 'a', new: 'x' }],
  ['edit', { path: 'src/a.ts', old: 'two' }],
  ['write', { path: 7, content: 'x' }],
  ['write', 'text'],
  ['write', { path: '', content: 'x' }],
  ['write', { path: '../out.ts', content: 'x' }],
  ['write', { path: '/etc/lodeline-passwd', content: 'x' }],
  ['write', { path: 'C:\\out.ts', content: 'x' }],
  ['write', { path: '.git/hooks/pre-commit', content: 'x' }],
  ['write', { path: 'sub/.GIT/config', content: 'x' }],
  ['write', { path: '.git./config', content: 'x' }],
  ['write', { path: 'GIT~1/config', content: 'x' }],
  ['write', { path: '.g\u200cit/config', content: 'x' }],
  ['write', { path: '.lodeline/config.json', content: '{}' }],
  ['write', { path: 'to-git/hooks/pre-commit', content: 'x' }],
  ['write', { path: 'to-git-config', content: 'x' }],
  ['write', { path: 'out/new.ts', content: 'x' }],
  ['edit', { path: 'out/secret.ts', old: 'secret', new: 'x' }],
  ['edit', { path: 'secret.ts', old: 'secret', new: 'x' }],
  ['read', { path: 'secret.ts' }],
  ['read', { path: '../outside/secret.ts' }],
  ['write', { path: 'dangling.ts', content: 'x' }],
])('%s of %j changes nothing, also by way of links', async (name, input) => {
  writeFileSync(join(root, '.git', 'config'), 'git');
  symlinkSync(join(root, '.git'), join(root, 'to-git'));
  symlinkSync(join(root, '.git', 'config'), join(root, 'to-git-config'));
  symlinkSync(join(base, 'outside'), join(root, 'out'));
  symlinkSync(join(base, 'outside', 'secret.ts'), join(root, 'secret.ts'));
  symlinkSync(join(base, 'outside', 'dangling.ts'), join(root, 'dangling.ts'));
  const before = everything();
  const { text, isError } = await call(name, input);
  expect(isError).toBe(true);
  expect(text).not.toBe('');
  expect(everything()).toEqual(before);
  expect([asked, edited]).toEqual([[], []]);
});

test.each(['.vscode/tasks.json', '.github/workflows/ci.yml', '.envrc', 'to-github/ci.yml'])(
  'asks once before a change of %s, which tools act on, and takes no for an answer',
  async (path) => {
    symlinkSync(join(root, '.github'), join(root, 'to-github'));
    agrees = false;
    const { text, isError } = await call('write', { path, content: 'a' });
    expect([isError, text]).toEqual([true, expect.stringContaining('declined')]);
    expect(existsSync(join(root, path))).toBe(false);
    agrees = true;
    expect(await call('write', { path, content: 'b' })).toMatchObject({ isError: false });
    expect(content(path)).toBe('b');
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain(path.replace('to-github', '.github'));
  },
);

test('leaves a file alone that the person has changed and not saved', async () => {
  editor.textDocuments = [{ isDirty: true, uri: { fsPath: join(root, 'src', 'a.ts') } }];
  const { text, isError } = await call('edit', { path: 'src/a.ts', old: 'two', new: 'x' });
  expect([isError, text]).toEqual([true, expect.stringContaining('not saved')]);
  expect(content('src/a.ts')).toBe('one two one');
});

test('changes nothing in a folder that is not trusted, and still reads there', async () => {
  editor.isTrusted = false;
  expect(await call('write', { path: 'src/b.ts', content: 'x' })).toMatchObject({ isError: true });
  expect(existsSync(join(root, 'src', 'b.ts'))).toBe(false);
  expect(await call('read', { path: 'src/a.ts' })).toMatchObject({ isError: false });
});

test('neither waits for nor writes into a pipe', async () => {
  execFileSync('mkfifo', [join(root, 'pipe')]);
  expect(await call('read', { path: 'pipe' })).toMatchObject({ isError: true });
  expect(await call('write', { path: 'pipe', content: 'x' })).toMatchObject({ isError: true });
});
