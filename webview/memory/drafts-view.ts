import { css, html, nothing, type TemplateResult } from 'lit';
import type { Draft } from '../../src/memoryProtocol.ts';
import { count, dateTime, percent, shortAge } from '../kit/format.ts';
import { errorText } from '../kit/host.ts';
import { handled, isCommandKey, isDelete, isPlain, isTyping } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import { levelBadge } from '../kit/level.ts';
import { moveBetweenRows, rowOf } from '../kit/rows.ts';
import { emptyState } from '../kit/states.ts';
import { clip, visible, visibleLine } from '../kit/text.ts';
import { accepted, rejected, sourceOf } from './draft-text.ts';
import { categoryLabel } from './labels.ts';
import { MemoryView, viewStyles } from './memory-view.ts';
import { type Promotion, promotionPreview } from './promotion.ts';

/** As many as are drawn at once; the rest comes on request. */
const PAGE = 100;
const TEXT = 600;

/** What agents' hooks captured or agents inferred, and what becomes of it. */
export class DraftsView extends MemoryView<readonly Draft[]> {
  static override properties = {
    ...MemoryView.properties,
    selected: { state: true },
    editing: { state: true },
    typed: { state: true },
    plan: { state: true },
    shown: { state: true },
  };
  declare selected: ReadonlySet<string>;
  /** Name of the draft whose text is being changed. */
  declare editing: string;
  declare typed: string;
  /** What promoting by its rules would do. */
  declare plan: Promotion | undefined;
  declare shown: number;

  static override styles = [
    ...viewStyles,
    css`
      .draft { flex-wrap: wrap; padding: 8px 12px; border-top: 1px solid var(--vscode-panel-border, var(--vscode-widget-border, transparent)); }
      .draft .key { font-weight: 600; }
      .draft .text { white-space: pre-wrap; overflow-wrap: anywhere; user-select: text; unicode-bidi: plaintext; margin: 2px 0; }
      .facts { display: flex; flex-wrap: wrap; gap: 0 8px; align-items: center; }
      .draft vscode-checkbox { margin: 0; }
      .choices { display: flex; flex-wrap: wrap; gap: 2px; margin: 2px 0 0 -6px; }
      vscode-text-area { width: 100%; margin-top: 4px; }
    `,
  ];

  constructor() {
    super();
    this.selected = new Set();
    this.editing = '';
    this.typed = '';
    this.plan = undefined;
    this.shown = PAGE;
    this.addEventListener('keydown', this.#key);
  }

  protected failure(): string {
    return t('The drafts could not be read.');
  }

  protected async read(signal: AbortSignal): Promise<readonly Draft[]> {
    const { drafts } = await this.parts.host.invoke<{ drafts: readonly Draft[] }>(
      'memory_drafts',
      {},
      { signal },
    );
    const names = new Set(drafts.map(({ name }) => name));
    this.selected = new Set([...this.selected].filter((name) => names.has(name)));
    this.parts.counted('drafts', drafts.length);
    return drafts;
  }

  protected content(drafts: readonly Draft[]): TemplateResult {
    if (drafts.length === 0)
      return html`<div class="scroll">${emptyState({
        title: t('No drafts wait.'),
        text: t(
          'What hooks capture and agents infer waits here until you accept it. Until then no agent recalls it.',
        ),
      })}</div>`;
    const { canWrite } = this.parts;
    return html`
      ${this.#bar(drafts)}
      ${this.plan === undefined ? nothing : this.#preview(this.plan)}
      <div class="scroll">
        <ul class="rows">${drafts.slice(0, this.shown).map((draft, at) => this.#draft(draft, at === 0, canWrite))}</ul>
        ${
          drafts.length > this.shown
            ? html`<p class="more"><button class="link" @click=${() => {
                this.shown += PAGE;
              }}>${t('Show {0} more', count(Math.min(PAGE, drafts.length - this.shown)))}</button></p>`
            : nothing
        }
      </div>`;
  }

  #bar(drafts: readonly Draft[]): TemplateResult {
    const { selected, busy } = this;
    const title = drafts.length === 1 ? t('1 draft') : t('{0} drafts', count(drafts.length));
    if (!this.parts.canWrite) return html`<header><h1 tabindex="-1">${title}</h1></header>`;
    if (selected.size === 0)
      return html`<header><h1 tabindex="-1">${title}</h1>
        <button class="action" @click=${() => this.#select(drafts.map(({ name }) => name))}>${t('Select all')}</button>
        <vscode-button appearance="secondary" ?disabled=${busy} @click=${this.#plan}>${t('Preview promotion')}</vscode-button></header>`;
    return html`<header role="toolbar" aria-label=${t('Selected drafts')}><h1 tabindex="-1">${t('{0} selected', count(selected.size))}</h1>
        <vscode-button ?disabled=${busy} @click=${() => this.#settle('accept', [...selected])}>${t('Accept')}</vscode-button>
        <vscode-button appearance="secondary" ?disabled=${busy} @click=${() => this.#settle('reject', [...selected])}>${t('Reject')}</vscode-button>
        <button class="action" @click=${() => this.#select([])}>${t('Clear')}</button></header>`;
  }

  #draft(draft: Draft, isFirst: boolean, canWrite: boolean): TemplateResult {
    const { name, key, content } = draft;
    const checked = this.selected.has(name);
    const label = [visibleLine(key), t('confidence {0}', percent(draft.confidence)), sourceOf(draft)].join(
      ', ',
    );
    // The control fires "change" for our own assignments too.
    const change = ({ target }: Event) =>
      this.#mark(name, (target as EventTarget & { checked: boolean }).checked);
    const choice = (text: string, run: () => void) =>
      html`<button class="action" ?disabled=${this.busy} aria-label=${t('{0}: {1}', text, visibleLine(key))} @click=${run}>${text}</button>`;
    return html`<li class="item draft" data-row=${name} tabindex=${isFirst ? 0 : -1} aria-label=${label}>
      ${canWrite ? html`<vscode-checkbox aria-label=${t('Select {0}', visibleLine(key))} .checked=${checked} @change=${change}></vscode-checkbox>` : nothing}
      <div class="grow">
        <div class="key"><bdi>${visibleLine(key)}</bdi></div>
        <div class="facts small muted">
          ${categoryLabel(draft.category)} ${levelBadge(draft)}
          <span>${t('confidence {0}', percent(draft.confidence))}</span>
          <bdi>${sourceOf(draft)}</bdi>
          <span title=${dateTime(draft.at)}>${shortAge(draft.at)}</span>
        </div>
        ${this.editing === name ? this.#form(draft) : html`<div class="text">${visible(clip(content, TEXT))}${content.length > TEXT ? '…' : ''}</div>`}
        ${
          draft.file === ''
            ? nothing
            : html`<button class="link small" @click=${() => this.parts.host.post({ type: 'openFile', file: draft.file })}><bdi>${visibleLine(draft.file)}</bdi></button>`
        }
        ${
          canWrite && this.editing !== name
            ? html`<div class="choices">
                ${choice(t('Accept'), () => this.#settle('accept', [name]))}
                ${choice(t('Edit…'), () => void this.#edit(draft))}
                ${choice(t('Reject'), () => this.#settle('reject', [name]))}
              </div>`
            : nothing
        }
      </div>
    </li>`;
  }

  #form({ name, key }: Draft): TemplateResult {
    const input = (event: Event) => {
      this.typed = (event.target as EventTarget & { value: string }).value;
    };
    const save = () => this.#settle('accept', [name], this.typed);
    return html`<div @keydown=${(event: KeyboardEvent) => {
      if (event.isComposing) return;
      if (event.key === 'Enter' && isCommandKey(event)) {
        handled(event);
        save();
      } else if (event.key === 'Escape') {
        handled(event);
        this.#close(name);
      }
    }}>
      <vscode-text-area rows="5" resize="vertical" .value=${this.typed} @input=${input}><span class="visually-hidden">${t('Text of {0}', visibleLine(key))}</span></vscode-text-area>
      <div class="buttons">
        <vscode-button ?disabled=${this.busy || this.typed.trim() === ''} @click=${save}>${t('Save and accept')}</vscode-button>
        <vscode-button appearance="secondary" @click=${() => this.#close(name)}>${t('Cancel')}</vscode-button>
      </div></div>`;
  }

  #preview(plan: Promotion): TemplateResult {
    return promotionPreview(plan, this.busy, {
      apply: () =>
        void this.once(async () => {
          this.plan = undefined;
          await this.parts.actions.change(async (invoke, touched) => {
            const names = plan.promoted.map(({ id, key }) => id ?? key);
            const { ids } = await invoke<{ ids: readonly string[] }>('memory_drafts', {
              action: 'accept',
              ids: names,
            });
            touched(ids);
            return accepted(ids.length);
          });
          this.focus();
        }),
      cancel: () => {
        this.plan = undefined;
        this.focus();
      },
    });
  }

  readonly #plan = (): void => {
    void this.once(async () => {
      try {
        this.plan = await this.parts.host.invoke<Promotion>('memory_promote', { dryRun: true });
        await this.updateComplete;
        this.renderRoot.querySelector<HTMLElement>('.preview')?.focus();
      } catch (error) {
        this.parts.actions.fail(errorText(error));
      }
    });
  };

  async #edit({ name, content }: Draft): Promise<void> {
    this.editing = name;
    this.typed = content;
    await this.updateComplete;
    // The control gets its inner field a moment after it is defined.
    setTimeout(() => this.renderRoot.querySelector<HTMLElement>('vscode-text-area')?.focus());
  }

  #close(name: string): void {
    this.editing = '';
    void this.updateComplete.then(() => this.#row(name)?.focus());
  }

  #settle(action: 'accept' | 'reject', names: readonly string[], content?: string): void {
    if (names.length === 0 || content?.trim() === '') return;
    void this.once(async () => {
      // The next draft takes the place of the last one decided about.
      const order = this.data?.map(({ name }) => name) ?? [];
      const next = order.slice(order.indexOf(names.at(-1) ?? '') + 1).find((name) => !names.includes(name));
      const done = await this.parts.actions.change(async (invoke, touched) => {
        const input = { action, ids: names, ...(content === undefined ? {} : { content }) };
        const { ids } = await invoke<{ ids: readonly string[] }>('memory_drafts', input);
        touched(ids);
        return action === 'accept' ? accepted(ids.length) : rejected(ids.length);
      });
      if (!done) return;
      this.editing = '';
      this.selected = new Set();
      await this.refresh();
      await this.updateComplete;
      const row = next === undefined ? undefined : this.#row(next);
      if (row) row.focus();
      else this.focus();
    });
  }

  #row(name: string): HTMLElement | undefined {
    const rows = [...this.renderRoot.querySelectorAll<HTMLElement>('[data-row]')];
    return rows.find((row) => row.dataset.row === name);
  }

  #mark(name: string, isSelected: boolean): void {
    if (this.selected.has(name) === isSelected) return;
    const others = [...this.selected].filter((other) => other !== name);
    this.#select(isSelected ? [...others, name] : others);
  }

  #select(names: readonly string[]): void {
    this.selected = new Set(names);
    this.parts.say(t('{0} selected', count(names.length)));
  }

  readonly #key = (event: KeyboardEvent): void => {
    moveBetweenRows(event, this.renderRoot);
    if (
      event.defaultPrevented ||
      isTyping(event) ||
      !this.parts.canWrite ||
      !(isPlain(event) || isDelete(event))
    )
      return;
    const name = rowOf(event);
    const draft = this.data?.find((each) => each.name === name);
    if (event.key === 'Escape' && this.selected.size > 0) {
      handled(event);
      this.#select([]);
    } else if (draft === undefined || name === undefined || event.composedPath()[0] !== this.#row(name)) {
      // Keys on a button are the button's.
    } else if (event.key === ' ') {
      handled(event);
      this.#mark(name, !this.selected.has(name));
    } else if (event.key === 'a' || event.key === 'r' || isDelete(event)) {
      handled(event);
      const names = this.selected.size > 0 ? [...this.selected] : [name];
      this.#settle(event.key === 'a' ? 'accept' : 'reject', names);
    } else if (event.key === 'e' || event.key === 'Enter') {
      handled(event);
      void this.#edit(draft);
    }
  };
}
