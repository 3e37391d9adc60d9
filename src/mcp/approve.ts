import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { type ToolCall, ToolError } from '../tools/tool.ts';

/** How long a question waits for the person. */
const PATIENCE = 10 * 60_000;

/**
 * Asks the person through the client's own form, where the client has forms. A question that nobody answers is not
 * an approval: the call fails and nothing changes.
 */
export function approveBy(server: Server, signal: AbortSignal): ToolCall['approve'] {
  return async ({ title, detail }) => {
    if (server.getClientCapabilities()?.elicitation?.form === undefined) return 'unavailable';
    try {
      const { action, content } = await server.elicitInput(
        {
          message: `${title}\n\n${detail}`,
          requestedSchema: {
            type: 'object',
            properties: {
              approve: { type: 'boolean', title: 'Approve', description: title, default: false },
            },
            required: ['approve'],
          },
        },
        { signal, timeout: PATIENCE },
      );
      return action === 'accept' && content?.approve === true ? 'approved' : 'declined';
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof McpError && error.code === ErrorCode.MethodNotFound) return 'unavailable';
      throw new ToolError(`The person was asked "${title}" and gave no answer. Nothing was changed.`);
    }
  };
}
