import type { PropertyDeclarations } from 'lit';
import type { SessionLine, SessionsView, TranscriptFound } from '../../src/sessionProtocol.ts';
import { errorText } from '../kit/host.ts';
import { HostPanel } from '../kit/host-panel.ts';
import { t } from '../kit/l10n.ts';
import type { SessionsTool } from './acts.ts';
import { restoreState, type SessionsState } from './state.ts';

/** Ages are told in minutes. */
const TICK = 15_000;
/** After this pause what is typed is looked for in transcripts, too. */
const SEARCH_PAUSE = 250;
const HITS = 40;
/** One letter is in everything. */
const SHORTEST = 2;

/** What the panel of sessions reads: the sessions, the timeline, and what a search finds in transcripts. */
export abstract class LivePanel extends HostPanel<SessionsView, SessionsState, SessionsTool> {
  static override properties: PropertyDeclarations = { now: { state: true }, hits: { state: true } };
  declare now: number;
  /** Undefined while they are looked for. */
  declare hits: readonly TranscriptFound[] | undefined;
  #ticking: ReturnType<typeof setInterval> | undefined;
  #searching: ReturnType<typeof setTimeout> | undefined;
  #search = 0;
  #busy = false;
  #again = false;

  constructor() {
    super({
      restore: restoreState,
      texts: () => ({
        noFolder: t('Sessions belong to a folder. Open one to see them.'),
        failed: t('The sessions could not be read.'),
      }),
    });
    this.now = Date.now();
    this.hits = undefined;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#ticking = setInterval(() => {
      this.now = Date.now();
      // What other processes do in their sessions is not always told.
      if (this.view !== undefined) void this.read();
    }, TICK);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#ticking);
    clearTimeout(this.#searching);
  }

  /** Something was read; `before` is undefined the first time. */
  protected abstract arrived(view: SessionsView, before: SessionsView | undefined): void;

  protected find(key: string | undefined): SessionLine | undefined {
    return this.view?.sessions.find((session) => session.key === key);
  }

  /** Reads everything anew, unless a reading is on its way: then once more after it. */
  protected override async read(): Promise<void> {
    if (this.#busy) {
      this.#again = true;
      return;
    }
    this.#busy = true;
    this.#again = false;
    const { folder } = this.init ?? {};
    try {
      const view = await this.host.invoke<SessionsView>('sessions_show', {});
      if (folder !== this.init?.folder) return;
      const before = this.view;
      this.failure = '';
      this.view = view;
      this.now = Date.now();
      if (before === undefined) this.search();
      this.arrived(view, before);
    } catch (error) {
      if (folder === this.init?.folder) this.failure = errorText(error);
    } finally {
      this.#busy = false;
      if (this.#again) this.changed();
    }
  }

  protected get isSearching(): boolean {
    return this.panel.query.trim().length >= SHORTEST;
  }

  /** Looks in transcripts for what is typed, once nothing more is typed for a moment. */
  protected search(): void {
    clearTimeout(this.#searching);
    const search = ++this.#search;
    this.hits = undefined;
    if (!this.isSearching) return;
    this.#searching = setTimeout(() => void this.#look(search), SEARCH_PAUSE);
  }

  async #look(search: number): Promise<void> {
    try {
      const input = { query: this.panel.query.trim(), limit: HITS };
      const { hits } = await this.host.invoke<{ hits: readonly TranscriptFound[] }>(
        'transcripts_search',
        input,
      );
      if (search === this.#search) this.hits = hits;
    } catch (error) {
      if (search !== this.#search) return;
      this.hits = [];
      this.toasts?.show({ text: errorText(error), error: true });
    }
  }
}
