/** Parts of a conversation that a summary of the model's stands for. */

import { tokensOfText } from '../compaction/estimate.ts';
import type { FoldOpened } from '../record.ts';
import type { Core } from './identity.ts';
import { neutral, refOf, runsOf, SECTION } from './refs.ts';

/** 1 folds messages, 2 blocks of tier 1, 3 blocks of tier 2. Nothing folds a block of tier 3. */
export type Tier = 1 | 2 | 3;
export const LAST_TIER = 3;

export interface FoldBlock {
  readonly number: number;
  readonly tier: Tier;
  /** In the model's words, as is the summary. */
  readonly topic: string;
  readonly summary: string;
  /** Direct members: ids of core messages, of a block of tier 1; the others have children. */
  readonly members: readonly string[];
  /** Numbers of the blocks that it folds. */
  readonly children: readonly number[];
  /** Refs of all core messages that it stands for, ascending. */
  readonly refs: readonly number[];
  /** Names the direct members, or the children, in eight hex digits. */
  readonly digest: string;
  /** Of what it folds, as it was shown. */
  readonly tokens: number;
  /** Of its own section. */
  readonly sectionTokens: number;
  /** Id of the `Compress` call that made it. */
  readonly callId: string;
}

export function blockName(number: number): string {
  return `b${number}`;
}

/** Where its originals are, from the folder of the session's folds, with slashes. */
export function archivePath({ tier, number, refs }: Pick<FoldBlock, 'tier' | 'number' | 'refs'>): string {
  return `tier${tier}/${blockName(number)}_${rangeOf(refs)}.md`;
}

/** From its first to its last ref. */
export function rangeOf(refs: readonly number[]): string {
  return `${refOf(refs[0] ?? 0)}-${refOf(refs.at(-1) ?? 0)}`;
}

/** What is shown in the place of what a block folds. */
export function sectionText(
  block: Pick<FoldBlock, 'tier' | 'number' | 'refs' | 'topic' | 'summary'>,
): string {
  const { tier, number, refs, topic, summary } = block;
  const archive = `<noa-archive block="${blockName(number)}" tier="${tier}" range="${rangeOf(refs)}" path="folds/${archivePath(block)}"/>`;
  const heading = topic === '' ? SECTION : `${SECTION} — ${neutral(topic)}`;
  return `${heading}\n${neutral(summary)}\n${archive}`;
}

export function sectionTokens(block: Parameters<typeof sectionText>[0]): number {
  return tokensOfText(sectionText(block));
}

/** A set of blocks, of which those count that no other block and no person has put out of use. */
export class FoldBlocks {
  readonly #blocks = new Map<number, FoldBlock>();
  /** Numbers of the blocks that fold a block. */
  readonly #parents = new Map<number, number[]>();
  readonly #opened: ReadonlySet<string>;

  constructor(opened: readonly FoldOpened[]) {
    this.#opened = new Set(opened.map(({ block, call_id }) => `${block} ${call_id}`));
  }

  /** In the order in which they were made. */
  get all(): readonly FoldBlock[] {
    return [...this.#blocks.values()];
  }

  /** Those that are shown. */
  get active(): readonly FoldBlock[] {
    return this.all.filter((block) => this.isActive(block));
  }

  /** A number that no block has. */
  get next(): number {
    return Math.max(0, ...this.#blocks.keys()) + 1;
  }

  get(number: number): FoldBlock | undefined {
    return this.#blocks.get(number);
  }

  add(block: FoldBlock): void {
    this.#blocks.set(block.number, block);
    for (const child of block.children) {
      const parents = this.#parents.get(child) ?? [];
      parents.push(block.number);
      this.#parents.set(child, parents);
    }
  }

  isActive(block: FoldBlock): boolean {
    if (this.isOpened(block)) return false;
    return !(this.#parents.get(block.number) ?? []).some((number) => {
      const parent = this.#blocks.get(number);
      return parent !== undefined && !this.isOpened(parent);
    });
  }

  isOpened({ number, callId }: FoldBlock): boolean {
    return this.#opened.has(`${blockName(number)} ${callId}`);
  }

  /** By ref: the active block that stands for a core message. */
  coverage(): ReadonlyMap<number, FoldBlock> {
    const covered = new Map<number, FoldBlock>();
    for (const block of this.active)
      for (const ref of block.refs) if (!covered.has(ref)) covered.set(ref, block);
    return covered;
  }
}

/** What the result of a `Compress` call says of each block, by which it can be made again. */
export function blockLine(block: FoldBlock, item: number): string {
  const { number, tier, refs, children, digest } = block;
  const folded = tier === 1 ? runsOf(refs) : children.map(blockName).join(',');
  return `${blockName(number)}(T${tier})=${folded} #${digest} item ${item}`;
}

/** Ids of the cores with these refs. */
export function idsOf(cores: readonly Core[], refs: readonly number[]): readonly string[] {
  return refs.map((ref) => cores[ref - 1]?.id ?? '');
}
