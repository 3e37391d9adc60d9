import { messageOf } from '../journal/errors.ts';
import { KeyError } from '../journal/keys.ts';

/** What went wrong, without the paths of this machine: agents read it. */
export function faultMessage(error: unknown): string {
  if (error instanceof KeyError) {
    return 'There is no key to seal with: set LODELINE_KEY, or make ~/.lodeline/keys a folder that can be written to.';
  }
  const message = messageOf(error);
  // Node puts the paths, quoted, after the name of the system call.
  return error instanceof Error && 'syscall' in error ? message.replace(/ '.*$/su, '') : message;
}
