/** A run that nobody can go on with, such as for want of a model, is given up after a day. */
export const GIVE_UP_MS = 24 * 60 * 60_000;

/** Something that is left to another process, or to a later time. */
export class Postponed extends Error {
  override readonly name = 'Postponed';
}
