import * as vscode from 'vscode';
import type { ToolCall } from '../tools/tool.ts';
import type { Apps } from './apps.ts';
import { withSignal } from './cancellation.ts';
import { beginsAt, isObserved } from './chatLevel.ts';
import { chosenModel } from './chatModel.ts';
import { chatSessionOf, workingDirectoryOf } from './chatSession.ts';
import { approvesInline } from './inlineApproval.ts';
import { contributedTools } from './manifest.ts';
import { invocationMessage, localizedQuestion } from './toolTexts.ts';

const SOURCE = 'copilot';

type Input = Record<string, unknown>;

export interface EditorTools {
  readonly extension: vscode.Extension<unknown>;
  readonly apps: Apps;
  /** Identity of this window, for chats whose own the editor does not tell. */
  readonly windowSession: string;
  readonly log: vscode.LogOutputChannel;
}

/** Registers every tool that package.json contributes; which of them an agent sees is up to their `when`. */
export function registerTools(door: EditorTools): vscode.Disposable {
  const registered = contributedTools(door.extension.packageJSON).flatMap((name) => {
    try {
      return [vscode.lm.registerTool<Input>(name, new EditorTool(name, door))];
    } catch (error) {
      // Another extension may own the name; the others must work all the same.
      door.log.warn(`${name} could not be registered: ${String(error)}`);
      return [];
    }
  });
  return vscode.Disposable.from(...registered);
}

/** One tool as the editor calls it for an agent. */
class EditorTool implements vscode.LanguageModelTool<Input> {
  readonly #name: string;
  readonly #door: EditorTools;

  constructor(name: string, door: EditorTools) {
    this.#name = name;
    this.#door = door;
  }

  async prepareInvocation({
    input,
  }: vscode.LanguageModelToolInvocationPrepareOptions<Input>): Promise<vscode.PreparedToolInvocation> {
    const message = invocationMessage(this.#name, input);
    const question = await this.#question(input);
    if (question === undefined) return { invocationMessage: message };
    const { title, detail } = localizedQuestion(this.#name, input, question);
    return { invocationMessage: message, confirmationMessages: { title, message: detail } };
  }

  async invoke(
    options: vscode.LanguageModelToolInvocationOptions<Input>,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    const { apps, windowSession } = this.#door;
    const { input } = options;
    const file = typeof input.file === 'string' ? input.file : undefined;
    const folder = apps.folderOf([file, workingDirectoryOf(options)]);
    const app = await apps.app(folder);
    const asked = app.registry.question(this.#name, input, { actor: 'agent' });
    const session = chatSessionOf(options) ?? windowSession;
    const call: Omit<ToolCall, 'signal'> = {
      door: 'editor',
      actor: 'agent',
      level: await beginsAt(app, folder, {
        ...{ key: session, source: SOURCE, isObserved: await isObserved(app, folder, session) },
      }),
      session,
      source: SOURCE,
      // The editor has shown the question of `prepareInvocation` before it calls; others come up while the tool runs.
      approve: async (question) =>
        asked?.title === question.title && asked.detail === question.detail
          ? 'approved'
          : approvesInline(localizedQuestion(this.#name, input, question), options.toolInvocationToken),
      model: await chosenModel(options),
    };
    const outcome = await withSignal(token, (signal) =>
      app.registry.invoke(this.#name, input, { ...call, signal }),
    );
    if (outcome.isError) throw new Error(outcome.text);
    return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(outcome.text)]);
  }

  /** What the tool wants to ask; an input or folder that is not right is left to `invoke` to explain. */
  async #question(input: Input) {
    if (this.#door.apps.folder === undefined) return undefined;
    return (await this.#door.apps.app()).registry.question(this.#name, input, { actor: 'agent' });
  }
}
