/** The two forms in which a file of a session's folds stands on disk: plain, or sealed. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { KeyRing } from '../journal/keys.ts';
import { NONCE_BYTES, seal, unseal } from '../journal/seal.ts';
import { canFlowTo, LEVELS, type Level } from '../policy/level.ts';

const boxSchema = z.object({ level: z.enum(LEVELS), key: z.string(), box: z.string() });

export type FoldBox = z.output<typeof boxSchema>;

export interface FoldForm {
  /** What the files are bound to: the session's id, a slash and the subagent's. */
  readonly session: string;
  readonly keys: KeyRing;
  readonly defaultLevel: Level;
}

/** What a sealed file says of itself; undefined for a plain one. */
export function boxIn(bytes: Buffer): FoldBox | undefined {
  const text = bytes.toString('utf8');
  return boxSchema.safeParse(text.startsWith('{') ? parsed(text) : undefined).data;
}

/** The bytes of a file, sealed where its level is above the folder's, or where the store is. @throws KeyError */
export function encoded(form: FoldForm, path: string, text: string, level: Level): Buffer {
  const { keys, defaultLevel, session } = form;
  if (!keys.sealsAll() && canFlowTo(level, defaultLevel)) return Buffer.from(text.toWellFormed(), 'utf8');
  const key = keys.sealingKey();
  const nonce = randomBytes(NONCE_BYTES);
  const box = seal(key.bytes, nonce, sealedFields(session, path, level), text.toWellFormed());
  return Buffer.from(`${JSON.stringify({ level, key: key.id, box })}\n`, 'utf8');
}

/** The text of a file; undefined where it cannot be opened, or is sealed for another session or path. */
export function decoded({ session, keys }: FoldForm, path: string, bytes: Buffer): string | undefined {
  const sealed = boxIn(bytes);
  if (sealed === undefined) return bytes.toString('utf8');
  const key = keys.find(sealed.key);
  return key && unseal(key.bytes, sealedFields(session, path, sealed.level), sealed.box);
}

/** Whether a file stands in a form that no longer counts, and can be put into the one that does. */
export function isMisfit({ keys, defaultLevel }: FoldForm, bytes: Buffer): boolean {
  const sealed = boxIn(bytes);
  if (sealed === undefined) return keys.sealsAll();
  return !keys.sealsAll() && canFlowTo(sealed.level, defaultLevel) && keys.find(sealed.key) !== undefined;
}

/** From JSON; undefined for what is none. */
export function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sealedFields(session: string, path: string, level: Level) {
  return { id: session, stamp: path, writer: 'folds', level };
}
