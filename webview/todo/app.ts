import { css, html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { TodoPhase, TodoStep, TodoView } from '../../src/planProtocol.ts';
import type { InitMessage } from '../../src/protocol.ts';
import { count } from '../kit/format.ts';
import { icons } from '../kit/icons.ts';
import { t } from '../kit/l10n.ts';
import type { Menu } from '../kit/menu.ts';
import { panelStyles } from '../kit/panel-styles.ts';
import { SessionPanel } from '../kit/session-panel.ts';
import { emptyState } from '../kit/states.ts';
import { visibleLine } from '../kit/text.ts';
import { TodoActions } from './actions.ts';
import type { Commit } from './edit-line.ts';
import { type Answer, Edits } from './edits.ts';
import { OpenPhases } from './open-phases.ts';
import { tooLong } from './refusals.ts';
import { isOpen, phaseKey, taskKey } from './rows.ts';
import { type Edit, restoreState, type TodoState } from './state.ts';
import { FIRST_PHASE, findTask, isFinished, progressOf } from './steps.ts';
import type { TodoTree } from './tree.ts';

type TodoTool = 'todo_show' | 'todo_edit';

const WRITE_TIMEOUT = 60_000;

/** The plan of a session: what the agent wrote with `todo_write`, for a person to follow and to change. */
export class TodoApp extends SessionPanel<TodoView, TodoState, TodoTool> {
  readonly #edits = new Edits((session, steps) =>
    this.host.invoke<Answer>('todo_edit', { session, steps }, { timeout: WRITE_TIMEOUT }),
  );
  readonly #actions = new TodoActions({
    phases: () => this.#phases,
    edit: (steps) => this.#edit(steps),
    toast: (toast) => this.toasts?.show(toast),
    say: (text) => this.toasts?.say(text),
  });
  /** What is shown: what was read, and the person's edits that are still on their way. */
  #phases: readonly TodoPhase[] = [];
  #session = '';
  readonly #open = new OpenPhases();
  #restored = false;

  static override styles = [
    ...panelStyles,
    css`
      .bar lode-sessions { flex: 1; }
      .progress { flex: none; font-variant-numeric: tabular-nums; }
      .meter { flex: none; height: 2px; margin: 0 12px; border-radius: 1px; background: var(--vscode-widget-border, var(--vscode-panel-border, transparent)); overflow: hidden; }
      .meter > div { height: 100%; background: var(--vscode-charts-green, var(--vscode-progressBar-background)); transition: width 200ms; }
      :host-context(.vscode-high-contrast) .meter, :host-context(.vscode-high-contrast-light) .meter { background: none; }
      :host-context(.vscode-reduce-motion) .meter > div { transition: none; }
      @media (prefers-reduced-motion: reduce) { .meter > div { transition: none; } }
      lode-todo-tree { flex: 1; }
    `,
  ];

  constructor() {
    super({
      show: 'todo_show',
      restore: restoreState,
      texts: () => ({
        noFolder: t('Plans belong to a folder. Open one to see what its agents are doing.'),
        failed: t('The plan could not be read.'),
      }),
    });
  }

  protected override heldSession(): string {
    return this.panel.edit === null ? '' : this.panel.editSession;
  }

  protected override choose(session: string): void {
    this.remember({ edit: null });
    super.choose(session);
  }

  protected override focusContent(): void {
    this.#tree?.focus();
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('view')) this.#show();
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    if (this.#restored || this.#tree === null) return;
    this.#restored = true;
    const { scroll } = this.panel;
    void this.#tree.updateComplete.then(() => this.#tree?.restoreScroll(scroll));
  }

  protected override sessionContent(init: InitMessage, view: TodoView): TemplateResult {
    const canWrite = init.trusted && view.session !== null;
    const empty = this.#phases.length === 0 && this.panel.edit === null;
    return html`${this.#bar(init, view, canWrite && !empty)}
      ${
        empty
          ? html`<div class="body">${this.#empty(view, canWrite)}</div>`
          : html`<lode-todo-tree
            .phases=${this.#phases} .open=${this.#open.all(this.panel.open)} .expanded=${this.panel.expanded} .active=${this.panel.active}
            .edit=${this.panel.edit} .canWrite=${canWrite} .actions=${this.#actions}
            @lode-state=${({ detail }: CustomEvent<Partial<TodoState>>) => this.#state(detail)}
            @lode-commit=${({ detail }: CustomEvent<Commit>) => void this.#commit(detail)}
          ></lode-todo-tree>`
      }`;
  }

  #bar(init: InitMessage, view: TodoView, canChange: boolean): TemplateResult {
    const { done, total } = progressOf(this.#phases);
    const label = t('{0} of {1} done', done, total);
    const beside = html`${total === 0 ? nothing : html`<span class="progress muted" role="img" aria-label=${label} title=${label}>${count(done)}/${count(total)}</span>`}
      ${
        canChange
          ? html`<button class="icon-button" aria-label=${t('Add a task')} title=${t('Add a task')} @click=${this.#addHere}>${icons.add}</button>
            <button class="icon-button" aria-label=${t('More actions')} title=${t('More actions')} aria-haspopup="menu" @click=${this.#more}>${icons.more}</button>`
          : nothing
      }
      <lode-menu></lode-menu>`;
    return html`${this.sessionBar(init, view, beside)}
      ${total === 0 ? nothing : html`<div class="meter" aria-hidden="true"><div .style=${`width:${(100 * done) / total}%`}></div></div>`}`;
  }

  #empty(view: TodoView, canWrite: boolean): TemplateResult {
    return emptyState({
      title: t('There is no plan yet.'),
      text: t(
        'Agents write their plan here with todo_write: @lodeline in the chat, and others. You can follow it, check tasks off and change it while they work.',
      ),
      action: canWrite
        ? { label: t('Add a task'), run: () => this.#begin({ kind: 'add', phase: FIRST_PHASE, text: '' }) }
        : undefined,
      hint:
        view.session === null
          ? t(
              'A plan belongs to a session. Ask @lodeline, or another agent, for something that takes several steps.',
            )
          : undefined,
    });
  }

  /** Takes over what was read, with the person's edits on top. */
  #show(): void {
    const session = this.view?.session?.id ?? '';
    const before = this.#phases;
    this.#phases = this.#edits.over(session, this.view?.phases ?? []);
    if (session === this.#session) this.#keepOpen(before);
    else {
      // Another plan: what was open in the other one means nothing here.
      if (this.#session !== '') this.remember({ open: {}, expanded: [], active: '', scroll: 0 });
      this.#session = session;
    }
  }

  /** Nothing folds away under the person's hands. */
  #keepOpen(before: readonly TodoPhase[]): void {
    const { active } = this.panel;
    const open = this.#open.all(this.panel.open);
    const used = this.#phases.find(
      ({ name, tasks }) =>
        active === phaseKey(name) || tasks.some(({ content }) => active === taskKey(content)),
    );
    const old = before.find(({ name }) => name === used?.name);
    if (used !== undefined && old !== undefined && isOpen(old, open) && !isOpen(used, open)) {
      this.#open.use(used.name);
    }
  }

  protected override arrived(view: TodoView): void {
    const { edit, editSession } = this.panel;
    // What was being written for a session that is gone has no place any more.
    if (edit !== null && view.session?.id !== editSession) this.remember({ edit: null });
    this.#tell(this.#phases, this.#edits.over(view.session?.id ?? '', view.phases));
  }

  /** Says what the agent did, to someone who is here. */
  #tell(before: readonly TodoPhase[], after: readonly TodoPhase[]): void {
    if (!document.hasFocus() || before.length === 0 || this.view?.session?.id !== this.#session) return;
    const doing = (phases: readonly TodoPhase[]) =>
      phases.flatMap(({ tasks }) => tasks).find(({ status }) => status === 'in_progress')?.content;
    const { done, total } = progressOf(after);
    const now = doing(after);
    if (now === doing(before) && done === progressOf(before).done) return;
    const progress = t('{0} of {1} done', done, total);
    this.toasts?.say(
      now === undefined ? progress : `${progress}. ${t('In progress: {0}', visibleLine(now))}`,
    );
  }

  async #edit(steps: readonly TodoStep[]): Promise<Answer> {
    const { view } = this;
    const session = view?.session?.id ?? '';
    const answer = this.#edits.add(session, steps);
    this.#refresh();
    try {
      const { phases, errors } = await answer;
      if (this.view?.session?.id === session) this.view = { ...this.view, phases };
      return { phases, errors };
    } finally {
      this.settle();
      this.#refresh();
    }
  }

  #refresh(): void {
    this.#show();
    this.requestUpdate();
  }

  #state(change: Partial<TodoState>): void {
    if (change.edit != null) this.#begin(change.edit);
    else if (change.open !== undefined) {
      this.remember({ ...change, open: this.#open.choose(change.open, this.#phases) });
    } else this.remember(change);
  }

  #begin(edit: Edit): void {
    this.remember({ edit, editSession: this.view?.session?.id ?? '' });
  }

  async #commit({ text, key }: Commit): Promise<void> {
    const { edit } = this.panel;
    if (edit === null) return;
    const typed = edit.kind === 'note' ? text.trimEnd() : text.trim();
    const long = tooLong(typed);
    if (long !== undefined) {
      this.toasts?.show({ text: long, error: true });
      return this.#begin({ ...edit, text });
    }
    if (edit.kind === 'phase')
      return key ? this.#begin({ kind: 'add', phase: typed, text: '' }) : this.#end(false);
    if (edit.kind === 'add' && key) this.#begin({ ...edit, text: '' });
    else this.#end(key);
    const before = edit.kind === 'rename' ? edit.task : edit.kind === 'rename-phase' ? edit.phase : undefined;
    if (typed === before) return;
    if (!(await this.#write(edit, typed)) && (this.panel.edit === null || this.panel.edit.text === '')) {
      // What was typed must not be lost over it.
      this.#begin({ ...edit, text });
    }
  }

  #write(edit: Exclude<Edit, { kind: 'phase' }>, text: string): Promise<boolean> {
    if (edit.kind === 'add') {
      this.remember({ active: taskKey(text) });
      return this.#actions.add(edit.phase, text);
    }
    if (edit.kind === 'note') {
      this.remember({ expanded: [...this.panel.expanded, edit.task], active: taskKey(edit.task) });
      return this.#actions.note(edit.task, text);
    }
    const { expanded, open } = this.panel;
    if (edit.kind === 'rename-phase') {
      this.remember({ active: phaseKey(text), open: this.#open.rename(open, edit.phase, text) });
      return this.#actions.renamePhase(edit.phase, text);
    }
    this.remember({
      active: taskKey(text),
      expanded: expanded.map((each) => (each === edit.task ? text : each)),
    });
    return this.#actions.rename(edit.task, text);
  }

  #end(focus: boolean): void {
    this.remember({ edit: null });
    if (focus) this.#tree?.focus();
  }

  /** Where the person is, else where the work is. */
  readonly #addHere = (): void => {
    const row = this.#tree?.row;
    const phases = this.#phases;
    const here = row?.kind === 'phase' ? row.phase.name : row?.kind === 'task' ? row.phase : undefined;
    const working = phases.find(({ tasks }) => tasks.some((task) => !isFinished(task)));
    const phase =
      here ?? (row?.kind === 'note' ? findTask(phases, row.task)?.phase.name : undefined) ?? working?.name;
    this.#begin({ kind: 'add', phase: phase ?? phases.at(-1)?.name ?? FIRST_PHASE, text: '' });
  };

  readonly #more = (event: Event): void => {
    const button = event.currentTarget as HTMLElement;
    const all = (open: boolean) =>
      this.#state({ open: Object.fromEntries(this.#phases.map(({ name }) => [name, open])) });
    const items = [
      { label: t('Add a phase'), run: () => this.#begin({ kind: 'phase', text: '' }) },
      { label: t('Open all phases'), apart: true, run: () => all(true) },
      { label: t('Close all phases'), run: () => all(false) },
    ];
    const menu = this.renderRoot.querySelector<Menu>('.bar lode-menu');
    void menu?.open(t('More actions'), items, button.getBoundingClientRect(), () => button.focus());
  };

  get #tree(): TodoTree | null {
    return this.renderRoot.querySelector<TodoTree>('lode-todo-tree');
  }
}
