/** What goes wrong with sessions, as it is told to whoever calls. */
import { errorCode } from '../journal/disk.ts';
import { KeyError } from '../journal/keys.ts';
import type { Phrase } from '../protocol.ts';
import { faultMessage } from '../session/faults.ts';
import { SessionIdError } from '../session/place.ts';
import type { WriterError } from '../session/transcript.ts';
import { BusyError, phrase, StoreError } from './api.ts';

/** The session's records could not be saved, and it was let go. */
export class WriteFailed extends StoreError {}

/** The transcript is not what was opened any more, and nothing was written: another attempt opens it anew. */
export class TranscriptLost extends WriteFailed {}

export function writeFailed({ message }: WriterError): WriteFailed {
  return new WriteFailed(failedText(message));
}

export function transcriptLost({ message }: WriterError): TranscriptLost {
  return new TranscriptLost(failedText(message));
}

function failedText(message: string): Phrase {
  return phrase('Nothing was saved: {0} Try again; if it keeps failing, check the disk.', message);
}

export function inUse(): BusyError {
  return new BusyError(
    phrase('Another process works on this session. End it there, or give this one a session key of its own.'),
  );
}

/** In this process. One that was stopped has a moment to end. */
export function turnRuns(): BusyError {
  return new BusyError(phrase('A turn of this session is running. Wait until it ends, or stop it.'));
}

/** Also for what the reader may not see: it is the same as not being there. */
export function notThere(): StoreError {
  return new StoreError(phrase('This session is not there any more.'));
}

export function locked(): StoreError {
  return new StoreError(
    phrase(
      'This session is sealed with a key that is not here. Put the key back into ~/.lodeline/keys, or set LODELINE_KEY to it, and start again.',
    ),
  );
}

/** Runs an action; what the system says is told without paths, with what to do about it. */
export async function told<T>(action: () => T | Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw plainError(error);
  }
}

/** The error as a caller may read it; faults of ours stay what they are. */
export function plainError(error: unknown): unknown {
  if (error instanceof StoreError) return error;
  if (error instanceof SessionIdError)
    return new StoreError(`${error.message}: use letters, digits, _ and -`);
  if (error instanceof KeyError) return new StoreError(faultMessage(error));
  if (!(error instanceof Error && 'syscall' in error)) return error;
  return new StoreError(
    phrase(
      'The sessions of this folder cannot be used ({0}). Check that the folder "sessions" of the store is there, that you may write to it and that the disk is not full, then try again.',
      String(errorCode(error)),
    ),
  );
}
