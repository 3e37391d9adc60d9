import { CATEGORIES, type Category, type Importance, STATUSES, type Status } from '../../src/memory/entry.ts';
import type { Level } from '../../src/policy/level.ts';
import type { Keeping, View } from './views.ts';

export const SORTS = ['updated', 'created', 'key', 'category', 'quality', 'used'] as const;
export type Sort = (typeof SORTS)[number];

/** What the panel shows beside or in place of the list. */
export type Route =
  | { readonly view: 'index' }
  | { readonly view: 'entry'; readonly id: string }
  | { readonly view: 'edit'; readonly id: string }
  | { readonly view: 'add' };

export interface Criteria {
  readonly query: string;
  readonly category: Category | '';
  readonly tags: readonly string[];
  readonly status: Status;
  /** Empty: every level. */
  readonly level: Level | '';
  readonly unconfirmed: boolean;
  readonly pinned: boolean;
  /** Empty: by date. What a query finds comes by relevance. */
  readonly sort: Sort | '';
  readonly descending: boolean;
}

/** The editable parts of an entry, as they stand in a form. */
export interface Fields {
  readonly key: string;
  readonly category: Category;
  readonly content: string;
  readonly file: string;
  readonly tags: readonly string[];
  readonly links: readonly string[];
  /** Empty: automatic. */
  readonly importance: Importance | '';
  readonly ttl: string;
}

/** What was typed and not saved yet. */
export interface Draft {
  /** Empty for a new entry. */
  readonly id: string;
  readonly fields: Fields;
  /** The fields before the person changed them. */
  readonly base: Fields;
}

/** Everything that outlives hiding or reloading the panel. */
export interface PanelState {
  readonly version: 1;
  readonly view: View;
  /** What each part of the panel keeps of its own. */
  readonly kept: Readonly<Partial<Record<Keeping, unknown>>>;
  readonly route: Route;
  readonly back: readonly Route[];
  readonly criteria: Criteria;
  readonly filtersOpen: boolean;
  /** Second line with the start of the content; null decides by width. */
  readonly previews: boolean | null;
  readonly scroll: number;
  readonly draft: Draft | null;
}

export const NO_CRITERIA: Criteria = {
  query: '',
  category: '',
  tags: [],
  status: 'active',
  level: '',
  unconfirmed: false,
  pinned: false,
  sort: '',
  descending: true,
};

const INITIAL_STATE: PanelState = {
  version: 1,
  view: 'entries',
  kept: {},
  route: { view: 'index' },
  back: [],
  criteria: NO_CRITERIA,
  filtersOpen: false,
  previews: null,
  scroll: 0,
  draft: null,
};

/** The stored state, or a fresh one when there is none or another version wrote it. */
export function restoreState(stored: unknown): PanelState {
  const known = typeof stored === 'object' && stored !== null && 'version' in stored && stored.version === 1;
  if (!known) return INITIAL_STATE;
  const state = stored as PanelState;
  // Older versions know fewer criteria.
  return { ...INITIAL_STATE, ...state, criteria: { ...NO_CRITERIA, ...state.criteria } };
}

/** Whether anything but the sort narrows the list. */
export function isFiltered(criteria: Criteria): boolean {
  return criteria.query.trim() !== '' || countFilters(criteria) > 0;
}

/** How many filters are on, the query aside. */
export function countFilters({ category, tags, status, level, unconfirmed, pinned }: Criteria): number {
  return (
    Number(category !== '') +
    tags.length +
    Number(status !== 'active') +
    Number(level !== '') +
    Number(unconfirmed) +
    Number(pinned)
  );
}

/** The input of `memory_browse` for these criteria, paging aside. */
export function browseInput(criteria: Criteria): Record<string, unknown> {
  const query = criteria.query.trim();
  return {
    ...(query === '' ? {} : { query }),
    ...(criteria.category === '' ? {} : { category: criteria.category }),
    ...(criteria.tags.length === 0 ? {} : { tags: criteria.tags }),
    status: criteria.status,
    ...(criteria.level === '' ? {} : { level: criteria.level }),
    ...(criteria.unconfirmed ? { confirmed: false } : {}),
    ...(criteria.pinned ? { pinned: true } : {}),
    ...(criteria.sort === '' || query !== '' ? {} : { sort: criteria.sort, descending: criteria.descending }),
  };
}

/** Narrows a control's value to a category. */
export function asCategory(value: string): Category | '' {
  return CATEGORIES.find((category) => category === value) ?? '';
}

/** Narrows a control's value to a status. */
export function asStatus(value: string): Status {
  return STATUSES.find((status) => status === value) ?? 'active';
}

/** Narrows a control's value to a sort. */
export function asSort(value: string): Sort | '' {
  return SORTS.find((sort) => sort === value) ?? '';
}
