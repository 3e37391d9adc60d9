import type { PropertyDeclarations } from 'lit';
import type { SessionLine, SessionsView, TranscriptFound } from '../../src/sessionProtocol.ts';
import { errorText } from '../kit/host.ts';
import { t } from '../kit/l10n.ts';
import { LivePanel } from '../kit/live-panel.ts';
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
export abstract class LiveSessions extends LivePanel<SessionsView, SessionsState, SessionsTool> {
  static override properties: PropertyDeclarations = { hits: { state: true } };
  /** Undefined while they are looked for. */
  declare hits: readonly TranscriptFound[] | undefined;
  #searching: ReturnType<typeof setTimeout> | undefined;
  #search = 0;

  constructor() {
    const texts = () => ({
      noFolder: t('Sessions belong to a folder. Open one to see them.'),
      failed: t('The sessions could not be read.'),
    });
    super({ restore: restoreState, texts }, TICK);
    this.hits = undefined;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#searching);
  }

  protected override tick(): void {
    this.now = Date.now();
    // What other processes do in their sessions is not always told.
    if (this.view !== undefined) void this.read();
  }

  protected find(key: string | undefined): SessionLine | undefined {
    return this.view?.sessions.find((session) => session.key === key);
  }

  protected override ask(): Promise<SessionsView> {
    return this.host.invoke('sessions_show', {});
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
