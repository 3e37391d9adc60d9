import { messageOf } from '../journal/errors.ts';
import { KeyError } from '../journal/keys.ts';

/** What went wrong, without the paths of this machine: agents read it. */
export function faultMessage(error: unknown): string {
  if (error instanceof KeyError) {
    return 'The key to seal with is not here. Put it back into ~/.lodeline/keys or set LODELINE_KEY to it; a new key needs ~/.lodeline/keys to be a folder that can be written to.';
  }
  const message = messageOf(error);
  // Node puts the paths, quoted, after the name of the system call.
  return error instanceof Error && 'syscall' in error ? message.replace(/ '.*$/su, '') : message;
}
