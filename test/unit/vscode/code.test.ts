import { beforeEach, expect, test, vi } from 'vitest';
import type * as vscode from 'vscode';
import { codeOf } from '../../../src/vscode/code.ts';

const editor = vi.hoisted(() => ({
  asked: [] as unknown[][],
  answers: {} as Record<string, unknown>,
  active: undefined as string | undefined,
}));

const ROOT = process.platform === 'win32' ? 'C:\\work' : '/work';

vi.mock('vscode', async () => {
  const { join, relative } = await import('node:path');
  class Position {
    readonly line: number;
    readonly character: number;
    constructor(line: number, character: number) {
      this.line = line;
      this.character = character;
    }
  }
  return {
    Position,
    Uri: {
      joinPath: ({ fsPath }: { fsPath: string }, path: string) => ({
        scheme: 'file',
        fsPath: join(fsPath, path),
      }),
    },
    window: {
      get activeTextEditor() {
        return editor.active && { document: { uri: { scheme: 'file', fsPath: editor.active } } };
      },
    },
    workspace: {
      asRelativePath: ({ fsPath }: { fsPath: string }) =>
        relative(process.platform === 'win32' ? 'C:\\work' : '/work', fsPath),
    },
    commands: {
      executeCommand: async (command: string, ...args: unknown[]) => {
        editor.asked.push([command, ...args]);
        return editor.answers[command];
      },
    },
  };
});

const { join } = await import('node:path');
const uri = (path: string, scheme = 'file') => ({ scheme, fsPath: join(ROOT, path) });
const range = (line: number, character = 0) => ({ start: { line, character } });
const code = () => codeOf({ uri: uri('') } as unknown as vscode.WorkspaceFolder);

beforeEach(() => {
  editor.asked = [];
  editor.answers = {};
  editor.active = undefined;
});

test('the current file is told from the folder, and none outside of it', () => {
  expect(code().currentFile()).toBeUndefined();
  editor.active = join(ROOT, 'src', 'a.ts');
  expect(code().currentFile()).toBe('src/a.ts');
  editor.active = join(ROOT, '..', 'other', 'a.ts');
  expect(code().currentFile()).toBeUndefined();
});

test('symbols of a name are those of exactly that name, in files of the folder', async () => {
  const at = (path: string, scheme?: string) => ({ uri: uri(path, scheme), range: range(2, 4) });
  editor.answers['vscode.executeWorkspaceSymbolProvider'] = [
    { name: 'run', location: at('src/a.ts') },
    { name: 'run(argument)', location: at('src/b.ts') },
    { name: 'runner', location: at('src/c.ts') },
    { name: 'run', location: at('../outside.ts') },
    { name: 'run', location: at('src/d.ts', 'untitled') },
  ];
  expect(await code().symbolsNamed('run')).toEqual([
    { path: 'src/a.ts', line: 3, column: 5, name: 'run' },
    { path: 'src/b.ts', line: 3, column: 5, name: 'run' },
  ]);
});

test('symbols of a file stand where their names do, in either shape of an answer', async () => {
  editor.answers['vscode.executeDocumentSymbolProvider'] = [
    { name: 'one', range: range(0), selectionRange: range(1, 9) },
    { name: 'two', location: { uri: uri('src/a.ts'), range: range(5) } },
  ];
  expect(await code().symbolsIn('src/a.ts')).toEqual([
    { path: 'src/a.ts', line: 2, column: 10, name: 'one' },
    { path: 'src/a.ts', line: 6, column: 1, name: 'two' },
  ]);
});

test('uses leave out the definition and what is outside of the folder', async () => {
  editor.answers['vscode.executeReferenceProvider'] = [
    { uri: uri('src/a.ts'), range: range(1, 9) },
    { uri: uri('src/a.ts'), range: range(7) },
    { uri: uri('src/b.ts'), range: range(1) },
    { uri: uri('../outside.ts'), range: range(1) },
  ];
  expect(await code().usesOf({ path: 'src/a.ts', line: 2, column: 10, name: 'one' })).toEqual([
    { path: 'src/a.ts', line: 8, column: 1 },
    { path: 'src/b.ts', line: 2, column: 1 },
  ]);
  expect(editor.asked[0]?.[2]).toMatchObject({ line: 1, character: 9 });
});

test('nothing is known where no language service answers', async () => {
  expect(await code().symbolsNamed('x')).toEqual([]);
  expect(await code().symbolsIn('a.ts')).toEqual([]);
  expect(await code().usesOf({ path: 'a.ts', line: 1, column: 1, name: 'x' })).toEqual([]);
});
