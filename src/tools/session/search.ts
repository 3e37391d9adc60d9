import { z } from 'zod';
import { readerOf } from '../author.ts';
import { limit, text } from '../fields.ts';
import { defineTool } from '../tool.ts';

const DEFAULT_LIMIT = 20;

export const transcriptsSearch = defineTool({
  name: 'transcripts_search',
  family: 'session',
  profile: 'person',
  effect: 'read',
  title: 'Search Transcripts',
  description: 'What was said in the sessions of this folder, best match first.',
  input: z.object({ query: text, limit: limit.default(DEFAULT_LIMIT) }),
  async run({ query, limit }, call, context) {
    const hits = await context.sessions.searchTranscripts(query, readerOf(call), limit);
    return { text: `${hits.length} ${hits.length === 1 ? 'message' : 'messages'}`, data: { hits } };
  },
});
