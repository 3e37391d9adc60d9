import { z } from 'zod';
import type { GraphReport } from '../../worker/careApi.ts';
import { readerOf } from '../author.ts';
import { countOf } from '../counting.ts';
import { defineTool } from '../tool.ts';

const MOST_NODES = 500;

export const memoryViewer = defineTool({
  name: 'memory_viewer',
  family: 'memory',
  profile: 'client',
  effect: 'read',
  title: 'Memory Viewer',
  description: 'Memories and their links, whole, for a page that a client shows.',
  input: z.object({}),
  async run(_input, call, { care }) {
    const data: GraphReport = await care.graph(undefined, MOST_NODES, readerOf(call));
    return { text: countOf(data.nodes.length, 'memory', 'memories'), data };
  },
});
