/** The editor's chat models as the port that our loops ask. */
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { JsonValue } from '../journal/record.ts';
import { type ChatModel, ModelError, type ModelPart, type ModelRequest } from '../session/chatModel.ts';
import { type Message, NO_USAGE } from '../session/messages.ts';
import { isOverflow } from '../session/overflow.ts';
import { tokenOf } from './cancellation.ts';
import { messageText, toEditorMessage } from './chatMessages.ts';
import { behind, MANAGED_VENDOR } from './managedIds.ts';

/** For the estimate where a model cannot count: a token of English has some four characters. */
const CHARACTERS_PER_TOKEN = 4;
/** A model that does not come back with a count must not hold the turn up. */
const COUNT_MS = 5_000;

/** Models that an error names, of some hundred that an editor may have. */
const MOST_NAMED = 20;

/**
 * One of the editor's models.
 * @param model as the chat that lends it, or `vscode.lm.selectChatModels`, gives it
 */
export class EditorChatModel implements ChatModel {
  readonly name: string;
  readonly maxInputTokens: number;
  readonly #model: vscode.LanguageModelChat;
  /** A step must cost only what was added: what was counted once is not counted again. */
  readonly #counts = new WeakMap<Message, Promise<number>>();
  #fixed: { readonly text: string; readonly count: Promise<number> } | undefined;

  constructor(model: vscode.LanguageModelChat) {
    this.#model = model;
    this.name = model.name;
    this.maxInputTokens = model.maxInputTokens;
  }

  async *send(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    const cancellation = tokenOf(signal);
    try {
      const { token } = cancellation;
      const input = this.#countInput(request);
      const response = await this.#model.sendRequest(messagesOf(request), optionsOf(request), token);
      let said = '';
      for await (const value of response.stream) {
        const part = modelPart(value);
        if (part === undefined) continue;
        said += saidOf(part);
        yield part;
      }
      const [input_tokens, output_tokens] = await Promise.all([input, this.#count(said)]);
      yield { type: 'usage', usage: { ...NO_USAGE, input_tokens, output_tokens } };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw modelError(error);
    } finally {
      cancellation.dispose();
    }
  }

  async #countInput({ system, tools, messages }: ModelRequest): Promise<number> {
    const text = `${system}${JSON.stringify(tools)}`;
    if (this.#fixed?.text !== text) this.#fixed = { text, count: this.#count(text) };
    const counts = messages.map((message) => {
      let count = this.#counts.get(message);
      if (count === undefined) {
        count = this.#count(messageText(message));
        this.#counts.set(message, count);
      }
      return count;
    });
    const all = await Promise.all([this.#fixed.count, ...counts]);
    return all.reduce((sum, count) => sum + count, 0);
  }

  /** Never fails: how much context is used up is no reason to lose an answer. */
  async #count(text: string): Promise<number> {
    if (text === '') return 0;
    try {
      const patience = delay(COUNT_MS, undefined, { ref: false });
      const count: unknown = await Promise.race([this.#model.countTokens(text.toWellFormed()), patience]);
      if (typeof count === 'number' && Number.isFinite(count)) return count;
    } catch {
      // The estimate below.
    }
    return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
  }
}

/** All models but our managed ones: loops of ours have a view of their own, and need no second one. */
async function ownModels(): Promise<vscode.LanguageModelChat[]> {
  return (await vscode.lm.selectChatModels()).filter(({ vendor }) => vendor !== MANAGED_VENDOR);
}

async function firstChatModel(): Promise<ChatModel> {
  const [model] = await ownModels();
  if (model === undefined) {
    throw new ModelError(
      vscode.l10n.t(
        'The editor has no chat model. Sign in to GitHub Copilot or install an extension that provides a model, then try again.',
      ),
    );
  }
  return new EditorChatModel(model);
}

/**
 * The model of the chat that calls a tool, where the editor tells its id: no stable API describes that. Undefined
 * where it does not, and for a model that is not there any more.
 */
export async function chosenModel(options: object): Promise<ChatModel | undefined> {
  const told: unknown = Reflect.get(options, 'model');
  const id: unknown = typeof told === 'object' && told !== null ? Reflect.get(told, 'id') : told;
  if (typeof id !== 'string' || id === '') return undefined;
  const [chosen] = await vscode.lm.selectChatModels({ id });
  const lent = chosen?.vendor === MANAGED_VENDOR ? behind(id) : undefined;
  // A chat on a managed model lends the one behind it.
  const [model] = lent === undefined ? [chosen] : await vscode.lm.selectChatModels(lent);
  return model === undefined ? undefined : new EditorChatModel(model);
}

/**
 * A model for loops that no chat lends its own.
 * @param name id or family of the one that is wanted; without it the editor's first one
 * @throws ModelError when the editor has none
 */
export async function chatModelNamed(name: string | undefined): Promise<ChatModel> {
  const models = await ownModels();
  if (name === undefined || models.length === 0) return firstChatModel();
  const model =
    models.find(({ id }) => id === name) ??
    models.find(({ family, name: shown }) => family === name || shown === name);
  if (model !== undefined) return new EditorChatModel(model);
  throw new ModelError(
    vscode.l10n.t(
      'The editor has no chat model “{0}”. It has: {1}. Correct the name where it was given: in the call, or in the setting lodeline.agents.models.',
      name,
      [...new Set(models.map(({ family }) => family))].slice(0, MOST_NAMED).join(', '),
    ),
  );
}

/** There is no system role in the editor's API, so the system prompt is the first thing the person says. */
function messagesOf({ system, messages }: ModelRequest): vscode.LanguageModelChatMessage[] {
  const all = messages.map(toEditorMessage).filter((message) => message !== undefined);
  return [vscode.LanguageModelChatMessage.User(system), ...all];
}

function optionsOf({ tools, mustCall }: ModelRequest): vscode.LanguageModelChatRequestOptions {
  const justification = vscode.l10n.t('@lodeline answers with the model that you chose for the chat.');
  // With `Required` some models take one tool only: the one that must be called.
  const offered = mustCall === undefined ? tools : tools.filter(({ name }) => name === mustCall);
  if (offered.length === 0) return { justification };
  return {
    justification,
    tools: offered.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    toolMode:
      mustCall === undefined
        ? vscode.LanguageModelChatToolMode.Auto
        : vscode.LanguageModelChatToolMode.Required,
  };
}

/** What a part of the stream means; undefined for kinds that we do not know. */
function modelPart(part: unknown): ModelPart | undefined {
  if (part instanceof vscode.LanguageModelTextPart) return { type: 'text', text: textOf(part.value) };
  if (part instanceof vscode.LanguageModelToolCallPart) {
    const { callId, name, input } = part;
    return { type: 'tool_use', id: textOf(callId), name: textOf(name), ...inputOf(input) };
  }
  // Thinking is not in the stable API: editors that have it name its class so.
  const Thinking: unknown = Reflect.get(vscode, 'LanguageModelThinkingPart');
  if (typeof Thinking !== 'function' || !(part instanceof Thinking)) return undefined;
  const value: unknown = Reflect.get(part, 'value');
  const thinking = Array.isArray(value) ? value.join('') : value;
  return typeof thinking === 'string' ? { type: 'thinking', thinking } : undefined;
}

/** What other extensions' models give for a text may be anything. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The input of a call as JSON. A model that wrote something else is told so, with what it wrote. */
function inputOf(input: unknown): { input: JsonValue | undefined; raw?: string } {
  try {
    const json = JSON.stringify(input);
    if (typeof input === 'object' && json !== undefined) return { input: JSON.parse(json) as JsonValue };
    if (typeof input === 'string') return { input: JSON.parse(input) as JsonValue };
  } catch {
    // Not JSON.
  }
  return { input: undefined, raw: String(input) };
}

function saidOf(part: ModelPart): string {
  if (part.type === 'text') return part.text;
  if (part.type === 'thinking') return part.thinking;
  return part.type === 'tool_use' ? `${part.name}${part.raw ?? JSON.stringify(part.input)}` : '';
}

/** What the person can do about a model that did not answer. */
export function modelError(error: unknown): ModelError {
  const { l10n } = vscode;
  const { message } = error instanceof Error ? error : { message: String(error) };
  const code = error instanceof vscode.LanguageModelError ? error.code : '';
  switch (code) {
    case 'NoPermissions':
      return new ModelError(
        l10n.t(
          'Lodeline may not use this chat model. Allow it with “Manage Language Model Access…” in the accounts menu, then try again.',
        ),
      );
    case 'Blocked':
      return new ModelError(
        l10n.t(
          'The chat model refused the request: a quota may be used up, or a filter stopped it. Choose another model or try again later. ({0})',
          message,
        ),
      );
    case 'NotFound':
      return new ModelError(
        l10n.t('The chat model is not there any more. Choose another one in the chat, then try again.'),
      );
    default:
      return new ModelError(l10n.t('The chat model did not answer: {0}', message), {
        isOverflow: isOverflow({ names: namesOf(error), text: message }),
      });
  }
}

/** What an error calls itself. The editor hands on its cause's where another extension threw it. */
function namesOf(error: unknown): readonly unknown[] {
  const cause = error instanceof Error ? error.cause : undefined;
  return [error, cause].flatMap((each) =>
    typeof each === 'object' && each !== null ? [Reflect.get(each, 'code'), Reflect.get(each, 'type')] : [],
  );
}
