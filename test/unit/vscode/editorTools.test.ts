import { beforeEach, expect, test, vi } from 'vitest';
import type * as vscode from 'vscode';
import { EditorTools } from '../../../src/vscode/editorTools.ts';
import * as fake from './fakeEditor.ts';

const editor = vi.hoisted(() => ({
  tools: [] as { name: string; description: string; inputSchema: object | undefined }[],
  calls: [] as {
    name: string;
    options: Record<string, unknown>;
    token: { isCancellationRequested: boolean };
  }[],
  answer: (() => ({ content: [] })) as () => unknown,
}));

vi.mock('vscode', async () => ({
  ...(await import('./fakeEditor.ts')),
  lm: {
    get tools() {
      return editor.tools;
    },
    invokeTool: async (name: string, options: Record<string, unknown>, token: never) => {
      editor.calls.push({ name, options, token });
      return await editor.answer();
    },
  },
}));

const tool = (name: string, more = {}) => ({ name, description: 'Does it.', inputSchema: {}, ...more });
const TOKEN = { of: 'the chat' };

function toolsFor(referenced: string[] = [], taken = () => 0): EditorTools {
  return new EditorTools({
    ours: new Set(['memory_recall', 'memory_pin']),
    taken,
    request: {
      toolInvocationToken: TOKEN,
      toolReferences: referenced.map((name) => ({ name })),
      model: { maxInputTokens: 1000, countTokens: async (text: string) => text.length },
    } as unknown as vscode.ChatRequest,
  });
}

const names = (tools: EditorTools) => tools.specs().map(({ name }) => name);
const call = async (input: never, signal = new AbortController().signal) =>
  await toolsFor().call({ id: 'c', name: 'read_file', input }, signal);

beforeEach(() => {
  editor.tools = [tool('read_file')];
  editor.calls.length = 0;
  editor.answer = () => ({ content: [] });
});

test('offers what the editor has but ours, internal ones and those that ours stand for', () => {
  editor.tools = [
    tool('read_file'),
    tool('memory_pin'),
    tool('vscode_editFile_internal'),
    tool('copilot_memory'),
    tool('manage_todo_list'),
    tool('no_description', { description: '' }),
    tool('no_schema', { inputSchema: undefined }),
    tool('not a name'),
    tool('x'.repeat(65)),
    tool('mcp_server_search'),
  ];
  expect(names(toolsFor())).toEqual(['read_file', 'mcp_server_search']);
});

test('offers so many that the request holds 128, first those that the person named', () => {
  editor.tools = Array.from({ length: 200 }, (_, at) => tool(`tool_${at}`));
  const offered = names(toolsFor(['tool_150', 'gone'], () => 20));
  expect(offered).toHaveLength(108);
  expect(offered.slice(0, 2)).toEqual(['tool_150', 'tool_0']);
  let taken = 126;
  const tools = toolsFor([], () => taken);
  expect(names(tools)).toHaveLength(2);
  // The person turns on more of ours while a turn runs.
  taken = 130;
  expect(names(tools)).toEqual([]);
});

test('calls a tool as part of the chat request, with an object whatever the model wrote', async () => {
  await call({ path: 'a' } as never);
  await call('text' as never);
  await call(null as never);
  expect(editor.calls.map(({ options }) => options.input)).toEqual([{ path: 'a' }, {}, {}]);
  expect(editor.calls[0]).toMatchObject({
    name: 'read_file',
    options: { toolInvocationToken: TOKEN, tokenizationOptions: { tokenBudget: 100 } },
  });
});

test('a result is its texts, and says what else there was', async () => {
  editor.answer = () => ({
    content: [
      new fake.LanguageModelTextPart('plain'),
      new fake.LanguageModelPromptTsxPart({ node: { type: 1, children: [{ type: 2, text: 'element' }] } }),
      new fake.LanguageModelDataPart(Buffer.from('{"a":"가"}'), 'application/json'),
      new fake.LanguageModelDataPart(Buffer.from([1, 2, 3]), 'image/png'),
      { of: 'a later editor' },
    ],
  });
  expect(await call({} as never)).toEqual({
    text: 'plain\nelement\n{"a":"가"}\n[image/png, 3 bytes, not shown]\n[A part of the result that cannot be shown here]',
    isError: false,
  });
});

test('a failure is told to the model', async () => {
  editor.answer = () => Promise.reject(new Error('There is no such file. Use an absolute path.'));
  expect(await call({} as never)).toEqual({
    text: 'There is no such file. Use an absolute path.',
    isError: true,
  });
});

test('a call that is cancelled cancels the tool and ends with the reason', async () => {
  const controller = new AbortController();
  editor.answer = () => {
    controller.abort(new Error('enough'));
    throw new Error('Canceled');
  };
  await expect(call({} as never, controller.signal)).rejects.toThrow('enough');
  expect(editor.calls[0]?.token.isCancellationRequested).toBe(true);
});

test('only tools that are known to look are taken to change nothing', () => {
  const effects = (...tools: string[]) => tools.map((name) => toolsFor().effectOf({ name }));
  expect(new Set(effects('copilot_readFile', 'copilot_findTestFiles', 'get_terminal_output'))).toEqual(
    new Set(['read']),
  );
  const others = [
    'run_in_terminal',
    'copilot_createDirectory',
    'copilot_runVscodeCommand',
    'send_to_terminal',
  ];
  expect(
    new Set(effects(...others, 'run_task', 'mcp_x_read_file', 'COPILOT_READFILE', 'constructor')),
  ).toEqual(new Set(['unknown']));
});

test.each([
  [
    'copilot_findTextInFiles',
    '<match path="/r/my secrets/plan.md" line=3>\nthe plan\n</match>',
    '/r/my secrets/plan.md',
  ],
  ['copilot_searchCodebase', 'Here is an excerpt of `secrets/plan.md`, lines 1-3:', 'secrets/plan.md'],
  ['copilot_getErrors', '<errors path="c:\\r\\key.pem">', 'c:\\r\\key.pem'],
  ['copilot_getChangedFiles', '--- a/plan.md\n+++ b/plan.md\n', 'plan.md'],
])('tells the files of which %s shows something', async (name, text, file) => {
  editor.answer = () => ({ content: [new fake.LanguageModelTextPart(text)] });
  const { files } = await toolsFor().call({ id: 'c', name, input: {} }, new AbortController().signal);
  expect(files).toContain(file);
});

test('tells no files where a result only names them', async () => {
  editor.answer = () => ({ content: [new fake.LanguageModelTextPart('secrets/plan.md')] });
  expect(await call({} as never)).toEqual({ text: 'secrets/plan.md', isError: false });
});
