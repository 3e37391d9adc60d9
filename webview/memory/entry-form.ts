import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import type { EntryDetail } from '../../src/protocol.ts';
import { errorText } from '../kit/host.ts';
import { handled, isCommandKey } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import { bannerStyles, baseStyles } from '../kit/styles.ts';
import type { MemoryActions } from './actions.ts';
import {
  changedFields,
  editInput,
  type FieldErrors,
  fieldsOf,
  formFields,
  NO_FIELDS,
  rememberInput,
  validate,
} from './form-fields.ts';
import type { Draft, Fields } from './state.ts';
import { suggestKey } from './suggest-key.ts';

/** Whether a draft holds anything that would be lost. */
export function isDirty(draft: Draft | null): boolean {
  return draft !== null && changedFields(draft.base, draft.fields).length > 0;
}

/** A new entry with what it is to start from. */
export function newDraft({ content = '', file = '' }: { content?: string; file?: string }): Draft {
  return { id: '', fields: { ...NO_FIELDS, content, file, key: suggestKey(content) }, base: NO_FIELDS };
}

/**
 * Edits an entry, or writes a new one. Fires `lode-draft` with the draft at each change, `lode-saved` with
 * the entry's id where known, and `lode-cancel`.
 */
export class EntryForm extends LitElement {
  static override properties = {
    entry: { attribute: false },
    draft: { attribute: false },
    actions: { attribute: false },
    errors: { state: true },
    failure: { state: true },
    saving: { state: true },
    theirs: { state: true },
  };
  /** The entry as it is now; undefined for a new one. */
  declare entry: EntryDetail | undefined;
  /** What was typed before, if anything. */
  declare draft: Draft | null;
  declare actions: MemoryActions;
  declare errors: FieldErrors;
  declare failure: string;
  declare saving: boolean;
  /** Their version is shown. */
  declare theirs: boolean;

  static override styles = [
    baseStyles,
    bannerStyles,
    css`
      form, :host { display: flex; flex-direction: column; gap: 10px; }
      vscode-text-area, vscode-text-field, lode-select { width: 100%; }
      .label { display: block; margin-bottom: 2px; }
      .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(120px, 1fr)); gap: 8px; }
      .error { margin-top: 2px; color: var(--vscode-errorForeground); }
      .buttons { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; }
      .hint { font-size: 11px; }
      .theirs { border-inline-start: 2px solid var(--vscode-focusBorder); padding-inline-start: 8px; max-height: 240px; overflow: auto; }
    `,
  ];

  constructor() {
    super();
    this.draft = null;
    this.errors = {};
    this.failure = '';
    this.saving = false;
    this.theirs = false;
    this.addEventListener('keydown', this.#key);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    // A form in which nothing was typed yet simply shows what the entry has become.
    if (this.draft === null || (changed.has('entry') && !isDirty(this.draft))) this.draft = this.#fresh();
  }

  protected override firstUpdated(): void {
    // A panel that comes back by itself must not pull the caret out of what the person is doing.
    if (!document.hasFocus()) return;
    // The control gets its inner field a moment after it is defined.
    setTimeout(() => {
      this.focus();
      // A caret at the end scrolls the beginning of a long text out of sight.
      const field = this.#content?.shadowRoot?.querySelector('textarea');
      if (this.entry === undefined || !field) return;
      field.setSelectionRange(0, 0);
      field.scrollTop = 0;
    });
  }

  get #content(): HTMLElement | null {
    return this.renderRoot.querySelector('vscode-text-area');
  }

  override focus(): void {
    this.#content?.focus();
  }

  protected override render() {
    const draft = this.draft ?? this.#fresh();
    const conflict =
      !this.saving && this.entry !== undefined && changedFields(draft.base, fieldsOf(this.entry)).length > 0;
    return html`
      ${conflict ? this.#conflict(this.entry) : nothing}
      ${this.failure === '' ? nothing : html`<div class="banner error" role="alert">${this.failure}</div>`}
      ${formFields({ fields: draft.fields, errors: this.errors, isNew: this.entry === undefined, change: this.#change })}
      <div class="buttons">
        <vscode-button ?disabled=${this.saving} @click=${this.#save}>${t('Save')}</vscode-button>
        <vscode-button appearance="secondary" @click=${this.#cancel}>${t('Cancel')}</vscode-button>
        <span class="hint muted">${t('{0} saves', navigator.platform.startsWith('Mac') ? '⌘⏎' : 'Ctrl+Enter')}</span>
      </div>
    `;
  }

  #conflict(entry: EntryDetail | undefined) {
    if (entry === undefined) return nothing;
    return html`<div class="banner warning" role="alert"><div class="grow">
        <p>${t('This entry changed elsewhere while you were editing. Saving keeps your text as the content and theirs in the history.')}</p>
        <div class="buttons">
          <button class="link" aria-expanded=${this.theirs} @click=${() => {
            this.theirs = !this.theirs;
          }}>${this.theirs ? t('Hide their version') : t('Show their version')}</button>
          <button class="link" @click=${this.#takeTheirs}>${t('Discard mine and use theirs')}</button>
        </div>
      </div></div>
      ${this.theirs ? html`<lode-text class="theirs" .text=${entry.content}></lode-text>` : nothing}`;
  }

  #fresh(): Draft {
    const { entry } = this;
    const fields = entry === undefined ? NO_FIELDS : fieldsOf(entry);
    return { id: entry?.id ?? '', fields, base: fields };
  }

  readonly #takeTheirs = (): void => {
    this.theirs = false;
    this.#keep(this.#fresh());
  };

  readonly #change = (change: Partial<Fields>): void => {
    const draft = this.draft ?? this.#fresh();
    const fields = { ...draft.fields, ...change };
    // The suggestion follows the content until the person writes a key of their own.
    const suggested = draft.fields.key === suggestKey(draft.fields.content);
    const key =
      draft.id === '' && change.content !== undefined && suggested ? suggestKey(change.content) : fields.key;
    this.#keep({ ...draft, fields: { ...fields, key } });
    if (Object.keys(this.errors).length > 0) this.errors = validate({ ...fields, key });
  };

  #keep(draft: Draft): void {
    this.draft = draft;
    this.dispatchEvent(new CustomEvent('lode-draft', { detail: draft }));
  }

  readonly #save = async (): Promise<void> => {
    const { draft } = this;
    if (draft === null || this.saving) return;
    this.errors = validate(draft.fields);
    const [first] = Object.keys(this.errors);
    if (first !== undefined) {
      await this.updateComplete;
      this.renderRoot.querySelector<HTMLElement>(`[name=${first}]`)?.focus();
      return;
    }
    if (draft.id !== '' && !isDirty(draft)) return this.#cancel();
    this.saving = true;
    this.failure = '';
    try {
      const id =
        draft.id === ''
          ? await this.actions.save('memory_remember', rememberInput(draft.fields))
          : await this.actions.save('memory_edit', editInput(draft.id, draft.base, draft.fields));
      this.dispatchEvent(new CustomEvent('lode-saved', { detail: draft.id || id }));
    } catch (error) {
      this.failure = errorText(error);
    } finally {
      this.saving = false;
    }
  };

  readonly #cancel = (): void => {
    this.dispatchEvent(new CustomEvent('lode-cancel'));
  };

  readonly #key = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    // Some controls act on Enter whatever is held with it; for the form it still means save.
    if (event.key === 'Enter' && isCommandKey(event)) {
      handled(event);
      // Leaving a field takes what is typed in it (a tag); give it the chance before saving.
      (event.composedPath()[0] as HTMLElement | undefined)?.dispatchEvent(new FocusEvent('blur'));
      void this.#save();
    } else if (event.key === 'Escape' && !event.defaultPrevented) {
      handled(event);
      this.#cancel();
    }
  };
}
