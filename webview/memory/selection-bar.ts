import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import type { Status } from '../../src/memory/entry.ts';
import type { ConflictSide } from '../../src/memoryProtocol.ts';
import type { EntryDetail } from '../../src/protocol.ts';
import { count } from '../kit/format.ts';
import { errorText, type Host } from '../kit/host.ts';
import { handled } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import { baseStyles } from '../kit/styles.ts';
import type { MemoryActions, Named } from './actions.ts';
import { canMerge, mergeAll } from './decisions.ts';
import type { Merge, MergeForm } from './merge-form.ts';

/** More texts than this nobody reads side by side to make one of them. */
const MOST_MERGED = 10;

/** What can be done to all selected entries at once. Fires `lode-clear`. */
export class SelectionBar extends LitElement {
  static override properties = {
    entries: { attribute: false },
    actions: { attribute: false },
    canWrite: { type: Boolean },
    status: {},
    host: { attribute: false },
    open: { state: true },
    tags: { state: true },
    sides: { state: true },
    busy: { state: true },
  };
  declare entries: readonly Named[];
  declare actions: MemoryActions;
  declare canWrite: boolean;
  declare host: Host;
  /** The status that all of the entries have. */
  declare status: Status;
  /** Which form is open below the bar. */
  declare open: '' | 'tags' | 'merge';
  declare tags: readonly string[];
  /** The entries as they are, to be merged. */
  declare sides: readonly ConflictSide[];
  declare busy: boolean;

  static override styles = [
    baseStyles,
    css`
      .bar { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 8px; font-size: 12px; white-space: nowrap; }
      .bar .grow { flex: 1 0 auto; }
      .tags { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; margin-top: 4px; }
      .tags lode-tags { flex: 1 1 100%; min-width: 140px; }
      .tags { --button-padding-vertical: 2px; --button-padding-horizontal: 8px; }
      lode-merge { display: block; margin: 6px 0; }
    `,
  ];

  constructor() {
    super();
    this.entries = [];
    this.canWrite = false;
    this.status = 'active';
    this.open = '';
    this.tags = [];
    this.sides = [];
    this.busy = false;
  }

  protected override render() {
    return html`<div class="bar" role="toolbar" aria-label=${t('Selected entries')}>
        <span class="grow">${t('{0} selected', count(this.entries.length))}</span>
        ${
          this.canWrite
            ? html`<button class="link" @click=${() => this.actions.pin(this.entries, true)}>${t('Pin')}</button>
              <button class="link" aria-expanded=${this.open === 'tags'} @click=${this.#toggleTagging}>${t('Tag…')}</button>
              ${this.#canMerge ? html`<button class="link" aria-expanded=${this.open === 'merge'} ?disabled=${this.busy} @click=${this.#toggleMerging}>${t('Merge…')}</button>` : nothing}
              <button class="link" @click=${this.#forget}>${this.status === 'active' ? t('Forget') : t('Restore')}</button>`
            : nothing
        }
        <button class="link" @click=${this.#clear}>${t('Clear')}</button>
      </div>
      ${
        this.open === 'merge'
          ? html`<lode-merge .sides=${this.sides} .busy=${this.busy} @lode-merge=${this.#merge} @lode-cancel=${this.#closeForm}></lode-merge>`
          : nothing
      }
      ${
        this.open === 'tags'
          ? html`<div class="tags" @keydown=${this.#key}>
            <lode-tags
              .label=${t('Tags to add or remove')} .placeholder=${t('Tags to add or remove')} .values=${this.tags}
              @lode-change=${({ detail }: CustomEvent<readonly string[]>) => {
                this.tags = detail;
              }}
            ></lode-tags>
            <vscode-button ?disabled=${this.tags.length === 0} @click=${() => this.#tag('add')}>${t('Add tags')}</vscode-button>
            <vscode-button appearance="secondary" ?disabled=${this.tags.length === 0} @click=${() => this.#tag('remove')}>${t('Remove tags')}</vscode-button>
          </div>`
          : nothing
      }`;
  }

  /** Others than those that were read may not become part of a merge. */
  protected override willUpdate(changed: PropertyValues<this>): void {
    const ids = (entries: readonly Named[] = []) => entries.map(({ id }) => id).join(' ');
    if (!changed.has('entries') || this.open !== 'merge') return;
    if (ids(changed.get('entries')) !== ids(this.entries)) this.open = '';
  }

  get #canMerge(): boolean {
    return this.status === 'active' && this.entries.length > 1 && this.entries.length <= MOST_MERGED;
  }

  readonly #toggleTagging = async (): Promise<void> => {
    this.open = this.open === 'tags' ? '' : 'tags';
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('lode-tags')?.focus();
  };

  async #tag(action: 'add' | 'remove'): Promise<void> {
    const tags = this.tags;
    this.open = '';
    this.tags = [];
    if (tags.length > 0) await this.actions.tag(this.entries, tags, action);
  }

  readonly #toggleMerging = async (): Promise<void> => {
    if (this.open === 'merge') return this.#closeForm();
    this.busy = true;
    try {
      const read = this.entries.map(({ id }) => this.host.invoke<EntryDetail | null>('memory_open', { id }));
      const sides = (await Promise.all(read)).flatMap((entry) => (entry === null ? [] : [sideOf(entry)]));
      if (!canMerge(sides)) return this.actions.fail(t('Entries of different levels cannot be merged.'));
      this.sides = sides;
      this.open = 'merge';
      await this.updateComplete;
      this.renderRoot.querySelector<MergeForm>('lode-merge')?.focus();
    } catch (error) {
      this.actions.fail(errorText(error));
    } finally {
      this.busy = false;
    }
  };

  readonly #merge = async ({ detail }: CustomEvent<Merge>): Promise<void> => {
    if (this.busy) return;
    this.busy = true;
    const done = await mergeAll(this.actions, this.sides, detail);
    this.busy = false;
    if (done) this.#clear();
  };

  readonly #closeForm = (): void => {
    this.open = '';
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('button')?.focus());
  };

  readonly #forget = (): void => {
    void (this.status === 'active' ? this.actions.forget(this.entries) : this.actions.restore(this.entries));
    this.#clear();
  };

  readonly #clear = (): void => {
    this.dispatchEvent(new CustomEvent('lode-clear'));
  };

  readonly #key = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'Escape') {
      handled(event);
      this.open = '';
    } else if (
      event.key === 'Enter' &&
      event.target instanceof Element &&
      event.target.localName === 'lode-tags'
    ) {
      // The field took Enter for itself if it held a word, so here it is empty: done.
      handled(event);
      void this.#tag('add');
    }
  };
}

/** Its content and every text that was added to it: none may be lost by a merge. */
function sideOf({
  id,
  key,
  category,
  level,
  content,
  revisions,
  updated,
  source,
  tags,
  linked,
}: EntryDetail): ConflictSide {
  const added = revisions.filter(({ addition }) => addition).map(({ text }) => text);
  const links = linked.map((link) => link.key).filter((link) => !content.includes(`[[${link}]]`));
  return {
    id,
    key,
    category,
    level,
    text: [content, ...added.reverse()].join('\n\n'),
    at: updated,
    source,
    tags,
    links,
  };
}

export const selectionStyles = css`
  lode-selection { padding: 0 10px 4px; min-height: 20px; }
`;
