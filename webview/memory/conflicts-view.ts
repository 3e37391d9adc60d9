import { css, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import {
  CONFLICT_KINDS,
  type Conflict,
  type ConflictKind,
  type ConflictSide,
  type ConflictsFound,
} from '../../src/memoryProtocol.ts';
import { count, dateTime } from '../kit/format.ts';
import { icons } from '../kit/icons.ts';
import { t } from '../kit/l10n.ts';
import { levelBadge } from '../kit/level.ts';
import { moveBetweenRows } from '../kit/rows.ts';
import { emptyState } from '../kit/states.ts';
import { visibleLine } from '../kit/text.ts';
import { canMerge, keepAll, keepOne, mergeAll } from './decisions.ts';
import { categoryLabel } from './labels.ts';
import { MemoryView, viewStyles } from './memory-view.ts';
import type { Merge } from './merge-form.ts';

/** What cannot all be right, side by side, and the decision. */
export class ConflictsView extends MemoryView<ConflictsFound> {
  static override properties = { ...MemoryView.properties, kind: { state: true }, merging: { state: true } };
  declare kind: ConflictKind;
  /** Which conflict is being merged by hand. */
  declare merging: string;

  static override styles = [
    ...viewStyles,
    css`
      header lode-select { flex: 0 1 260px; min-width: 0; }
      @container list (max-width: 420px) { header lode-select { flex-basis: 100%; } }
      .conflict { padding: 10px 12px; border-top: 1px solid var(--vscode-panel-border, var(--vscode-widget-border, transparent)); outline-offset: -1px; }
      .sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(230px, 100%), 1fr)); gap: 8px; }
      .side {
        display: flex; flex-direction: column; gap: 6px; min-width: 0; padding: 8px; border-radius: 4px;
        border: 1px solid var(--vscode-panel-border, var(--vscode-widget-border, transparent));
      }
      .side > .text { flex: 1; max-height: 260px; overflow-y: auto; }
      .head { display: flex; flex-wrap: wrap; gap: 2px 8px; align-items: center; }
      .head .key { overflow-wrap: anywhere; font-weight: 600; }
      .side vscode-button { align-self: flex-start; }
      lode-merge { margin-top: 8px; }
    `,
  ];

  constructor() {
    super();
    this.kind = 'texts';
    this.merging = '';
    this.addEventListener('keydown', (event) => moveBetweenRows(event, this.renderRoot));
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!this.hasUpdated) this.kind = CONFLICT_KINDS.find((kind) => kind === this.parts.kept) ?? 'texts';
    super.willUpdate(changed);
  }

  protected failure(): string {
    return t('The conflicts could not be read.');
  }

  protected read(signal: AbortSignal): Promise<ConflictsFound> {
    // Looking for what is similar takes a while in a large memory.
    return this.parts.host.invoke<ConflictsFound>(
      'memory_conflicts',
      { kind: this.kind },
      { signal, timeout: 0 },
    );
  }

  protected override render(): TemplateResult {
    return html`<header>
        <button class="icon-button" aria-label=${t('Back to health')} title=${t('Back to health')} @click=${() => this.parts.go('health')}>${icons.back}</button>
        <h1 tabindex="-1">${t('Conflicts')}${this.data === undefined ? nothing : html`<span class="number">${count(this.data.total)}</span>`}</h1>
        <lode-select .label=${t('Which conflicts')} .value=${this.kind} .options=${CONFLICT_KINDS.map((value) => ({ value, label: kindName(value) }))}
          @lode-change=${({ detail }: CustomEvent<string>) => this.#look(detail)}></lode-select>
      </header>${super.render()}`;
  }

  protected content({ conflicts, total }: ConflictsFound): TemplateResult {
    if (conflicts.length === 0)
      return html`<div class="scroll">${emptyState({ title: t('No conflicts.'), text: nothingFound(this.kind) })}</div>`;
    return html`<div class="scroll">
      ${conflicts.map((conflict, at) => this.#conflict(conflict, at))}
      ${total > conflicts.length ? html`<p class="more muted">${t('{0} more come when these are decided.', count(total - conflicts.length))}</p>` : nothing}
    </div>`;
  }

  #conflict({ sides }: Conflict, at: number): TemplateResult {
    const name = sides.map(({ id, text }) => `${id} ${text.length}`).join(' ');
    const keys = [...new Set(sides.map(({ key }) => visibleLine(key)))].join(', ');
    return html`<section class="conflict" data-row=${name} tabindex=${at === 0 ? 0 : -1} aria-label=${t('Conflict {0}: {1}', at + 1, keys)}>
      <div class="sides">${sides.map((side, index) => this.#side(sides, side, index))}</div>
      ${!this.parts.canWrite ? nothing : this.merging === name ? this.#form(sides) : this.#decide(sides, name)}
    </section>`;
  }

  #side(sides: readonly ConflictSide[], side: ConflictSide, index: number): TemplateResult {
    const [first] = sides;
    const key = visibleLine(side.key);
    const when = [dateTime(side.at), visibleLine(side.source)].filter(Boolean).join(' · ');
    return html`<div class="side" role="group" aria-label=${`${key}, ${when}`}>
      <div class="head">
        <button class="link key" @click=${() => this.parts.open(side.id, true)}><bdi>${key}</bdi></button>
        ${categoryLabel(side.category)} ${levelBadge(side)}
      </div>
      <div class="small muted">${when}</div>
      <div class="text">${
        index === 0 || first === undefined
          ? html`<lode-text .text=${side.text}></lode-text>`
          : html`<lode-diff-text .from=${first.text} .to=${side.text}></lode-diff-text>`
      }</div>
      ${
        this.parts.canWrite
          ? html`<vscode-button appearance="secondary" ?disabled=${this.busy} aria-label=${t('Keep this: {0}', `${key}, ${when}`)}
              @click=${() => this.#run(() => keepOne(this.parts.actions, sides, index))}>${t('Keep this')}</vscode-button>`
          : nothing
      }
    </div>`;
  }

  #decide(sides: readonly ConflictSide[], name: string): TemplateResult {
    return html`<div class="buttons">
      <vscode-button appearance="secondary" ?disabled=${this.busy} @click=${() => this.#run(() => keepAll(this.parts.actions, sides))}>${sides.length > 2 ? t('Keep all') : t('Keep both')}</vscode-button>
      ${
        canMerge(sides)
          ? html`<vscode-button appearance="secondary" ?disabled=${this.busy} @click=${() => this.#open(name)}>${t('Merge…')}</vscode-button>`
          : html`<span class="small muted">${t('Entries of different levels cannot be merged.')}</span>`
      }
    </div>`;
  }

  #form(sides: readonly ConflictSide[]): TemplateResult {
    return html`<lode-merge .sides=${sides} .busy=${this.busy}
      @lode-cancel=${() => this.#open('')}
      @lode-merge=${({ detail }: CustomEvent<Merge>) => this.#run(() => mergeAll(this.parts.actions, sides, detail))}></lode-merge>`;
  }

  async #open(name: string): Promise<void> {
    const before = this.merging;
    this.merging = name;
    await this.updateComplete;
    if (name !== '') this.renderRoot.querySelector<HTMLElement>('lode-merge')?.focus();
    else this.renderRoot.querySelector<HTMLElement>(`[data-row="${CSS.escape(before)}"]`)?.focus();
  }

  #run(decide: () => Promise<boolean>): void {
    void this.once(async () => {
      if (!(await decide())) return;
      this.merging = '';
      this.focus();
    });
  }

  #look(kind: string): void {
    this.kind = CONFLICT_KINDS.find((known) => known === kind) ?? 'texts';
    this.data = undefined;
    this.merging = '';
    this.parts.keep(this.kind);
    void this.refresh();
  }
}

function kindName(kind: ConflictKind): string {
  const names: Record<ConflictKind, string> = {
    texts: t('Several texts in one entry'),
    similar: t('Entries that say nearly the same'),
    versions: t('Entries about an older version'),
  };
  return names[kind];
}

function nothingFound(kind: ConflictKind): string {
  const texts: Record<ConflictKind, string> = {
    texts: t('Every entry has one text.'),
    similar: t('No two entries say nearly the same.'),
    versions: t('No entry is about an older version of what another is about.'),
  };
  return texts[kind];
}
