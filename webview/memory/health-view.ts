import { css, html, nothing, svg, type TemplateResult } from 'lit';
import type { Finding } from '../../src/memoryProtocol.ts';
import { count } from '../kit/format.ts';
import { errorText } from '../kit/host.ts';
import { phraseText, t } from '../kit/l10n.ts';
import { moveBetweenRows } from '../kit/rows.ts';
import { emptyState } from '../kit/states.ts';
import { visible, visibleLine } from '../kit/text.ts';
import {
  distinct,
  type Fix,
  type FixAnswer,
  fixName,
  isPreviewed,
  kindName,
  plannedLines,
  toolOf,
  touchedIds,
} from './fixes.ts';
import { MemoryView, viewStyles } from './memory-view.ts';

interface Health {
  readonly score: number;
  readonly active: number;
  readonly findings: readonly Finding[];
  /** Entries with more than one text. */
  readonly conflicts: number;
}

/** What fixes of a kind would do, before the person agrees. */
interface Plan {
  readonly kind: Finding['kind'];
  readonly fixes: readonly Fix[];
  readonly lines: readonly string[];
}

const SHOWN = 8;
const RADIUS = 15;

/** How the memory is, what is wrong with it, and what puts each thing right. */
export class HealthView extends MemoryView<Health> {
  static override properties = { ...MemoryView.properties, plan: { state: true }, whole: { state: true } };
  declare plan: Plan | undefined;
  /** Kinds of which every finding is shown. */
  declare whole: ReadonlySet<string>;

  static override styles = [
    ...viewStyles,
    css`
      .summary { display: flex; align-items: center; gap: 8px; padding: 12px; }
      .ring { flex: none; }
      .ring circle { fill: none; stroke-width: 3; stroke: var(--vscode-scrollbarSlider-background); }
      .ring .part { stroke: var(--vscode-charts-green); stroke-linecap: round; }
      .fair .part { stroke: var(--vscode-charts-yellow, var(--vscode-charts-orange)); }
      .poor .part { stroke: var(--vscode-charts-red); }
      .ring text { fill: var(--vscode-foreground); font-size: 11px; font-weight: 600; text-anchor: middle; dominant-baseline: central; }
      .summary h1 { line-height: 20px; }
      /* What puts a thing right stays in reach of what it says. */
      .summary, .title, .item, .preview { box-sizing: border-box; max-width: 860px; }
    `,
  ];

  constructor() {
    super();
    this.plan = undefined;
    this.whole = new Set();
    this.addEventListener('keydown', (event) => moveBetweenRows(event, this.renderRoot));
  }

  protected failure(): string {
    return t('The health of memory could not be read.');
  }

  protected async read(signal: AbortSignal): Promise<Health> {
    const { host } = this.parts;
    const [health, texts] = await Promise.all([
      host.invoke<Omit<Health, 'conflicts'>>('context_health', {}, { signal }),
      host.invoke<{ total: number }>('memory_conflicts', { kind: 'texts' }, { signal }),
    ]);
    const read = { ...health, conflicts: texts.total };
    this.parts.counted('health', read.findings.length + read.conflicts);
    return read;
  }

  protected content({ score, active, findings, conflicts }: Health): TemplateResult {
    const kinds = [...new Set(findings.map(({ kind }) => kind))];
    return html`<div class="scroll">
      <div class="summary">
        ${ring(score)}
        <div class="grow">
          <h1 tabindex="-1">${t('Health {0} of 100', score)}</h1>
          <div class="small muted">${active === 1 ? t('1 active entry') : t('{0} active entries', count(active))}</div>
        </div>
        <button class="action" @click=${this.#again}>${t('Check again')}</button>
      </div>
      ${
        findings.length === 0 && conflicts === 0
          ? emptyState({
              title: t('Nothing to mend.'),
              text: t('No link leads nowhere, no file is missing, and nothing is there twice.'),
            })
          : nothing
      }
      ${kinds.map((kind) =>
        this.#group(
          kind,
          findings.filter((finding) => finding.kind === kind),
        ),
      )}
      ${this.#conflicts(conflicts)}
    </div>`;
  }

  #group(kind: Finding['kind'], findings: readonly Finding[]): TemplateResult {
    const { canWrite } = this.parts;
    const fixes = distinct(findings);
    const shown = this.whole.has(kind) ? findings : findings.slice(0, SHOWN);
    return html`<section class="group" data-kind=${kind}>
      <div class="title">
        <h2>${kindName(kind)}<span class="number">${count(findings.length)}</span></h2>
        ${
          canWrite && fixes.length > 0 && findings.length > 1
            ? html`<button class="action" ?disabled=${this.busy} @click=${() => this.#start(kind, fixes)}>${t('Fix all {0}', count(findings.length))}</button>`
            : nothing
        }
      </div>
      ${this.plan?.kind === kind ? this.#preview(this.plan) : nothing}
      <ul class="rows">${shown.map((finding, at) => this.#finding(finding, `${kind} ${at}`, at === 0))}</ul>
      ${
        shown.length < findings.length
          ? html`<p class="more"><button class="link" @click=${() => {
              this.whole = new Set([...this.whole, kind]);
            }}>${t('Show all {0}', count(findings.length))}</button></p>`
          : nothing
      }
    </section>`;
  }

  #finding({ kind, entry, phrase, fix }: Finding, row: string, isFirst: boolean): TemplateResult {
    const name = entry === null ? '' : visibleLine(entry.key);
    const detail = visible(phraseText(phrase));
    const known = fix !== null && toolOf(fix) !== undefined;
    return html`<li class="item" data-row=${row} tabindex=${isFirst ? 0 : -1} aria-label=${[name, detail].filter(Boolean).join(': ')}>
      <div class="grow">
        ${entry === null ? nothing : html`<div><button class="link" @click=${() => this.parts.open(entry.id, true)}><bdi>${name}</bdi></button></div>`}
        <div class=${entry === null ? '' : 'small muted'}><bdi>${detail}</bdi></div>
      </div>
      ${
        fix !== null && known && this.parts.canWrite
          ? html`<button class="action" ?disabled=${this.busy} aria-label=${t('{0}: {1}', fixName(kind), name || detail)}
              @click=${() => this.#start(kind, [fix])}>${fixName(kind)}</button>`
          : nothing
      }
    </li>`;
  }

  #preview({ fixes, lines }: Plan): TemplateResult {
    return html`<div class="preview" role="group" aria-label=${t('What would be done')} tabindex="-1" @keydown=${(
      event: KeyboardEvent,
    ) => {
      if (event.key === 'Escape') this.#cancel(event);
    }}>
      <p>${lines.length === 0 ? t('There is nothing left to do.') : t('This would be done, and can be undone:')}</p>
      <ul>${lines.map((line) => html`<li class="small"><bdi>${line}</bdi></li>`)}</ul>
      <div class="buttons">
        ${lines.length === 0 ? nothing : html`<vscode-button ?disabled=${this.busy} @click=${() => void this.once(() => this.#apply(fixes))}>${t('Do it')}</vscode-button>`}
        <vscode-button appearance="secondary" @click=${this.#cancel}>${t('Cancel')}</vscode-button>
      </div>
    </div>`;
  }

  #conflicts(size: number): TemplateResult {
    return html`<section class="group">
      <div class="title">
        <h2>${t('Conflicts')}${size === 0 ? nothing : html`<span class="number">${count(size)}</span>`}</h2>
        <button class="action" @click=${() => this.parts.go('conflicts')}>${size === 0 ? t('Look for conflicts') : t('Review')}</button>
      </div>
      <p class="more small muted">${t('Entries with several texts, and entries that say nearly the same or are about an older version.')}</p>
    </section>`;
  }

  /** Does what nothing is lost by; shows first what anything else would do. */
  async #start(kind: Finding['kind'], fixes: readonly Fix[]): Promise<void> {
    await this.once(async () => {
      if (!fixes.some(isPreviewed)) return this.#apply(fixes);
      try {
        const answers = await Promise.all(
          fixes.map((fix) => {
            const tool = toolOf(fix);
            return (
              tool && this.parts.host.invoke<FixAnswer>(tool, { ...fix.input, dryRun: true }, { timeout: 0 })
            );
          }),
        );
        this.plan = { kind, fixes, lines: answers.flatMap((answer) => (answer ? plannedLines(answer) : [])) };
        await this.updateComplete;
        this.renderRoot.querySelector<HTMLElement>('.preview')?.focus();
      } catch (error) {
        this.parts.actions.fail(errorText(error));
      }
    });
  }

  async #apply(fixes: readonly Fix[]): Promise<void> {
    this.plan = undefined;
    const sessions = fixes.flatMap(({ tool, input }) =>
      tool === 'session_put_away' ? (input.sessions as string[]) : [],
    );
    if (sessions.length > 0) await this.parts.actions.putAway(sessions);
    const others = fixes.filter(({ tool }) => tool !== 'session_put_away');
    if (others.length > 0)
      await this.parts.actions.change(async (invoke, touched) => {
        let size = 0;
        for (const fix of others) {
          const tool = toolOf(fix);
          if (tool === undefined) continue;
          const ids = touchedIds(await invoke<FixAnswer>(tool, { ...fix.input }));
          touched(ids);
          size += ids.length;
        }
        return size === 1 ? t('Changed 1 entry.') : t('Changed {0} entries.', count(size));
      });
    this.focus();
  }

  readonly #again = async (): Promise<void> => {
    await this.refresh();
    if (this.data !== undefined) this.parts.say(t('Health {0} of 100', this.data.score));
  };

  readonly #cancel = (event: Event): void => {
    event.preventDefault();
    event.stopPropagation();
    this.plan = undefined;
    this.focus();
  };
}

/** The score as a ring that is closed at 100. */
function ring(score: number): TemplateResult {
  const length = 2 * Math.PI * RADIUS;
  return html`<svg class="ring ${score >= 90 ? 'good' : score >= 70 ? 'fair' : 'poor'}" viewBox="0 0 36 36" width="44" height="44" aria-hidden="true">
    ${svg`<circle cx="18" cy="18" r=${RADIUS}></circle>
      <circle class="part" cx="18" cy="18" r=${RADIUS} transform="rotate(-90 18 18)" stroke-dasharray="${(score / 100) * length} ${length}"></circle>
      <text x="18" y="18">${score}</text>`}
  </svg>`;
}
