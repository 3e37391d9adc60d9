/** Requests to @lodeline over real sessions, with as much of an editor as they need; the test mocks `vscode`. */
import { vi } from 'vitest';
import type * as vscode from 'vscode';
import { ownLoop } from '../../../src/tools/ownLoop.ts';
import { answer } from '../../../src/vscode/participantAnswer.ts';
import type { ParticipantParts } from '../../../src/vscode/participantChat.ts';
import type { PersonCall } from '../../../src/vscode/person.ts';
import { openTestTools } from '../support/folder.ts';

type Part = object | Error | (() => unknown);

/** A chat with @lodeline in one window: `say` sends a prompt with the history so far, and keeps what was answered. */
export function openChat(settings: Record<string, unknown> = {}) {
  const tools = openTestTools(undefined, undefined, settings);
  const shown: string[] = [];
  const progress: string[] = [];
  const buttons: vscode.Command[] = [];
  const history: { participant: string; result: vscode.ChatResult }[] = [];
  const app = {
    root: tools.folder,
    loopOf: (key: string) => ownLoop({ ...tools.sessions, ...tools.turns }, key),
    attend: async () => {},
    taint: tools.taint,
    registry: tools.registry,
    settings: { get: (key: string) => settings[key] },
    defaultLevel: 'PUBLIC',
  };
  const folder = { uri: { fsPath: tools.folder, toString: () => tools.folder }, name: 'f', index: 0 };
  const invoke = vi.fn(async (name: string, input: unknown, call: PersonCall) => {
    const { chat, level, model, signal } = call;
    const outcome = await tools.call(name, input, {
      ...{ actor: 'person', door: 'editor', session: chat ?? 'chat-1', source: 'lodeline' },
      ...{ ...(level && { level }), ...(model && { model }), ...(signal && { signal }) },
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
        maxInputTokens: 100_000,
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
      progress: (text: string) => progress.push(text),
      anchor: () => {},
      button: (button: vscode.Command) => buttons.push(button),
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
  return { say, shown, progress, buttons, invoke, ...tools };
}

async function* streamOf(parts: readonly Part[]) {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    if (typeof part === 'function') await part();
    else yield part;
  }
}

/** A request's token, and what the person presses to stop it. */
export function stoppable() {
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

export async function text(value: string) {
  const { LanguageModelTextPart } = await import('./fakeEditor.ts');
  return new LanguageModelTextPart(value);
}
