/** A conversation with folds as one without: for whoever goes on with it in another way. */
import type { Message } from '../messages.ts';
import type { FoldOpened } from '../record.ts';
import { project } from './project.ts';
import { rebuild } from './rebuild.ts';

/**
 * The messages with what is folded as its summary, without ids and without the calls that folded; once, for good.
 * @param count so many of the first messages are asked for; the others may say what is folded in them
 */
export function materialize(
  messages: readonly Message[],
  opened: readonly FoldOpened[],
  count = messages.length,
): readonly Message[] {
  const folds = rebuild(messages, opened);
  const first = count === messages.length ? messages : messages.slice(0, count);
  return folds.folded.length === 0 ? first : project({ ...folds, messages: first }, { hasTags: false });
}
