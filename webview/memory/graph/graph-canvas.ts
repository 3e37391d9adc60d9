import { css, html, LitElement, type PropertyValues } from 'lit';
import { type Camera, fitAll, pan, reveal, type Size, START, toPicture, zoom } from './camera.ts';
import { Gestures } from './gestures.ts';
import { Layout, type Point, WARM } from './layout.ts';
import { type GraphModel, isSameShape, nodeAt } from './model.ts';
import { paint } from './painter.ts';
import { type GraphTheme, onThemeChange, themeOf } from './theme.ts';

/** Looks of the layout in one frame: about a millisecond, so that painting has the rest. */
const FRAME_WORK = 120_000;
/** Without movement nothing is painted until all lies still. */
const STILL_WORK = 360_000;
/** A slow machine does less in a frame, and gets to the same picture later. Milliseconds. */
const FRAME_TIME = 4;
const SLICE = 20_000;
const HIT_SLACK = 6;
/** Telling where the picture is can wait until it stands. */
const MOVED_PAUSE = 200;

/**
 * The picture of a graph: lays it out, paints it, and moves over it with the pointer. Fires `lode-pick` with the place
 * of a node or -1, and `lode-camera` with where the picture is, null while it shows everything.
 */
export class GraphCanvas extends LitElement {
  static override properties = {
    model: { attribute: false },
    found: { attribute: false },
    current: { type: Number },
    opened: { type: Number },
  };
  declare model: GraphModel;
  declare found: ReadonlySet<number> | undefined;
  declare current: number;
  declare opened: number;
  /** Set before the first picture; then it is the canvas's own. */
  camera: Camera | null = null;
  /** Frames and looks so far: what a test can count without a clock. */
  readonly done = { frames: 0, paints: 0, work: 0, mostWork: 0 };
  #layout = new Layout({ size: 0, links: [] });
  #shown: GraphModel | undefined;
  #theme: GraphTheme | undefined;
  #size: Size = { width: 0, height: 0 };
  #hovered = -1;
  #focused = false;
  #frame = 0;
  #dirty = false;
  #telling: ReturnType<typeof setTimeout> | undefined;
  #endThemes: (() => void) | undefined;
  readonly #still = matchMedia('(prefers-reduced-motion: reduce)');
  readonly #resize = new ResizeObserver(() => this.#measure());

  static override styles = css`
    :host { display: block; position: relative; overflow: hidden; touch-action: none; }
    canvas { position: absolute; inset: 0; width: 100%; height: 100%; display: block; }
    .pointing { cursor: pointer; }
  `;

  constructor() {
    super();
    this.found = undefined;
    this.current = -1;
    this.opened = -1;
    new Gestures(this, {
      pan: (dx, dy) => this.panBy(dx, dy),
      zoom: (factor, at) => this.zoomBy(factor, at),
      hover: (at) => this.#hover(at),
      click: (at) => this.dispatchEvent(new CustomEvent('lode-pick', { detail: this.#nodeAt(at) ?? -1 })),
    });
  }

  get layout(): Pick<Layout, 'x' | 'y' | 'settled'> {
    return this.#layout;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#resize.observe(this);
    this.#endThemes = onThemeChange(() => {
      this.#theme = undefined;
      this.#repaint();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize.disconnect();
    this.#endThemes?.();
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    clearTimeout(this.#telling);
  }

  panBy(dx: number, dy: number): void {
    this.#look(pan(this.#seen(), dx, dy));
  }

  zoomBy(factor: number, at?: Point): void {
    this.#look(zoom(this.#seen(), this.#size, factor, at));
  }

  /** Shows everything, now and when the graph grows. */
  fit(): void {
    this.#look(null);
  }

  /** Moves the picture just so far that a node is in view. */
  reveal(node: number): void {
    const point = { x: this.#layout.x[node] as number, y: this.#layout.y[node] as number };
    const seen = this.#seen();
    const moved = reveal(seen, this.#size, point);
    if (moved.x !== seen.x || moved.y !== seen.y) this.#look(moved);
  }

  /** Whether the keyboard is in the picture. */
  set focused(focused: boolean) {
    this.#focused = focused;
    this.#repaint();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('model')) this.#take(this.model);
    this.#repaint();
  }

  protected override render() {
    return html`<canvas aria-hidden="true"></canvas>`;
  }

  /** Other entries: those that were there stay where they are. */
  #take(model: GraphModel): void {
    const before = this.#shown;
    const old = this.#layout;
    const hovered = before?.map.nodes[this.#hovered]?.id;
    this.#layout = new Layout({
      size: model.map.nodes.length,
      links: model.map.links,
      known: (node) => {
        const place = before?.places.get(model.map.nodes[node]?.id ?? '');
        return place === undefined ? undefined : { x: old.x[place] as number, y: old.y[place] as number };
      },
      heat: Math.max(old.heat, before !== undefined && isSameShape(before.map, model.map) ? 0 : WARM),
    });
    this.#shown = model;
    this.#hovered = model.places.get(hovered ?? '') ?? -1;
  }

  #measure(): void {
    const { clientWidth: width, clientHeight: height } = this;
    const canvas = this.#canvas;
    // A hidden picture keeps what it shows.
    if (canvas === null || width === 0 || height === 0) return;
    this.#size = { width, height };
    canvas.width = Math.round(width * devicePixelRatio);
    canvas.height = Math.round(height * devicePixelRatio);
    // Sizing a canvas empties it, and the screen is drawn before the next frame comes.
    this.#dirty = true;
    if (this.#layout.settled || !this.#isStill) this.#paint();
    this.#repaint();
  }

  /** Where the picture is, whether it was moved or shows everything. */
  #seen(): Camera {
    return (
      this.camera ?? (this.#size.width === 0 ? START : fitAll(this.#layout.x, this.#layout.y, this.#size))
    );
  }

  #look(camera: Camera | null): void {
    this.camera = camera;
    this.#repaint();
    clearTimeout(this.#telling);
    this.#telling = setTimeout(
      () => this.dispatchEvent(new CustomEvent('lode-camera', { detail: this.camera })),
      MOVED_PAUSE,
    );
  }

  #repaint(): void {
    this.#dirty = true;
    if (this.#frame === 0 && this.isConnected) this.#frame = requestAnimationFrame(this.#step);
  }

  /** One frame: some layout, then the picture. There is no next one when all lies still. */
  readonly #step = (): void => {
    this.#frame = 0;
    this.done.frames++;
    const before = this.#layout.settled;
    if (!before) this.#arrange();
    const { settled } = this.#layout;
    if (!settled || this.#dirty) {
      if (!this.#isStill || settled) this.#paint();
    }
    if (!before && settled) this.dispatchEvent(new CustomEvent('lode-settled'));
    if (!settled) this.#repaint();
  };

  #arrange(): void {
    const start = performance.now();
    const most = this.#isStill ? STILL_WORK : FRAME_WORK;
    let work = 0;
    while (work < most && !this.#layout.settled && performance.now() - start < FRAME_TIME)
      work += this.#layout.advance(SLICE);
    this.done.work += work;
    this.done.mostWork = Math.max(this.done.mostWork, work);
    this.#dirty = true;
  }

  #paint(): void {
    const surface = this.#canvas?.getContext('2d');
    const model = this.#shown;
    if (!surface || model === undefined || this.#size.width === 0) return;
    this.#dirty = false;
    this.done.paints++;
    this.#theme ??= themeOf(this);
    surface.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    paint(surface, {
      model,
      layout: this.#layout,
      camera: this.#seen(),
      size: this.#size,
      theme: this.#theme,
      current: this.current,
      hovered: this.#hovered,
      open: this.opened,
      matches: this.found,
      focused: this.#focused,
    });
  }

  #hover(at: Point | undefined): void {
    const node = at === undefined ? -1 : (this.#nodeAt(at) ?? -1);
    if (node === this.#hovered) return;
    this.#hovered = node;
    this.#canvas?.classList.toggle('pointing', node >= 0);
    this.#repaint();
  }

  #nodeAt(at: Point): number | undefined {
    const camera = this.#seen();
    const point = toPicture(camera, this.#size, at);
    return this.#shown && nodeAt(this.#shown, this.#layout, point, HIT_SLACK / camera.scale);
  }

  get #isStill(): boolean {
    return this.#still.matches || document.body.classList.contains('vscode-reduce-motion');
  }

  get #canvas(): HTMLCanvasElement | null {
    return this.renderRoot.querySelector('canvas');
  }
}
