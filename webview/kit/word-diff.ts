/** Words, one of the two texts or both have them. */
export interface Piece {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Steps between two texts that are looked for: beyond them nearly nothing is common, and a comparison no help. */
const MOST_STEPS = 400;

/**
 * What makes `after` of `before`, word by word; line by line where texts differ in too many words. The pieces that
 * are `same` or `removed` make `before`, those that are `same` or `added` make `after`.
 */
export function wordDiff(before: string, after: string): readonly Piece[] {
  const found =
    diff(wordsOf(before), wordsOf(after)) ??
    diff(before.match(/[^\n]*\n|[^\n]+$/gu) ?? [], after.match(/[^\n]*\n|[^\n]+$/gu) ?? []);
  if (found !== undefined) return joined(found);
  return joined([
    { kind: 'removed', text: before },
    { kind: 'added', text: after },
  ]);
}

/** Words, runs of white space, and everything else one by one: Korean particles stay with their word. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}\p{M}_]+|\s+|[^\p{L}\p{N}\p{M}_\s]/gu) ?? [];
}

/** Myers' shortest edit (An O(ND) Difference Algorithm, 1986); undefined when it takes too many steps. */
function diff(before: readonly string[], after: readonly string[]): Piece[] | undefined {
  const start = commonLength(before, after, (list, at) => list[at]);
  const rest = Math.min(before.length, after.length) - start;
  const end = Math.min(
    rest,
    commonLength(before, after, (list, at) => list[list.length - 1 - at]),
  );
  const middle = edits(before.slice(start, before.length - end), after.slice(start, after.length - end));
  return (
    middle && [...before.slice(0, start).map(same), ...middle, ...before.slice(before.length - end).map(same)]
  );
}

function commonLength(
  before: readonly string[],
  after: readonly string[],
  at: (list: readonly string[], index: number) => string | undefined,
): number {
  const most = Math.min(before.length, after.length);
  let length = 0;
  while (length < most && at(before, length) === at(after, length)) length++;
  return length;
}

function edits(before: readonly string[], after: readonly string[]): Piece[] | undefined {
  const [rows, columns] = [before.length, after.length];
  const trace: Map<number, number>[] = [];
  let reached = new Map([[1, 0]]);
  for (let steps = 0; steps <= Math.min(rows + columns, MOST_STEPS); steps++) {
    trace.push(reached);
    const next = new Map(reached);
    for (let line = -steps; line <= steps; line += 2) {
      let x = isDown(reached, line, steps) ? (reached.get(line + 1) ?? 0) : (reached.get(line - 1) ?? 0) + 1;
      while (x < rows && x - line < columns && before[x] === after[x - line]) x++;
      next.set(line, x);
      if (x >= rows && x - line >= columns) return walkBack(trace, before, after);
    }
    reached = next;
  }
  return undefined;
}

function walkBack(
  trace: readonly ReadonlyMap<number, number>[],
  before: readonly string[],
  after: readonly string[],
): Piece[] {
  const pieces: Piece[] = [];
  let [x, y] = [before.length, after.length];
  for (let steps = trace.length - 1; steps >= 0; steps--) {
    const reached = trace[steps] ?? new Map<number, number>();
    const line = x - y;
    const from = isDown(reached, line, steps) ? line + 1 : line - 1;
    const fromX = reached.get(from) ?? 0;
    while (x > fromX && y > fromX - from && x > 0 && y > 0) {
      pieces.push(same(before[--x] ?? ''));
      y--;
    }
    if (steps === 0) break;
    if (from === line + 1) pieces.push({ kind: 'added', text: after[--y] ?? '' });
    else pieces.push({ kind: 'removed', text: before[--x] ?? '' });
  }
  return pieces.reverse();
}

function isDown(reached: ReadonlyMap<number, number>, line: number, steps: number): boolean {
  return line === -steps || (line !== steps && (reached.get(line - 1) ?? -1) < (reached.get(line + 1) ?? -1));
}

function same(text: string): Piece {
  return { kind: 'same', text };
}

/** Neighbours of one kind as one piece, what was removed before what was added in its place. */
function joined(pieces: readonly Piece[]): Piece[] {
  const found: Piece[] = [];
  let [removed, added] = ['', ''];
  const flush = (): void => {
    if (removed !== '') found.push({ kind: 'removed', text: removed });
    if (added !== '') found.push({ kind: 'added', text: added });
    [removed, added] = ['', ''];
  };
  for (const [at, { kind, text }] of pieces.entries()) {
    if (text === '') continue;
    const [last, next] = [pieces[at - 1]?.kind, pieces[at + 1]?.kind];
    // A space between changed words reads better as part of one change.
    const isGap = kind === 'same' && /^[^\S\n]+$/u.test(text) && last !== 'same' && next !== 'same';
    if (isGap && last !== undefined && next !== undefined) {
      removed += text;
      added += text;
    } else if (kind === 'removed') removed += text;
    else if (kind === 'added') added += text;
    else {
      flush();
      const last = found.at(-1);
      if (last?.kind === 'same') found[found.length - 1] = same(last.text + text);
      else found.push(same(text));
    }
  }
  flush();
  return found;
}
