export interface Piece {
  readonly text: string;
  /** The key of a `[[key]]` reference. */
  readonly key?: string;
}

/** A content cut into plain text and `[[key]]` references. */
export function cutReferences(content: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of content.matchAll(/\[\[([^[\]\n]{1,200})\]\]/g)) {
    if (match.index > end) pieces.push({ text: content.slice(end, match.index) });
    pieces.push({ text: match[0], key: (match[1] ?? '').trim() });
    end = match.index + match[0].length;
  }
  if (end < content.length) pieces.push({ text: content.slice(end) });
  return pieces;
}
