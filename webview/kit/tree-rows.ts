/** A line of a tree, where it lies and what it belongs to. */
export interface TreeRow {
  readonly key: string;
  /** Among its siblings, from 1, and how many they are. */
  readonly position: number;
  readonly size: number;
  /** Where it lies in the tree, in pixels. */
  readonly top: number;
  readonly height: number;
  /** Index of the row that it belongs to; undefined at the top. */
  readonly parent?: number | undefined;
  /** Whether its children are shown; undefined: it can have none. */
  readonly open?: boolean | undefined;
}

/** Index of the row at an offset; the last one when there is none so far down. */
export function rowAt(rows: readonly TreeRow[], offset: number): number {
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((rows[middle]?.top ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** How high all rows are together. */
export function totalHeight(rows: readonly TreeRow[]): number {
  const last = rows.at(-1);
  return last === undefined ? 0 : last.top + last.height;
}
