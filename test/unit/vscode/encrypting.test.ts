/** Encryption from the palette: nothing happens before the person has seen what it means, and a key is theirs alone. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { EnteredKey } from '../../../src/storeKey.ts';
import type { SealShown } from '../../../src/tools/sealing.ts';
import { decryptMemory, encryptMemory, enterKey } from '../../../src/vscode/encrypting.ts';
import { showKey } from '../../../src/vscode/keyNotice.ts';
import { temporaryFolder } from '../support/folder.ts';

const KEY = 'ab'.repeat(32);

const editor = vi.hoisted(() => ({
  /** Every text that was shown, with the buttons under it. */
  shown: [] as { text: string; detail: string; modal: boolean; buttons: string[] }[],
  /** What the person presses, one after the other; nothing is left of a question that they close. */
  presses: [] as (string | undefined)[],
  typed: [] as (string | undefined)[],
  problems: [] as (string | undefined)[],
  saveAs: [] as (string | undefined)[],
  clipboard: [] as string[],
  commands: [] as unknown[][],
  progress: [] as string[],
  cancels: false,
  files: false,
}));

vi.mock('vscode', async () => {
  type Item = string | { title: string };
  const titleOf = (item: Item): string => (typeof item === 'string' ? item : item.title);
  const ask = async (text: string, ...rest: (Item | { modal?: boolean; detail?: string })[]) => {
    const [first] = rest;
    const options = typeof first === 'object' && 'modal' in first ? first : {};
    const items = (options === first ? rest.slice(1) : rest) as Item[];
    const { detail = '', modal = false } = options as { modal?: boolean; detail?: string };
    editor.shown.push({ text, detail, modal, buttons: items.map(titleOf) });
    if (items.length === 0) return undefined;
    const pressed = editor.presses.shift();
    return items.find((item) => titleOf(item) === pressed);
  };
  return {
    ...(await import('./fakeEditor.ts')),
    ProgressLocation: { Notification: 15 },
    ConfigurationTarget: { Global: 1 },
    Uri: { file: (fsPath: string) => ({ fsPath }) },
    env: {
      language: 'en',
      clipboard: { writeText: async (text: string) => void editor.clipboard.push(text) },
    },
    commands: { executeCommand: async (...given: unknown[]) => void editor.commands.push(given) },
    workspace: {
      isTrusted: true,
      workspaceFolders: [{ uri: { fsPath: '/home/dev/shop' } }],
      getConfiguration: () => ({ inspect: () => ({ globalValue: editor.files }) }),
    },
    window: {
      showInformationMessage: ask,
      showWarningMessage: ask,
      showErrorMessage: ask,
      createInputBox: () => {
        const heard = { accept: async () => {}, hide: () => {} };
        const box = {
          value: '',
          validationMessage: undefined as string | undefined,
          onDidAccept: (accept: () => Promise<void>) => void Object.assign(heard, { accept }),
          onDidHide: (hide: () => void) => void Object.assign(heard, { hide }),
          onDidChangeValue: () => {},
          hide: () => heard.hide(),
          dispose: () => {},
          // A person types, and again while they are told of a problem.
          show: async () => {
            do {
              const text = editor.typed.shift();
              if (text === undefined) return heard.hide();
              box.value = text;
              await heard.accept();
              editor.problems.push(box.validationMessage);
            } while (box.validationMessage !== undefined);
          },
        };
        return box;
      },
      showSaveDialog: async () => {
        const path = editor.saveAs.shift();
        return path === undefined ? undefined : { fsPath: path };
      },
      withProgress: async (
        { title }: { title: string },
        run: (report: unknown, token: object) => Promise<unknown>,
      ) => {
        editor.progress.push(title);
        const onCancellationRequested = (cancel: () => void) => void (editor.cancels && cancel());
        return await run({}, { isCancellationRequested: false, onCancellationRequested });
      },
    },
  };
});

beforeEach(() => {
  vi.unstubAllEnvs();
  const empty = ['shown', 'presses', 'typed', 'problems', 'saveAs', 'clipboard', 'commands', 'progress'];
  Object.assign(editor, Object.fromEntries(empty.map((name) => [name, []])), {
    cancels: false,
    files: false,
  });
});

function parts(seal: Partial<SealShown> = {}, entered: EnteredKey[] = [], slow = false) {
  const called: string[] = [];
  const given: string[] = [];
  const folder = { name: 'shop', uri: { fsPath: '/home/dev/shop' } };
  const answers: Record<string, unknown> = {
    seal_show: { state: 'plain', key: '', locked: null, ...seal },
    memory_stats: { total: 3 },
    memory_encrypt: { others: 0 },
    memory_decrypt: { others: 2 },
  };
  const noted: unknown[] = [];
  const apps = {
    folder,
    noteMemory: (each: unknown) => noted.push(each),
    app: async () => ({
      enterKey: async (text: string) => {
        given.push(text);
        return entered.shift();
      },
    }),
  };
  const person = {
    invoke: (tool: string, _input: object, { signal }: { signal?: AbortSignal }) => {
      called.push(tool);
      if (!slow) return Promise.resolve({ data: answers[tool] });
      return new Promise((resolve, reject) => {
        setTimeout(() => resolve({ data: answers[tool] }), 900);
        signal?.addEventListener('abort', () => reject(new Error('cancelled')));
      });
    },
  };
  return { called, given, noted, folder, parts: { apps, person } as never };
}

const LOCKED = {
  state: 'sealed',
  key: '0123abcd',
  locked: { file: '/keys/0123abcd.key', otherGiven: false },
} as const;

describe.each([
  ['encrypt', encryptMemory, 'memory_encrypt', 'Encrypt', {}],
  ['decrypt', decryptMemory, 'memory_decrypt', 'Decrypt', { state: 'sealed', key: '0123abcd' }],
] as const)('%s', (_name, run, tool, button, seal) => {
  it('does nothing when the preview is closed, and goes on when it is agreed to', async () => {
    const closed = parts(seal);
    await run(closed.parts);
    expect(closed.called).not.toContain(tool);
    expect(editor.shown).toMatchObject([
      { modal: true, buttons: [button], text: expect.stringContaining('“shop”') },
    ]);
    editor.presses = [button];
    const agreed = parts(seal);
    await run(agreed.parts);
    expect(agreed.called.at(-1)).toBe(tool);
    expect(editor.shown.at(-1)?.text).toMatch(
      tool === 'memory_encrypt' ? /is encrypted\.$/ : /; 2 files of other/,
    );
  });

  it('can be cancelled while the store opens', async () => {
    editor.cancels = true;
    const { called, parts: given } = parts(seal, [], true);
    await run(given);
    expect(editor.progress).toHaveLength(1);
    expect(called).toEqual(['seal_show']);
    expect(editor.shown.map(({ text }) => text)).toEqual(['Nothing was changed.']);
  });

  it('offers to enter the key where that is missing', async () => {
    editor.presses = ['Enter Key…'];
    editor.typed = [KEY];
    const { called, given, noted, folder, parts: all } = parts(LOCKED, ['kept']);
    await run(all);
    expect(called).toEqual(['seal_show', 'seal_show']);
    expect(given).toEqual([KEY]);
    expect(noted).toEqual([folder]);
    expect(editor.shown.at(-1)?.text).toContain('can be read again');
  });
});

it('previews what is encrypted, what the key is for and how it is undone', async () => {
  await encryptMemory(parts().parts);
  expect(editor.shown[0]?.detail).toMatch(
    /3 memories.*chats[\s\S]*shown the key once[\s\S]*safe place[\s\S]*Decrypt the Memory/,
  );
  vi.stubEnv('LODELINE_KEY', KEY);
  await encryptMemory(parts().parts);
  expect(editor.shown[1]?.detail).toContain('the one in LODELINE_KEY');
  expect(JSON.stringify(editor.shown)).not.toContain(KEY);
});

it('previews nothing that will be refused: memory as files beside an encrypted store', async () => {
  editor.files = true;
  editor.presses = ['Open Setting'];
  const { called, parts: given } = parts();
  await encryptMemory(given);
  expect(called).toEqual([]);
  expect(editor.commands).toEqual([['workbench.action.openSettings', 'lodeline.memory.files']]);
});

it('asks for the key again until it is the one, and gives up when the person does', async () => {
  editor.typed = ['short', 'cd'.repeat(32), KEY];
  const { given, parts: all } = parts(LOCKED, ['malformed', 'other', 'kept']);
  await enterKey(all);
  expect(given).toEqual(['short', 'cd'.repeat(32), KEY]);
  expect(editor.problems).toEqual([
    expect.stringContaining('no key'),
    expect.stringContaining('0123abcd'),
    undefined,
  ]);
  editor.typed = ['short', undefined];
  const left = parts(LOCKED, ['malformed']);
  await enterKey(left.parts);
  expect(left.noted).toEqual([]);
  expect(editor.shown).toHaveLength(1);
  const open = parts({ state: 'sealed', key: '0123abcd' });
  await enterKey(open.parts);
  expect(editor.shown.at(-1)?.text).toContain('needs no key');
});

describe('a new key', () => {
  const questions = () => editor.shown.filter(({ detail }) => detail.includes(KEY));
  const settled = async (texts: number) => {
    await vi.waitFor(() => expect(editor.shown.length).toBeGreaterThanOrEqual(texts));
  };

  it('is shown once, and copied to where the person wants it', async () => {
    editor.presses = ['Copy Key'];
    showKey(KEY);
    await settled(2);
    expect(editor.clipboard).toEqual([KEY]);
    expect(questions()).toMatchObject([{ modal: true, buttons: ['Copy Key', 'Save to a File…', 'Done'] }]);
    expect(editor.shown[1]).toMatchObject({ modal: false, text: expect.not.stringContaining(KEY) });
  });

  it('is saved for its owner alone, over a file that was there, and shown again when it was not saved', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'my.key');
    editor.presses = Array.from({ length: 4 }, () => 'Save to a File…');
    // Left; beside what it opens; where nothing can be written; at last somewhere.
    editor.saveAs = [undefined, '/home/dev/shop/my.key', join(folder, 'gone', 'my.key'), file];
    showKey(KEY);
    await settled(7);
    expect(questions()).toHaveLength(4);
    expect(readFileSync(file, 'utf8')).toBe(`${KEY}\n`);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    const others = editor.shown.filter(({ detail }) => detail === '').map(({ text }) => text);
    expect(others).toEqual([
      expect.stringContaining('outside of this folder'),
      expect.stringContaining('was not saved'),
      expect.stringContaining('was saved to'),
    ]);
  });
});
