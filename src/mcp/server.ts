/** The MCP server: lists the tools of a profile and turns calls into calls of the registry. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import { version } from '../../package.json';
import type { App } from '../appApi.ts';
import type { Settings } from '../ports.ts';
import { inputSchemaOf } from '../tools/inputSchema.ts';
import { toolsOf } from '../tools/registry.ts';
import type { ToolDefinition } from '../tools/tool.ts';
import { approveBy } from './approve.ts';
import { instructions } from './instructions.ts';
import type { McpOptions } from './options.ts';
import { tellProgress } from './progress.ts';
import { offerPrompts } from './prompts.ts';
import { offerResources, type ReadTool, VIEWER } from './resources.ts';

/** The tools that talk to the network, after the person agreed. */
const REACHES_OUT: ReadonlySet<string> = new Set(['memory_export_gist', 'memory_import_gist']);

/** A server and what its owner needs to end it without losing answers. */
export interface McpServer {
  readonly server: Server;
  /** Resolves when no call is running. */
  idle(): Promise<void>;
}

/** Makes a server for one connection. Calls that wait for the person give up when `ended` fires. */
export function createMcpServer(app: App, options: McpOptions, ended: AbortSignal): McpServer {
  const server = new Server(
    { name: 'lodeline', title: 'Lodeline', version },
    {
      capabilities: {
        tools: {},
        resources: { subscribe: true, listChanged: true },
        prompts: {},
        experimental: { 'io.modelcontextprotocol/ui': {} },
      },
      instructions: instructions(app.settings),
    },
  );
  const definitions = toolsOf(options.profile, app.settings);
  const offered = new Set(definitions.map(({ name }) => name));
  const tools = definitions.map((tool) => toMcpTool(tool, app.settings));
  const running = new Set<Promise<CallToolResult>>();
  const start = options.classification ?? app.defaultLevel;
  const caller = () =>
    ({
      door: 'mcp',
      actor: 'agent',
      level: start,
      session: options.session,
      sandboxed: options.sandboxed,
      source: clientOf(server),
    }) as const;
  const read: ReadTool = async (name, input) => {
    const { text, data, isError } = await app.registry.invoke(name, input, {
      ...caller(),
      signal: ended,
      approve: async () => 'unavailable',
      isUnobserved: true,
    });
    if (isError) throw new McpError(ErrorCode.InternalError, text);
    return { text, data };
  };
  offerResources(server, { app, session: { key: options.session, start }, read, ended });
  offerPrompts(server, read);

  async function callTool(name: string, input: unknown, signal: AbortSignal): Promise<CallToolResult> {
    if (!offered.has(name)) {
      // As text, like the SDK's own servers: models read results, and few clients show them protocol errors.
      return errorResult(new McpError(ErrorCode.InvalidParams, `Tool ${name} not found`).message);
    }
    const { text, data, isError } = await app.registry.invoke(name, input, {
      ...caller(),
      signal,
      approve: approveBy(server, AbortSignal.any([signal, ended])),
    });
    if (isError) return errorResult(text);
    return { content: [{ type: 'text', text }], ...(isRecord(data) && { structuredContent: data }) };
  }

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal, sendNotification }) => {
    const { name, _meta } = params;
    const progressToken = _meta?.progressToken;
    const stop =
      progressToken === undefined
        ? undefined
        : tellProgress({
            ...{ name, news: app.news, signal },
            send: (told) =>
              sendNotification({ method: 'notifications/progress', params: { ...told, progressToken } }),
          });
    const call = callTool(name, params.arguments, signal).finally(stop);
    running.add(call);
    return call.finally(() => running.delete(call));
  });
  return {
    server,
    idle: async () => {
      do {
        await Promise.allSettled(running);
        // The SDK starts a handler some microtasks after its message came, and answers some after it is done.
        await new Promise(setImmediate);
      } while (running.size > 0);
    },
  };
}

/** The name of the agent at the other end, as it says itself. */
export function clientOf(server: Server): string {
  return server.getClientVersion()?.name.slice(0, 80) || 'mcp';
}

function toMcpTool(tool: ToolDefinition, settings: Settings): Tool {
  const { name, title, description, effect } = tool;
  return {
    name,
    title,
    description,
    inputSchema: inputSchemaOf(tool, settings) as Tool['inputSchema'],
    ...(name === 'memory_visualize' && { _meta: { ui: { resourceUri: VIEWER } } }),
    annotations: {
      readOnlyHint: effect === 'read',
      destructiveHint: effect === 'destructive' || effect === 'execute',
      idempotentHint: effect === 'read',
      openWorldHint: REACHES_OUT.has(name),
    },
  };
}

function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function isRecord(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}
