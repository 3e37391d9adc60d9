/** Requests to @lodeline over real sessions, with as much of an editor as they need. */
import { readdirSync } from 'node:fs';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { bytesUnder } from '../support/files.ts';
import { openChat, stoppable, text } from './chatKit.ts';

const editor = vi.hoisted(() => ({ isTrusted: true, settings: {} as Record<string, unknown> }));

vi.mock('vscode', async () => ({
  ...(await import('./fakeEditor.ts')),
  Uri: class {
    readonly fsPath: string;
    readonly scheme = 'file';
    constructor(fsPath: string) {
      this.fsPath = fsPath;
    }
    static file = (fsPath: string) => ({ fsPath });
  },
  MarkdownString: class {
    readonly value: string;
    constructor(value: string) {
      this.value = value;
    }
  },
  lm: { tools: [] },
  workspace: {
    get isTrusted() {
      return editor.isTrusted;
    },
    textDocuments: [],
    getConfiguration: () => ({
      inspect: (key: string) => ({ defaultValue: editor.settings[key] }),
    }),
  },
}));

beforeEach(() => Object.assign(editor, { isTrusted: true, settings: {} }));

const transcripts = (folder: string) => {
  try {
    return readdirSync(`${folder}/store/sessions`);
  } catch {
    return [];
  }
};

describe('a request to @lodeline', () => {
  test('to which a protected file is attached is kept at that file’s level from its first word on', async () => {
    const { say, folder, taint } = openChat({ 'classification.files': { 'secrets/**': 'CONFIDENTIAL' } });
    const { Uri } = (await import('vscode')) as unknown as { Uri: new (path: string) => object };
    const references = [{ id: 'f', value: new Uri(`${folder}/secrets/plan.md`) }];
    const { result } = await say('the zanzibar question', { references, parts: [await text('zanzibar')] });
    expect(result.errorDetails).toBeUndefined();
    expect(taint.levelOf({ key: 'chat-1', start: 'PUBLIC' })).toBe('CONFIDENTIAL');
    expect(bytesUnder(`${folder}/store`)).not.toContain('zanzibar');
  });

  test('begins where unobserved chats do, and does not fall when that is changed', async () => {
    const { say, taint } = openChat();
    editor.settings['classification.unobservedLevel'] = 'INTERNAL';
    await say('one', { parts: [await text('re one')] });
    editor.settings['classification.unobservedLevel'] = 'default';
    expect(taint.levelOf({ key: 'chat-1', start: 'PUBLIC' })).toBe('INTERNAL');
  });

  test('without words asks for some, and begins no turn', async () => {
    const { say, shown, folder } = openChat();
    expect((await say('  ')).result.errorDetails).toBeUndefined();
    expect(shown.join('')).toContain('Say what you want to do');
    expect(transcripts(folder)).toEqual([]);
  });

  test('in a folder that is not trusted writes nothing there', async () => {
    const { say, folder } = openChat();
    editor.isTrusted = false;
    const { result, asked } = await say('Hello', { parts: [await text('Hi.')] });
    expect(result.errorDetails?.message).toContain('not trusted');
    expect(asked).toBe('[]');
    expect(transcripts(folder)).toEqual([]);
  });

  test('keeps its turn although what is told after it fails', async () => {
    const { say, invoke } = openChat({ 'checkpoint.enabled': true });
    await say('one', { parts: [await text('re one')] });
    invoke.mockRejectedValueOnce(new Error('the list cannot be read'));
    const { result } = await say('two', { parts: [await text('re two')] });
    expect(result.errorDetails).toBeUndefined();
    const { asked } = await say('three', { parts: [await text('re three')] });
    for (const said of ['one', 're one', 'two', 're two']) expect(asked).toContain(`"${said}"`);
  });

  test('that is sent while the one before it is being stopped waits for its end', async () => {
    const { say } = openChat();
    await say('one', { parts: [await text('re one')] });
    const first = stoppable();
    let isAsked = () => {};
    const started = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const hanging = say('two', { token: first.token, parts: [isAsked, () => new Promise(() => {})] });
    await started;
    const given = stoppable();
    const givenUp = say('never mind', { token: given.token });
    const next = say('three', { parts: [await text('re three')] });
    given.cancel();
    expect((await givenUp).result.errorDetails).toBeUndefined();
    first.cancel();
    await hanging;
    const { result, asked } = await next;
    expect(result.errorDetails).toBeUndefined();
    expect(asked).toContain('"two"');
    expect(asked).not.toContain('never mind');
  });

  test('tells in the chat that the model says nothing', async () => {
    const { say } = openChat();
    const { result } = await say('one');
    expect(result.errorDetails?.message).toContain('answered nothing');
    expect(result.metadata).toMatchObject({ next: 'continue', turn: expect.any(String) });
  });
});
