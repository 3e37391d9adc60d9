/** Sealing of payloads: AES-256-GCM. The record's clear fields are authenticated with it. */
import { createCipheriv, createDecipheriv } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
/** 96 bits, the length GCM is made for; random, which is safe for 2^32 records a key. */
export const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The clear fields of a record that a seal vouches for. */
export interface SealedFields {
  id: string;
  stamp: string;
  writer: string;
  level: string;
}

/** Base64 of nonce, ciphertext and tag. `nonce` must never have been used with `key` before. */
export function seal(key: Uint8Array, nonce: Uint8Array, fields: SealedFields, text: string): string {
  const cipher = createCipheriv(CIPHER, key, nonce);
  cipher.setAAD(associated(fields));
  const sealed = [cipher.update(text, 'utf8'), cipher.final()];
  return Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]).toString('base64');
}

/** The sealed text, or undefined when the box or one of the clear fields is not what was sealed. */
export function unseal(key: Uint8Array, fields: SealedFields, box: string): string | undefined {
  const bytes = Buffer.from(box, 'base64');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(associated(fields));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const clear = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([clear, decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

function associated({ id, stamp, writer, level }: SealedFields): Buffer {
  return Buffer.from(`${id}|${stamp}|${writer}|${level}`, 'utf8');
}
