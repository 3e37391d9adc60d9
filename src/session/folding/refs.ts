/** How a model names parts of the conversation, and what of ours stands in it. */

const REF_DIGITS = 5;
const REF = /^m0*(\d{1,7})$/i;
const BLOCK_REF = /^b0*(\d{1,7})$/i;
/** A tag of ours, as `refTag` writes it, with the line feed before it. */
const TAG = /\n?<noa-ref id="[mB][\w]*" tokens="\d+" src="[\w.:-]*"\/>/g;
const ANY_TAG = /<(?=\s*\/?\s*noa-)/giu;
export const SECTION = '[Compressed conversation section]';
const ANY_SECTION = /\[(?=\s*compressed\s+conversation\s+section\s*\])/giu;
/** Shown in the place of a ref that cannot be folded. */
const BLOCKED = 'BLOCKED';
const NOT_IN_SOURCES = /[^\w.:-]/g;
const LONGEST_SOURCE = 64;

export function refOf(n: number): string {
  return `m${String(n).padStart(REF_DIGITS, '0')}`;
}

/** What a ref names: a core message or a block, by its number. A model may leave out zeros. */
export function parseRef(
  text: string,
): { readonly kind: 'message' | 'block'; readonly n: number } | undefined {
  const message = REF.exec(text.trim());
  if (message) return { kind: 'message', n: Number(message[1]) };
  const block = BLOCK_REF.exec(text.trim());
  return block ? { kind: 'block', n: Number(block[1]) } : undefined;
}

/** Refs in short: runs as `m00004..m00009`, joined by commas. Ascending. */
export function runsOf(refs: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const ref of refs) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === ref - 1) last[1] = ref;
    else runs.push([ref, ref]);
  }
  return runs.map(([from, to]) => (from === to ? refOf(from) : `${refOf(from)}..${refOf(to)}`)).join(',');
}

/** The refs that `runsOf` wrote, none above `most`; undefined when it is nothing of the kind. */
export function parseRuns(text: string, most: number): readonly number[] | undefined {
  const refs: number[] = [];
  for (const run of text.split(',')) {
    const ends = run.split('..');
    const [from, to] = [ends[0], ends.at(-1)].map((ref = '') => parseRef(ref));
    if (ends.length > 2 || from?.kind !== 'message' || to?.kind !== 'message') return undefined;
    if (from.n <= (refs.at(-1) ?? 0) || to.n < from.n || to.n > most) return undefined;
    for (let n = from.n; n <= to.n; n++) refs.push(n);
  }
  return refs;
}

/** The tag behind a text of the person's or a tool's result. `source`: `user`, or the tool's name. */
export function refTag(ref: number, tokens: number, source: string, isBlocked: boolean): string {
  const src = source.replace(NOT_IN_SOURCES, '_').slice(0, LONGEST_SOURCE);
  return `<noa-ref id="${isBlocked ? BLOCKED : refOf(ref)}" tokens="${tokens}" src="${src}"/>`;
}

/** A text as it was before tags of ours were put behind it. */
export function withoutTags(text: string): string {
  return text.includes('<noa-ref') ? text.replace(TAG, '') : text;
}

/** A text in which nothing can be taken for ours: whoever wrote it, it is not from here. */
export function neutral(text: string): string {
  return text.replace(ANY_TAG, '&lt;').replace(ANY_SECTION, '(');
}
