/** Memory that a client reads without a call of a tool, always as it is now, and news of its changes. */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type Resource,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { App } from '../appApi.ts';
import type { TaintedSession } from '../policy/taint.ts';
import type { ToolResult } from '../tools/tool.ts';
import type { Stats } from '../worker/api.ts';
import type { GraphReport } from '../worker/careApi.ts';
import { viewerPage } from './viewer.ts';

/** A burst of changes is told once. */
const QUIET = 200;
/** JSON-RPC code of the protocol for a resource that is not there. */
const NOT_FOUND = -32002;

export const VIEWER = 'ui://viewer';
/** What hosts of MCP Apps take for a page to show. */
const PAGE = 'text/html;profile=mcp-app';

/** Reads a tool's answer for a client, not for its agent. @throws McpError */
export type ReadTool = (name: string, input: Readonly<Record<string, unknown>>) => Promise<ToolResult>;

export interface ResourceParts {
  readonly app: Pick<App, 'news' | 'registry'>;
  /** The connection's. */
  readonly session: TaintedSession;
  readonly read: ReadTool;
  /** Fires when the connection is over. */
  readonly ended: AbortSignal;
}

interface Offer extends Pick<Resource, 'uri' | 'name' | 'title' | 'description' | 'mimeType'> {
  text(): Promise<string>;
}

/** Makes the server answer for resources and tell of their changes. */
export function offerResources(server: Server, parts: ResourceParts): void {
  const offers = offersOf(parts);
  const subscribed = new Set<string>();
  const find = (uri: string): Offer => {
    const offer = offers.find((each) => each.uri === uri);
    if (offer === undefined)
      throw new McpError(NOT_FOUND, `There is no resource ${uri.slice(0, 200)}.`, { uri });
    return offer;
  };
  const changes = tellChanges(parts, async () => {
    await server.sendResourceListChanged();
    for (const uri of subscribed) await server.sendResourceUpdated({ uri });
  });
  server.setRequestHandler(ListResourcesRequestSchema, async () => {
    const now = await sizeOf(parts, changes);
    return {
      resources: offers.map(({ text: _, ...resource }) => ({
        ...resource,
        description: `${resource.description} ${now}`,
      })),
    };
  });
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [] }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }) => {
    const { uri, mimeType, text } = find(params.uri);
    await changes.begin();
    return { contents: [{ uri, mimeType, text: await text() }] };
  });
  server.setRequestHandler(SubscribeRequestSchema, async ({ params }) => {
    subscribed.add(find(params.uri).uri);
    await changes.begin();
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
}

/** A list that failed would keep clients from what can be read again a moment later, such as once a key is back. */
async function sizeOf({ read }: ResourceParts, changes: ReturnType<typeof tellChanges>): Promise<string> {
  try {
    await changes.begin();
    const { total } = (await read('memory_stats', {})).data as Stats;
    return `Now ${total} ${total === 1 ? 'entry' : 'entries'}.`;
  } catch {
    return 'It cannot be read now; reading it says why.';
  }
}

function offersOf({ read }: Pick<ResourceParts, 'read'>): readonly Offer[] {
  return [
    {
      uri: 'toon://memory/entries',
      name: 'memory-entries',
      title: 'Memory entries',
      description: 'Every memory of this project with its facts, as Markdown.',
      mimeType: 'text/markdown',
      text: async () => (await read('context_export', { format: 'full' })).text,
    },
    {
      uri: 'toon://memory/stats',
      name: 'memory-stats',
      title: 'Memory statistics',
      description: 'How many memories there are by category, and how many expire.',
      mimeType: 'text/plain',
      text: async () => (await read('memory_stats', {})).text,
    },
    {
      uri: 'toon://memory/summaries',
      name: 'memory-summaries',
      title: 'Memory primer',
      description: 'A primer for the start of a session: knowledge map, recent memories, key decisions.',
      mimeType: 'text/plain',
      text: async () => (await read('memory_primer', {})).text,
    },
    {
      uri: VIEWER,
      name: 'memory-viewer',
      title: 'Memory viewer',
      description: 'Memories and their links as a page that needs no network.',
      mimeType: PAGE,
      text: async () => viewerPage((await read('memory_viewer', {})).data as GraphReport),
    },
  ];
}

/**
 * Calls `tell` after changes that the level may see, made here or by other processes. `begin` says that the client is
 * about to be shown something: without knowing what it was like, changes above its level would look like others.
 */
function tellChanges(
  { app, session, ended }: ResourceParts,
  tell: () => Promise<void>,
): { begin(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let last: number | undefined;
  let own = false;
  const look = async (): Promise<void> => {
    const version = await app.news.memoryVersion(session);
    // A file summary is no entry and has no version; its writer at least is told.
    const changed = own || (last !== undefined && version !== last);
    own = false;
    last = version;
    if (changed && !ended.aborted) await tell();
  };
  const later = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // The connection or the store may be gone by now: there is nobody to tell.
      look().catch(() => {});
    }, QUIET);
    timer.unref();
  };
  const stops = [
    app.news.onMemory(later),
    app.registry.onWrite((name, call) => {
      if (!name.startsWith('memory_') || call.session !== session.key) return;
      own = true;
      later();
    }),
  ];
  ended.addEventListener('abort', () => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  });
  return {
    begin: async () => {
      last ??= await app.news.memoryVersion(session);
    },
  };
}
