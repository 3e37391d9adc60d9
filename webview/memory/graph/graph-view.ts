import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { CATEGORIES } from '../../../src/memory/entry.ts';
import { count } from '../../kit/format.ts';
import { icons } from '../../kit/icons.ts';
import { handled } from '../../kit/keys.ts';
import { t } from '../../kit/l10n.ts';
import { errorState, loadingState } from '../../kit/states.ts';
import { categoryName } from '../labels.ts';
import type { ViewParts } from '../views.ts';
import { besideList } from './beside.ts';
import { emptyGraph } from './empty.ts';
import type { GraphCanvas } from './graph-canvas.ts';
import { graphKey } from './graph-keys.ts';
import { type MapAnswer, MapSource } from './map-source.ts';
import { type GraphModel, matchesOf, modelOf, nextMatch } from './model.ts';
import { shapeIcon } from './shapes.ts';
import { type GraphState, INITIAL_GRAPH, isNarrowed, mapInput, restoreGraph } from './state.ts';
import { graphStyles } from './styles.ts';
import { nodeText, sizeText } from './texts.ts';

const DEBOUNCE = 200;

/** Memory as a graph: entries, and the links between them. Everything that can be seen in it can be heard, too. */
export class MemoryGraphView extends LitElement {
  static override properties = {
    parts: { attribute: false },
    kept: { state: true },
    model: { state: true },
    error: { state: true },
  };
  declare parts: ViewParts;
  declare kept: GraphState;
  /** What was read last; it stays shown while newer is on its way. */
  declare model: GraphModel | undefined;
  declare error: string;
  readonly #source = new MapSource(
    () => this.parts.host,
    (answer) => this.#arrived(answer),
  );
  #version = -1;
  #input = '';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #matches: readonly number[] = [];

  static override styles = graphStyles;

  constructor() {
    super();
    this.kept = INITIAL_GRAPH;
    this.model = undefined;
    this.error = '';
  }

  /** Moves focus into the picture, or to the search field while there is none. */
  override focus(): void {
    (this.#canvas ?? this.#field)?.focus();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
    this.#source.stop();
    this.#version = -1;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('parts') && changed.get('parts') === undefined) this.kept = restoreGraph(this.parts.kept);
    if (changed.has('kept') || changed.has('model'))
      this.#matches = this.model === undefined ? [] : matchesOf(this.model, this.kept.query);
    if (this.parts.version === this.#version) return;
    this.#version = this.parts.version;
    this.#read();
  }

  protected override render(): TemplateResult {
    const { model, error } = this;
    const again = (): void => this.#read();
    // With nothing to look through there is nothing to look for, unless that is why there is nothing.
    const isEmpty = model?.map.nodes.length === 0 && !isNarrowed(this.kept);
    return html`
      ${isEmpty ? nothing : html`${this.#search()}${this.#legend()}`}
      ${
        error === '' || model === undefined
          ? nothing
          : html`<div class="banner error" role="alert"><span class="grow">${error}</span>
              <button class="link" @click=${again}>${t('Retry')}</button></div>`
      }
      ${
        model !== undefined
          ? this.#content(model)
          : html`<div class="body">${error === '' ? loadingState() : errorState(t('Memory could not be read.'), error, again)}</div>`
      }`;
  }

  #legend(): TemplateResult {
    return html`<div class="legend" role="group" aria-label=${t('Category')}>${CATEGORIES.map(
      (category) => html`<button
          class=${category} aria-pressed=${this.kept.category === category}
          @click=${() => this.#change({ category: this.kept.category === category ? '' : category })}
        >${shapeIcon(category)}${categoryName(category)}</button>`,
    )}</div>`;
  }

  #search(): TemplateResult {
    const { query, narrow } = this.kept;
    const found = this.#matches.indexOf(this.#current) + 1;
    const only = t('Only what matches, and what it is linked with');
    return html`<div class="search" role="search">
      <vscode-text-field placeholder=${t('Search the graph')} .value=${query} @input=${this.#query} @keydown=${this.#searchKey}>
        <span slot="start">${icons.search}</span><span class="visually-hidden">${t('Search the graph')}</span></vscode-text-field>
      ${
        query.trim() === '' || this.model === undefined
          ? nothing
          : html`<span class="found muted">${found > 0 ? `${count(found)}/${count(this.#matches.length)}` : count(this.#matches.length)}</span>
            <button class="icon-button" aria-label=${t('Previous match')} title=${t('Previous match')} @click=${() => this.#toMatch(-1)}>${icons.up}</button>
            <button class="icon-button" aria-label=${t('Next match')} title=${t('Next match')} @click=${() => this.#toMatch(1)}>${icons.down}</button>`
      }
      <button class="icon-button" aria-label=${only} title=${only} aria-pressed=${narrow} @click=${() => this.#change({ narrow: !narrow })}>${icons.filter}</button>
    </div>`;
  }

  #content(model: GraphModel): TemplateResult {
    const { map } = model;
    if (map.nodes.length === 0) {
      return html`<div class="body">${emptyGraph(map, this.kept, {
        show: () => this.#change({ loners: true }),
        clear: () => this.#change({ query: '', narrow: false, category: '' }),
        entries: () => this.parts.go('entries'),
      })}</div>`;
    }
    return html`${this.#status(model)}
      <div class="picture">
        <lode-graph-canvas
          tabindex="0" role="application" aria-roledescription=${t('graph')} aria-label=${t('Graph of memory')} aria-describedby="keys"
          .model=${model} .found=${this.#lit} .current=${this.#current} .opened=${model.places.get(this.parts.current) ?? -1}
          .camera=${this.kept.camera}
          @keydown=${this.#key} @focus=${this.#focused} @blur=${this.#focused} @lode-pick=${this.#pick}
          @lode-camera=${({ detail }: CustomEvent<GraphState['camera']>) => this.#change({ camera: detail })}
        ></lode-graph-canvas>
        <div class="zoom">
          ${this.#tool(icons.add, t('Zoom in'), (canvas) => canvas.zoomBy(1.4))}
          ${this.#tool(icons.zoomOut, t('Zoom out'), (canvas) => canvas.zoomBy(1 / 1.4))}
          ${this.#tool(icons.fit, t('Show everything'), (canvas) => canvas.fit())}
        </div>
        <div class="keys" id="keys">${t('Arrows: linked entry · Shift+arrows: move · Enter: open · + − 0: zoom · /: search')}</div>
      </div>
      ${this.#beside(model)}`;
  }

  #tool(icon: TemplateResult, label: string, run: (canvas: GraphCanvas) => void): TemplateResult {
    return html`<button class="icon-button" aria-label=${label} title=${label} @click=${() => {
      if (this.#canvas !== null) run(this.#canvas);
    }}>${icon}</button>`;
  }

  #status(model: GraphModel): TemplateResult {
    const { map } = model;
    const { query, narrow, loners } = this.kept;
    const isMissed = query.trim() !== '' && !narrow && this.#matches.length === 0;
    return html`
      <div class="status muted"><span>${sizeText(map)}</span>${
        map.loners === 0
          ? nothing
          : html`<span>${t('{0} without links', count(map.loners))} <button class="link" @click=${() => this.#change({ loners: !loners })}>${loners ? t('Hide them') : t('Show them')}</button></span>`
      }</div>
      ${
        map.nodes.length === map.total
          ? nothing
          : html`<div class="banner">${t('The {0} of {1} entries with the most links are shown. Search for others, or choose a category.', count(map.nodes.length), count(map.total))}</div>`
      }
      ${
        isMissed
          ? html`<div class="banner"><span class="grow">${t('No key in the graph matches.')}</span>
              <button class="link" @click=${() => this.#change({ narrow: true })}>${t('Search all of memory')}</button></div>`
          : nothing
      }`;
  }

  #beside(model: GraphModel): TemplateResult | typeof nothing {
    // What is open names its links itself.
    if (this.kept.current === this.parts.current) return nothing;
    return besideList(model, this.#current, {
      to: (node) => this.#moveTo(node),
      open: (id) => this.parts.open(id, true),
    });
  }

  get #current(): number {
    return this.model?.places.get(this.kept.current) ?? -1;
  }

  /** What stands out by the search; everything does when all of it was found. */
  get #lit(): ReadonlySet<number> | undefined {
    return this.kept.query.trim() === '' || (this.kept.narrow && this.#matches.length === 0)
      ? undefined
      : new Set(this.#matches);
  }

  #change(change: Partial<GraphState>): void {
    this.kept = { ...this.kept, ...change };
    const input = JSON.stringify(mapInput(this.kept));
    if (input !== this.#input) {
      // Other entries want to be seen whole.
      this.kept = { ...this.kept, camera: null };
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#read(), 'query' in change ? DEBOUNCE : 0);
    }
    this.parts.keep(this.kept);
  }

  #read(): void {
    clearTimeout(this.#timer);
    this.#input = JSON.stringify(mapInput(this.kept));
    this.#source.want(mapInput(this.kept));
  }

  #arrived(answer: MapAnswer): void {
    this.error = 'error' in answer ? answer.error : '';
    if ('map' in answer) this.model = modelOf(answer.map);
  }

  /** Goes to a node: into view, in the list below, and aloud. */
  #moveTo(node: number): void {
    const id = this.model?.map.nodes[node]?.id;
    if (this.model === undefined || id === undefined) return;
    this.#canvas?.reveal(node);
    this.#change({ current: id });
    this.parts.say(nodeText(this.model, node));
    // An open entry follows.
    if (this.parts.current !== '' && this.parts.current !== id) this.parts.open(id, false);
    this.#canvas?.focus();
  }

  #toMatch(step: 1 | -1): void {
    const node = nextMatch(this.#matches, this.#current, step);
    if (node === undefined) {
      this.parts.say(t('No key in the graph matches.'));
      return;
    }
    const inField = this.renderRoot.querySelector('.search :focus');
    this.#moveTo(node);
    if (inField instanceof HTMLElement) inField.focus();
  }

  readonly #query = (event: Event): void => {
    this.#change({ query: (event.target as HTMLInputElement).value });
  };

  readonly #searchKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'Enter') this.#toMatch(event.shiftKey ? -1 : 1);
    else if (event.key === 'ArrowDown') this.#canvas?.focus();
    else if (event.key === 'Escape' && this.kept.query !== '') this.#change({ query: '' });
    else if (event.key === 'Escape') this.#canvas?.focus();
    else return;
    handled(event);
  };

  readonly #key = (event: KeyboardEvent): void => {
    const { model } = this;
    const canvas = this.#canvas;
    if (model === undefined || canvas === null) return;
    const known = graphKey(event, {
      model,
      canvas,
      current: this.#current,
      moveTo: (node) => this.#moveTo(node),
      leave: () => this.#change({ current: '' }),
      open: (node) => this.parts.open(model.map.nodes[node]?.id ?? '', true),
      search: () => this.#field?.focus(),
      say: (text) => this.parts.say(text),
    });
    if (known) handled(event);
  };

  readonly #pick = ({ detail: node }: CustomEvent<number>): void => {
    const id = this.model?.map.nodes[node]?.id;
    this.#canvas?.focus();
    this.#change({ current: id ?? '' });
    if (id !== undefined) this.parts.open(id, false);
  };

  readonly #focused = (event: FocusEvent): void => {
    const canvas = this.#canvas;
    if (canvas === null) return;
    canvas.focused = event.type === 'focus';
    if (canvas.focused && this.model !== undefined && this.#current >= 0)
      this.parts.say(nodeText(this.model, this.#current));
  };

  get #canvas(): GraphCanvas | null {
    return this.renderRoot.querySelector<GraphCanvas>('lode-graph-canvas');
  }

  get #field(): HTMLElement | null {
    return this.renderRoot.querySelector<HTMLElement>('vscode-text-field');
  }
}
