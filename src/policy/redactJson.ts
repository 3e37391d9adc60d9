import type { JsonValue } from '../journal/record.ts';
import { redactSecrets } from './redact.ts';

/** Deep enough for every tool's input. */
const MAX_DEPTH = 32;

/** A value as JSON has it, without its secrets and without what lies deeper than any sensible input. */
export async function redactJson(value: unknown, depth = 0): Promise<JsonValue> {
  if (typeof value === 'string') return (await redactSecrets(value)).text;
  if (typeof value === 'boolean' || typeof value === 'number') return value;
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return null;
  const inner = (each: unknown): Promise<JsonValue> => redactJson(each, depth + 1);
  if (Array.isArray(value)) return Promise.all(value.map(inner));
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(
    await Promise.all(
      fields.map(async ([key, field]) => [(await redactSecrets(key)).text, await inner(field)]),
    ),
  );
}
