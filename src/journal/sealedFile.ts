/**
 * Small files that are sealed as a whole, where their store is. A sealed one is one line:
 *
 *     {"lodeline":"sealed","v":1,"key":"<key id>","box":"<base64>"}
 */
import { randomBytes } from 'node:crypto';
import type { KeyRing } from './keys.ts';
import { NONCE_BYTES, seal, unseal } from './seal.ts';

const HEAD = '{"lodeline":"sealed","v":1,';

/** The bytes of a sealed file; `name`: the file's, in which alone it opens. @throws KeyError */
export function sealedBytes(keys: Pick<KeyRing, 'sealingKey'>, name: string, bytes: Uint8Array): Buffer {
  const key = keys.sealingKey();
  const box = seal(
    key.bytes,
    randomBytes(NONCE_BYTES),
    fieldsOf(name),
    Buffer.from(bytes).toString('base64'),
  );
  return Buffer.from(`${HEAD}"key":"${key.id}","box":"${box}"}\n`, 'latin1');
}

/** Whether these are the bytes of a sealed file. */
export function isSealedFile(bytes: Buffer): boolean {
  return bytes.subarray(0, HEAD.length).toString('latin1') === HEAD;
}

/** What a file says, sealed or not; undefined when it is sealed and cannot be opened. */
export function openedBytes(keys: Pick<KeyRing, 'find'>, name: string, bytes: Buffer): Buffer | undefined {
  if (!isSealedFile(bytes)) return bytes;
  try {
    const { key, box } = JSON.parse(bytes.toString('latin1')) as { key: string; box: string };
    const found = keys.find(key);
    const text = found && unseal(found.bytes, fieldsOf(name), box);
    return text === undefined ? undefined : Buffer.from(text, 'base64');
  } catch {
    return undefined;
  }
}

/** The bytes in the form that the store's switch wants; undefined when they are in it, or cannot be put into it. */
export function refitted(keys: KeyRing, name: string, bytes: Buffer): Buffer | undefined {
  if (isSealedFile(bytes) === keys.sealsAll()) return undefined;
  return keys.sealsAll() ? sealedBytes(keys, name, bytes) : openedBytes(keys, name, bytes);
}

function fieldsOf(name: string) {
  return { id: name, stamp: '', writer: 'file', level: '' };
}
