/** Ids that follow from what they are for, so that whoever goes on after a crash comes to the same ones. */
import { createHash } from 'node:crypto';

/** The id of a part of a run, such as `announce`, as a UUID. */
export function derivedId(run: string, part: string): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([run, part]))
    .digest('hex');
  // A name-based UUID of RFC 9562's free kind: version 8, variant 10.
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}
