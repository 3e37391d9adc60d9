/** The palette's way to the project's vocabulary, and how the editor comes to know it. */
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import type * as vscode from 'vscode';
import type { Apps } from '../../../src/vscode/apps.ts';
import { initializeVocabulary } from '../../../src/vscode/initCommand.ts';
import { portsOf } from '../../../src/vscode/ports.ts';
import { temporaryFolder } from '../support/folder.ts';

const editor = vi.hoisted(() => ({
  shown: [] as string[],
  chosen: undefined as string | undefined,
  opened: [] as string[],
  trusted: true,
  vocab: undefined as unknown,
}));

vi.mock('vscode', async () => ({
  ...(await import('./fakeEditor.ts')),
  Uri: { file: (fsPath: string) => ({ fsPath }) },
  window: {
    showInformationMessage: async (message: string) => {
      editor.shown.push(message);
      return editor.chosen;
    },
    showTextDocument: async ({ fsPath }: { fsPath: string }) => void editor.opened.push(fsPath),
  },
  workspace: {
    get isTrusted() {
      return editor.trusted;
    },
    getConfiguration: () => ({ inspect: () => ({ globalValue: editor.vocab }) }),
  },
}));

beforeEach(() => {
  Object.assign(editor, { shown: [], chosen: undefined, opened: [], trusted: true, vocab: undefined });
});

function opened(manifest?: string) {
  const all = realpathSync(temporaryFolder());
  // What is set up is written down in the home.
  for (const name of ['HOME', 'USERPROFILE']) vi.stubEnv(name, join(all, 'home'));
  const root = join(all, 'root');
  mkdirSync(root);
  if (manifest !== undefined) writeFileSync(join(root, 'package.json'), manifest);
  const folder = { uri: { fsPath: root } } as vscode.WorkspaceFolder;
  const reopened: unknown[] = [];
  const apps = { folder, reopen: (each: unknown) => reopened.push(each) } as unknown as Apps;
  const log = { warn: () => {} } as unknown as vscode.LogOutputChannel;
  const config = join(root, '.lodeline', 'config.json');
  return {
    apps,
    folder,
    reopened,
    config,
    root,
    vocab: () => portsOf(folder, log, {} as never).settings.get('vocab'),
  };
}

it('makes it, says from what, and has the editor go by it at once, the person’s own tags over it', async () => {
  const { apps, folder, reopened, config, vocab } = opened('{"name": "shop", "dependencies": {"zod": "4"}}');
  editor.chosen = 'Open';
  await initializeVocabulary(apps);
  expect(editor.shown).toEqual([expect.stringMatching(/from package\.json: 2\./)]);
  expect(editor.opened).toEqual([config]);
  expect(reopened).toEqual([folder]);
  expect(vocab()).toEqual({ shop: ['shop'], zod: ['zod'] });
  editor.vocab = { zod: ['schema'], own: ['mine'] };
  expect(vocab()).toEqual({ shop: ['shop'], zod: ['schema'], own: ['mine'] });
  editor.trusted = false;
  expect(vocab()).toEqual({ zod: ['schema'], own: ['mine'] });
});

it('says when there is nothing to make it from', async () => {
  const { apps, reopened } = opened();
  await initializeVocabulary(apps);
  expect(editor.shown).toEqual([expect.stringMatching(/no package\.json/)]);
  expect(reopened).toEqual([]);
});

it('says what is wrong with a file, and leaves it', async () => {
  const { apps, root, config } = opened('{"name": "shop"}');
  mkdirSync(join(root, '.lodeline'));
  writeFileSync(config, '{ "vocab": ');
  await expect(initializeVocabulary(apps)).rejects.toThrow(/not changed.*config\.json: it is not valid JSON/);
  expect(readFileSync(config, 'utf8')).toBe('{ "vocab": ');
  await expect(initializeVocabulary({ folder: undefined } as unknown as Apps)).rejects.toThrow(
    /Open a folder/,
  );
});
