import { z } from 'zod';
import { draftOf } from '../../memory/captureDraft.ts';
import type { Draft } from '../../memoryProtocol.ts';
import { nameOf } from '../../session/presenceConflicts.ts';
import { authorOf, readerOf } from '../author.ts';
import { countOf } from '../counting.ts';
import { content, idList } from '../fields.ts';
import { defineTool, type ToolCall, type ToolContext } from '../tool.ts';

/** As many captured actions as the log holds at most. */
const LOOKED_AT = 500;

export const memoryDrafts = defineTool({
  name: 'memory_drafts',
  family: 'memory',
  profile: 'person',
  effect: 'write',
  effectOf: ({ action }) => (action === 'list' ? 'read' : 'write'),
  title: 'Go Through Drafts',
  description: 'Drafts and captured actions that nobody has decided about, and the decision.',
  input: z.object({
    action: z.enum(['list', 'accept', 'reject']).default('list'),
    ids: idList.default([]),
    content: content.optional(),
  }),
  async run({ action, ids, content: text }, call, context) {
    const found = await captured(call, context);
    if (action === 'list') {
      const drafts = await listed(found, call, context);
      return { text: countOf(drafts.length, 'draft', 'drafts'), data: { drafts } };
    }
    const settled = await context.care.settleDrafts(
      { ids, accept: action === 'accept', content: text, captured: found.map(({ draft }) => draft) },
      authorOf(call, context),
    );
    return {
      text: `${action === 'accept' ? 'Accepted' : 'Rejected'} ${countOf(settled.length, 'draft', 'drafts')}`,
      data: { ids: settled },
    };
  },
});

async function captured(call: ToolCall, context: ToolContext) {
  const query = { limit: LOOKED_AT, tool: '', file: '' };
  const { captures } = await context.sessions.captured(query, readerOf(call));
  return captures.map((capture) => ({ capture, draft: draftOf(capture) }));
}

/** The most confident first, as promoting takes them. */
async function listed(
  found: Awaited<ReturnType<typeof captured>>,
  call: ToolCall,
  context: ToolContext,
): Promise<Draft[]> {
  const { entries, captured: open } = await context.care.drafts(
    found.map(({ draft }) => draft),
    readerOf(call),
  );
  const drafts = [
    ...entries.map(
      ({ id, key, category, content: text, file, level, confidence, source, session, updated }) => ({
        ...{ name: id, id, key, category, content: text, file, level, confidence, session },
        ...{ source, tool: '', at: updated },
      }),
    ),
    ...open.flatMap((at): Draft[] => {
      const each = found[at];
      if (each === undefined) return [];
      const { capture, draft } = each;
      const { key, category, content: text, file = '', level, confidence = 0 } = draft;
      return [
        {
          ...{ name: key, id: null, key, category, content: text, file, level, confidence },
          ...{ source: nameOf(capture), session: capture.session, tool: capture.tool, at: capture.at },
        },
      ];
    }),
  ];
  return drafts.sort((a, b) => b.confidence - a.confidence || b.at - a.at);
}
