import { z } from 'zod';
import type { Settings } from '../ports.ts';
import type { ToolSpec } from '../session/chatModel.ts';
import type { ToolDefinition } from './tool.ts';

/**
 * These cost every chat tokens and seldom change what a model sends. Bounds are checked all the same, and whoever
 * breaks one is told so in words; what is left out has its default.
 */
const UNSAID = ['default', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum'] as const;

/** JSON Schema of what callers send to a tool: before defaults and transforms, without bounds and defaults. */
export function inputSchemaOf(
  { input, shown }: Pick<ToolDefinition, 'input' | 'shown'>,
  settings?: Settings,
): ToolSpec['inputSchema'] {
  const { $schema: _, ...schema } = z.toJSONSchema(shown?.(settings) ?? input, {
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const name of UNSAID) delete jsonSchema[name];
    },
  });
  // A schema is JSON by its nature; zod's type also has functions for its own use.
  return schema as ToolSpec['inputSchema'];
}
