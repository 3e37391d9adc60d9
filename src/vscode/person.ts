import * as vscode from 'vscode';
import type { App } from '../appApi.ts';
import type { Level } from '../policy/level.ts';
import type { EntryDetail } from '../protocol.ts';
import type { ChatModel } from '../session/chatModel.ts';
import type { Outcome } from '../tools/registry.ts';
import type { Approval, ToolCall } from '../tools/tool.ts';
import type { Apps } from './apps.ts';
import { localizedPhrase, localizedQuestion } from './toolTexts.ts';

type Input = Readonly<Record<string, unknown>>;

export interface PersonCall {
  readonly door: 'panel' | 'palette' | 'editor';
  /** Key of the chat's session, for a command in a chat with @lodeline. */
  readonly chat?: string;
  readonly signal?: AbortSignal;
  /** Which folder's memory; by default the current one's. */
  readonly folder?: vscode.WorkspaceFolder | undefined;
  /** By default every level for reading, and an entry's own for changing it. */
  readonly level?: Level;
  /** The person has agreed already. */
  readonly approved?: boolean;
  /** For tools that ask one. */
  readonly model?: ChatModel;
  /** Hears how far the call has come. */
  readonly progress?: (done: number, total: number) => void;
}

/** A call that failed; the message is for the person. */
class PersonCallError extends Error {
  override readonly name = 'PersonCallError';
}

/** The person's way into the tool layer, from panels and commands. */
export class Person {
  readonly #apps: Apps;
  readonly #session: string;

  constructor(apps: Apps, session: string) {
    this.#apps = apps;
    this.#session = session;
  }

  /** Calls a tool for the person. Throws what they should read when it does not work. */
  async invoke(tool: string, input: Input, options: PersonCall): Promise<Outcome> {
    const app = await this.#apps.app(options.folder);
    let declined = false;
    const unlevelled: Omit<ToolCall, 'level'> = {
      door: options.door,
      actor: 'person',
      session: options.chat ?? this.#session,
      source: options.chat === undefined ? options.door : 'lodeline',
      signal: options.signal ?? new AbortController().signal,
      model: options.model,
      progress: options.progress,
      approve: async (question) => {
        declined =
          options.approved !== true && !(await agrees(localizedQuestion(tool, input, question), question));
        return declined ? 'declined' : 'approved';
      },
    };
    const level = options.level ?? (await levelFor(app, tool, input, unlevelled));
    const call: ToolCall = { ...unlevelled, level };
    const outcome = await app.registry.invoke(tool, input, call);
    if (declined) throw new PersonCallError(vscode.l10n.t('Nothing was changed.'));
    if (outcome.isError)
      throw new PersonCallError(
        outcome.phrase === undefined ? outcome.text : localizedPhrase(outcome.phrase),
      );
    return outcome;
  }
}

/** Tools that write each entry at the level it has, so that entries of several levels can be named. */
const AT_THEIR_LEVELS: ReadonlySet<string> = new Set(['memory_drafts', 'memory_promote', 'memory_take_back']);

/** What these begin is new. */
const AT_DEFAULT: ReadonlySet<string> = new Set([
  'memory_remember',
  'memory_import',
  'memory_import_gist',
  'sessions_spawn',
]);

/** A person sees every level, and changes an entry at the level it has; what they add gets the folder's default. */
async function levelFor(app: App, tool: string, input: Input, call: Omit<ToolCall, 'level'>): Promise<Level> {
  if (AT_DEFAULT.has(tool)) return app.defaultLevel;
  if (AT_THEIR_LEVELS.has(tool)) return 'RESTRICTED';
  // Its key is one of a sealed file.
  if (tool === 'memory_export_toon') return 'RESTRICTED';
  const target = [input.key, input.ids].flat().find((name) => typeof name === 'string');
  if (target === undefined) return 'RESTRICTED';
  const { data } = await app.registry.invoke('memory_open', { id: target }, { ...call, level: 'RESTRICTED' });
  return (data as EntryDetail | null | undefined)?.level ?? app.defaultLevel;
}

/** Asks only about what cannot be undone. */
async function agrees(localized: Approval, question: Approval): Promise<boolean> {
  return ('undoable' in question && question.undoable === true) || (await asksPerson(localized));
}

/** Asks in a dialog; closing it is a no. */
export async function asksPerson({ title, detail }: Approval): Promise<boolean> {
  const go = vscode.l10n.t('Continue');
  return (await vscode.window.showWarningMessage(title, { modal: true, detail }, go)) === go;
}
