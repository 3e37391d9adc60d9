import type { TaskView } from '../../src/subagentProtocol.ts';
import { partKey } from './actions.ts';

/** How much of something the person has applied. */
export type Applied = 'none' | 'some' | 'all';

/** What was applied of one task's work by files and hunks, and what can still be done with each. */
export interface Parts {
  /** Whether anything can be applied now. */
  readonly canApply: boolean;
  /** Whether anything that was applied by itself can be taken back now. */
  readonly canRevert: boolean;
  readonly landing: Pick<NonNullable<TaskView['landing']>, 'parts' | 'landed'>;
  /** Why a part could not be applied, by its key. */
  readonly refused: ReadonlyMap<string, string>;
}

export const NO_PARTS: Parts = { canApply: false, canRevert: false, landing: {}, refused: new Map() };

export function fileApplied({ landing: { parts = [], landed = [] } }: Parts, path: string): Applied {
  if (landed.includes(path)) return 'all';
  return parts.some((part) => part.path === path) ? 'some' : 'none';
}

/** Of a hunk it is all or none. */
export function isHunkApplied(parts: Parts, path: string, hunk: number): boolean {
  const own = (parts.landing.parts ?? []).filter((part) => part.path === path);
  return parts.landing.landed?.includes(path) === true || own.some(({ hunks }) => hunks?.includes(hunk));
}

/** What pressing the button of a file, or of a hunk of it, does; undefined where it has none. */
export function partAct(parts: Parts, path: string, hunk?: number): 'apply' | 'revert' | undefined {
  const own = (parts.landing.parts ?? []).filter((part) => part.path === path && part.canRevert);
  const isAll = hunk === undefined ? fileApplied(parts, path) === 'all' : isHunkApplied(parts, path, hunk);
  if (!isAll) return parts.canApply ? 'apply' : undefined;
  // What landed with the rest of its file is taken back with it.
  const isApart = own.every(({ hunks }) => hunks !== null);
  const isHunk = ({ hunks }: (typeof own)[number]) => `${hunks}` === `${hunk}`;
  const canRevert = hunk === undefined ? own.length > 0 : isApart && own.some(isHunk);
  return canRevert && parts.canRevert ? 'revert' : undefined;
}

export function refusalOf({ refused }: Parts, path: string, hunk?: number): string | undefined {
  return refused.get(partKey({ path, hunk }));
}
