/** Offers the person's chosen chat models under Lodeline's view, to whatever loop asks the editor for a model. */
import * as vscode from 'vscode';
import type { ChatModel } from '../session/chatModel.ts';
import type { Window } from '../session/compaction/thresholds.ts';
import type { ManagedView } from '../session/managedView.ts';
import type { Message } from '../session/messages.ts';
import { withSignal } from './cancellation.ts';
import { EditorChatModel, modelError } from './chatModel.ts';
import { isOfChat, managedId } from './managedIds.ts';
import { isForwarded, readList } from './managedMessages.ts';

interface ManagedInfo extends vscode.LanguageModelChatInformation {
  /** Not in the stable types; without it the chat's picker leaves a model out. */
  readonly isUserSelectable: true;
}

/** What requests need, and what need not be loaded before there is one. */
export interface ManagedViews {
  readonly view: ManagedView;
  /** What the person or the model says of its window; undefined: nothing is summarised. */
  windowOf(model: ChatModel): Window | undefined;
}

interface ManagedProviderOptions {
  /** The models behind those that are offered, in the person's order; none while it is turned off. */
  models(): readonly vscode.LanguageModelChat[];
  maxOutputTokens(): number;
  load(): Promise<ManagedViews>;
  readonly onDidChange: vscode.Event<void>;
}

type Request = Parameters<vscode.LanguageModelChatProvider<ManagedInfo>['provideLanguageModelChatResponse']>;

/** The provider. It never asks the editor which models there are: the editor would ask it in turn, and wait. */
export class ManagedProvider implements vscode.LanguageModelChatProvider<ManagedInfo> {
  readonly onDidChangeLanguageModelChatInformation: vscode.Event<void>;
  readonly #options: ManagedProviderOptions;

  constructor(options: ManagedProviderOptions) {
    this.#options = options;
    this.onDidChangeLanguageModelChatInformation = options.onDidChange;
  }

  provideLanguageModelChatInformation(): ManagedInfo[] {
    const { models, maxOutputTokens } = this.#options;
    return models().map((model) => infoOf(model, maxOutputTokens()));
  }

  async provideLanguageModelChatResponse(
    ...[info, messages, options, progress, token]: Request
  ): Promise<void> {
    const model = this.#modelBehind(info);
    if (!isOfChat(options)) {
      throw vscode.LanguageModelError.NoPermissions(
        vscode.l10n.t(
          '“{0}” is for chats only. Use the model itself: then the editor asks the person whether you may.',
          info.name,
        ),
      );
    }
    const { view, windowOf } = await this.#options.load();
    const list = readList(messages);
    const port = new EditorChatModel(model);
    let isStarted = false;
    const send = async (shown: readonly Message[]) => {
      if (token.isCancellationRequested) throw new vscode.CancellationError();
      const response = await model.sendRequest(list.restore(shown), forwarded(options), token);
      await untilCancelled(response.stream, token, (part) => {
        isStarted = true;
        if (isForwarded(part)) progress.report(part as vscode.LanguageModelResponsePart);
      });
    };
    await withSignal(token, async (signal) => {
      const tools = (options.tools ?? []).map(({ name, description, inputSchema }) => ({
        ...{ name, description, inputSchema: { ...inputSchema } },
      }));
      const request = { messages: list.messages, tools, model: port, window: windowOf(port), signal };
      try {
        await send(await view.before(request));
      } catch (error) {
        if (token.isCancellationRequested) throw new vscode.CancellationError();
        const shorter = isStarted || !modelError(error).isOverflow ? undefined : await view.overflow(request);
        if (shorter === undefined) throw error;
        await send(shorter);
      }
    });
  }

  async provideTokenCount(
    info: ManagedInfo,
    text: string | vscode.LanguageModelChatRequestMessage,
    token: vscode.CancellationToken,
  ): Promise<number> {
    const model = this.#modelBehind(info);
    if (typeof text === 'string') return await model.countTokens(text, token);
    const { messages, restore } = readList([text]);
    const [message] = restore(messages);
    return message === undefined ? 0 : await model.countTokens(message, token);
  }

  #modelBehind({ id, name }: ManagedInfo): vscode.LanguageModelChat {
    const model = this.#options.models().find((each) => managedId(each) === id);
    if (model !== undefined) return model;
    throw vscode.LanguageModelError.NotFound(
      vscode.l10n.t(
        '“{0}” is not there any more: the managed model was turned off, or the model behind it is gone. Choose another model in the chat, then try again.',
        name,
      ),
    );
  }
}

/** The model as the chat's picker shows it. Family and version stay, as hosts choose their prompts by them. */
function infoOf(model: vscode.LanguageModelChat, maxOutputTokens: number): ManagedInfo {
  return {
    id: managedId(model),
    name: `${model.name} · Lodeline`,
    family: model.family,
    version: model.version,
    maxInputTokens: model.maxInputTokens,
    maxOutputTokens,
    detail: vscode.l10n.t('Under Lodeline’s view (experimental)'),
    tooltip: vscode.l10n.t(
      '{0}, shown the chat without what a rewind put aside, and with a summary of its beginning once it is long. No thinking effort, no prices, and each step may count as a request: see “Lodeline: About the Managed Model”.',
      model.name,
    ),
    capabilities: capabilitiesOf(model),
    isUserSelectable: true,
  };
}

/** The stable API does not say what a model can do; editors of today do. */
function capabilitiesOf(model: vscode.LanguageModelChat): vscode.LanguageModelChatCapabilities {
  const told: unknown = Reflect.get(model, 'capabilities');
  const read = (key: string) =>
    typeof told === 'object' && told !== null ? Reflect.get(told, key) : undefined;
  // Without tools the model could not be chosen for an agent, which is what all this is for.
  return {
    toolCalling: read('supportsToolCalling') !== false,
    imageInput: read('supportsImageToText') === true,
  };
}

function forwarded({
  modelOptions,
  tools,
  toolMode,
}: vscode.ProvideLanguageModelChatResponseOptions): vscode.LanguageModelChatRequestOptions {
  const justification = vscode.l10n.t('You chose this model under Lodeline’s view for a chat.');
  return {
    justification,
    ...(modelOptions && { modelOptions: { ...modelOptions } }),
    ...(tools && tools.length > 0 && { tools: [...tools], toolMode }),
  };
}

/** Reads a stream until its end, or until nobody wants it any more, also where the model does not heed that. */
async function untilCancelled(
  stream: AsyncIterable<unknown>,
  token: vscode.CancellationToken,
  onPart: (part: unknown) => void,
): Promise<void> {
  const parts = stream[Symbol.asyncIterator]();
  let subscription: vscode.Disposable | undefined;
  const cancelled = new Promise<never>((_, reject) => {
    const cancel = () => reject(new vscode.CancellationError());
    if (token.isCancellationRequested) cancel();
    else subscription = token.onCancellationRequested(cancel);
  });
  cancelled.catch(() => {});
  try {
    for (;;) {
      const next = await Promise.race([parts.next(), cancelled]);
      if (next.done === true) return;
      onPart(next.value);
    }
  } finally {
    subscription?.dispose();
    // Not awaited: a model that hangs would hold up the one who gave it up.
    parts.return?.()?.catch(() => {});
  }
}
