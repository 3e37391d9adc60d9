import { svg, type TemplateResult } from 'lit';
import type { Category } from '../../../src/memory/entry.ts';

/** Corners around the middle, in half widths; a circle has none. Colour alone would say nothing to many. */
const CORNERS: Record<Category, readonly (readonly [number, number])[]> = {
  decision: [],
  pattern: [
    [-0.86, -0.86],
    [0.86, -0.86],
    [0.86, 0.86],
    [-0.86, 0.86],
  ],
  bug: [
    [-1.1, -0.85],
    [1.1, -0.85],
    [0, 1.1],
  ],
  knowledge: [
    [0, -1.2],
    [1.2, 0],
    [0, 1.2],
    [-1.2, 0],
  ],
  warning: [
    [0, -1.1],
    [1.1, 0.85],
    [-1.1, 0.85],
  ],
};

type Path = Pick<CanvasPath, 'moveTo' | 'lineTo' | 'closePath' | 'arc'>;

/** Adds a category's shape to a path. */
export function traceShape(path: Path, category: Category, x: number, y: number, radius: number): void {
  // Other versions may know other categories.
  const corners = CORNERS[category] ?? [];
  if (corners.length === 0) {
    path.moveTo(x + radius, y);
    path.arc(x, y, radius, 0, 2 * Math.PI);
    return;
  }
  corners.forEach(([dx, dy], at) => {
    if (at === 0) path.moveTo(x + dx * radius, y + dy * radius);
    else path.lineTo(x + dx * radius, y + dy * radius);
  });
  path.closePath();
}

/** The shape for a legend. */
export function shapeIcon(category: Category): TemplateResult {
  const corners = CORNERS[category] ?? [];
  const points = corners.map(([x, y]) => `${6 + 4.5 * x},${6 + 4.5 * y}`).join(' ');
  return svg`<svg class="shape ${category}" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">${
    corners.length === 0 ? svg`<circle cx="6" cy="6" r="4.5"/>` : svg`<polygon points=${points}/>`
  }</svg>`;
}
