import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { InitMessage } from '../../src/protocol.ts';
import type { BatchView, FileDiff, SubagentsView } from '../../src/subagentProtocol.ts';
import { count } from '../kit/format.ts';
import { t } from '../kit/l10n.ts';
import type { Toast } from '../kit/toast.ts';
import { SubagentsActions } from './actions.ts';
import { appStyles } from './app-styles.ts';
import { LeftActions } from './left-actions.ts';
import type { LeftAct, LeftBehind } from './left-behind.ts';
import { LiveSubagents } from './live-subagents.ts';
import { rowMenu } from './menu-items.ts';
import { noSubagents } from './no-subagents.ts';
import { type Act, type AskedAct, actsOf } from './offers.ts';
import { OpenBatches } from './open-batches.ts';
import { isRunning, outcomeOf } from './outcome.ts';
import { type AskedLeft, leftQuestion, question } from './question.ts';
import { type Row, taskKey } from './rows.ts';
import type { Place } from './state.ts';
import type { PaneCommands, TaskPane } from './task-pane.ts';
import { Teller } from './tell.ts';
import type { Opening, SubagentsTree } from './tree.ts';

const WIDE = 700;
/** Below this a line of code hardly fits. */
const WRAP_BELOW = 560;

/** A batch or, with a task, one task of it. */
interface Target {
  readonly batch: string;
  readonly task: string | undefined;
}

/** Batches of subagents: what they do now, what they handed over, and what they changed. */
export class SubagentsApp extends LiveSubagents {
  static override properties: PropertyDeclarations = { asked: { state: true }, width: { state: true } };
  /** What the person is asked about now. */
  declare asked: (Target & { readonly act: AskedAct }) | AskedLeft | undefined;
  declare width: number;
  readonly #surface = {
    toast: (toast: Toast) => this.toasts?.show(toast),
    changed: () => {
      this.requestUpdate();
      this.changed();
    },
  };
  readonly #actions = new SubagentsActions(this.host, this.#surface);
  readonly #leftActions = new LeftActions(this.host, {
    ...this.#surface,
    changed: () => {
      this.requestUpdate();
      this.leftChanged();
    },
  });
  readonly #open = new OpenBatches();
  readonly #teller = new Teller((text) => this.toasts?.say(text));
  readonly #resize = new ResizeObserver(() => {
    this.width = this.clientWidth;
  });
  #restored = false;
  /** The question came from the pane: there the focus goes back to. */
  #fromPane = false;
  #loader: (Place & { readonly load: (path: string) => Promise<FileDiff> }) | undefined;

  static override styles = appStyles;

  constructor() {
    super();
    this.asked = undefined;
    this.width = 0;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#resize.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize.disconnect();
    this.#teller.stop();
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    if (changed.has('asked') && this.asked !== undefined) {
      this.renderRoot.querySelector<HTMLElement>('.question .stay')?.focus();
    }
    if (this.#restored || this.#tree === null) return;
    this.#restored = true;
    this.#tree.restoreScroll(this.panel.scroll);
    this.#pane?.restoreScroll(this.panel.paneScroll);
  }

  /** A question about what is not possible any more goes away. */
  protected override arrived(view: SubagentsView, before: SubagentsView | undefined): void {
    if (before !== undefined && document.hasFocus()) this.#teller.compare(before.batches, view.batches);
    const { asked } = this;
    if (asked === undefined || 'left' in asked) return;
    const found = this.find(asked);
    if (found === undefined || !actsOf(found.batch, found.task).has(asked.act)) this.#unask();
  }

  protected override content(init: InitMessage, view: SubagentsView): TemplateResult {
    return html`${this.#question()}
      ${view.batches.length === 0 ? html`<div class="body">${noSubagents()}</div>${this.#left(init, view)}` : this.#panes(init, view)}`;
  }

  /** Once it is rendered. */
  protected override focusContent(): void {
    void this.updateComplete.then(() => {
      if (this.panel.shown !== null && this.width < WIDE) this.#pane?.focusHeading();
      else this.#tree?.focus();
    });
  }

  #question(): TemplateResult | typeof nothing {
    const { asked } = this;
    if (asked !== undefined && 'left' in asked)
      return leftQuestion(asked, this.#unask, () => {
        this.#unask();
        void this.#leftActions.run(asked);
      });
    const found = asked === undefined ? undefined : this.find(asked);
    if (asked === undefined || found === undefined) return nothing;
    return question({ act: asked.act, ...found }, this.#unask, () => {
      this.#unask();
      void this.#actions.run(asked.act, found.batch, found.task);
    });
  }

  #panes(init: InitMessage, { batches }: SubagentsView): TemplateResult {
    const { panel } = this;
    const wide = this.width >= WIDE;
    const { shown } = panel;
    return html`<div class="panes ${init.place} ${wide ? 'wide' : ''}">
      <div class="list" ?hidden=${!wide && shown !== null}>${this.#bar(batches)}
        <lode-subagents-tree .batches=${batches} .open=${this.#open.of(batches, panel.open)} .active=${panel.active}
          .current=${wide && shown !== null ? taskKey(shown) : ''} .now=${this.now} .menu=${this.#menu}
          @lode-open=${({ detail }: CustomEvent<Opening>) => this.#show(detail, detail.key || !wide)}
          @lode-fold=${({ detail }: CustomEvent<{ id: string; open: boolean }>) => this.remember({ open: this.#open.choose(batches, panel.open, detail.id, detail.open) })}
          @lode-active=${({ detail }: CustomEvent<string>) => this.remember({ active: detail })}
          @lode-scroll=${({ detail }: CustomEvent<number>) => this.remember({ scroll: detail })}></lode-subagents-tree>${this.#left(init, { batches })}</div>
      ${shown === null ? (wide ? html`<div class="nothing muted">${t('Select a task to see what it did.')}</div>` : nothing) : this.#task(init, shown, wide)}
    </div>`;
  }

  #bar(batches: readonly BatchView[]): TemplateResult | typeof nothing {
    const running = batches.filter(isRunning).length;
    const waiting = this.#waiting;
    if (running === 0 && waiting.length === 0) return nothing;
    return html`<div class="bar"><span class="muted">${running === 0 ? nothing : running === 1 ? t('1 batch runs') : t('{0} batches run', count(running))}</span>
      ${waiting.length === 0 ? nothing : html`<button class="link" @click=${this.#nextWaiting}>${t('{0} to review', count(waiting.length))}</button>`}</div>`;
  }

  #left(init: InitMessage, { batches }: SubagentsView): TemplateResult {
    const act = ({ detail: { act, left } }: CustomEvent<LeftAct>) => {
      const { kind, id, place } = left;
      if (act === 'open') this.host.post({ type: 'openLeft', kind, id });
      else if (act === 'copy') this.#copy(place);
      else
        void this.#leftActions.asked(act, left).then((asked) => {
          this.asked = asked;
        });
    };
    return html`<lode-left .left=${this.left} .open=${this.panel.left ?? batches.length === 0} .canWrite=${init.trusted} .busy=${this.#leftActions.busy}
      .now=${this.now} @lode-left=${act} @lode-fold=${({ detail }: CustomEvent<boolean>) => this.remember({ left: detail })}></lode-left>`;
  }

  #copy(text: string): void {
    this.host.post({ type: 'copy', text });
    this.toasts?.show({ text: t('Copied.') });
  }

  #task(init: InitMessage, shown: Place, wide: boolean): TemplateResult {
    const found = this.find(shown);
    const { panel } = this;
    const room = wide ? this.width * 0.6 : this.width;
    const pane = html`<lode-task .batch=${found?.batch} .task=${found?.task} .commands=${this.#commands(shown)} .load=${this.#load(shown)}
      .canWrite=${init.trusted} .beside=${wide} .busy=${this.#actions.isBusy(shown.batch, shown.task)}
      .refused=${this.#actions.refused(shown.batch, shown.task)} .now=${this.now}
      .file=${panel.file} .wrap=${panel.wrap ?? room < WRAP_BELOW}
      @lode-back=${() => this.#back(wide)}
      @lode-file=${({ detail }: CustomEvent<string | null>) => this.remember({ file: detail })}
      @lode-wrap=${({ detail }: CustomEvent<boolean>) => this.remember({ wrap: detail })}
      @lode-scroll=${({ detail }: CustomEvent<number>) => this.remember({ paneScroll: detail })}></lode-task>`;
    // Another task is another pane: nothing of the one before stays open or scrolled in it.
    return html`${keyed(taskKey(shown), pane)}`;
  }

  #commands({ batch, task }: Place): PaneCommands {
    const post = this.host.post.bind(this.host);
    return {
      act: (act) => this.#act(act, { batch, task }),
      part: ({ act, path, hunk }) => void this.#actions.run(act, { id: batch }, { id: task }, { path, hunk }),
      openChanges: (path) =>
        post({ type: 'openChanges', batch, task, ...(path === undefined ? {} : { path }) }),
      openWorktree: () => post({ type: 'openWorktree', batch, task }),
      openOutput: () => post({ type: 'openArtifact', batch, id: task }),
      openFile: (file) => post({ type: 'openFile', file }),
      copy: (text) => this.#copy(text),
    };
  }

  /** The same function for the same task, so that nothing is read again without need. */
  #load({ batch, task }: Place): (path: string) => Promise<FileDiff> {
    if (this.#loader?.batch !== batch || this.#loader.task !== task) {
      const load = (path: string) => this.host.invoke<FileDiff>('subagents_diff', { batch, task, path });
      this.#loader = { batch, task, load };
    }
    return this.#loader.load;
  }

  readonly #menu = (row: Row) => {
    const placed = (use: (place: Place) => void) => (each: Row) => {
      if (each.kind === 'task') use({ batch: each.batch.id, task: each.task.id });
    };
    return rowMenu(row, {
      canWrite: this.init?.trusted === true,
      act: (act, each) =>
        this.#act(act, { batch: each.batch.id, task: each.kind === 'task' ? each.task.id : undefined }),
      open: placed((place) => this.#show(place, true)),
      changes: placed((place) => this.#commands(place).openChanges()),
      worktree: placed((place) => this.#commands(place).openWorktree()),
    });
  };

  #act(act: Act, target: Target): void {
    const found = this.find(target);
    if (found === undefined) return;
    if (act === 'retry') void this.#actions.run(act, found.batch, found.task);
    else {
      this.#fromPane = this.#pane?.matches(':focus-within') === true;
      this.asked = { act, ...target };
    }
  }

  readonly #unask = (): void => {
    const focused = this.renderRoot.querySelector('.question:focus-within') !== null;
    const ofLeft = this.asked !== undefined && 'left' in this.asked;
    this.asked = undefined;
    if (!focused) return;
    const focus = () => {
      if (ofLeft) this.renderRoot.querySelector<LeftBehind>('lode-left')?.focus();
      else if (this.#fromPane) this.#pane?.focusHeading();
      else this.#tree?.focus();
    };
    void this.updateComplete.then(focus);
  };

  #show({ batch, task }: Place, focus: boolean): void {
    const { shown } = this.panel;
    const active = taskKey({ batch, task });
    if (shown?.batch === batch && shown.task === task) this.remember({ active });
    else this.remember({ shown: { batch, task }, active, file: null, paneScroll: 0 });
    if (focus)
      void this.updateComplete.then(() => this.#pane?.updateComplete).then(() => this.#pane?.focusHeading());
  }

  #back(wide: boolean): void {
    if (!wide) this.remember({ shown: null, file: null, paneScroll: 0 });
    void this.updateComplete.then(() => {
      this.#tree?.reveal();
      this.#tree?.focus();
    });
  }

  get #waiting(): readonly Place[] {
    return (this.view?.batches ?? []).flatMap(({ id, tasks }) =>
      tasks.filter((task) => outcomeOf(task) === 'waiting').map((task) => ({ batch: id, task: task.id })),
    );
  }

  /** The one after the one that is shown, from the top again at the end. */
  readonly #nextWaiting = (): void => {
    const waiting = this.#waiting;
    const { shown } = this.panel;
    const at = waiting.findIndex(({ batch, task }) => batch === shown?.batch && task === shown.task);
    const next = waiting[(at + 1) % Math.max(1, waiting.length)];
    if (next === undefined || this.view === undefined) return;
    this.remember({ open: this.#open.choose(this.view.batches, this.panel.open, next.batch, true) });
    this.#show(next, true);
    this.#tree?.reveal();
  };

  get #tree(): SubagentsTree | null {
    return this.renderRoot.querySelector<SubagentsTree>('lode-subagents-tree');
  }

  get #pane(): TaskPane | null {
    return this.renderRoot.querySelector<TaskPane>('lode-task');
  }
}
