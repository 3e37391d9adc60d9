import { beforeEach, expect, test, vi } from 'vitest';
import type * as vscode from 'vscode';
import { findNameClashes } from '../../../src/vscode/nameClashes.ts';

const editor = vi.hoisted(() => ({
  all: [] as { id: string; packageJSON: unknown }[],
  shown: [] as string[],
}));

vi.mock('vscode', () => ({
  extensions: editor,
  window: { showWarningMessage: (text: string) => editor.shown.push(text) },
  l10n: {
    t: (text: string, ...values: string[]) => text.replace(/\{(\d)\}/g, (_, at) => values[Number(at)] ?? ''),
  },
}));

const manifest = (...names: string[]) => ({
  contributes: { languageModelTools: names.map((name) => ({ name })) },
});
const ours = { id: 'lodeline.lodeline', packageJSON: manifest('memory_recall', 'memory_remember') };
const log = { warn: vi.fn() } as unknown as vscode.LogOutputChannel;

function contextWithState(): vscode.ExtensionContext {
  const state = new Map<string, unknown>();
  return {
    extension: ours,
    globalState: {
      get: (key: string, initial: unknown) => state.get(key) ?? initial,
      update: async (key: string, value: unknown) => void state.set(key, value),
    },
  } as unknown as vscode.ExtensionContext;
}

beforeEach(() => {
  editor.all = [
    ours,
    { id: 'some.other', packageJSON: manifest('other_tool') },
    { id: 'no.tools', packageJSON: {} },
  ];
  editor.shown = [];
});

test('nothing is said while our names are ours', () => {
  expect(findNameClashes(contextWithState(), log)).toEqual([]);
  expect(editor.shown).toEqual([]);
});

test('another owner of a name is named in a notice, and notified of once', () => {
  editor.all.push({ id: 'toon.memory', packageJSON: manifest('memory_recall', 'toon_only') });
  const context = contextWithState();
  const [notice] = findNameClashes(context, log);
  expect(notice).toContain('toon.memory');
  expect(notice).toContain('memory_recall');
  expect(notice).not.toContain('toon_only');
  expect(findNameClashes(context, log)).toEqual([notice]);
  expect(editor.shown).toEqual([notice]);
});
