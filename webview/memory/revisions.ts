import { css, html, LitElement, nothing } from 'lit';
import type { EntryDetail } from '../../src/protocol.ts';
import { dateTime } from '../kit/format.ts';
import { t } from '../kit/l10n.ts';
import { baseStyles } from '../kit/styles.ts';
import { visibleLine } from '../kit/text.ts';
import type { MemoryActions } from './actions.ts';

type Revision = EntryDetail['revisions'][number];

/** Texts that an entry had or has beside its content: to read, to compare with it, and to bring back. */
export class RevisionList extends LitElement {
  static override properties = {
    entry: { attribute: false },
    revisions: { attribute: false },
    targets: { attribute: false },
    actions: { attribute: false },
    canWrite: { type: Boolean },
    compared: { state: true },
  };
  declare entry: EntryDetail;
  declare revisions: readonly Revision[];
  /** Ids by the keys that may be referred to. */
  declare targets: ReadonlyMap<string, string>;
  declare actions: MemoryActions;
  declare canWrite: boolean;
  /** Texts that are shown as what has changed since. */
  declare compared: ReadonlySet<string>;

  static override styles = [
    baseStyles,
    css`
      .revision { margin: 4px 0 10px; }
      .facts { display: flex; flex-wrap: wrap; gap: 0 12px; font-size: 11px; margin-bottom: 2px; }
      .facts button { font-size: 11px; }
      .legend { font-size: 11px; margin-bottom: 2px; }
    `,
  ];

  constructor() {
    super();
    this.revisions = [];
    this.targets = new Map();
    this.canWrite = false;
    this.compared = new Set();
  }

  protected override render() {
    return this.revisions.map((revision) => this.#revision(revision));
  }

  #revision({ text, at, actor, source, addition }: Revision) {
    const isCompared = this.compared.has(text);
    const who = actor === 'person' ? t('A person') : t('An agent');
    const when = dateTime(at);
    return html`<div class="revision" role="group" aria-label=${when}>
      <div class="facts">
        <span class="muted">${when} · ${who}${source === '' ? '' : ` · ${visibleLine(source)}`}</span>
        <button class="link" aria-pressed=${isCompared} aria-label=${t('Compare {0} with the text now', when)} @click=${() => this.#compare(text)}>${isCompared ? t('Show the text') : t('Compare')}</button>
        ${
          this.canWrite
            ? html`<button class="link" aria-label=${t('Make {0} the text', when)} @click=${() => this.#bringBack(text)}>${addition ? t('Make this the text') : t('Bring back')}</button>`
            : nothing
        }
      </div>
      ${
        isCompared
          ? html`<p class="legend muted">${addition ? t('From the text now to this one:') : t('From this text to the one now:')}</p>
            <lode-diff-text .from=${addition ? this.entry.content : text} .to=${addition ? text : this.entry.content}></lode-diff-text>`
          : html`<lode-text .text=${text} .targets=${this.targets}></lode-text>`
      }
    </div>`;
  }

  #compare(text: string): void {
    const others = [...this.compared].filter((other) => other !== text);
    this.compared = new Set(this.compared.has(text) ? others : [...others, text]);
  }

  #bringBack(content: string): void {
    const { id, key } = this.entry;
    void this.actions.change(async (invoke, touched) => {
      touched([id]);
      await invoke('memory_edit', { key: id, content });
      return t('“{0}” says this now; what it said before is in its history.', visibleLine(key));
    });
  }
}
