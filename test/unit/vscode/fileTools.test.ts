import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FileTools } from '../../../src/vscode/fileTools.ts';

/** Files by path, as the editor has them, and what was done to them. */
const editor = vi.hoisted(() => ({
  files: new Map<string, string>(),
  isTrusted: true,
  takesEdits: true,
  saved: [] as string[],
}));

vi.mock('vscode', async () => {
  type Uri = { fsPath: string };
  type Change = (files: Map<string, string>) => void;
  class WorkspaceEdit {
    readonly changes: Change[] = [];
    createFile(uri: Uri, { contents }: { contents: Buffer }) {
      this.changes.push((files) => files.set(uri.fsPath, contents.toString()));
    }
    replace(uri: Uri, { start, end }: { start: number; end: number }, by: string) {
      this.changes.push((files) => {
        const text = files.get(uri.fsPath) ?? '';
        files.set(uri.fsPath, text.slice(0, start) + by + text.slice(end));
      });
    }
  }
  const read = (uri: Uri) => {
    const text = editor.files.get(uri.fsPath);
    if (text === undefined) throw new Error('There is no such file');
    return text;
  };
  return {
    ...(await import('./fakeEditor.ts')),
    EndOfLine: { LF: 1, CRLF: 2 },
    Position: class {
      valueOf() {
        return 0;
      }
    },
    Range: class {
      readonly start: number;
      readonly end: number;
      constructor(start: number, end: number) {
        this.start = Number(start);
        this.end = end;
      }
    },
    Uri: { file: (fsPath: string) => ({ fsPath }) },
    WorkspaceEdit,
    workspace: {
      get isTrusted() {
        return editor.isTrusted;
      },
      fs: { stat: async (uri: Uri) => void read(uri) },
      applyEdit: async ({ changes }: WorkspaceEdit) => {
        if (editor.takesEdits) for (const change of changes) change(editor.files);
        return editor.takesEdits;
      },
      openTextDocument: async (uri: Uri) => {
        const text = read(uri);
        return {
          getText: () => text,
          eol: text.includes('\r\n') ? 2 : 1,
          positionAt: (at: number) => at,
          lineCount: 1,
          lineAt: () => ({ range: { end: text.length } }),
          isDirty: true,
          save: async () => editor.saved.push(uri.fsPath) > 0,
        };
      },
    },
  };
});

let root: string;
const asked: string[] = [];
const edited: string[] = [];
let agrees: boolean;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'lodeline-files-')));
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, 'src', 'a.ts'), '');
  editor.files.clear();
  editor.files.set(join(root, 'src', 'a.ts'), 'one two one');
  Object.assign(editor, { isTrusted: true, takesEdits: true, saved: [] });
  asked.length = 0;
  edited.length = 0;
  agrees = true;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const call = async (name: string, input: unknown) =>
  await new FileTools({
    root,
    approve: async ({ title }) => {
      asked.push(title);
      return agrees;
    },
    onEdit: ({ fsPath }) => edited.push(fsPath),
  }).call({ id: 'c', name, input: input as never });

const content = (path: string) => editor.files.get(join(root, path));

test('makes a file, and replaces the whole of one', async () => {
  expect(await call('write_file', { path: 'src/b.ts', content: 'new' })).toMatchObject({ isError: false });
  expect(await call('write_file', { path: join(root, 'src/a.ts'), content: 'all' })).toMatchObject({
    isError: false,
  });
  expect([content('src/b.ts'), content('src/a.ts')]).toEqual(['new', 'all']);
  expect(editor.saved).toHaveLength(2);
  expect(edited).toHaveLength(2);
});

test('replaces the one passage that is named, and no other', async () => {
  expect(await call('replace_text', { path: 'src/a.ts', old: 'two', new: 'three' })).toMatchObject({
    isError: false,
  });
  expect(content('src/a.ts')).toBe('one three one');
});

test('finds a passage in a file with the line ends of Windows', async () => {
  editor.files.set(join(root, 'src', 'a.ts'), 'a\r\nb\r\nc');
  await call('replace_text', { path: 'src/a.ts', old: 'a\nb', new: 'x' });
  expect(content('src/a.ts')).toBe('x\r\nc');
});

test.each([
  ['replace_text', { path: 'src/a.ts', old: 'one', new: 'x' }, /more than once/],
  ['replace_text', { path: 'src/a.ts', old: 'gone', new: 'x' }, /not in the file/],
  ['replace_text', { path: 'src/a.ts', old: '', new: 'x' }, /not in the file/],
  ['replace_text', { path: 'src/gone.ts', old: 'a', new: 'x' }, /There is no such file/],
  ['replace_text', { path: 'src/a.ts', old: 'two' }, /"new" is missing/],
  ['write_file', { path: 7, content: 'x' }, /"path" is missing/],
  ['write_file', 'text', /"path" is missing/],
  ['write_file', { path: '../out.ts', content: 'x' }, /not a file in the folder/],
  ['write_file', { path: '/etc/passwd', content: 'x' }, /not a file in the folder/],
  ['write_file', { path: '.git/hooks/pre-commit', content: 'x' }, /git's own files/],
  ['write_file', { path: 'sub/.GIT/config', content: 'x' }, /git's own files/],
])('%s of %j changes nothing and says what to do', async (name, input, says) => {
  const before = new Map(editor.files);
  const { text, isError } = await call(name, input);
  expect([isError, text]).toEqual([true, expect.stringMatching(says)]);
  expect(editor.files).toEqual(before);
  expect([asked, edited]).toEqual([[], []]);
});

test('asks before a file that tools act on, and takes no for an answer', async () => {
  await call('write_file', { path: '.vscode/tasks.json', content: '{}' });
  expect(content('.vscode/tasks.json')).toBe('{}');
  agrees = false;
  const { text, isError } = await call('write_file', { path: '.vscode/tasks.json', content: '{"a":1}' });
  expect([isError, text]).toEqual([true, expect.stringContaining('declined')]);
  expect(content('.vscode/tasks.json')).toBe('{}');
  expect(asked).toHaveLength(2);
});

test('changes nothing in a folder that is not trusted', async () => {
  editor.isTrusted = false;
  expect(await call('write_file', { path: 'src/b.ts', content: 'x' })).toMatchObject({ isError: true });
  expect(content('src/b.ts')).toBeUndefined();
});

test('an edit that the editor refuses is no success', async () => {
  editor.takesEdits = false;
  expect(await call('write_file', { path: 'src/b.ts', content: 'x' })).toMatchObject({ isError: true });
  expect(edited).toEqual([]);
});
