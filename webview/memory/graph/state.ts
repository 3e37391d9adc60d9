import type { Category } from '../../../src/memory/entry.ts';
import { asCategory } from '../state.ts';
import type { Camera } from './camera.ts';

/** What the graph view keeps over hiding and reloading the panel. */
export interface GraphState {
  readonly query: string;
  /** Only what is searched for, and what it is linked with. */
  readonly narrow: boolean;
  readonly category: Category | '';
  /** Entries without a link, too. */
  readonly loners: boolean;
  /** Null: everything is in view, whatever comes. */
  readonly camera: Camera | null;
  /** Id of the entry that the keyboard is at; empty for none. */
  readonly current: string;
}

export const INITIAL_GRAPH: GraphState = {
  query: '',
  narrow: false,
  category: '',
  loners: false,
  camera: null,
  current: '',
};

/** What was kept, as far as it is what this version keeps. */
export function restoreGraph(kept: unknown): GraphState {
  if (typeof kept !== 'object' || kept === null) return INITIAL_GRAPH;
  const { query, narrow, category, loners, camera, current } = kept as Readonly<Record<string, unknown>>;
  return {
    query: typeof query === 'string' ? query : '',
    narrow: narrow === true,
    category: typeof category === 'string' ? asCategory(category) : '',
    loners: loners === true,
    camera: isCamera(camera) ? camera : null,
    current: typeof current === 'string' ? current : '',
  };
}

function isCamera(value: unknown): value is Camera {
  if (typeof value !== 'object' || value === null) return false;
  const { x, y, scale } = value as Readonly<Record<string, unknown>>;
  return [x, y, scale].every((part) => Number.isFinite(part)) && Number(scale) > 0;
}

/** Whether less than all of memory is asked for. */
export function isNarrowed({ query, narrow, category }: GraphState): boolean {
  return category !== '' || (narrow && query.trim() !== '');
}

/** The input of `memory_map` for what is to be shown. */
export function mapInput({ query, narrow, category, loners }: GraphState): Record<string, unknown> {
  const text = query.trim();
  return {
    ...(narrow && text !== '' ? { query: text } : {}),
    ...(category === '' ? {} : { category }),
    ...(loners ? { loners } : {}),
  };
}
