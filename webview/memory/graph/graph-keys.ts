import { isPlain } from '../../kit/keys.ts';
import { t } from '../../kit/l10n.ts';
import type { GraphCanvas } from './graph-canvas.ts';
import { type Direction, type GraphModel, neighbourTowards } from './model.ts';

const STEP = 60;
const ZOOM = 1.25;

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

const MOVES: Record<Direction, readonly [number, number]> = {
  left: [STEP, 0],
  right: [-STEP, 0],
  up: [0, STEP],
  down: [0, -STEP],
};

interface GraphKeys {
  readonly model: GraphModel;
  readonly canvas: Pick<GraphCanvas, 'panBy' | 'zoomBy' | 'fit' | 'layout'>;
  readonly current: number;
  moveTo(node: number): void;
  leave(): void;
  open(node: number): void;
  search(): void;
  say(text: string): void;
}

/** Does what a key means in the picture; false: nothing. */
export function graphKey(event: KeyboardEvent, keys: GraphKeys): boolean {
  const { model, canvas, current } = keys;
  if (!isPlain(event)) return false;
  const direction = DIRECTIONS[event.key];
  if (direction !== undefined) {
    // Without a node to go from, arrows move the picture.
    if (event.shiftKey || current < 0) canvas.panBy(...MOVES[direction]);
    else goTowards(direction, keys);
    return true;
  }
  const last = model.map.nodes.length - 1;
  switch (event.key) {
    case '+':
    case '=':
      canvas.zoomBy(ZOOM);
      return true;
    case '-':
    case '_':
      canvas.zoomBy(1 / ZOOM);
      return true;
    case '0':
      canvas.fit();
      return true;
    case '/':
      keys.search();
      return true;
    case 'Home':
      keys.moveTo(0);
      return true;
    case 'End':
      keys.moveTo(last);
      return true;
    case 'PageDown':
      keys.moveTo(Math.min(current + 1, last));
      return true;
    case 'PageUp':
      keys.moveTo(Math.max(current - 1, 0));
      return true;
    case 'Enter':
    case ' ':
      // The first press of somebody who cannot see the picture leads into it.
      if (current < 0) keys.moveTo(0);
      else keys.open(current);
      return true;
    case 'Escape':
      if (current < 0) return false;
      keys.leave();
      return true;
    default:
      return false;
  }
}

function goTowards(direction: Direction, { model, canvas, current, moveTo, say }: GraphKeys): void {
  const node = neighbourTowards(model, canvas.layout, current, direction);
  if (node === undefined) say(t('Nothing is linked in this direction. The Tab key leads through all links.'));
  else moveTo(node);
}
