import type { InitMessage } from '../../src/protocol.ts';
import type { PanelState } from './state.ts';

/** Two things fit beside each other from this width on, in pixels. */
const WIDE = 700;
/** Two things fit one above the other from this height on, in pixels. */
const TALL = 480;

/** From this width on, in pixels, rows show how their content starts. */
export const PREVIEW_WIDTH = 480;

/** How what is open and the view behind it share the panel. */
export interface Layout {
  /** There is room for an entry beside the view. */
  readonly wide: boolean;
  /** An entry that is opened leaves the view in sight. */
  readonly beside: boolean;
  readonly split: boolean;
  /** The entry stands below the view. */
  readonly beneath: boolean;
  /** The entry stands in place of the view. */
  readonly covered: boolean;
}

/** Sizes in pixels. */
export function layoutOf(
  { view, route }: Pick<PanelState, 'view' | 'route'>,
  place: InitMessage['place'],
  size: { readonly width: number; readonly height: number },
): Layout {
  const isOpen = route.view !== 'index';
  const wide = place === 'editor' && size.width >= WIDE;
  // A picture says little without room beside it, and much with an entry below it.
  const beside = wide || (view === 'graph' && size.height >= TALL);
  const beneath = beside && !wide && route.view === 'entry';
  return {
    wide,
    beside,
    // What is not a list of entries takes the whole width until an entry is opened beside it.
    split: wide && (view === 'entries' || isOpen),
    beneath,
    covered: !wide && !beneath && isOpen,
  };
}
