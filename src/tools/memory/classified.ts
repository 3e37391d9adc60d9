/** What the tools of classified memory (seed 004) share. Their inputs are checked in code, with the seed's own texts. */
import { z } from 'zod';
import type { MemoryRecord } from '../../worker/recordsApi.ts';
import { content, key } from '../fields.ts';
import { type ToolDefinition, ToolError, type ToolResult } from '../tool.ts';

type Tool = Pick<ToolDefinition, 'name'>['name'];

/** Inputs that any value may be given for; `shown` tells callers what to give. */
export const anything = z.unknown().optional();

/** The key that a call names. @throws ToolError with the seed's text when there is none. */
export function requiredKey(tool: Tool, value: unknown): string {
  return checked(key, requiredText(tool, 'key', value));
}

/** The content that a call gives. @throws ToolError as above. */
export function requiredContent(tool: Tool, value: unknown): string {
  return checked(content, requiredText(tool, 'content', value));
}

function requiredText(tool: Tool, name: string, value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '')
    throw new ToolError(`Error: ${tool} requires a '${name}' argument (non-empty string).`);
  return value;
}

function checked(field: z.ZodType<string>, value: string): string {
  const parsed = field.safeParse(value);
  if (!parsed.success)
    throw new ToolError(`Error: ${parsed.error.issues.map(({ message }) => message).join('; ')}.`);
  return parsed.data;
}

/** A result whose text is its data as JSON, which is what the seed's tools answer. */
export function asJson(data: Readonly<Record<string, unknown>>): ToolResult {
  return { text: JSON.stringify(data), data };
}

/** A record with its times as ISO dates. */
export function shownRecord({ createdAt, updatedAt, ...record }: MemoryRecord) {
  return {
    ...record,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  };
}
