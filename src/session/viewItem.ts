/** What the request view is made of: messages with the calls and results in them. */
import type { Acknowledged, Finding } from './effects.ts';
import type { Block, Message, ToolResultBlock, ToolUseBlock } from './messages.ts';
import type { RewindReport } from './record.ts';

/** A call, or a result, and the item that has the other half; undefined while there is none. */
export interface Link {
  readonly block: ToolUseBlock | ToolResultBlock;
  other: Item | undefined;
}

/** A message on the current branch. */
export interface Item {
  readonly message: Message;
  /** Its place among the items. */
  readonly index: number;
  /** Where its message is, or would be, among the shown ones. */
  shownAt: number;
  readonly links: readonly Link[];
  /** Ids of calls in it that wait for no result any more. */
  readonly givenUp: string[];
}

export function linksOf(message: Message): Link[] {
  const links: Link[] = [];
  for (const block of message.content) {
    if (block.type === 'tool_use' || block.type === 'tool_result') links.push({ block, other: undefined });
  }
  return links;
}

/** What is shown of an item: its message as it is, or without what has no other half. */
export function shownOf({ message, links }: Item): Message | undefined {
  const halves = new Set<Block>(links.filter(({ other }) => !other).map(({ block }) => block));
  const content = message.content.filter((block) => !halves.has(block) && block.type !== 'compact_boundary');
  // Models refuse a message of nothing but thinking.
  if (content.every((block) => block.type === 'thinking')) return undefined;
  return content.length === message.content.length ? message : { role: message.role, content };
}

export function rewindText({ goal, report }: Pick<RewindReport, 'goal' | 'report'>): string {
  return `The investigation "${goal}" is completed; this report stands in its place. Do not call rewind for it again. The person has seen what you told them meanwhile: do not tell it again.\n\n${report}`;
}

const FOUND: Readonly<Record<Finding, string>> = {
  succeeded: 'it took effect',
  failed: 'it did not take effect',
  unknown: 'nobody knows whether it took effect; go on all the same',
};

/** What a person said of calls whose result was lost. What a model said of them it knows. */
export function acknowledgedNotes({ by, calls }: Acknowledged): string[] {
  if (by !== 'person' || calls.length === 0) return [];
  const lines = calls.map(({ id, finding, evidence }) => {
    // Another version may have written it.
    const why = typeof evidence !== 'string' || evidence.trim() === '' ? '' : ` (${evidence})`;
    return `- ${id}: ${FOUND[finding] ?? FOUND.unknown}${why}`;
  });
  return [`The person looked at calls that had no result:\n${lines.join('\n')}`];
}
