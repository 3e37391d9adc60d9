import { countBytePairs, MAX_TOKEN_BYTES } from './bytePairs.ts';

/** What of a list of blocks fits a budget. */
export interface Fit {
  /** Blocks to show, joined by a blank line; the first may be cut. */
  readonly kept: readonly string[];
  /** Whether the first block was cut. */
  readonly cut: boolean;
  /** Blocks left out whole. */
  readonly dropped: number;
}

const SEPARATOR = '\n\n';
const CUT_MARKER = '… [cut to fit budget_tokens]';

interface Encoding {
  readonly pieces: RegExp;
  readonly ranks: ReadonlyMap<string, number>;
}

let encoding: Promise<Encoding> | undefined;

/**
 * Loads the cl100k_base table on first use. The encoder that comes with it is not used: it is quadratic on long
 * unbroken runs and refuses text that spells a control token.
 */
function loadEncoding(): Promise<Encoding> {
  encoding ??= import('js-tiktoken/ranks/cl100k_base').then(({ default: table }) => {
    const ranks = new Map<string, number>();
    for (const line of table.bpe_ranks.split('\n')) {
      const [, first, ...tokens] = line.split(' ');
      tokens.forEach((token, at) => {
        ranks.set(Buffer.from(token, 'base64').toString('latin1'), Number(first) + at);
      });
    }
    return { pieces: new RegExp(table.pat_str, 'gu'), ranks };
  });
  return encoding;
}

/**
 * Number of cl100k_base tokens of a text, exactly as that encoding counts it (text that spells a control token is
 * counted as text). Any length, any content.
 */
export async function countTokens(text: string): Promise<number> {
  return count(text, await loadEncoding());
}

/**
 * The leading blocks that fit into `budget` cl100k_base tokens when joined by a blank line. The budget is a hard cap
 * on the whole text. A first block that is too long by itself is cut and ends with `… [cut to fit budget_tokens]`;
 * when not even that fits, nothing is kept. `budget` is taken literally: callers for whom 0 means "no limit" do not
 * call.
 */
export async function fitBlocks(blocks: readonly string[], budget: number): Promise<Fit> {
  const table = await loadEncoding();
  const kept: string[] = [];
  let total = 0;
  for (const block of blocks) {
    const part = kept.length === 0 ? block : SEPARATOR + block;
    if (tooLong(part, budget - total)) break;
    total += count(part, table);
    if (total > budget) break;
    kept.push(block);
  }
  // Tokens can run across the joins, so only the count of the whole text decides.
  while (kept.length > 0 && count(kept.join(SEPARATOR), table) > budget) kept.pop();
  const [first] = blocks;
  if (kept.length > 0 || first === undefined)
    return { kept, cut: false, dropped: blocks.length - kept.length };
  const shortened = cutToFit(first, budget, table);
  if (shortened === undefined) return { kept, cut: false, dropped: blocks.length };
  return { kept: [shortened], cut: true, dropped: blocks.length - 1 };
}

function count(text: string, { pieces, ranks }: Encoding): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(pieces)) {
    tokens += countBytePairs(Buffer.from(piece, 'utf8').toString('latin1'), ranks);
  }
  return tokens;
}

/** Whether a text is over budget by its length alone, which saves counting it. */
function tooLong(text: string, budget: number): boolean {
  return text.length > Math.max(0, budget) * MAX_TOKEN_BYTES;
}

/** The longest start of a block that fits together with the marker, found by halving. */
function cutToFit(block: string, budget: number, table: Encoding): string | undefined {
  let fitting: string | undefined;
  let low = 0;
  let high = Math.min(block.length, Math.max(0, budget) * MAX_TOKEN_BYTES);
  while (low <= high) {
    const middle = (low + high) >> 1;
    const candidate = startOf(block, middle) + CUT_MARKER;
    if (count(candidate, table) <= budget) {
      fitting = candidate;
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return fitting;
}

/** The first `length` code units, without half a surrogate pair or white space at the end. */
function startOf(text: string, length: number): string {
  const start = text.slice(0, length);
  return (/[\uD800-\uDBFF]$/.test(start) ? start.slice(0, -1) : start).trimEnd();
}
