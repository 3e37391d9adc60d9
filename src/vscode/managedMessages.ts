/** The messages of a chat that asks a managed model, as those of a session, and back again. */
import * as vscode from 'vscode';
import type { JsonValue } from '../journal/record.ts';
import type { Block, Message, Role } from '../session/messages.ts';
import { asReminder } from '../session/shownMessage.ts';
import { messageText } from './chatMessages.ts';

/**
 * Servers that keep the conversation go on from where such a mark says, with what we pruned: it is not handed on, in
 * neither direction. The name is Copilot Chat's.
 */
const STATEFUL_MARKER = 'stateful_marker';

interface ManagedList {
  readonly messages: readonly Message[];
  /** A view of these messages for the editor's models. What is as it was keeps all that it consisted of. */
  restore(view: readonly Message[]): vscode.LanguageModelChatMessage[];
}

/** Whether a part of a message or an answer goes on to the other side. */
export function isForwarded(part: unknown): boolean {
  return !(part instanceof vscode.LanguageModelDataPart && part.mimeType === STATEFUL_MARKER);
}

/** Reads what the editor hands to a provider. Images and other data stand for themselves as a short text. */
export function readList(list: readonly vscode.LanguageModelChatRequestMessage[]): ManagedList {
  const parts = new WeakMap<Block, unknown>();
  const names = new WeakMap<Message, string | undefined>();
  const ids = new CallIds();
  const messages = list.map(({ role, content, name }): Message => {
    const blocks = content.filter(isForwarded).map((part) => {
      const block = blockOf(part, ids);
      parts.set(block, part);
      return block;
    });
    const message = { role: roleOf(role), content: blocks };
    names.set(message, name);
    return message;
  });
  const partOf = (block: Block) => parts.get(block) ?? newPart(block, ids);
  return {
    messages,
    restore: (view) =>
      view.flatMap((message) => {
        const { role, content } = message;
        const isNew = role === 'system' && !names.has(message);
        const restored = isNew
          ? [new vscode.LanguageModelTextPart(asReminder(messageText(message)))]
          : content.map(partOf);
        return restored.length === 0 ? [] : [editorMessage(role, restored, names.get(message))];
      }),
  };
}

/** The stable API has no role for instructions, so these are what the person says, as in our own loops. */
function editorMessage(
  role: Role,
  parts: readonly unknown[],
  name: string | undefined,
): vscode.LanguageModelChatMessage {
  const { User, Assistant } = vscode.LanguageModelChatMessage;
  // Parts that the stable types do not know are those that the editor itself made.
  return role === 'assistant'
    ? Assistant(parts as Parameters<typeof Assistant>[0], name)
    : User(parts as Parameters<typeof User>[0], name);
}

function roleOf(role: vscode.LanguageModelChatMessageRole): Role {
  if (role === vscode.LanguageModelChatMessageRole.Assistant) return 'assistant';
  return role === vscode.LanguageModelChatMessageRole.User ? 'user' : 'system';
}

function blockOf(part: unknown, ids: CallIds): Block {
  if (part instanceof vscode.LanguageModelToolCallPart) {
    const { callId, name, input } = part;
    return { type: 'tool_use', id: ids.call(callId), name, input: jsonOf(input) };
  }
  if (part instanceof vscode.LanguageModelToolResultPart) {
    const content = part.content.map((each): Block => ({ type: 'text', text: textOf(each) }));
    const result = { type: 'tool_result', tool_use_id: ids.result(part.callId), content } as const;
    // Not in the stable types; editors that know it tell of failed calls so.
    return Reflect.get(part, 'isError') === true ? { ...result, is_error: true } : result;
  }
  const thinking = thinkingOf(part);
  return thinking === undefined ? { type: 'text', text: textOf(part) } : { type: 'thinking', thinking };
}

/** Thinking is not in the stable API: editors that have it name its class so. */
function thinkingOf(part: unknown): string | undefined {
  const Thinking: unknown = Reflect.get(vscode, 'LanguageModelThinkingPart');
  if (typeof Thinking !== 'function' || !(part instanceof Thinking)) return undefined;
  const value: unknown = Reflect.get(part, 'value');
  return Array.isArray(value) ? value.join('') : String(value);
}

function textOf(part: unknown): string {
  if (part instanceof vscode.LanguageModelTextPart) return String(part.value);
  if (part instanceof vscode.LanguageModelDataPart)
    return `[${part.mimeType}, ${part.data.byteLength} bytes]`;
  if (part instanceof vscode.LanguageModelPromptTsxPart) return JSON.stringify(part.value) ?? '';
  return '';
}

function newPart(block: Block, ids: CallIds): unknown {
  if (block.type === 'tool_use') {
    const input = typeof block.input === 'object' && block.input !== null ? block.input : {};
    return new vscode.LanguageModelToolCallPart(ids.told(block.id), block.name, input);
  }
  const text = new vscode.LanguageModelTextPart(
    messageText({ role: 'user', content: [block] }).toWellFormed(),
  );
  return block.type === 'tool_result'
    ? new vscode.LanguageModelToolResultPart(ids.told(block.tool_use_id), [text])
    : text;
}

function jsonOf(input: unknown): JsonValue {
  try {
    return JSON.parse(JSON.stringify(input) ?? '{}') as JsonValue;
  } catch {
    return {};
  }
}

/** Some models count their calls anew in each answer; here every call has an id of its own. */
class CallIds {
  readonly #told = new Map<string, string>();
  /** By what the model calls it: the id of the last such call here. */
  readonly #last = new Map<string, string>();

  call(told: string): string {
    const id = this.#last.has(told) ? `${told}#${this.#told.size}` : told;
    this.#last.set(told, id);
    this.#told.set(id, told);
    return id;
  }

  result(told: string): string {
    return this.#last.get(told) ?? told;
  }

  /** What the model calls it. */
  told(id: string): string {
    return this.#told.get(id) ?? id;
  }
}
