/** Requests to @lodeline over real sessions, with as much of an editor as they need. */
import { readdirSync } from 'node:fs';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type * as vscode from 'vscode';
import { levelledTurns } from '../../../src/tools/levelledTurns.ts';
import { answer } from '../../../src/vscode/participantAnswer.ts';
import type { ParticipantParts } from '../../../src/vscode/participantChat.ts';
import { bytesUnder, openTestTools } from '../support/folder.ts';

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

type Part = object | Error | (() => unknown);

/** A chat of one window: `say` sends a prompt with the history so far, and keeps what was answered. */
function openChat(settings: Record<string, unknown> = {}) {
  const tools = openTestTools(undefined, undefined, settings);
  const shown: string[] = [];
  const history: { participant: string; result: vscode.ChatResult }[] = [];
  const app = {
    root: tools.folder,
    store: storeOf(tools.sessions),
    sessions: levelledTurns(storeOf(tools.sessions), tools.taint),
    taint: tools.taint,
    registry: tools.registry,
    settings: { get: (key: string) => settings[key] },
    defaultLevel: 'PUBLIC',
  };
  const folder = { uri: { fsPath: tools.folder, toString: () => tools.folder }, name: 'f', index: 0 };
  const invoke = vi.fn(async (name: string, input: unknown, call: { chat: string }) => {
    const outcome = await tools.call(name, input, {
      actor: 'person',
      door: 'editor',
      session: call.chat,
      source: 'lodeline',
    });
    if (outcome.isError) throw new Error(outcome.text);
    return outcome;
  });
  const parts = {
    apps: { folderOf: () => folder, app: async () => app },
    person: { invoke },
    log: { warn: () => {}, info: () => {}, error: () => {} },
  } as unknown as ParticipantParts;
  const say = async (
    prompt: string,
    {
      parts: said = [],
      command,
      token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose: () => {} }) },
      keep = history.length,
      references = [],
    }: {
      references?: readonly object[];
      parts?: readonly Part[];
      command?: string;
      token?: object;
      keep?: number;
    } = {},
  ) => {
    const before = history.slice(0, keep);
    // While there is no answer, and where it was stopped too late, the chat has one without a result.
    const entry = { participant: 'lodeline.lodeline', result: {} };
    history.splice(keep, Number.POSITIVE_INFINITY, entry);
    const asked: unknown[][] = [];
    const request = {
      prompt,
      command,
      references,
      toolReferences: [],
      toolInvocationToken: { sessionResource: { path: '/chat-1' } },
      model: {
        name: 'fake',
        maxInputTokens: 1000,
        countTokens: async () => 1,
        sendRequest: async (messages: unknown[]) => {
          asked.push(messages);
          return { stream: streamOf(said) };
        },
      },
    };
    const stream = {
      markdown: (text: string | { value: string }) =>
        shown.push(typeof text === 'string' ? text : text.value),
      progress: () => {},
      anchor: () => {},
      button: () => {},
    };
    const result = await answer(
      parts,
      request as unknown as vscode.ChatRequest,
      { history: before } as unknown as vscode.ChatContext,
      stream as unknown as vscode.ChatResponseStream,
      token as vscode.CancellationToken,
    );
    entry.result = result;
    return { result, asked: JSON.stringify(asked) };
  };
  return { say, shown, invoke, ...tools };
}

async function* streamOf(parts: readonly Part[]) {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    if (typeof part === 'function') await part();
    else yield part;
  }
}

/** A request's token, and what the person presses to stop it. */
function stoppable() {
  const listeners: (() => void)[] = [];
  const token = {
    isCancellationRequested: false,
    onCancellationRequested: (listener: () => void) => {
      listeners.push(listener);
      return { dispose: () => {} };
    },
  };
  const cancel = () => {
    token.isCancellationRequested = true;
    for (const listener of listeners) listener();
  };
  return { token, cancel };
}

/** The methods of the service as the store's thread offers them. */
function storeOf(sessions: ReturnType<typeof openTestTools>['sessions']) {
  const { turnBegin, turnStep, turnStop, turnEnd } = sessions;
  return { turnBegin, turnStep, turnStop, turnEnd };
}

async function text(value: string) {
  const { LanguageModelTextPart } = await import('./fakeEditor.ts');
  return new LanguageModelTextPart(value);
}

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
