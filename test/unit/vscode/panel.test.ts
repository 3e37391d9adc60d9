/** The host's side of a panel, with a webview that a test drives. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type * as vscode from 'vscode';
import type { SealShown } from '../../../src/tools/sealing.ts';
import { Panel, type PanelHost, type PanelKind } from '../../../src/vscode/panel.ts';
import type { Damage } from '../../../src/worker/api.ts';

type Message = Record<string, unknown>;

const editor = vi.hoisted(() => ({
  errors: [] as string[],
  warnings: [] as string[],
  opened: [] as string[],
  commands: [] as unknown[][],
  configured: undefined as ((change: object) => void) | undefined,
}));

vi.mock('vscode', async () => ({
  ...(await import('./fakeEditor.ts')),
  Uri: {
    joinPath: (base: { path: string }, ...more: string[]) => ({ path: [base.path, ...more].join('/') }),
    file: (path: string) => ({ path }),
  },
  Disposable: {
    from: (...all: { dispose(): void }[]) => ({ dispose: () => all.forEach((one) => void one.dispose()) }),
  },
  Range: class {},
  env: { language: 'en', clipboard: { writeText: async () => {} } },
  workspace: {
    isTrusted: true,
    onDidGrantWorkspaceTrust: () => ({ dispose() {} }),
    onDidChangeConfiguration: (listener: (change: object) => void) => {
      editor.configured = listener;
      return { dispose() {} };
    },
    openTextDocument: async ({ path }: { path: string }) => {
      editor.opened.push(path);
      return { lineCount: 9 };
    },
  },
  window: {
    showErrorMessage: async (text: string) => void editor.errors.push(text),
    showWarningMessage: async (text: string) => void editor.warnings.push(text),
    showTextDocument: async () => {},
  },
  commands: { executeCommand: async (...given: unknown[]) => void editor.commands.push(given) },
}));

beforeEach(() => {
  Object.assign(editor, { errors: [], warnings: [], opened: [], commands: [] });
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

function opened(
  invoke: (tool: string, input: object) => Promise<unknown> = async () => ({ text: 'Done' }),
  kind: PanelKind = 'memory',
) {
  const posted: Message[] = [];
  const logged: string[] = [];
  const hears: {
    panel?: (message: unknown) => void;
    memory?: (folder: unknown) => void;
    folder?: () => void;
  } = {};
  const damage: Damage[] = [];
  const seal: { -readonly [Name in keyof SealShown]: SealShown[Name] } = {
    ...{ state: 'plain', key: '', locked: null },
  };
  const told: Readonly<Record<string, () => { text: string; data: unknown }>> = {
    damage_show: () => ({ text: '', data: damage }),
    seal_show: () => ({ text: '', data: seal }),
  };
  const folder = { name: 'shop', uri: { fsPath: '/home/dev/shop' } };
  const on = (name: keyof typeof hears) => (listener: never) => {
    hears[name] = listener;
    return { dispose: () => delete hears[name] };
  };
  const webview = {
    options: {},
    html: '',
    cspSource: 'https://own.files',
    asWebviewUri: ({ path }: { path: string }) => ({ toString: () => path }),
    onDidReceiveMessage: on('panel'),
    postMessage: async (message: Message) => {
      // As the editor does: what cannot be cloned cannot be sent.
      posted.push(structuredClone(message));
      return true;
    },
  };
  const host = {
    extensionUri: { path: '/extension' },
    apps: {
      folder,
      onDidChangeMemory: on('memory'),
      onDidChangeFolder: on('folder'),
    },
    person: {
      invoke: async (tool: string, input: object, ...rest: never[]) =>
        told[tool]?.() ?? (await Reflect.apply(invoke, undefined, [tool, input, ...rest])),
    },
    log: { warn: (text: string) => logged.push(text), error: (text: string) => logged.push(text) },
    documents: {},
    notices: () => [],
    openInEditor: () => {},
  };
  const panel = new Panel(
    webview as unknown as vscode.Webview,
    kind,
    'sidebar',
    host as unknown as PanelHost,
  );
  const settle = async () => {
    await import('../../../src/protocol.ts');
    await vi.advanceTimersByTimeAsync(150);
  };
  return {
    ...{ panel, posted, logged, damage, seal, folder, webview, hears, settle },
    send: async (message: unknown) => {
      hears.panel?.(message);
      await settle();
    },
    types: () => posted.map(({ type }) => type),
  };
}

it('says nothing before the document is ready, then all there is to say', async () => {
  const { panel, posted, send, types, webview } = opened();
  panel.show({ view: 'entry', id: 'e1' });
  panel.refresh();
  expect(posted).toEqual([]);
  expect(webview.html).toContain('<lodeline-memory>');
  await send({ type: 'ready' });
  expect(posted).toMatchObject([
    { type: 'init', folder: 'shop', trusted: true, show: { view: 'entry', id: 'e1' }, notices: [] },
  ]);
  // It is shown once.
  await send({ type: 'ready' });
  expect(posted[1]).toMatchObject({ type: 'init', show: null });
  panel.show({ view: 'entry', id: 'e2' });
  expect(types()).toEqual(['init', 'init', 'show']);
});

it('answers a call with its number, and a failed one with its reason', async () => {
  const { posted, send } = opened(async (tool) => {
    if (tool === 'memory_pin') throw new Error('No such entry.');
    return { text: 'Done', data: { tool } };
  });
  await send({ type: 'ready' });
  await send({ type: 'invoke', seq: 7, tool: 'memory_browse', input: {} });
  await send({ type: 'invoke', seq: 8, tool: 'memory_pin', input: {} });
  expect(posted.slice(1)).toMatchObject([
    { type: 'result', seq: 7, ok: true, data: { tool: 'memory_browse' } },
    { type: 'result', seq: 8, ok: false, error: 'No such entry.' },
  ]);
});

it('does not answer a document with what another one had asked before it went', async () => {
  const answers: ((text: string) => void)[] = [];
  const { panel, posted, send, settle } = opened(
    () => new Promise((resolve) => answers.push((text) => resolve({ text }))),
  );
  await send({ type: 'ready' });
  await send({ type: 'invoke', seq: 0, tool: 'memory_forget', input: {} });
  panel.hidden();
  await send({ type: 'ready' });
  await send({ type: 'invoke', seq: 0, tool: 'memory_browse', input: {} });
  answers[0]?.('Forgotten');
  await settle();
  answers[1]?.('Browsed');
  await settle();
  expect(posted.filter(({ type }) => type === 'result')).toMatchObject([{ seq: 0, text: 'Browsed' }]);
});

it.each([
  ['a tool that is no panel’s', { type: 'invoke', seq: 1, tool: 'memory_encrypt', input: {} }],
  ['no number', { type: 'invoke', tool: 'memory_browse', input: {} }],
  ['another type', { type: 'run', command: 'rm' }],
  ['nothing', null],
  ['a link of a command', 'command:workbench.action.quit'],
])('leaves a message with %s alone, and says so in the log', async (_what, message) => {
  const called: string[] = [];
  const { logged, posted, send } = opened(async (tool) => void called.push(tool));
  await send(message);
  expect(called).toEqual([]);
  expect(posted).toEqual([]);
  expect(logged).toHaveLength(1);
});

it('opens files of the folder only', async () => {
  const { send } = opened();
  for (const file of ['../secret.txt', '/etc/passwd', 'a\0b']) await send({ type: 'openFile', file });
  expect(editor.opened).toEqual([]);
  expect(editor.warnings).toHaveLength(3);
});

it('tells of a burst of changes once, and of another folder’s never', async () => {
  const { folder, hears, send, settle, types } = opened();
  await send({ type: 'ready' });
  for (let at = 0; at < 50; at++) hears.memory?.(folder);
  hears.memory?.({ name: 'other' });
  await settle();
  expect(types()).toEqual(['init', 'changed']);
  hears.memory?.({ name: 'other' });
  await settle();
  expect(types()).toEqual(['init', 'changed']);
});

it('reads again when a setting changes that it shows, and for no other', async () => {
  const { send, settle, types } = opened();
  await send({ type: 'ready' });
  const change = (changed: string) =>
    editor.configured?.({ affectsConfiguration: (section: string) => section === changed });
  change('editor.fontSize');
  await settle();
  expect(types()).toEqual(['init']);
  change('lodeline.managedModel');
  await settle();
  expect(types()).toEqual(['init', 'changed']);
});

it('hands over to the editor what it asks and tells by itself', async () => {
  const { send } = opened();
  await send({ type: 'compact', session: 's1' });
  await send({ type: 'turnOffManagedModel' });
  expect(editor.commands).toEqual([['lodeline.compactSession', 's1'], ['lodeline.turnOffManagedModel']]);
});

it('tells of damage when it is found, a few places at most, and not twice', async () => {
  const { damage, folder, hears, posted, send, settle } = opened();
  for (let at = 0; at < 8; at++)
    damage.push({ file: 'a.log', offset: at, length: 1, reason: 'torn' } as Damage);
  await send({ type: 'ready' });
  const notices = () => posted.filter(({ type }) => type === 'notices');
  expect(notices()).toHaveLength(1);
  expect(notices()[0]?.notices).toHaveLength(6);
  hears.memory?.(folder);
  await settle();
  expect(notices()).toHaveLength(1);
});

it('tells whether the folder is encrypted, and where its key is looked for', async () => {
  const { folder, hears, posted, seal, send, settle } = opened();
  const told = () => posted.filter(({ type }) => type === 'notices').map((message) => message.seal);
  await send({ type: 'ready' });
  expect(told()).toEqual([]);
  Object.assign(seal, { state: 'sealed', key: '0123abcd' });
  hears.memory?.(folder);
  await settle();
  expect(told()).toEqual([{ state: 'sealed', key: '0123abcd', locked: null }]);
  seal.locked = { file: '/home/dev/.lodeline/keys/0123abcd.key', otherGiven: false };
  hears.memory?.(folder);
  hears.memory?.(folder);
  await settle();
  expect(told().slice(1)).toEqual([{ state: 'sealed', key: '0123abcd', locked: seal.locked }]);
  // A panel that begins anew is told at once.
  await send({ type: 'ready' });
  expect(posted.findLast(({ type }) => type === 'init')).toMatchObject({ seal: { locked: seal.locked } });
  await send({ type: 'enterKey' });
  expect(editor.commands).toEqual([['lodeline.enterKey']]);
  seal.locked = null;
  hears.memory?.(folder);
  await settle();
  expect(told().at(-1)).toEqual({ state: 'sealed', key: '0123abcd', locked: null });
});

it('says in the other panels only that nothing can be read, which is no damage', async () => {
  const { damage, folder, hears, logged, posted, seal, send, settle } = opened(undefined, 'todo');
  const told = () => posted.filter(({ type }) => type === 'notices').map((message) => message.seal);
  Object.assign(seal, { state: 'sealed', key: '0123abcd' });
  await send({ type: 'ready' });
  expect(told()).toEqual([]);
  seal.locked = { file: '/home/dev/.lodeline/keys/0123abcd.key', otherGiven: true };
  damage.push({ file: 'sessions/a.jsonl', offset: 0, length: 9, reason: 'checksum' } as never);
  hears.memory?.(folder);
  await settle();
  expect(posted.at(-1)).toMatchObject({ type: 'notices', notices: [], seal: { locked: seal.locked } });
  expect(logged).toEqual([]);
});

it('is silent once it is gone, and ends its calls', async () => {
  let signal: AbortSignal | undefined;
  const { panel, folder, hears, posted, send, settle } = opened(((
    _tool: string,
    _input: object,
    options: never,
  ) => {
    ({ signal } = options as { signal: AbortSignal });
    return new Promise((resolve) => signal?.addEventListener('abort', () => resolve({ text: 'late' })));
  }) as never);
  await send({ type: 'ready' });
  await send({ type: 'invoke', seq: 0, tool: 'memory_browse', input: {} });
  hears.memory?.(folder);
  panel.dispose();
  await settle();
  expect(signal?.aborted).toBe(true);
  expect(posted.map(({ type }) => type)).toEqual(['init']);
});
