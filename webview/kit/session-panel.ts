import { html, nothing, type TemplateResult } from 'lit';
import type { SessionRow } from '../../src/planProtocol.ts';
import type { InitMessage, Phrase } from '../../src/protocol.ts';
import { errorText } from './host.ts';
import { HostPanel, type HostPanelOptions } from './host-panel.ts';
import { phraseText, t } from './l10n.ts';
import { emptyState } from './states.ts';
import { visible } from './text.ts';

export interface SessionView {
  readonly session: SessionRow | null;
  readonly sessions: readonly SessionRow[];
  /** Why what the session holds cannot be shown; then what is shown of it is empty. */
  readonly unreadable?: Phrase | undefined;
}

/** What every panel of a session remembers. */
export interface SessionState {
  readonly version: 1;
  /** The session the person chose; empty follows the most recently active one that has something to show. */
  readonly session: string;
}

interface PanelOptions<State, Tool> extends HostPanelOptions<State> {
  /** The tool that reads the view. */
  readonly show: Tool;
}

/** A panel that shows one thing of one session. */
export abstract class SessionPanel<
  View extends SessionView,
  State extends SessionState,
  Tool extends string,
> extends HostPanel<View, State, Tool> {
  readonly #show: Tool;
  #reading = 0;

  constructor(options: PanelOptions<State, Tool>) {
    super(options);
    this.#show = options.show;
  }

  /** What is shown of a session that can be read. */
  protected abstract sessionContent(init: InitMessage, view: View): TemplateResult;
  /** The session that something unfinished belongs to; it stays in view until that is finished. */
  protected abstract heldSession(): string;
  /** Something was read. */
  protected arrived(_view: View): void {}

  protected override content(init: InitMessage, view: View): TemplateResult {
    const { unreadable } = view;
    return unreadable === undefined
      ? this.sessionContent(init, view)
      : this.#unreadable(init, view, unreadable);
  }

  /** The session that is shown, the choice of another one, and what stands beside them. */
  protected sessionBar(
    init: InitMessage,
    view: View,
    beside: unknown = nothing,
  ): TemplateResult | typeof nothing {
    if (view.session === null) return nothing;
    const { id } = view.session;
    return html`<div class="bar">
      <lode-sessions .session=${view.session} .sessions=${view.sessions} .chosen=${this.panel.session}
        .canResume=${init.trusted && view.unreadable === undefined}
        @lode-session=${({ detail }: CustomEvent<string>) => this.choose(detail)}
        @lode-resume=${() => this.host.post({ type: 'resume', session: id })}></lode-sessions>
      ${beside}</div>`;
  }

  #unreadable(init: InitMessage, view: View, reason: Phrase): TemplateResult {
    return html`${this.sessionBar(init, view)}<div class="body">${emptyState({
      title: t('This session cannot be read here.'),
      text: visible(phraseText(reason)),
      action: { label: t('Retry'), run: () => void this.read() },
    })}</div>`;
  }

  /** A later reading, or `settle`, makes the answer of this one void. */
  protected override async read(): Promise<void> {
    const reading = ++this.#reading;
    const session = this.heldSession() || this.panel.session;
    try {
      const view = await this.host.invoke<View>(this.#show, session === '' ? {} : { session });
      if (reading !== this.#reading) return;
      if (session !== '' && view.session?.id !== session) {
        // It is gone, and with it what was begun in it.
        this.choose('');
        return;
      }
      this.failure = '';
      this.view = view;
      this.arrived(view);
    } catch (error) {
      if (reading !== this.#reading) return;
      // What was remembered from before this start may be gone by now.
      if (session !== '' && this.view === undefined) this.choose('');
      else this.failure = errorText(error);
    }
  }

  /** Readings on their way are older than what is known now. */
  protected settle(): void {
    this.#reading++;
    this.changed();
  }

  /** Shows another session, whatever is unfinished in this one; empty follows the latest. */
  protected choose(session: string): void {
    this.remember({ session } as Partial<State>);
    void this.read();
  }
}
