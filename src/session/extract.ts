/** A conversation in short, for a subagent that takes a part of its work. */
import { isSummary } from './compaction/summaryText.ts';
import { type Message, textOf } from './messages.ts';

const MOST = 12_000;
/** Of one message: what a person pastes is longer than what it means. */
const PER_MESSAGE = 2_000;
const NAMES = { user: 'Person', assistant: 'Agent', system: 'Note' };

/**
 * What was said, without thinking, calls and results: from the last message back until it is enough, so that the
 * same conversation always gives the same text. Empty when nothing was said.
 */
export function extractOf(messages: readonly Message[]): string {
  const parts: string[] = [];
  let size = 0;
  for (const message of messages.toReversed()) {
    const text = textOf(message).trim();
    if (text === '') continue;
    // Nobody said a summary.
    const role = isSummary(message) ? 'system' : message.role;
    const part = `## ${NAMES[role]}\n\n${cut(text)}`;
    size += part.length;
    if (size > MOST) {
      parts.push('(What was said before is left out.)');
      break;
    }
    parts.push(part);
  }
  return parts.toReversed().join('\n\n');
}

function cut(text: string): string {
  if (text.length <= PER_MESSAGE) return text;
  return `${text.slice(0, PER_MESSAGE).toWellFormed()} … (cut)`;
}
