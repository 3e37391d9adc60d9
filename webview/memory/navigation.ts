import { isDirty } from './entry-form.ts';
import type { Criteria, PanelState, Route } from './state.ts';
import type { View } from './views.ts';

const INDEX: Route = { view: 'index' };
const REMEMBERED = 50;

/** The panel, as navigation sees it. */
interface Surface {
  panel(): PanelState;
  update(change: Partial<PanelState>): void;
  /** Asks the person whether unsaved changes may go, and does it if so. */
  ask(then: () => void): void;
  /** The focus belongs into what is shown now. */
  arrived(): void;
  /** The focus belongs into the search field. */
  searching(): void;
}

/** Where the panel is and how it gets elsewhere, never losing what was typed. */
export class Navigation {
  readonly #surface: Surface;

  constructor(surface: Surface) {
    this.#surface = surface;
  }

  /** Shows another view, with no entry over it. */
  show(view: View): void {
    this.#surface.update({ view, route: INDEX, back: [] });
  }

  /** Forgets every entry that was open: they belong to another folder. */
  reset(): void {
    this.#surface.update({ route: INDEX, back: [], kept: {} });
  }

  showIndex(criteria: Criteria): void {
    this.#surface.update({ view: 'entries', criteria, route: INDEX, back: [], scroll: 0 });
    this.#surface.searching();
  }

  /** Opens an entry from a list, to which going back leads. */
  open(id: string, focus: boolean): void {
    this.leave(() => {
      this.#surface.update({ route: INDEX, back: [] });
      this.go({ view: 'entry', id }, focus);
    });
  }

  go(route: Route, focus = true): void {
    const { panel, update, arrived } = this.#surface;
    if (JSON.stringify(route) !== JSON.stringify(panel().route)) {
      update({ route, back: [...panel().back, panel().route].slice(-REMEMBERED) });
    }
    if (focus && route.view === 'entry') arrived();
  }

  back(): void {
    const { back } = this.#surface.panel();
    this.#surface.update({ route: back.at(-1) ?? INDEX, back: back.slice(0, -1) });
    this.#surface.arrived();
  }

  /** After a form was saved. */
  saved(id: string | undefined): void {
    const adding = this.#surface.panel().route.view === 'add';
    this.#surface.update({ draft: null });
    if (adding && id !== undefined) {
      this.#surface.update({ route: { view: 'entry', id } });
      this.#surface.arrived();
    } else this.back();
  }

  /** Does something that ends the open form, after asking when there is something to lose. */
  leave(then: () => void): void {
    const { route, draft } = this.#surface.panel();
    const editing = route.view === 'edit' || route.view === 'add';
    if (editing && isDirty(draft)) this.#surface.ask(then);
    else {
      if (draft !== null) this.#surface.update({ draft: null });
      then();
    }
  }

  readonly leaveBack = (): void => this.leave(() => this.back());
}
