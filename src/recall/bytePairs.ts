/** Longest token of the encoding in bytes (cl100k_base: a run of 128 spaces). */
export const MAX_TOKEN_BYTES = 128;

/** A slot of the heap below orders by rank, then position: `rank * POSITIONS + start`, exact in a double. */
const POSITIONS = 2 ** 32;

/**
 * Number of tokens that byte-pair encoding makes of one piece: the neighbours with the lowest rank are merged, the
 * leftmost first, until none can be. `bytes` holds one byte per character. The same result as the usual scan for
 * the lowest rank, which is quadratic, in O(n log n).
 */
export function countBytePairs(bytes: string, ranks: ReadonlyMap<string, number>): number {
  if (ranks.has(bytes)) return 1;
  const length = bytes.length;
  // A linked list of parts by their first byte; `end[start]` is where the next one starts.
  const end = Uint32Array.from({ length }, (_, start) => start + 1);
  const previous = Int32Array.from({ length: length + 1 }, (_, start) => start - 1);
  // Rank of each part with its right neighbour, −1 for none; tells which heap entries are still true.
  const pairRank = new Int32Array(length).fill(-1);
  const heap: number[] = [];
  const setPair = (start: number) => {
    const middle = end[start] as number;
    const stop = middle < length ? (end[middle] as number) : Number.POSITIVE_INFINITY;
    const rank = stop - start > MAX_TOKEN_BYTES ? undefined : ranks.get(bytes.slice(start, stop));
    pairRank[start] = rank ?? -1;
    if (rank !== undefined) push(heap, rank * POSITIONS + start);
  };
  for (let start = 0; start < length; start++) setPair(start);
  let parts = length;
  while (heap.length > 0) {
    const entry = pop(heap);
    const start = entry % POSITIONS;
    if (pairRank[start] !== Math.floor(entry / POSITIONS)) continue;
    const merged = end[start] as number;
    const stop = end[merged] as number;
    pairRank[merged] = -1;
    end[start] = stop;
    previous[stop] = start;
    parts--;
    setPair(start);
    const before = previous[start] as number;
    if (before >= 0) setPair(before);
  }
  return parts;
}

function push(heap: number[], value: number): void {
  let at = heap.length;
  heap.push(value);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] as number;
    if (above <= value) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = value;
}

/** Removes and returns the smallest value of a heap that is not empty. */
function pop(heap: number[]): number {
  const smallest = heap[0] as number;
  const value = heap.pop() as number;
  let at = 0;
  while (heap.length > 0) {
    let child = 2 * at + 1;
    if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number)) child++;
    if (child >= heap.length || (heap[child] as number) >= value) {
      heap[at] = value;
      break;
    }
    heap[at] = heap[child] as number;
    at = child;
  }
  return smallest;
}
