/** Inputs of tools as callers write them, and what is wrong with them. */
import type { z } from 'zod';
import type { ToolDefinition } from './tool.ts';

/**
 * Models fill fields for which they have nothing with null or ''. Where an optional field has no such value, it means
 * "not given". A person's form means what it says.
 */
export function parse(tool: ToolDefinition, input: unknown) {
  const parsed = tool.input.safeParse(input);
  if (parsed.success || tool.profile === 'person' || typeof input !== 'object' || input === null)
    return parsed;
  const wrong = new Set(parsed.error.issues.map(({ path }) => (path.length === 1 ? path[0] : undefined)));
  const given = Object.entries(input).filter(
    ([name, value]) => !(wrong.has(name) && (value === '' || value === null)),
  );
  const again = tool.input.safeParse(Object.fromEntries(given));
  return again.success ? again : parsed;
}

/** All problems of an input in one sentence each, with the path of the field. */
export function describe(error: z.ZodError): string {
  return error.issues
    .map(({ path, message: said }) => {
      const message = said.replace(/^Invalid input: expected (\w+), received undefined$/, 'is missing ($1)');
      return path.length > 0 ? `${path.join('.')}: ${message}` : message;
    })
    .join('; ');
}
