import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type * as vscode from 'vscode';
import type { App } from '../../../src/appApi.ts';
import { beginsAt, hasHooks, isObserved } from '../../../src/vscode/chatLevel.ts';
import { hookFileOf, writeHookFile } from '../../../src/vscode/hooksFile.ts';
import { openTestTools, temporaryFolder } from '../support/folder.ts';

const editor = vi.hoisted(() => ({ isTrusted: true, hooks: true, level: 'CONFIDENTIAL', home: '' }));

vi.mock('node:os', async (original) => ({ ...(await original<object>()), homedir: () => editor.home }));
vi.mock('vscode', async () => ({
  ...(await import('./fakeEditor.ts')),
  workspace: {
    get isTrusted() {
      return editor.isTrusted;
    },
    getConfiguration: () => ({
      get: () => editor.hooks,
      inspect: () => ({ globalValue: editor.level }),
    }),
  },
}));

let root: string;
const folder = () => ({ uri: { fsPath: root } }) as unknown as vscode.WorkspaceFolder;

beforeEach(() => {
  root = temporaryFolder();
  Object.assign(editor, { isTrusted: true, hooks: true, level: 'CONFIDENTIAL', home: temporaryFolder() });
  const bin = join(editor.home, '.lodeline', 'bin');
  mkdirSync(bin, { recursive: true });
  for (const name of ['lodeline-hook', 'lodeline-hook.cmd']) writeFileSync(join(bin, name), '');
});

describe('chats of the editor are observed', () => {
  test('where the hook file, the editor’s setting, trust and the launcher are there', () => {
    expect(hasHooks(folder())).toBe(false);
    writeHookFile(root);
    expect(hasHooks(folder())).toBe(true);
    expect(hasHooks(undefined)).toBe(false);
  });

  test.each([
    ['the setting is off', () => Object.assign(editor, { hooks: false })],
    ['the folder is not trusted', () => Object.assign(editor, { isTrusted: false })],
    ['the launcher is missing', () => Object.assign(editor, { home: temporaryFolder() })],
    ['the hooks are somebody else’s', () => writeFileSync(hookFileOf(root), '{"hooks":{}}')],
    ['no use of a tool is told', () => writeFileSync(hookFileOf(root), withoutTools())],
  ])('but not where %s', (_what, change) => {
    writeHookFile(root);
    change();
    expect(hasHooks(folder())).toBe(false);
  });
});

test('a chat of which no hook has told is not observed, though the hooks are there', async () => {
  const app = { isAttending: async (key: string) => key === 'told' };
  expect(await isObserved(app, folder(), 'told')).toBe(false);
  writeHookFile(root);
  expect(await isObserved(app, folder(), 'told')).toBe(true);
  expect(await isObserved(app, folder(), 'begun before')).toBe(false);
});

function withoutTools(): string {
  return '{"hooks":{"Stop":[{"command":"\\"$HOME/.lodeline/bin/lodeline-hook\\""}]}}';
}

describe('a chat', () => {
  const open = () => {
    const { taint } = openTestTools();
    const app = { defaultLevel: 'INTERNAL', taint } as unknown as App;
    const begin = (isObserved: boolean) =>
      beginsAt(app, undefined, { key: 'c', source: 'copilot', isObserved });
    return { begin, level: () => taint.levelOf({ key: 'c', start: 'INTERNAL' }) };
  };

  test('begins at the folder’s level where it is observed', async () => {
    const { begin, level } = open();
    expect([await begin(true), level()]).toEqual(['INTERNAL', 'INTERNAL']);
  });

  test('that was not observed once stays at the level for such chats', async () => {
    const { begin, level } = open();
    expect(await begin(false)).toBe('CONFIDENTIAL');
    editor.level = 'PUBLIC';
    await begin(true);
    await begin(false);
    expect(level()).toBe('CONFIDENTIAL');
  });

  test('is never below the folder’s level, and writes nothing where nothing is trusted', async () => {
    editor.level = 'PUBLIC';
    const low = open();
    expect([await low.begin(false), low.level()]).toEqual(['INTERNAL', 'INTERNAL']);
    Object.assign(editor, { level: 'RESTRICTED', isTrusted: false });
    const untrusted = open();
    expect([await untrusted.begin(false), untrusted.level()]).toEqual(['RESTRICTED', 'INTERNAL']);
  });
});
