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
import type { App } from '../app.ts';
import type { Level } from '../policy/level.ts';
import { viewerPage } from './viewer.ts';

/** A burst of changes is told once. */
const QUIET = 200;
/** JSON-RPC code of the protocol for a resource that is not there. */
const NOT_FOUND = -32002;
const MOST_NODES = 500;

export const VIEWER = 'ui://viewer';
/** What hosts of MCP Apps take for a page to show. */
const PAGE = 'text/html;profile=mcp-app';

/** Reads a tool's answer for a client, not for its agent. */
export type ReadTool = (name: string, input: Readonly<Record<string, unknown>>) => Promise<string>;

export interface ResourceParts {
  readonly app: App;
  /** The level of the connection's session at this moment. @throws TaintError when it cannot be told. */
  level(): Level;
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
  server.setRequestHandler(ListResourcesRequestSchema, async () => {
    const { total } = await parts.app.store.stats({ level: parts.level() });
    return {
      resources: offers.map(({ text: _, ...resource }) => ({
        ...resource,
        description: `${resource.description} Now ${total} ${total === 1 ? 'entry' : 'entries'}.`,
      })),
    };
  });
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [] }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }) => {
    const { uri, mimeType, text } = find(params.uri);
    return { contents: [{ uri, mimeType, text: await text() }] };
  });
  server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
    subscribed.add(find(params.uri).uri);
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  tellChanges(parts, async () => {
    await server.sendResourceListChanged();
    for (const uri of subscribed) await server.sendResourceUpdated({ uri });
  });
}

function offersOf({ app, level, read }: ResourceParts): readonly Offer[] {
  return [
    {
      uri: 'toon://memory/entries',
      name: 'memory-entries',
      title: 'Memory entries',
      description: 'Every memory of this project with its facts, as Markdown.',
      mimeType: 'text/markdown',
      text: () => read('context_export', { format: 'full' }),
    },
    {
      uri: 'toon://memory/stats',
      name: 'memory-stats',
      title: 'Memory statistics',
      description: 'How many memories there are by category, and how many expire.',
      mimeType: 'text/plain',
      text: () => read('memory_stats', {}),
    },
    {
      uri: 'toon://memory/summaries',
      name: 'memory-summaries',
      title: 'Memory primer',
      description: 'A primer for the start of a session: knowledge map, recent memories, key decisions.',
      mimeType: 'text/plain',
      text: () => read('memory_primer', {}),
    },
    {
      uri: VIEWER,
      name: 'memory-viewer',
      title: 'Memory viewer',
      description: 'Memories and their links as a page that needs no network.',
      mimeType: PAGE,
      text: async () => viewerPage(await app.store.graph(undefined, MOST_NODES, { level: level() })),
    },
  ];
}

/** Calls `tell` after changes that the level may see, made here or by other processes. */
function tellChanges({ app, level, ended }: ResourceParts, tell: () => Promise<void>): void {
  let timer: NodeJS.Timeout | undefined;
  let last = -1;
  let own = false;
  const look = async (): Promise<void> => {
    const version = await app.store.version({ level: level() });
    // A file summary is no entry and has no version; its writer at least is told.
    const changed = own || version !== last;
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
    app.store.onChange(later),
    app.registry.onWrite((name) => {
      if (!name.startsWith('memory_')) return;
      own = true;
      later();
    }),
  ];
  ended.addEventListener('abort', () => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  });
}
