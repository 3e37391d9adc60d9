import { z } from 'zod';
import type { Settings } from '../ports.ts';
import type { ToolSpec } from '../session/chatModel.ts';
import type { ToolDefinition } from './tool.ts';

/**
 * These cost every chat tokens (all bounds together some 250 of the 3,000 that the core tools may take) and seldom
 * change what a model sends. Bounds are checked all the same, and whoever breaks one is told so in words; what is left
 * out has its default. Some clients drop every bound from a schema: one that matters stands in a description, too.
 */
const UNSAID = ['default', 'minLength', 'maxItems', 'minimum', 'maximum'] as const;
/** A longer text than this is none that a model sends by mistake: its bound is left out as well. In characters. */
const SHORT = 50;

/**
 * JSON Schema of what callers send to a tool: before defaults and transforms. Of bounds it has those that models do
 * break: that a list may not be empty, and how long a short name may be.
 */
export function inputSchemaOf(
  { input, shown }: Pick<ToolDefinition, 'input' | 'shown'>,
  settings?: Settings,
): ToolSpec['inputSchema'] {
  const { $schema: _, ...schema } = z.toJSONSchema(shown?.(settings) ?? input, {
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const name of UNSAID) delete jsonSchema[name];
      if (jsonSchema.maxLength !== undefined && jsonSchema.maxLength > SHORT) delete jsonSchema.maxLength;
    },
  });
  // A schema is JSON by its nature; zod's type also has functions for its own use.
  return schema as ToolSpec['inputSchema'];
}
