import { beforeEach, describe, expect, test, vi } from 'vitest';
import type * as vscode from 'vscode';
import { ManagedView } from '../../../src/session/managedView.ts';
import { behind, managedId } from '../../../src/vscode/managedIds.ts';
import { ManagedProvider } from '../../../src/vscode/managedProvider.ts';
import * as fake from './fakeEditor.ts';

vi.mock('vscode', async () => await import('./fakeEditor.ts'));

interface Sent {
  readonly messages: readonly { role: string; content: readonly unknown[] }[];
  readonly options: vscode.LanguageModelChatRequestOptions;
}

const sent: Sent[] = [];
let models: vscode.LanguageModelChat[] = [];
let stream: () => AsyncIterable<unknown>;
let window: { contextWindow: number; maxOutputTokens: number } | undefined;

const model = (changes: object = {}) =>
  ({
    ...{ vendor: 'acme', id: 'm/1', name: 'Acme One', family: 'one', version: '7', maxInputTokens: 1000 },
    sendRequest: async (messages: Sent['messages'], options: Sent['options']) => {
      sent.push({ messages, options });
      return { stream: stream() };
    },
    countTokens: async (said: string | { content: unknown[] }) =>
      typeof said === 'string' ? said.length : said.content.length * 100,
    ...changes,
  }) as unknown as vscode.LanguageModelChat;

const provider = new ManagedProvider({
  models: () => models,
  maxOutputTokens: () => 8_000,
  load: async () => ({ view: new ManagedView(), windowOf: () => window }),
  onDidChange: (() => ({ dispose() {} })) as unknown as vscode.Event<void>,
});

class Token {
  isCancellationRequested = false;
  readonly listeners = new Set<() => void>();
  onCancellationRequested = (listener: () => void) => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };
  cancel() {
    this.isCancellationRequested = true;
    for (const listener of this.listeners) listener();
  }
}

const text = (value: string) => new fake.LanguageModelTextPart(value);
const streamOf = (...parts: unknown[]) =>
  async function* () {
    yield* parts;
  };

async function ask(
  given: { messages?: unknown[]; options?: object; token?: Token } = {},
): Promise<unknown[]> {
  const said: unknown[] = [];
  const { messages = [{ role: 'user', content: [text('hi')] }], options = {}, token = new Token() } = given;
  const [info] = provider.provideLanguageModelChatInformation();
  await provider.provideLanguageModelChatResponse(
    info ?? ({ id: 'acme/m/1', name: 'Acme One · Lodeline' } as never),
    messages as never,
    { toolMode: 'auto', ...options } as never,
    { report: (part: unknown) => said.push(part) } as never,
    token as unknown as vscode.CancellationToken,
  );
  return said;
}

beforeEach(() => {
  sent.length = 0;
  models = [model()];
  stream = streamOf(text('Hello'));
  window = undefined;
});

describe('the models that are offered', () => {
  test('are the chosen ones under a name of their own, with family and version', () => {
    models = [model({ capabilities: { supportsToolCalling: true, supportsImageToText: true } })];
    expect(provider.provideLanguageModelChatInformation()).toEqual([
      expect.objectContaining({
        ...{ id: 'acme/m/1', name: 'Acme One · Lodeline', family: 'one', version: '7', maxInputTokens: 1000 },
        ...{ maxOutputTokens: 8_000, isUserSelectable: true },
        capabilities: { toolCalling: true, imageInput: true },
      }),
    ]);
    models = [];
    expect(provider.provideLanguageModelChatInformation()).toEqual([]);
  });

  test.each([
    [undefined, { toolCalling: true, imageInput: false }],
    [{ supportsToolCalling: false }, { toolCalling: false, imageInput: false }],
    ['anything', { toolCalling: true, imageInput: false }],
  ])('can do what the editor says of them: %j', (capabilities, expected) => {
    models = [model({ capabilities })];
    expect(provider.provideLanguageModelChatInformation()[0]?.capabilities).toEqual(expected);
  });

  test('are named by what is behind them, and never by one of ours', () => {
    expect(behind(managedId({ vendor: 'acme', id: 'm/1' }))).toEqual({ vendor: 'acme', id: 'm/1' });
    expect(['lodeline/acme/m', '/m', 'acme/', 'acme', ''].map(behind)).toEqual(Array(5).fill(undefined));
  });
});

describe('a request', () => {
  test('goes on with its tools, mode and options', async () => {
    const tools = [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }];
    await ask({ options: { tools, toolMode: 'required', modelOptions: { temperature: 0 } } });
    expect(sent[0]?.options).toMatchObject({ tools, toolMode: 'required', modelOptions: { temperature: 0 } });
    await ask();
    expect(sent[1]?.options).not.toHaveProperty('tools');
  });

  test('is answered with the parts as they come, of any kind but marks of conversations that a server keeps', async () => {
    const call = new fake.LanguageModelToolCallPart('c', 'read', { file: 'a' });
    const usage = new fake.LanguageModelDataPart(new Uint8Array([1]), 'usage');
    const marker = new fake.LanguageModelDataPart(new Uint8Array([1]), 'stateful_marker');
    const thinking = new fake.LanguageModelThinkingPart('hm');
    stream = streamOf(thinking, text('a'), marker, call, usage);
    expect(await ask()).toEqual([thinking, text('a'), call, usage]);
  });

  test('shows the model a rewound conversation without what was tried', async () => {
    const use = (id: string, name: string, input: object) => ({
      role: 'assistant',
      content: [new fake.LanguageModelToolCallPart(id, name, input)],
    });
    const result = (id: string, said: string) => ({
      role: 'user',
      content: [new fake.LanguageModelToolResultPart(id, [text(said)])],
    });
    const messages = [
      { role: 'user', content: [text('Find it')] },
      use('c', 'checkpoint', { goal: 'find it' }),
      result('c', 'Checkpoint created.\nGoal: find it'),
      use('t', 'read', { file: 'a' }),
      result('t', 'tried'),
      use('r', 'rewind', { report: 'It is here.' }),
      result('r', 'Rewind requested.\nReport captured.'),
    ];
    await ask({ messages });
    const shown = JSON.stringify(sent[0]?.messages);
    expect(sent[0]?.messages).toHaveLength(4);
    expect(shown.split('It is here.')).toHaveLength(2);
    expect(shown).not.toContain('tried');
    expect(sent[0]?.messages[1]?.content[0]).toBe(messages[1]?.content[0]);
  });

  test('counts tokens with the model itself', async () => {
    const [info] = provider.provideLanguageModelChatInformation();
    const count = async (said: unknown) =>
      await provider.provideTokenCount(info as never, said as never, new Token() as never);
    expect(await count('four')).toBe(4);
    expect(await count({ role: 'user', content: [text('a'), text('b')] })).toBe(200);
    expect(await count({ role: 'user', content: [] })).toBe(0);
  });
});

describe('who may ask', () => {
  test.each(['core', 'GitHub.copilot-chat', 'github.copilot-chat', undefined])(
    '%s',
    async (requestInitiator) => {
      expect(await ask({ options: { requestInitiator } })).toEqual([text('Hello')]);
    },
  );

  // The editor does not ask the person about it: the model behind would be used on their word for chats.
  test.each(['evil.extension', 'github.copilot-chat-evil', '', 7, null, {}])(
    'not %j, and the model behind is asked nothing',
    async (requestInitiator) => {
      await expect(ask({ options: { requestInitiator } })).rejects.toMatchObject({
        code: 'NoPermissions',
        message: /for chats only/,
      });
      expect(sent).toEqual([]);
    },
  );
});

describe('turning it off', () => {
  test('in the middle of an answer lets that end, and the next one is refused', async () => {
    stream = async function* () {
      yield text('so far');
      models = [];
      yield text(' and to the end');
    };
    const [info] = provider.provideLanguageModelChatInformation();
    expect(await ask()).toEqual([text('so far'), text(' and to the end')]);
    expect(provider.provideLanguageModelChatInformation()).toEqual([]);
    await expect(
      provider.provideTokenCount(info as never, 'four', new Token() as never),
    ).rejects.toMatchObject({ code: 'NotFound' });
    await expect(ask()).rejects.toMatchObject({ code: 'NotFound' });
  });
});

describe('a request that fails', () => {
  test('since the person does not let us use the model says that, and asks once', async () => {
    const denied = fake.LanguageModelError.NoPermissions('The person said no.');
    let asked = 0;
    models = [
      model({
        sendRequest: async () => {
          asked++;
          throw denied;
        },
      }),
    ];
    window = { contextWindow: 100_000, maxOutputTokens: 8_000 };
    await expect(ask()).rejects.toBe(denied);
    expect(asked).toBe(1);
  });

  test.each(['NoPermissions', 'Blocked', 'NotFound', 'Unknown'])('%s passes as it is', async (code) => {
    const error = new fake.LanguageModelError('over quota', code);
    stream = async function* () {
      yield text('so far');
      throw error;
    };
    await expect(ask()).rejects.toBe(error);
  });

  test('because the model is gone says so', async () => {
    models = [];
    await expect(ask()).rejects.toMatchObject({
      code: 'NotFound',
      message: /Acme One · Lodeline.*not there any more/,
    });
  });

  test('as too long is tried once more, shorter, where there is something to summarise', async () => {
    window = { contextWindow: 100_000, maxOutputTokens: 8_000 };
    const tooLong = Object.assign(new Error('prompt is too long'), { code: 'context_length_exceeded' });
    const shown: number[] = [];
    models = [
      model({
        sendRequest: async (messages: Sent['messages']) => {
          const isSummary = JSON.stringify(messages.at(-1)).includes('<summary>');
          if (!isSummary) shown.push(messages.length);
          if (shown.length === 1 && !isSummary) throw tooLong;
          return { stream: streamOf(text(isSummary ? '<summary>All of it.</summary>' : 'Hello'))() };
        },
      }),
    ];
    const messages = Array.from({ length: 40 }, (_, n) => ({
      role: n % 2 === 0 ? 'user' : 'assistant',
      content: [text(`${n} `.repeat(600))],
    }));
    expect(await ask({ messages })).toEqual([text('Hello')]);
    expect(shown).toEqual([40, expect.any(Number)]);
    expect(shown[1]).toBeLessThan(10);
  });
});

describe('cancelling', () => {
  test('stops a model that does not heed it, and what comes late is not told', async () => {
    const token = new Token();
    let late = () => {};
    const returned = vi.fn(async () => ({ done: true, value: undefined }));
    const parts: Promise<{ done: boolean; value: unknown }>[] = [
      Promise.resolve({ done: false, value: text('so far') }),
      new Promise((resolve) => {
        late = () => resolve({ done: false, value: text('late') });
      }),
    ];
    stream = () =>
      ({ [Symbol.asyncIterator]: () => ({ next: () => parts.shift(), return: returned }) }) as never;
    const said: unknown[] = [];
    const asked = provider.provideLanguageModelChatResponse(
      provider.provideLanguageModelChatInformation()[0] as never,
      [{ role: 'user', content: [text('hi')] }] as never,
      { toolMode: 'auto' } as never,
      { report: (part: unknown) => said.push(part) } as never,
      token as unknown as vscode.CancellationToken,
    );
    await vi.waitFor(() => expect(said).toHaveLength(1));
    token.cancel();
    await expect(asked).rejects.toBeInstanceOf(fake.CancellationError);
    late();
    expect(said).toEqual([text('so far')]);
    expect(returned).toHaveBeenCalledOnce();
    expect(token.listeners.size).toBe(0);
  });

  test('before anything came asks the model nothing', async () => {
    const token = new Token();
    token.cancel();
    await expect(ask({ token })).rejects.toBeInstanceOf(fake.CancellationError);
    expect(sent).toEqual([]);
  });
});
