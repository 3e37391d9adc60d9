/** What the editor offers when a folder holds another tool's memories. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type * as vscode from 'vscode';
import { ImportOffer, type ImportParts, importMemory } from '../../../src/vscode/importing.ts';
import { temporaryFolder } from '../support/folder.ts';

interface Folder {
  readonly name: string;
  readonly uri: { readonly scheme: string; readonly fsPath: string };
}

const editor = vi.hoisted(() => ({
  folders: [] as Folder[],
  trusted: true,
  asked: [] as string[],
  answer: undefined as string | undefined,
  key: undefined as string | undefined,
  picks: [] as number[],
}));

vi.mock('vscode', async () => ({
  ...(await import('./fakeEditor.ts')),
  FileType: { File: 1 },
  ProgressLocation: { Notification: 15 },
  Disposable: { from: () => ({ dispose: () => {} }) },
  Uri: {
    joinPath: ({ fsPath }: { fsPath: string }, ...names: string[]) => ({ fsPath: join(fsPath, ...names) }),
  },
  window: {
    showInformationMessage: async (message: string) => {
      editor.asked.push(message);
      return message.includes('Import them') ? editor.answer : undefined;
    },
    showWarningMessage: async (message: string) => void editor.asked.push(message),
    showErrorMessage: async (message: string) => void editor.asked.push(message),
    showInputBox: async () => editor.key,
    showQuickPick: async (items: unknown[]) => items[editor.picks.shift() ?? -1],
    withProgress: async (_options: unknown, act: () => unknown) => act(),
  },
  workspace: {
    get isTrusted() {
      return editor.trusted;
    },
    get workspaceFolders() {
      return editor.folders;
    },
    onDidChangeWorkspaceFolders: () => {},
    onDidGrantWorkspaceTrust: () => {},
    fs: {
      stat: async ({ fsPath }: { fsPath: string }) => ({ type: (await stat(fsPath)).isFile() ? 1 : 2 }),
      readFile: async ({ fsPath }: { fsPath: string }) => readFile(fsPath),
    },
  },
}));

beforeEach(() => {
  vi.stubEnv('TOON_MEMORY_KEY', '');
  Object.assign(editor, {
    folders: [],
    trusted: true,
    asked: [],
    answer: undefined,
    key: undefined,
    picks: [],
  });
});

/** An editor with a folder in it; `open` is a start of the editor. */
function opened(text = 'version: 1\n[0|]:\n') {
  const root = temporaryFolder();
  if (text !== '') {
    const file = join(root, '.toon-memory', 'memory', 'data.toon');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const folder: Folder = { name: 'shop', uri: { scheme: 'file', fsPath: root } };
  editor.folders = [folder];
  const kept = new Map<string, unknown>();
  const state = {
    get: (name: string, otherwise: unknown) => kept.get(name) ?? otherwise,
    update: async (name: string, value: unknown) => void kept.set(name, value),
  } as unknown as vscode.Memento;
  const calls: unknown[] = [];
  const parts = {
    apps: { folder },
    person: {
      invoke: async (tool: string, input: unknown) => {
        calls.push([tool, input]);
        return { text: 'done', data: { created: 1, updated: 0, unchanged: 0, damaged: [] } };
      },
    },
    log: { info: () => {}, warn: () => {}, show: () => {} },
  } as unknown as ImportParts;
  const open = async (): Promise<void> => {
    await new ImportOffer(parts, state).looked;
  };
  return { open, calls, parts, root };
}

const offers = (): number => editor.asked.filter((message) => message.includes('Import them')).length;

describe('a folder with memories of toon-memory', () => {
  it('offers them until they are imported', async () => {
    const { open, calls, root } = opened();
    await open();
    await open();
    expect(offers()).toBe(2);
    expect(calls).toEqual([]);
    editor.answer = 'Import';
    await open();
    const path = join(root, '.toon-memory', 'memory', 'data.toon');
    expect(calls).toEqual([['memory_import', { kind: 'toon', path }]]);
    await open();
    expect(offers()).toBe(3);
  });

  it('is never asked about again when the person says so', async () => {
    const { open, calls } = opened();
    editor.answer = 'Never for This Folder';
    await open();
    await open();
    expect([offers(), calls]).toEqual([1, []]);
  });

  it('asks for the key of a sealed file, and stops without one', async () => {
    const { open, calls } = opened(`${'0'.repeat(32)}:${'0'.repeat(32)}:00`);
    editor.answer = 'Import';
    await open();
    expect(calls).toEqual([]);
    editor.key = 'a'.repeat(64);
    await open();
    expect(calls).toMatchObject([['memory_import', { key: 'a'.repeat(64) }]]);
  });

  it('is left alone where the person trusts nothing, and so is one without', async () => {
    editor.trusted = false;
    await opened().open();
    editor.trusted = true;
    await opened('').open();
    expect(editor.asked).toEqual([]);
  });
});

it('the palette takes a tool’s memories from where it keeps them', async () => {
  const { parts, calls } = opened();
  editor.picks = [2, 0];
  await importMemory(parts);
  expect(calls).toEqual([['memory_import', { kind: 'claude' }]]);
  expect(editor.asked).toEqual(['Imported memory: 1 new, 0 updated, 0 unchanged.']);
});
