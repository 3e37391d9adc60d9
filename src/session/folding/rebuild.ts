/**
 * The folds of a conversation, made from nothing but its messages: the `Compress` calls in them say with their results
 * what was folded, and with their arguments what stands for it. The same messages give the same folds, whoever asks
 * and whenever; a call that is no longer among the messages, since the person or the agent went back, folds nothing.
 */
import type { JsonValue } from '../../journal/record.ts';
import { wholeCuts } from '../compaction/rounds.ts';
import { isSkillCall } from '../compaction/skills.ts';
import { isPrompt, type Message } from '../messages.ts';
import type { FoldOpened } from '../record.ts';
import { type FoldBlock, FoldBlocks, idsOf, LAST_TIER, sectionTokens, type Tier } from './blocks.ts';
import { type Core, coresOf, digestOf, textOfBlock } from './identity.ts';
import { parseFoldInput } from './parse.ts';
import { parseRef, parseRuns } from './refs.ts';

export const COMPRESS = 'Compress';
/** Its goal must be in sight until the rewind. */
const BLOCKED_TOOLS: ReadonlySet<string> = new Set(['checkpoint']);
const LINE = /^(b\d{1,7})\(T([123])\)=([mb][\d.,mb]*) #([0-9a-f]{8}) item (\d{1,6})$/gm;
const LONGEST_TOPIC = 200;

/** What is folded as a whole: a message, or an answer with the results of its calls. */
export interface Unit {
  /** Indexes of its messages: from, and up to but without. */
  readonly from: number;
  readonly to: number;
  /** Its core messages, as refs: first and last. */
  readonly first: number;
  readonly last: number;
  readonly tokens: number;
  readonly characters: number;
  readonly isPrompt: boolean;
  /** It stays as it is. */
  readonly isBlocked: boolean;
}

export interface Folds {
  readonly messages: readonly Message[];
  readonly cores: readonly Core[];
  readonly units: readonly Unit[];
  readonly blocks: FoldBlocks;
  /** Ids of the `Compress` calls that folded something, in their order, and the index of the message with the result. */
  readonly folded: readonly { readonly callId: string; readonly message: number }[];
}

/** Makes the folds of a conversation. Never throws: what does not fit together folds nothing. */
export function rebuild(messages: readonly Message[], opened: readonly FoldOpened[]): Folds {
  const cores = coresOf(messages);
  const units = unitsOf(messages, cores);
  const blocks = new FoldBlocks(opened);
  const folded: { callId: string; message: number }[] = [];
  const calls = new Map<string, JsonValue>();
  for (const { block, message, tool, ref } of cores) {
    if (block.type === 'tool_use' && tool === COMPRESS) calls.set(block.id, block.input);
    if (block.type !== 'tool_result' || tool !== COMPRESS || block.is_error === true) continue;
    const callId = block.tool_use_id;
    const made = blocksOf(textOfBlock(block), calls.get(callId), { callId, cores, blocks, before: ref });
    if (made) folded.push({ callId, message });
  }
  return { messages, cores, units, blocks, folded };
}

/** A block of messages, from the refs that it folds. */
export function messageBlock(
  folds: Pick<Folds, 'cores'>,
  refs: readonly number[],
  rest: Pick<FoldBlock, 'number' | 'topic' | 'summary' | 'callId'>,
): FoldBlock {
  const members = idsOf(folds.cores, refs);
  const tokens = refs.reduce((sum, ref) => sum + (folds.cores[ref - 1]?.tokens ?? 0), 0);
  const block = { ...rest, tier: 1 as const, members, children: [], refs, digest: digestOf(members), tokens };
  return { ...block, sectionTokens: sectionTokens(block) };
}

/** A block of blocks of one tier. */
export function parentBlock(
  children: readonly FoldBlock[],
  rest: Pick<FoldBlock, 'number' | 'topic' | 'summary' | 'callId'>,
): FoldBlock {
  const refs = children.flatMap((child) => child.refs).sort((a, b) => a - b);
  const block = {
    ...{ ...rest, members: [], refs, children: children.map(({ number }) => number) },
    tier: ((children[0]?.tier ?? 1) + 1) as Tier,
    digest: digestOf(children.map(({ digest }) => digest)),
    tokens: children.reduce((sum, child) => sum + child.sectionTokens, 0),
  };
  return { ...block, sectionTokens: sectionTokens(block) };
}

interface Replayed {
  readonly callId: string;
  readonly cores: readonly Core[];
  readonly blocks: FoldBlocks;
  /** Ref of the result: only what came before it can have been folded. */
  readonly before: number;
}

/** Makes the blocks that a result names. Answers whether there was one. */
function blocksOf(result: string, input: JsonValue | undefined, replayed: Replayed): boolean {
  const lines = [...result.matchAll(LINE)];
  if (lines.length === 0) return false;
  const parsed = parseFoldInput(input);
  if (parsed.kind !== 'ok') return false;
  const ranges = new Map(parsed.ranges.map((range) => [range.item, range]));
  let made = false;
  for (const [, name = '', tier, folded = '', digest = '', item] of lines) {
    const range = ranges.get(Number(item));
    const number = parseRef(name)?.n ?? 0;
    if (range === undefined || replayed.blocks.get(number) !== undefined) continue;
    const { callId } = replayed;
    const rest = { number, topic: topicOf(range.topic), summary: range.summary, callId };
    const block = tier === '1' ? messagesIn(folded, replayed, rest) : childrenIn(folded, replayed, rest);
    // Of another conversation, or of what has a place elsewhere by now.
    if (block === undefined || block.digest !== digest || String(block.tier) !== tier) continue;
    replayed.blocks.add(block);
    made = true;
  }
  return made;
}

type Rest = Parameters<typeof parentBlock>[1];

function messagesIn(folded: string, { cores, before }: Replayed, rest: Rest): FoldBlock | undefined {
  const refs = parseRuns(folded, before - 1);
  return refs && messageBlock({ cores }, refs, rest);
}

function childrenIn(folded: string, { blocks }: Replayed, rest: Rest): FoldBlock | undefined {
  const children = folded.split(',').map((name) => blocks.get(parseRef(name)?.n ?? 0));
  const there = children.filter((child) => child !== undefined);
  const [first] = there;
  if (first === undefined || there.length !== children.length || first.tier === LAST_TIER) return undefined;
  return there.every(({ tier }) => tier === first.tier) ? parentBlock(there, rest) : undefined;
}

/** On one line, and not longer than a heading. */
export function topicOf(topic: string): string {
  return topic.replace(/\s+/g, ' ').trim().slice(0, LONGEST_TOPIC).toWellFormed();
}

function unitsOf(messages: readonly Message[], cores: readonly Core[]): readonly Unit[] {
  const starts = [0, ...wholeCuts(messages)];
  const units: Unit[] = [];
  let next = 0;
  starts.forEach((from, at) => {
    const to = starts[at + 1] ?? messages.length;
    const own: Core[] = [];
    while (next < cores.length && (cores[next] as Core).message < to) own.push(cores[next++] as Core);
    const [first] = own;
    const message = messages[from];
    if (first === undefined || message === undefined) return;
    units.push({
      ...{ from, to, first: first.ref, last: first.ref + own.length - 1 },
      tokens: own.reduce((sum, { tokens }) => sum + tokens, 0),
      characters: own.reduce((sum, { characters }) => sum + characters, 0),
      isPrompt: to === from + 1 && isPrompt(message),
      isBlocked: own.some(isBlocked),
    });
  });
  return units;
}

/** Whether a core message must stay as it was said. */
function isBlocked({ block, tool }: Core): boolean {
  if (block.type === 'compact_boundary') return true;
  return block.type === 'tool_use' && (BLOCKED_TOOLS.has(tool) || isSkillCall(block));
}
