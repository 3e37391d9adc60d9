import { writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Apps } from '../../../src/vscode/apps.ts';
import { observeChats } from '../../../src/vscode/hooks.ts';
import { hookFileOf, readHookFile, writeHookFile } from '../../../src/vscode/hooksFile.ts';
import { temporaryFolder } from '../support/folder.ts';

const AFTER = 'Copilot chats in this folder are observed once this window has been loaded again.';
const ALREADY = 'Hooks are on in this folder. If a Copilot chat is not observed, reload this window.';

/** The editor, whose person chooses these buttons where they are offered. */
const editor = vi.hoisted(() => ({
  isOn: true,
  chooses: [] as string[],
  told: [] as string[],
  ran: [] as string[],
}));

vi.mock('vscode', async () => {
  const show = async (message: string, ...more: unknown[]) => {
    editor.told.push(message);
    return more.find((each) => typeof each === 'string' && editor.chooses.includes(each));
  };
  return {
    ...(await import('./fakeEditor.ts')),
    ConfigurationTarget: { Global: 1 },
    window: { showInformationMessage: show, showWarningMessage: show },
    commands: { executeCommand: async (command: string) => editor.ran.push(command) },
    workspace: {
      getConfiguration: () => ({
        get: () => editor.isOn,
        update: async (_name: string, value: boolean) => Object.assign(editor, { isOn: value }),
      }),
    },
  };
});

let root: string;
const observe = () => observeChats({ folder: { uri: { fsPath: root } } } as unknown as Apps);

beforeEach(() => {
  root = temporaryFolder();
  Object.assign(editor, { isOn: true, chooses: ['Write File', 'Turn On'], told: [], ran: [] });
});

describe('whoever turns hooks on is told that chats are observed once the window has been loaded again', () => {
  it.each([
    ['by the file', () => {}],
    ['by the file and the setting', () => Object.assign(editor, { isOn: false })],
    [
      'by the setting alone',
      () => {
        writeHookFile(root);
        editor.isOn = false;
      },
    ],
  ])('%s, and may leave it for later', async (_how, prepare) => {
    prepare();
    await observe();
    expect(readHookFile(root).state).toBe('ours');
    expect(editor).toMatchObject({ isOn: true, ran: [] });
    expect(editor.told.at(-1)).toBe(AFTER);
  });

  it('and may have it done', async () => {
    editor.chooses.push('Reload Window');
    await observe();
    expect(editor.ran).toEqual(['workbench.action.reloadWindow']);
  });
});

it('whose hooks are on already is told what to do about a chat that is not observed', async () => {
  writeHookFile(root);
  editor.chooses.push('Reload Window');
  await observe();
  expect(editor).toMatchObject({ told: [ALREADY], ran: ['workbench.action.reloadWindow'] });
});

it.each([
  ['does not agree to the file', () => Object.assign(editor, { chooses: [] })],
  ['leaves the setting off', () => Object.assign(editor, { isOn: false, chooses: ['Write File'] })],
  [
    'has a file of somebody else’s there',
    () => {
      writeHookFile(root);
      writeFileSync(hookFileOf(root), '{"hooks":{}}');
    },
  ],
])('a person who %s is told nothing of observed chats', async (_what, prepare) => {
  prepare();
  editor.chooses.push('Reload Window');
  await observe();
  expect(editor.told).toHaveLength(editor.isOn ? 1 : 2);
  for (const text of [AFTER, ALREADY]) expect(editor.told).not.toContain(text);
  expect(editor.ran).toEqual([]);
});
