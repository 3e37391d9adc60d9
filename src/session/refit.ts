/** Transcripts of sessions that nobody here is at work on, and the form that the store's switch wants them in. */
import { existsSync, readdirSync } from 'node:fs';
import { JournalWriteError } from '../journal/errors.ts';
import { leaseDir } from './place.ts';
import { followTranscript, openTranscript, type TranscriptOptions } from './transcript.ts';

/**
 * Puts a transcript that this process does not write to into the form that the store's switch wants.
 * @returns whether somebody else writes to it, and so has to do it
 * @throws what the disk says, KeyError
 */
export function refitTranscript(options: TranscriptOptions): boolean {
  const reader = followTranscript(options);
  reader.read();
  const sealsAll = options.keys.sealsAll();
  // What does not verify was said in the clear, too, and so was a copy that was never put in place.
  const isLeft = sealsAll && (reader.damage !== undefined || hasDrafts(leaseDir(options)));
  if (!reader.hasMisfits(sealsAll) && !isLeft) return false;
  const { writer } = openTranscript(options);
  if (writer === undefined) return true;
  const error = writer.follow();
  writer.close();
  if (error !== undefined) throw new JournalWriteError(error.message);
  return false;
}

function hasDrafts(dir: string): boolean {
  return existsSync(dir) && readdirSync(dir).some((name) => name.endsWith('.tmp'));
}
