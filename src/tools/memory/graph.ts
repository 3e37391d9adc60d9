/** Memory as a graph: `memory_graph_path` and `memory_visualize`. */
import { z } from 'zod';
import { clip, oneLine } from '../../memory/line.ts';
import { readerOf } from '../author.ts';
import { countOf } from '../counting.ts';
import { query, target } from '../fields.ts';
import { headline } from '../render.ts';
import { defineTool } from '../tool.ts';

/** A picture with more nodes says nothing. */
const MOST_NODES = 60;
const MOST_MATCHES = 15;
const LABEL = 40;

export const memoryGraphPath = defineTool({
  name: 'memory_graph_path',
  family: 'memory',
  profile: 'full',
  effect: 'read',
  title: 'Path Between Memories',
  description:
    'How two memories hang together: the shortest way between them along links and [[key]] mentions, with what each memory on the way says.',
  input: z.object({
    from: target.describe('Key or id of one memory'),
    to: target.describe('Key or id of the other'),
  }),
  async run({ from, to }, call, context) {
    const found = await context.care.path(from, to, readerOf(call));
    if (found === undefined) {
      return {
        text: `No path between "${oneLine(from)}" and "${oneLine(to)}". Save one of them again with links to connect them.`,
        data: { path: null },
      };
    }
    const { nodes, edges } = found;
    const linked = new Set(edges.map((edge) => `${edge.from} ${edge.to}`));
    const steps = nodes.map((entry, at) => {
      const before = nodes[at - 1];
      if (before === undefined) return headline(entry);
      const [there, back] = [linked.has(`${before.id} ${entry.id}`), linked.has(`${entry.id} ${before.id}`)];
      return `  ${there && back ? '↔' : there ? '→' : '←'} ${headline(entry)}`;
    });
    return {
      text: [`🧭 ${countOf(nodes.length - 1, 'step', 'steps')}:`, ...steps].join('\n'),
      data: { path: nodes.map(({ id, key }) => ({ id, key })), edges },
    };
  },
});

export const memoryVisualize = defineTool({
  name: 'memory_visualize',
  family: 'memory',
  profile: 'full',
  effect: 'read',
  title: 'Visualize Memory',
  description:
    'The memory as a Mermaid graph to show to the user: memories and the links between them. With a query only what matches and what lies beside it. Clients that show interfaces have the same as the page ui://viewer.',
  input: z.object({ query: query.describe('What to show; empty shows what links most') }),
  async run(input, call, context) {
    const matches =
      input.query.trim() === ''
        ? undefined
        : await context.store.recall(
            { query: input.query, filter: {}, limit: MOST_MATCHES, count: false, matchesOnly: true },
            readerOf(call),
          );
    const ids = matches?.results.map(({ entry }) => entry.id);
    const { nodes, edges } = await context.care.graph(ids, MOST_NODES, readerOf(call));
    const data = {
      nodes: nodes.map(({ id, key, category }) => ({ id, key, category })),
      edges,
    };
    if (nodes.length === 0) return { text: 'Nothing to show: no memory matches.', data };
    const names = new Map(nodes.map(({ id }, at) => [id, `n${at}`]));
    const lines = [
      ...nodes.map(({ id, category, key }) => `  ${names.get(id)}["${label(`${category}: ${key}`)}"]`),
      ...edges.map(({ from, to }) => `  ${names.get(from)} --> ${names.get(to)}`),
    ];
    return {
      text: [
        `🕸️ ${countOf(nodes.length, 'memory', 'memories')}, ${countOf(edges.length, 'link', 'links')}`,
        ['```mermaid', 'graph LR', ...lines, '```'].join('\n'),
      ].join('\n\n'),
      data,
    };
  },
});

/** A text inside a quoted Mermaid label: nothing of it is markup, a directive or the end of the block. */
function label(text: string): string {
  return [...clip(text, LABEL)]
    .map((sign) => (/[\p{L}\p{N} :.,_@/()+-]/u.test(sign) ? sign : `#${sign.codePointAt(0)};`))
    .join('');
}
