/**
 * Rewinds in a conversation that somebody else keeps: a pure function of the list of messages, for loops that show us
 * no more than that.
 *
 * A checkpoint and its rewind are found by their calls and results. What came between the two results is dropped, with
 * calls whole: a call and its result are kept or dropped together. The rewind's report stands in the place of that,
 * once. The newest thing that the person said in between stays before the report, as the model may be at work on it.
 */
import {
  type Block,
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
  textMessage,
} from './messages.ts';
import { rewindText } from './viewItem.ts';

/**
 * The tools' names as they are, and as the editor (VS Code 1.139) names those of an MCP server: `mcp_`, up to thirteen
 * characters of its name, with a number where two begin alike. Ours is `Lodeline`, or `Lodeline (folder)`; another
 * server's tools may answer with the same words.
 */
const CHECKPOINT = /^(?:mcp_lodeline(?:_[a-z0-9_.-]{0,4})?\d*_)?checkpoint$/;
const REWIND = /^(?:mcp_lodeline(?:_[a-z0-9_.-]{0,4})?\d*_)?rewind$/;
/** What the tools answer when they did it (`CheckpointMachine`); a failure, a cancellation or a refusal says else. */
const CREATED = /^Checkpoint created\.$/m;
/** Copilot Chat 0.67 writes results above 8 KiB, such as one with a long report, to a file and says so instead. */
const REQUESTED = /^(?:Rewind requested\.$|Large tool result \()/m;

/** Where a block stands: `at` counts all blocks of the list. */
interface Place {
  readonly at: number;
  readonly message: number;
}

/** A call and its result. */
interface Pair {
  readonly call: Place & { readonly block: ToolUseBlock };
  readonly result: Place & { readonly block: ToolResultBlock };
}

/** A checkpoint that was rewound. */
interface Zone {
  readonly checkpoint: Pair;
  readonly rewind: Pair;
}

/**
 * The messages without what rewinds put aside. Messages that stay as they are stay the same objects, and so do the
 * blocks of the others; without a rewind it is the same list. Pruning what is pruned changes nothing.
 */
export function prune(messages: readonly Message[]): readonly Message[] {
  const pairs = pairsOf(messages);
  const zones = zonesOf(pairs);
  if (zones.length === 0) return messages;
  const dropped = droppedBlocks(messages, pairs, zones);
  const places = zones.map((zone) => reportPlace(messages, pairs, zone, dropped));
  let at = 0;
  return messages.flatMap((message, index) => {
    const kept = without(message, dropped, at);
    at += message.content.length;
    const reports = zones.filter((_, zone) => places[zone] === index).map(reportOf);
    return [...(kept ? [kept] : []), ...reports];
  });
}

/** Calls with their results, in the order of the results: a result belongs to the last call of its id before it. */
function pairsOf(messages: readonly Message[]): Pair[] {
  const open = new Map<string, Pair['call']>();
  const pairs: Pair[] = [];
  let at = 0;
  for (const [index, { content }] of messages.entries()) {
    for (const block of content) {
      const place = { at: at++, message: index };
      if (block.type === 'tool_use') open.set(block.id, { ...place, block });
      else if (block.type === 'tool_result') {
        const call = open.get(block.tool_use_id);
        if (!call) continue;
        open.delete(block.tool_use_id);
        pairs.push({ call, result: { ...place, block } });
      }
    }
  }
  return pairs;
}

/** A second rewind of the same checkpoint takes the place of the first, as in our own sessions. */
function zonesOf(pairs: readonly Pair[]): Zone[] {
  const zones: Zone[] = [];
  let checkpoint: Pair | undefined;
  for (const pair of pairs) {
    if (isDone(pair, CHECKPOINT, CREATED)) checkpoint = pair;
    else if (checkpoint && isDone(pair, REWIND, REQUESTED) && inputText(pair, 'report') !== '') {
      if (zones.at(-1)?.checkpoint === checkpoint) zones.pop();
      zones.push({ checkpoint, rewind: pair });
    }
  }
  return zones;
}

function isDone({ call, result }: Pair, name: RegExp, says: RegExp): boolean {
  if (!name.test(call.block.name) || result.block.is_error === true) return false;
  return result.block.content.some((block) => block.type === 'text' && says.test(block.text));
}

function inputText({ call }: Pair, key: string): string {
  const { input } = call.block;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return '';
  const value = Object.hasOwn(input, key) ? (input as { readonly [key: string]: unknown })[key] : undefined;
  return typeof value === 'string' ? value.trim() : '';
}

function reportOf({ checkpoint, rewind }: Zone): Message {
  const goal = inputText(checkpoint, 'goal').replace(/\s+/g, ' ');
  return textMessage('system', rewindText({ goal, report: inputText(rewind, 'report') }));
}

/** Everything between a checkpoint's result and its rewind's, and the other half of each call in it. */
function droppedBlocks(
  messages: readonly Message[],
  pairs: readonly Pair[],
  zones: readonly Zone[],
): Set<number> {
  const dropped = new Set<number>();
  const kept = new Set<number>();
  const isInside = (at: number) =>
    zones.some(({ checkpoint, rewind }) => at > checkpoint.result.at && at <= rewind.result.at);
  for (const { call, result } of pairs) {
    if (isInside(result.at)) dropped.add(call.at).add(result.at);
    // A call that was answered after the rewind is not part of what the report tells of.
    else kept.add(call.at).add(result.at);
  }
  const prompts = new Set(zones.map((zone) => newestPrompt(messages, zone)));
  let first = 0;
  for (const [index, { content }] of messages.entries()) {
    const staysAround = prompts.has(index) || content.some((_, block) => kept.has(first + block));
    for (const [block, { type }] of content.entries()) {
      const at = first + block;
      const isCall = type === 'tool_use' || type === 'tool_result';
      if (isInside(at) && !kept.has(at) && (isCall || !staysAround)) dropped.add(at);
    }
    first += content.length;
  }
  return dropped;
}

/** The last message in a zone in which the person says something. */
function newestPrompt(messages: readonly Message[], { checkpoint, rewind }: Zone): number | undefined {
  for (let index = rewind.result.message - 1; index > checkpoint.result.message; index--) {
    if (messages[index]?.role === 'user' && messages[index]?.content.some(isSaid)) return index;
  }
  return undefined;
}

function isSaid(block: Block): boolean {
  return block.type === 'text' && block.text.trim() !== '';
}

/** The message after which the report stands: as early as it can without parting a call from its result. */
function reportPlace(
  messages: readonly Message[],
  pairs: readonly Pair[],
  zone: Zone,
  dropped: ReadonlySet<number>,
): number {
  let place = newestPrompt(messages, zone) ?? zone.checkpoint.result.message;
  for (const { call, result } of pairs) {
    if (!dropped.has(call.at) && call.message <= place && result.message > place) place = result.message;
  }
  return place;
}

/** The message as it is, without the dropped blocks, or undefined when nothing is left that a model takes. */
function without(message: Message, dropped: ReadonlySet<number>, first: number): Message | undefined {
  const content = message.content.filter((_, block) => !dropped.has(first + block));
  if (content.length === message.content.length) return message;
  if (content.every(({ type }) => type === 'thinking')) return undefined;
  return { role: message.role, content };
}
