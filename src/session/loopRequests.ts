/** What a loop sends to its model: the view, as the loop's compactor prepares it. */
import { ModelError } from './chatModel.ts';
import type { Compactor, CompactorRequest, Prepared } from './compactor.ts';
import type { Message } from './messages.ts';
import type { Draft } from './record.ts';

/** A view that is still to be changed after so many preparations is sent as it was prepared. */
const PREPARATIONS = 3;

export interface LoopRequests {
  readonly compactor: Compactor | undefined;
  /** The request as it would be without a compactor, from the view as it is now. */
  request(): CompactorRequest;
  /** Records drafts and takes in the view. */
  record(drafts: readonly Draft[]): Promise<void>;
  /** Told what the person should know of it. */
  onNotice?: ((text: string) => void) | undefined;
}

/**
 * The messages to send.
 * @throws the signal's reason when it fires, what keeps drafts from being recorded, and a ModelError with the
 *   compactor's reason where there is nothing worth sending.
 */
export async function preparedMessages(loop: LoopRequests): Promise<readonly Message[]> {
  const { compactor } = loop;
  if (compactor === undefined) return loop.request().messages;
  return settled(loop, await compactor.before(loop.request()));
}

/** Shorter messages than those that were too long; undefined when there are none. @throws as above */
export async function shorterMessages(loop: LoopRequests): Promise<readonly Message[] | undefined> {
  const shorter = await loop.compactor?.overflow(loop.request());
  return shorter && settled(loop, shorter);
}

async function settled(loop: LoopRequests, first: Prepared): Promise<readonly Message[]> {
  const { compactor, request, record, onNotice } = loop;
  let prepared = first;
  for (let made = 1; ; made++) {
    const { signal } = request();
    signal.throwIfAborted();
    if (prepared.notice !== undefined) onNotice?.(prepared.notice);
    if (prepared.drafts.length === 0 || compactor === undefined) return worthSending(prepared);
    await record(prepared.drafts);
    prepared = await compactor.before(request());
    if (made >= PREPARATIONS) return worthSending(prepared);
  }
}

function worthSending({ messages, problem }: Prepared): readonly Message[] {
  if (problem !== undefined) throw new ModelError(problem);
  return messages;
}
