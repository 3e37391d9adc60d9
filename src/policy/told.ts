/** What the editor tells the hooks that it starts of the person's rules for levels: they cannot read its settings. */
import { z } from 'zod';

export const CLASSIFICATION_VARIABLE = 'LODELINE_CLASSIFICATION';
/** Windows takes no more than 32,767 characters, and the whole environment shares them. */
const MAX_TEXT = 16_000;

const toldSchema = z.object({
  defaultLevel: z.string().optional(),
  files: z.unknown().optional(),
  tools: z.unknown().optional(),
});

export type ToldClassification = z.output<typeof toldSchema>;

/** As the variable holds it. Rules that are too many for it become one that covers everything: none must be missed. */
export function toldText(told: ToldClassification): string {
  const text = JSON.stringify(told);
  if (text.length <= MAX_TEXT) return text;
  return JSON.stringify({ defaultLevel: told.defaultLevel, tools: { '*': 'RESTRICTED' } });
}

/** What the variable says; nothing where it says nothing that can be read. */
export function parseTold(text: string | undefined): ToldClassification {
  try {
    return toldSchema.parse(JSON.parse(text ?? '{}'));
  } catch {
    return {};
  }
}
