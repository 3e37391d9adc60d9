/** The managed model: turning it on and off, which models it offers, and what a person should know of it. */
import * as vscode from 'vscode';
import { behind, MANAGED_VENDOR, managedId } from './managedIds.ts';
import { ManagedProvider, type ManagedViews } from './managedProvider.ts';
import { lost, missing } from './managedTexts.ts';
import { readSetting } from './ports.ts';
import { shownText } from './shownText.ts';

const ENABLED = 'managedModel.enabled';
const MODELS = 'managedModel.models';
/** What compaction takes for an answer's length where nobody says; the stable API does not tell a model's. */
const MAX_OUTPUT_TOKENS = 8_000;
/** Models change in bursts while the editor starts. */
const DELAY = 200;
/** What Copilot Chat offers to the editor itself: not for chats. */
const INTERNAL = /^copilot-/;

export class ManagedModel implements vscode.Disposable {
  readonly #log: vscode.LogOutputChannel;
  readonly #item: vscode.StatusBarItem;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable;
  #models: readonly vscode.LanguageModelChat[] = [];
  #views: Promise<ManagedViews> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #summaries = 0;

  constructor(log: vscode.LogOutputChannel) {
    this.#log = log;
    this.#item = vscode.window.createStatusBarItem(
      'lodeline.managedModel',
      vscode.StatusBarAlignment.Right,
      88,
    );
    this.#item.name = vscode.l10n.t('Lodeline Managed Model');
    this.#item.command = 'lodeline.turnOffManagedModel';
    const provider = new ManagedProvider({
      models: () => this.#models,
      maxOutputTokens: () => Number(readSetting('compaction.maxOutputTokens')) || MAX_OUTPUT_TOKENS,
      load: () => (this.#views ??= this.#load()),
      onDidChange: this.#onDidChange.event,
    });
    this.#subscriptions = vscode.Disposable.from(
      this.#item,
      this.#onDidChange,
      // Another extension may have taken the name, and editors before 1.104 have no providers.
      this.#register(provider),
      vscode.lm.onDidChangeChatModels(() => this.#schedule()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration('lodeline.managedModel')) this.#schedule();
      }),
    );
    if (isEnabled()) this.#schedule();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscriptions.dispose();
  }

  /** The person chooses which models are offered under our view; choosing some turns it on. */
  async choose(): Promise<void> {
    const { l10n, window } = vscode;
    const models = (await vscode.lm.selectChatModels()).filter(
      ({ vendor, id }) => vendor !== MANAGED_VENDOR && !INTERNAL.test(id),
    );
    if (models.length === 0) {
      void window.showWarningMessage(
        l10n.t(
          'The editor has no chat model. Sign in to GitHub Copilot or install an extension that provides a model, then try again.',
        ),
      );
      return;
    }
    const chosen = new Set(chosenIds());
    const picked = await window.showQuickPick(
      models.map((model) => ({
        ...{ label: model.name, description: model.vendor, id: managedId(model) },
        detail: l10n.t('{0} tokens', model.maxInputTokens.toLocaleString(vscode.env.language)),
        picked: chosen.has(managedId(model)),
      })),
      {
        canPickMany: true,
        title: l10n.t('Choose Models for Lodeline (Experimental)'),
        placeHolder: l10n.t(
          'Each is offered a second time in the chat’s model picker, under Lodeline’s view',
        ),
      },
    );
    if (picked === undefined) return;
    if (picked.length === 0) return await this.turnOff();
    if (!isEnabled() && !(await isAgreed())) return;
    await set(
      MODELS,
      picked.map(({ id }) => id),
    );
    await set(ENABLED, true);
    await this.#refresh();
    await this.#tell(picked.map(({ label }) => `${label} · Lodeline`).join(', '));
  }

  /** One click, and one more to undo it. */
  async turnOff(): Promise<void> {
    if (!isEnabled()) {
      void vscode.window.showInformationMessage(vscode.l10n.t('The managed model is off.'));
      return;
    }
    await set(ENABLED, false);
    await this.#refresh();
    const again = vscode.l10n.t('Turn On Again');
    const chosen = await vscode.window.showInformationMessage(
      vscode.l10n.t(
        'The managed model is off. Where a chat’s picker still shows it, choose another model there.',
      ),
      again,
    );
    if (chosen === again) await set(ENABLED, true);
  }

  /** What is lost, what to check where it does not show, and how it is turned off. */
  async about(): Promise<void> {
    const { l10n, window } = vscode;
    const [choose, off] = [l10n.t('Choose Models…'), l10n.t('Turn Off')];
    const state = await this.#state();
    const chosen = await window.showInformationMessage(
      l10n.t('The managed model (experimental)'),
      { modal: true, detail: [state, lost(), missing()].join('\n\n') },
      choose,
      ...(isEnabled() ? [off] : []),
    );
    if (chosen === choose) await this.choose();
    else if (chosen === off) await this.turnOff();
  }

  async #tell(names: string): Promise<void> {
    const { l10n } = vscode;
    const about = l10n.t('It Is Not There');
    const chosen = await vscode.window.showInformationMessage(
      shownText(l10n.t('Now choose it in the chat’s model picker: {0}.', names)),
      about,
    );
    if (chosen === about) await this.about();
  }

  /** What can be known of whether the editor offers the models. */
  async #state(): Promise<string> {
    const { l10n } = vscode;
    if (!isEnabled()) return l10n.t('It is turned off.');
    if (this.#models.length === 0)
      return l10n.t('It is turned on, and the editor has none of the models that you chose.');
    const offered = await vscode.lm.selectChatModels({ vendor: MANAGED_VENDOR });
    if (offered.length === 0)
      return l10n.t('It is turned on, and the editor does not take models of this extension.');
    const names = offered.map(({ name }) => name).join(', ');
    return shownText(l10n.t('It is turned on. The editor knows: {0}.', names));
  }

  #register(provider: ManagedProvider): vscode.Disposable {
    try {
      return vscode.lm.registerLanguageModelChatProvider(MANAGED_VENDOR, provider);
    } catch (error) {
      this.#log.warn(`The managed model could not be registered: ${String(error)}`);
      return new vscode.Disposable(() => {});
    }
  }

  async #load(): Promise<ManagedViews> {
    const [{ ManagedView }, { strategyOf, windowOf }] = await Promise.all([
      import('../session/managedView.ts'),
      import('../session/compaction/choose.ts'),
    ]);
    const settings = { get: (key: string) => readSetting(key) };
    const view = new ManagedView({
      onSummary: (isRunning) => {
        this.#summaries += isRunning ? 1 : -1;
        this.#show();
      },
      onFailure: (reason) => this.#log.warn(`A chat on the managed model was not summarised: ${reason}`),
    });
    return {
      view,
      windowOf: (model) => (strategyOf(settings) === 'off' ? undefined : windowOf(settings, model)),
    };
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#refresh().catch((error) => this.#log.warn(`The models behind the managed one: ${String(error)}`));
    }, DELAY);
  }

  /** Looks the chosen models up, by vendor: asking for all would ask for ours, too. */
  async #refresh(): Promise<void> {
    const models = isEnabled() ? await lookUp(chosenIds()) : [];
    const before = JSON.stringify(this.#models.map(told));
    this.#models = models;
    this.#show();
    if (JSON.stringify(models.map(told)) !== before) this.#onDidChange.fire();
  }

  #show(): void {
    const { l10n } = vscode;
    if (!isEnabled()) {
      this.#item.hide();
      return;
    }
    const [names, icon] = [
      this.#models.map(({ name }) => name).join(', '),
      this.#summaries > 0 ? 'sync~spin' : 'fold',
    ];
    this.#item.text = `$(${icon}) Lodeline`;
    const what =
      this.#summaries > 0
        ? l10n.t('Summarising a chat…')
        : l10n.t('Managed model: {0}', names || l10n.t('none'));
    this.#item.tooltip = shownText(`${what}\n${l10n.t('Click to turn it off.')}`);
    this.#item.accessibilityInformation = { label: shownText(this.#item.tooltip), role: 'button' };
    this.#item.show();
  }
}

function isEnabled(): boolean {
  return readSetting(ENABLED) === true;
}

/** As the setting holds them; what names no model, or one of ours, is left out. */
function chosenIds(): readonly string[] {
  const value = readSetting(MODELS);
  const ids: unknown[] = Array.isArray(value) ? value : [];
  return [...new Set(ids.filter((id): id is string => typeof id === 'string' && behind(id) !== undefined))];
}

async function lookUp(ids: readonly string[]): Promise<readonly vscode.LanguageModelChat[]> {
  const vendors = new Set(ids.flatMap((id) => behind(id)?.vendor ?? []));
  const found = await Promise.all(
    [...vendors].map(async (vendor) => await vscode.lm.selectChatModels({ vendor })),
  );
  const models = new Map(found.flat().map((model) => [managedId(model), model]));
  return ids.flatMap((id) => models.get(id) ?? []);
}

/** What the editor is told of a model, to know whether that changed. */
function told(model: vscode.LanguageModelChat): unknown {
  const { vendor, id, name, family, version, maxInputTokens } = model;
  return [vendor, id, name, family, version, maxInputTokens, Reflect.get(model, 'capabilities')];
}

async function set(key: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration('lodeline').update(key, value, vscode.ConfigurationTarget.Global);
}

async function isAgreed(): Promise<boolean> {
  const go = vscode.l10n.t('Turn On');
  const question = vscode.l10n.t('Offer these models under Lodeline’s view? This is experimental.');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail: lost() }, go)) === go;
}
