import { css, html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import type { CheckpointView } from '../../src/planProtocol.ts';
import type { InitMessage } from '../../src/protocol.ts';
import { count } from '../kit/format.ts';
import { errorText } from '../kit/host.ts';
import { t } from '../kit/l10n.ts';
import { panelStyles } from '../kit/panel-styles.ts';
import { SessionPanel } from '../kit/session-panel.ts';
import { emptyState } from '../kit/states.ts';
import { visible } from '../kit/text.ts';
import type { Active, ActiveCard } from './active-card.ts';
import type { Report } from './history.ts';
import type { Acknowledgement } from './open-questions.ts';
import { type CheckpointState, restoreState } from './state.ts';

type CheckpointTool =
  | 'checkpoint_show'
  | 'checkpoint_rewind'
  | 'checkpoint_cancel'
  | 'checkpoint_enable'
  | 'fold_show'
  | 'fold_reopen'
  | 'session_acknowledge';

/** What the tool takes of a report, in UTF-16 units. */
const LONGEST = 100_000;
const WRITE_TIMEOUT = 60_000;

/**
 * The checkpoint of a session: what it is for, what has happened since, and the ways to end it; with it how full the
 * model's window is, what of the conversation is folded, and what a session that was left keeps open.
 */
export class CheckpointApp extends SessionPanel<CheckpointView, CheckpointState, CheckpointTool> {
  static override properties: PropertyDeclarations = { busy: { state: true }, refused: { state: true } };
  /** A call of ours is on its way. */
  declare busy: boolean;
  /** Why the last rewind failed. */
  declare refused: string;
  #restored = false;
  /** A question was answered, and the view that lacks it is not there yet. */
  #answered = false;

  static override styles = [
    ...panelStyles,
    css`
      .bar lode-sessions { flex: 1; }
      .stale { margin: 0 12px 12px; max-height: none; }
      .stale lode-block { max-height: 160px; overflow-y: auto; margin: 4px 0; }
    `,
  ];

  constructor() {
    super({
      show: 'checkpoint_show',
      restore: restoreState,
      texts: () => ({
        noFolder: t('Checkpoints belong to the sessions of a folder. Open one to see them.'),
        failed: t('The checkpoint could not be read.'),
      }),
    });
    this.busy = false;
    this.refused = '';
  }

  protected override heldSession(): string {
    const { draft, writing } = this.panel;
    return writing && draft !== null ? draft.session : '';
  }

  protected override choose(session: string): void {
    // The draft waits for its session to be shown again.
    this.remember({ writing: false });
    super.choose(session);
  }

  protected override focusContent(): void {
    this.renderRoot.querySelector<HTMLElement>('lode-questions, lode-active, lode-context')?.focus();
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    if (this.#answered && changed.has('view')) {
      this.#answered = false;
      // What had the focus is gone with the question.
      void this.updateComplete.then(() => this.focusContent());
    }
    const body = this.renderRoot.querySelector('.body');
    if (this.#restored || body === null) return;
    this.#restored = true;
    const { scroll } = this.panel;
    // Reports get their height a moment later.
    if (scroll > 0) requestAnimationFrame(() => body.scrollTo(0, scroll));
  }

  protected override sessionContent(init: InitMessage, view: CheckpointView): TemplateResult {
    const canWrite = init.trusted;
    return html`
      ${this.sessionBar(init, view)}
      <div class="body" @scroll=${this.#scrolled}>
        ${this.#open(view, canWrite)}
        ${this.#context(view, canWrite)}
        ${view.active === null ? this.#none(view, canWrite) : this.#active(view.active, canWrite)}
        ${this.#stale(view)}
        ${this.#folds(view, canWrite)}
        ${
          view.history.length === 0
            ? nothing
            : html`<lode-history .history=${view.history} .unfolded=${this.panel.unfolded} .canContinue=${canWrite}
              @lode-unfold=${({ detail }: CustomEvent<readonly number[]>) => this.remember({ unfolded: detail })}
              @lode-copy=${({ detail }: CustomEvent<string>) => void this.#copy(detail)}
              @lode-continue=${({ detail }: CustomEvent<Report>) => this.host.post({ type: 'continueFromReport', ...detail })}></lode-history>`
        }
      </div>`;
  }

  #open({ unknowns, looser }: CheckpointView, canWrite: boolean): TemplateResult | typeof nothing {
    if (unknowns.length + looser.length === 0) return nothing;
    return html`<lode-questions .unknowns=${unknowns} .looser=${looser} .canWrite=${canWrite} .busy=${this.busy}
      @lode-acknowledge=${({ detail }: CustomEvent<Acknowledgement>) => void this.#acknowledge({ calls: [detail] })}
      @lode-allow=${({ detail }: CustomEvent<readonly string[]>) => void this.#acknowledge({ settings: detail })}></lode-questions>`;
  }

  #context(
    { context, managed, session }: CheckpointView,
    canWrite: boolean,
  ): TemplateResult | typeof nothing {
    if (context === null && !managed) return nothing;
    return html`<lode-context .context=${context} .managed=${managed} .canWrite=${canWrite}
      @lode-compact=${() => this.host.post({ type: 'compact', session: session?.id ?? '' })}
      @lode-managed-off=${() => this.host.post({ type: 'turnOffManagedModel' })}></lode-context>`;
  }

  #folds({ folds, session }: CheckpointView, canWrite: boolean): TemplateResult | typeof nothing {
    if (folds.length === 0 || session === null) return nothing;
    const { id } = session;
    const { openFolds } = this.panel;
    return html`<lode-folds .folds=${folds} .session=${id} .unfolded=${openFolds.session === id ? openFolds.blocks : []}
      .canWrite=${canWrite} .busy=${this.busy} .readOriginal=${this.#readOriginal}
      @lode-unfold=${({ detail }: CustomEvent<readonly string[]>) => this.remember({ openFolds: { session: id, blocks: detail } })}
      @lode-reopen=${({ detail }: CustomEvent<string>) => void this.#reopen(detail)}></lode-folds>`;
  }

  #none({ enabled }: CheckpointView, canWrite: boolean): TemplateResult {
    if (!enabled) {
      return emptyState({
        title: t('Checkpoints are off.'),
        text: t(
          'A checkpoint marks a place in the conversation, so that an agent can explore and then fold all of it into a short report. It never touches files or git.',
        ),
        action: canWrite ? { label: t('Turn on'), run: () => void this.#enable() } : undefined,
      });
    }
    return emptyState({
      title: t('No checkpoint is set.'),
      text: t(
        'An agent sets one before it explores, and its rewind folds the exploration into a report. Ask for it, or type /checkpoint with a goal in a chat with @lodeline.',
      ),
    });
  }

  #active(active: Active, canWrite: boolean): TemplateResult {
    const { draft, writing } = this.panel;
    const mine = draft !== null && this.#isFor(active) ? draft.text : '';
    return html`<lode-active
      .active=${active} .canWrite=${canWrite} .writing=${writing && this.#isFor(active)} .draft=${mine} .busy=${this.busy} .failure=${this.refused}
      @lode-write=${() => this.#write(mine, active)} @lode-draft=${({ detail }: CustomEvent<string>) => this.#write(detail, active)}
      @lode-rewind=${({ detail }: CustomEvent<string>) => void this.#rewind(detail, active)}
      @lode-cancel=${this.#close} @lode-drop=${() => void this.#drop(active)}
    ></lode-active>`;
  }

  /** A report that was being written when its checkpoint ended is not lost. */
  #stale(view: CheckpointView): TemplateResult | typeof nothing {
    const { draft } = this.panel;
    if (draft === null || draft.session !== view.session?.id || draft.text.trim() === '') return nothing;
    if (view.active !== null && this.#isFor(view.active)) return nothing;
    return html`<div class="banner warning stale" role="status"><div class="grow">
      <p>${t('The checkpoint ended while you were writing this report. It was not used.')}</p>
      <lode-block .text=${draft.text}></lode-block>
      <div class="buttons">
        <button class="link" @click=${() => void this.#copy(draft.text)}>${t('Copy report')}</button>
        <button class="link" @click=${() => this.remember({ draft: null, writing: false })}>${t('Discard')}</button>
      </div></div></div>`;
  }

  #isFor(active: Active): boolean {
    const { draft } = this.panel;
    return draft?.session === this.view?.session?.id && draft?.startedAt === active.startedAt;
  }

  #write(text: string, { startedAt }: Active): void {
    this.refused = '';
    this.remember({ writing: true, draft: { session: this.view?.session?.id ?? '', startedAt, text } });
  }

  readonly #close = (): void => {
    const { draft } = this.panel;
    this.remember({ writing: false, draft: draft?.text.trim() === '' ? null : draft });
    void this.updateComplete.then(() => this.#card?.updateComplete).then(() => this.#card?.focus());
  };

  async #rewind(report: string, active: Active): Promise<void> {
    const session = this.view?.session?.id;
    // The editor may still be seen for a checkpoint that has just ended.
    if (session === undefined || this.view?.active?.startedAt !== active.startedAt) return;
    if (report.length > LONGEST) {
      this.refused = t('The report is too long: at most {0} characters.', count(LONGEST));
      return;
    }
    const done = await this.#call(
      'checkpoint_rewind',
      { session, report, startedAt: active.startedAt },
      (reason) => {
        this.refused = reason;
      },
    );
    if (!done) return;
    this.remember({ draft: null, writing: false });
    this.toasts?.show({
      text: t('Rewinding. The report takes the place of what came after the checkpoint.'),
    });
    void this.updateComplete.then(() => this.focusContent());
  }

  async #drop({ startedAt }: Active): Promise<void> {
    const session = this.view?.session?.id;
    if (session === undefined || !(await this.#call('checkpoint_cancel', { session, startedAt }))) return;
    this.remember({ draft: null, writing: false });
    this.toasts?.show({ text: t('The checkpoint is cancelled. Nothing else changed.') });
  }

  async #enable(): Promise<void> {
    if (await this.#call('checkpoint_enable', {})) this.toasts?.show({ text: t('Checkpoints are on.') });
  }

  async #acknowledge(said: Readonly<Record<string, unknown>>): Promise<void> {
    const session = this.view?.session?.id;
    if (session === undefined || !(await this.#call('session_acknowledge', { session, ...said }))) return;
    this.#answered = true;
    this.toasts?.show({ text: t('Noted. The agent is told.') });
  }

  async #reopen(block: string): Promise<void> {
    const session = this.view?.session?.id;
    if (session === undefined || !(await this.#call('fold_reopen', { session, block }))) return;
    this.toasts?.show({ text: t('Reopened. From its next request on the agent sees this part in full.') });
  }

  readonly #readOriginal = async (block: string): Promise<string> => {
    const input = { session: this.view?.session?.id, block };
    return (await this.host.invoke<{ text: string }>('fold_show', input)).text;
  };

  /** Calls a tool once at a time; answers whether it worked. */
  async #call(
    tool: CheckpointTool,
    input: Record<string, unknown>,
    fail = (reason: string): void => this.toasts?.show({ text: reason, error: true }),
  ): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    try {
      await this.host.invoke(tool, input, { timeout: WRITE_TIMEOUT });
      return true;
    } catch (error) {
      fail(visible(errorText(error)));
      return false;
    } finally {
      this.busy = false;
      this.settle();
    }
  }

  async #copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.toasts?.show({ text: t('Copied the report.') });
    } catch (error) {
      this.toasts?.show({ text: errorText(error), error: true });
    }
  }

  readonly #scrolled = (event: Event): void => {
    this.remember({ scroll: (event.currentTarget as Element).scrollTop });
  };

  get #card(): ActiveCard | null {
    return this.renderRoot.querySelector<ActiveCard>('lode-active');
  }
}
