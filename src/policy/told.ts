/** What the editor tells the hooks that it starts of the person's rules for levels: they cannot read its settings. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';

export const CLASSIFICATION_VARIABLE = 'LODELINE_CLASSIFICATION';
/** Windows takes no more than 32,767 characters, and the whole environment shares them. */
const MAX_TEXT = 16_000;
/** What begins so is packed; JSON does not. */
const PACKED = 'deflate:';
const MAX_UNPACKED = 16 * 1024 * 1024;

const toldSchema = z.object({
  defaultLevel: z.string().optional(),
  files: z.unknown().optional(),
  tools: z.unknown().optional(),
});

export type ToldClassification = z.output<typeof toldSchema>;

export interface ToldText {
  readonly text: string;
  /** The rules are too many for it even when they are packed: every tool is said to raise to the highest level. */
  readonly isTooLong: boolean;
}

/** As the variable holds it. Rules that are too many for it become one that covers everything: none must be missed. */
export function toldText(told: ToldClassification): ToldText {
  const whole = JSON.stringify(told);
  if (whole.length <= MAX_TEXT) return { text: whole, isTooLong: false };
  const packed = PACKED + deflateRawSync(whole).toString('base64');
  if (packed.length <= MAX_TEXT) return { text: packed, isTooLong: false };
  const text = JSON.stringify({ defaultLevel: told.defaultLevel, tools: { '*': 'RESTRICTED' } });
  return { text, isTooLong: true };
}

/** What the variable says; nothing where it says nothing that can be read. */
export function parseTold(text = '{}'): ToldClassification {
  try {
    return toldSchema.parse(JSON.parse(text.startsWith(PACKED) ? unpacked(text) : text));
  } catch {
    return {};
  }
}

function unpacked(text: string): string {
  const bytes = Buffer.from(text.slice(PACKED.length), 'base64');
  return inflateRawSync(bytes, { maxOutputLength: MAX_UNPACKED }).toString('utf8');
}
