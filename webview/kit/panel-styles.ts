import { css } from 'lit';
import { stateStyles } from './states.ts';
import { bannerStyles, baseStyles } from './styles.ts';

/** A panel that fills its page: a bar on top, what scrolls below. */
export const panelStyles = [
  baseStyles,
  bannerStyles,
  stateStyles,
  css`
    :host { display: flex; flex-direction: column; height: 100vh; position: relative; overflow: hidden; }
    .banner { margin: 6px 8px 0; flex: none; max-height: 30vh; overflow-y: auto; }
    .bar { flex: none; display: flex; align-items: center; gap: 6px; min-height: 36px; padding: 4px 8px 4px 12px; }
    .state { padding-inline: 12px; }
    .body { flex: 1; min-height: 0; overflow: hidden auto; }
  `,
];
