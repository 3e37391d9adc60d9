import { css, html, LitElement, nothing } from 'lit';
import { icons } from '../kit/icons.ts';
import { handled, isCommandKey, isGoBack } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import { baseStyles } from '../kit/styles.ts';

/** A minute, which is what people think in here; the tool takes seconds. */
const SECONDS = 60;

/** Starts a session with a task. Fires `lode-spawn` with the input of `sessions_spawn`, and `lode-back`. */
export class SpawnForm extends LitElement {
  static override properties = {
    agents: { attribute: false },
    beside: { type: Boolean, reflect: true },
    busy: { type: Boolean },
    agent: { state: true },
    missing: { state: true },
  };
  /** Ids of agents that can be started; the first one is the ordinary one. */
  declare agents: readonly string[];
  declare beside: boolean;
  declare busy: boolean;
  declare agent: string;
  declare missing: boolean;

  static override styles = [
    baseStyles,
    css`
      :host { display: flex; flex-direction: column; min-height: 0; height: 100%; overflow: hidden auto; }
      :host([beside]) .top { padding-inline-start: 12px; }
      .top { flex: none; display: flex; align-items: center; gap: 4px; min-height: 36px; padding: 4px 8px; }
      h1 { margin: 0; font-size: 13px; line-height: 18px; font-weight: 600; outline-offset: 2px; border-radius: 2px; }
      form { display: flex; flex-direction: column; gap: 10px; padding: 4px 12px 16px; max-width: 560px; }
      label, .field { display: flex; flex-direction: column; gap: 3px; }
      .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(120px, 1fr)); gap: 10px; }
      textarea, input { all: unset; box-sizing: border-box; width: 100%; padding: 3px 6px; min-height: 26px; font: inherit; line-height: 18px; cursor: text; user-select: text; background: var(--vscode-input-background); color: var(--vscode-input-foreground); border: 1px solid var(--vscode-input-border, var(--vscode-settings-textInputBorder, transparent)); border-radius: 2px; }
      textarea { min-height: 84px; max-height: 300px; field-sizing: content; white-space: pre-wrap; overflow-wrap: anywhere; overflow-y: auto; }
      textarea:focus, input:focus { border-color: var(--vscode-focusBorder); }
      ::placeholder { color: var(--vscode-input-placeholderForeground); opacity: 1; }
      .wrong { color: var(--vscode-errorForeground); font-size: 12px; }
      .buttons { display: flex; gap: 6px; }
      .hint { font-size: 12px; line-height: 17px; }
    `,
  ];

  constructor() {
    super();
    this.agents = [];
    this.beside = false;
    this.busy = false;
    this.agent = '';
    this.missing = false;
    this.addEventListener('keydown', this.#key);
  }

  override focus(): void {
    this.renderRoot.querySelector('textarea')?.focus();
  }

  protected override render() {
    const { agents, missing } = this;
    return html`<div class="top">${
      this.beside
        ? nothing
        : html`<button class="icon-button" aria-label=${t('Back to the list')} title=${t('Back to the list')} @click=${this.#back}>${icons.back}</button>`
    }<h1 tabindex="-1" class="grow">${t('New session')}</h1></div>
      <form @submit=${this.#submit} aria-label=${t('New session')}>
        <p class="muted hint">${t('An agent works on the task by itself, in a session of its own. It cannot ask you anything.')}</p>
        <label>${t('Task')}<textarea name="task" maxlength="100000" aria-invalid=${missing} aria-describedby=${missing ? 'missing' : nothing} @input=${this.#written}></textarea></label>
        ${missing ? html`<p id="missing" class="wrong" role="alert">${t('Say what is to be done.')}</p>` : nothing}
        <label>${t('Label')}<input name="label" maxlength="64" placeholder=${t('What you call it in lists')}></label>
        ${
          agents.length > 1
            ? html`<div class="field"><span aria-hidden="true">${t('Agent')}</span><lode-select .label=${t('Agent')} .options=${agents.map((id) => ({ value: id, label: id }))} .value=${this.agent || (agents[0] ?? '')}
              @lode-change=${({ detail }: CustomEvent<string>) => {
                this.agent = detail;
              }}></lode-select></div>`
            : nothing
        }
        <div class="pair"><label>${t('Model')}<input name="model" maxlength="200" placeholder=${t('The usual one')}></label>
          <label>${t('Stop after (minutes)')}<input name="minutes" type="number" inputmode="numeric" min="1" max="10000" placeholder=${t('Never')}></label></div>
        <div class="buttons"><vscode-button ?disabled=${this.busy} @click=${this.#submit}>${t('Start')}</vscode-button>
          <vscode-button appearance="secondary" @click=${this.#back}>${t('Cancel')}</vscode-button></div>
      </form>`;
  }

  #value(name: string): string {
    return this.renderRoot.querySelector<HTMLInputElement>(`[name=${name}]`)?.value.trim() ?? '';
  }

  readonly #written = (): void => {
    if (this.missing) this.missing = this.#value('task') === '';
  };

  readonly #submit = (event: Event): void => {
    event.preventDefault();
    const task = this.#value('task');
    this.missing = task === '';
    if (this.missing) this.focus();
    if (this.missing || this.busy) return;
    const minutes = Math.round(Number(this.#value('minutes')));
    const given = { label: this.#value('label'), agentId: this.agent, model: this.#value('model') };
    const detail = {
      task,
      ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')),
      ...(minutes > 0 ? { runTimeoutSeconds: minutes * SECONDS } : {}),
    };
    this.dispatchEvent(new CustomEvent('lode-spawn', { detail }));
  };

  readonly #key = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && isCommandKey(event)) this.#submit(event);
    else if (isGoBack(event) || (event.key === 'Escape' && !event.isComposing)) this.#back();
    else return;
    handled(event);
  };

  readonly #back = (): void => {
    this.dispatchEvent(new CustomEvent('lode-back'));
  };
}
