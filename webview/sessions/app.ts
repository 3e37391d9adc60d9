import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { InitMessage } from '../../src/protocol.ts';
import type { HistoryPage, SessionsView, TranscriptFound } from '../../src/sessionProtocol.ts';
import { handled, isCommandKey, isDelete, isPlain, isTyping } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import type { Toast } from '../kit/toast.ts';
import { SessionActions, type SessionCommands, sessionMenu } from './acts.ts';
import { appStyles } from './app-styles.ts';
import { searchBar } from './bar.ts';
import type { Wanted } from './history.ts';
import { LiveSessions } from './live-sessions.ts';
import { noSessions } from './no-sessions.ts';
import { renameQuestion } from './rename.ts';
import type { Listing, SessionRow } from './rows.ts';
import type { SessionPane } from './session-pane.ts';
import type { SpawnForm } from './spawn-form.ts';
import type { Shown } from './state.ts';
import { newsOf } from './tell.ts';
import type { Opening, SessionsTree } from './tree.ts';

const WIDE = 700;

/** Every session: what it is, what was said in it, and what sessions say to each other. */
export class SessionsApp extends LiveSessions {
  static override properties: PropertyDeclarations = { renaming: { state: true }, width: { state: true } };
  /** Key of the session that gets another name now. */
  declare renaming: string | undefined;
  declare width: number;
  readonly #actions = new SessionActions(this.host, {
    toast: (toast: Toast) => this.toasts?.show(toast),
    changed: () => {
      this.requestUpdate();
      this.changed();
    },
  });
  readonly #resize = new ResizeObserver(() => {
    this.width = this.clientWidth;
  });
  #restored = false;
  #listing: Listing = { query: '', archived: false, open: {} };
  #loader: { readonly session: string; readonly load: (wanted: Wanted) => Promise<HistoryPage> } | undefined;

  static override styles = appStyles;

  constructor() {
    super();
    this.renaming = undefined;
    this.width = 0;
    this.addEventListener('keydown', this.#key);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#resize.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize.disconnect();
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    if (changed.has('renaming') && this.renaming !== undefined)
      this.renderRoot.querySelector<HTMLElement>('.rename vscode-text-field')?.focus();
    if (this.#restored || this.#tree === null) return;
    this.#restored = true;
    this.#tree.restoreScroll(this.panel.scroll);
  }

  protected override arrived(view: SessionsView, before: SessionsView | undefined): void {
    if (before === undefined) {
      // What was typed before the window was loaded again.
      this.search();
      return;
    }
    const news = newsOf(before, view);
    if (news !== '' && document.hasFocus()) this.toasts?.say(news);
    if (this.renaming !== undefined && this.find(this.renaming) === undefined) this.renaming = undefined;
  }

  protected override content(init: InitMessage, view: SessionsView): TemplateResult {
    const { shown } = this.panel;
    if (view.sessions.length === 0 && !view.conflicts?.length && shown === null)
      return html`<div class="body">${noSessions(init.trusted, () => this.host.post({ type: 'openChat' }))}</div>`;
    const wide = this.width >= WIDE;
    return html`${this.#rename()}<div class="panes ${init.place} ${wide ? 'wide' : ''}">
      <div class="list" ?hidden=${!wide && shown !== null}>${this.#bar(init, view)}${this.#treeView(view, wide)}
        ${this.isSearching ? this.#hits() : this.#feet(view)}</div>
      ${shown === null ? (wide ? html`<div class="nothing muted">${t('Select a session to read what was said in it.')}</div>` : nothing) : this.#paneView(init, view, shown, wide)}
    </div>`;
  }

  /** Once it is rendered. */
  protected override focusContent(): void {
    void this.updateComplete.then(() => {
      if (this.panel.shown !== null && this.width < WIDE) this.#pane?.focusHeading();
      else this.#tree?.focus();
    });
  }

  #bar(init: InitMessage, { sessions }: SessionsView): TemplateResult {
    const { query, archived } = this.panel;
    const hasArchived = sessions.some((session) => session.archived);
    return searchBar(
      { query, archived: hasArchived ? archived : undefined, canWrite: init.trusted },
      {
        find: (words) => this.#find(words),
        leave: () => this.#tree?.focus(),
        showArchived: (shown) => this.remember({ archived: shown }),
        spawn: this.#spawning,
      },
    );
  }

  #treeView({ sessions }: SessionsView, wide: boolean): TemplateResult {
    const { active, shown, open } = this.panel;
    return html`<lode-sessions-tree .sessions=${sessions} .listing=${this.#listed} .active=${active} .now=${this.now} .menu=${this.#menu}
      .current=${wide && shown !== null && 'session' in shown ? shown.session : ''}
      @lode-open=${({ detail }: CustomEvent<Opening>) => this.#show({ session: detail.session }, detail.key || !wide)}
      @lode-fold=${({ detail }: CustomEvent<{ id: string; open: boolean }>) => this.remember({ open: { ...open, [detail.id]: detail.open } })}
      @lode-active=${({ detail }: CustomEvent<string>) => this.remember({ active: detail })}
      @lode-scroll=${({ detail }: CustomEvent<number>) => this.remember({ scroll: detail })}></lode-sessions-tree>`;
  }

  /** The same object while nothing about it changes. */
  get #listed(): Listing {
    const { query, archived, open } = this.panel;
    const before = this.#listing;
    if (before.query !== query || before.archived !== archived || before.open !== open)
      this.#listing = { query, archived, open };
    return this.#listing;
  }

  #feet({ timeline, conflicts = [] }: SessionsView): TemplateResult {
    return html`<lode-conflicts .conflicts=${conflicts} .open=${this.panel.conflicts}
      @lode-file=${({ detail }: CustomEvent<string>) => this.host.post({ type: 'openFile', file: detail })}
      @lode-fold=${({ detail }: CustomEvent<boolean>) => this.remember({ conflicts: detail })}></lode-conflicts><lode-timeline .messages=${timeline} .open=${this.panel.timeline} .now=${this.now}
      @lode-session=${({ detail }: CustomEvent<string>) => this.#show({ session: detail }, true)}
      @lode-fold=${({ detail }: CustomEvent<boolean>) => this.remember({ timeline: detail })}></lode-timeline>`;
  }

  #hits(): TemplateResult {
    return html`<lode-hits .hits=${this.hits} .now=${this.now} @lode-hit=${({ detail }: CustomEvent<TranscriptFound>) => this.#jump(detail)}></lode-hits>`;
  }

  #paneView(init: InitMessage, { agents }: SessionsView, shown: Shown, wide: boolean): TemplateResult {
    if ('form' in shown)
      return html`<lode-spawn .agents=${agents} .beside=${wide} .busy=${this.#actions.isBusy('')} @lode-back=${this.#back}
        @lode-spawn=${({ detail }: CustomEvent<Record<string, unknown>>) => void this.#spawn(detail)}></lode-spawn>`;
    const key = shown.session;
    const session = this.find(key);
    const { drafts } = this.panel;
    const pane = html`<lode-session .session=${session} .load=${this.#load(key)} .commands=${this.#commands} .canWrite=${init.trusted}
      .menu=${session === undefined ? [] : sessionMenu(session, this.#commands, init.trusted, true)}
      .beside=${wide} .busy=${this.#actions.isBusy(key)} .draft=${drafts[key] ?? ''} .mark=${shown.uuid ?? ''} .now=${this.now}
      @lode-back=${this.#back} @lode-draft=${({ detail }: CustomEvent<string>) => this.#draft(key, detail)}
      @lode-from=${({ detail }: CustomEvent<string>) => this.#show({ session: detail }, true)}
      @lode-send=${({ detail }: CustomEvent<string>) => void this.#send(key, detail)}></lode-session>`;
    // Another session is another pane: nothing of the one before stays scrolled in it.
    return html`${keyed(key, pane)}`;
  }

  #rename(): TemplateResult | typeof nothing {
    const session = this.find(this.renaming);
    if (session === undefined) return nothing;
    return renameQuestion(session, this.#renamed, (title) => {
      this.#renamed();
      if (title !== session.title) void this.#actions.change(session, { title });
    });
  }

  readonly #renamed = (): void => {
    this.renaming = undefined;
    this.focusContent();
  };

  /** The same function for the same session, so that nothing is read again without need. */
  #load(session: string): (wanted: Wanted) => Promise<HistoryPage> {
    if (this.#loader?.session !== session) {
      const load = (wanted: Wanted) => this.host.invoke<HistoryPage>('sessions_read', { session, ...wanted });
      this.#loader = { session, load };
    }
    return this.#loader.load;
  }

  readonly #commands: SessionCommands = {
    open: ({ key }) => this.#show({ session: key }, true),
    message: ({ key }) => {
      this.#show({ session: key }, false);
      void this.#settled().then(() => this.#pane?.focusComposer());
    },
    resume: ({ id }) => {
      if (id !== null) this.host.post({ type: 'resume', session: id });
    },
    stop: (session) => void this.#actions.stop(session),
    rename: ({ key }) => {
      this.renaming = key;
    },
    raise: ({ key }) => this.host.post({ type: 'raiseLevel', session: key }),
    change: (session, change) => void this.#actions.change(session, change),
    copyKey: ({ key }) => {
      this.host.post({ type: 'copy', text: key });
      this.toasts?.show({ text: t('Copied.') });
    },
  };

  readonly #menu = ({ session }: SessionRow) =>
    sessionMenu(session, this.#commands, this.init?.trusted === true, false);

  #show(shown: Shown, focus: boolean): void {
    this.remember({ shown, ...('session' in shown ? { active: shown.session } : {}) });
    if (focus) void this.#settled().then(() => this.#pane?.focusHeading());
  }

  readonly #spawning = (): void => {
    this.remember({ shown: { form: 'spawn' } });
    void this.updateComplete
      .then(() => this.renderRoot.querySelector<SpawnForm>('lode-spawn')?.updateComplete)
      .then(() => this.renderRoot.querySelector<SpawnForm>('lode-spawn')?.focus());
  };

  async #spawn(input: Readonly<Record<string, unknown>>): Promise<void> {
    const key = await this.#actions.spawn(input);
    const { shown } = this.panel;
    if (key !== undefined && shown !== null && 'form' in shown) this.#show({ session: key }, true);
  }

  async #send(key: string, message: string): Promise<void> {
    const session = this.find(key);
    if (session === undefined) return;
    if (!(await this.#actions.send(session, message))) return;
    if (this.panel.drafts[key]?.trim() === message) this.#draft(key, '');
  }

  #draft(key: string, text: string): void {
    const { [key]: _, ...others } = this.panel.drafts;
    this.remember({ drafts: text === '' ? others : { ...others, [key]: text } });
  }

  #jump({ session, agentId, uuid }: TranscriptFound): void {
    const id = agentId === undefined ? session.id : `${session.id}/${agentId}`;
    const found = this.view?.sessions.find((each) => each.id === id);
    if (found === undefined)
      this.toasts?.show({ text: t('This session is not there any more.'), error: true });
    else this.#show({ session: found.key, uuid }, false);
  }

  readonly #back = (): void => {
    const wide = this.width >= WIDE;
    if (!wide || (this.panel.shown !== null && 'form' in this.panel.shown)) this.remember({ shown: null });
    void this.updateComplete.then(() => {
      this.#tree?.reveal();
      this.#tree?.focus();
    });
  };

  #find(query: string): void {
    this.remember({ query });
    this.search();
  }

  /** Keys that act on the active session while the tree has the focus, and one that finds. */
  readonly #key = (event: KeyboardEvent): void => {
    if (event.key === 'f' && isCommandKey(event) && !event.shiftKey && !event.altKey) {
      this.renderRoot.querySelector<HTMLElement>('.bar vscode-text-field')?.focus();
      handled(event);
      return;
    }
    const session = this.find(this.panel.active);
    if (session === undefined || isTyping(event) || !this.#isInTree(event) || this.init?.trusted !== true)
      return;
    if (event.key === 'F2' && isPlain(event) && session.id !== null) this.#commands.rename(session);
    else if (isDelete(event) && session.id !== null && !session.archived)
      this.#commands.change(session, { archived: true });
    else return;
    handled(event);
  };

  #isInTree(event: Event): boolean {
    return this.#tree !== null && event.composedPath().includes(this.#tree);
  }

  #settled(): Promise<unknown> {
    return this.updateComplete.then(() => this.#pane?.updateComplete);
  }

  get #tree(): SessionsTree | null {
    return this.renderRoot.querySelector<SessionsTree>('lode-sessions-tree');
  }

  get #pane(): SessionPane | null {
    return this.renderRoot.querySelector<SessionPane>('lode-session');
  }
}
