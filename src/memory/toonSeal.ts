/**
 * toon-memory's sealed files: one line `iv:tag:text` in hex, AES-256-GCM with a 16-byte initialisation vector, no
 * additional data, and the key as it is.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 16;
const SEALED = /^([0-9a-f]{32}):([0-9a-f]{32}):([0-9a-f]*)$/i;
const KEY = /^[0-9a-f]{64}$/i;

export function isSealed(text: string): boolean {
  return SEALED.test(text.trim());
}

/** 64 hex characters. */
export function isToonKey(key: string): boolean {
  return KEY.test(key);
}

/** The text of a sealed file; undefined when the key is another one, or the file is damaged. */
export function openSealed(text: string, key: string): string | undefined {
  const [, iv = '', tag = '', sealed = ''] = SEALED.exec(text.trim()) ?? [];
  try {
    const cipher = createDecipheriv(ALGORITHM, Buffer.from(key, 'hex'), Buffer.from(iv, 'hex'));
    cipher.setAuthTag(Buffer.from(tag, 'hex'));
    const opened = Buffer.concat([cipher.update(Buffer.from(sealed, 'hex')), cipher.final()]);
    return opened.toString('utf8');
  } catch {
    return undefined;
  }
}

/** The text as a sealed file has it. */
export function sealText(text: string, key: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, Buffer.from(key, 'hex'), iv);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return [iv, cipher.getAuthTag(), sealed].map((part) => part.toString('hex')).join(':');
}
