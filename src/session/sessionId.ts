import { createHash } from 'node:crypto';

/** The id of the session with this key. Keys hold any characters; ids must be safe in paths. */
export function idOf(key: string): string {
  // Halves of characters would all be hashed as the same one.
  const text = key.isWellFormed() ? key : JSON.stringify(key);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
