import { z } from 'zod';
import type { Settings } from '../ports.ts';
import type { ToolSpec } from '../session/chatModel.ts';
import type { ToolDefinition } from './tool.ts';

/** JSON Schema of what callers send to a tool: before defaults and transforms. */
export function inputSchemaOf(
  { input, shown }: Pick<ToolDefinition, 'input' | 'shown'>,
  settings?: Settings,
): ToolSpec['inputSchema'] {
  const { $schema: _, ...schema } = z.toJSONSchema(shown?.(settings) ?? input, { io: 'input' });
  // A schema is JSON by its nature; zod's type also has functions for its own use.
  return schema as ToolSpec['inputSchema'];
}
