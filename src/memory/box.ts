/** Sealed lines outside the journal, in backups and among secrets. */
import { randomBytes } from 'node:crypto';
import type { KeyRing } from '../journal/keys.ts';
import { NONCE_BYTES, seal, unseal } from '../journal/seal.ts';

/** A sealed text with the id of its key. */
export interface Box {
  readonly key: string;
  readonly text: string;
}

/** What a seal vouches for beside its text: where it lies, so that a box cannot be put in the place of another. */
export interface BoxLabel {
  readonly id: string;
  readonly level: string;
  readonly place: string;
}

/** Seals a text with the ring's key. Throws a `KeyError` when there is none and none can be made. */
export function sealBox(keys: KeyRing, label: BoxLabel, text: string): Box {
  const { id, bytes } = keys.sealingKey();
  return { key: id, text: seal(bytes, randomBytes(NONCE_BYTES), fieldsOf(label), text) };
}

/** The text, or undefined when its key is not here or something of it was changed. */
export function openBox(keys: KeyRing, label: BoxLabel, box: Box): string | undefined {
  const key = keys.find(box.key);
  return key === undefined ? undefined : unseal(key.bytes, fieldsOf(label), box.text);
}

function fieldsOf({ id, level, place }: BoxLabel) {
  return { id, level, stamp: '', writer: place };
}
