/** What a chat of ours has from the memory server without anybody asking, and gives it. Both are off until the person wants them. */
import { z } from 'zod';
import { recallQuery, retainedConversation } from '../../memory/hindsight/conversation.ts';
import { readBackendSettings } from '../../memory/hindsight/settings.ts';
import { hitsText } from '../../memory/injected.ts';
import { idOf } from '../../session/sessionId.ts';
import { text } from '../fields.ts';
import { defineTool, type ToolContext } from '../tool.ts';
import { asking, backendCall } from './backendCall.ts';

/** `hindsight.recallMaxQueryChars` (seed 000). */
const LONGEST_QUERY = 800;
/** `hindsight.recallContextTurns` (seed 000): one turn is two messages. */
const PRIOR = 2;
/** A turn does not begin later than this for a server that does not answer, in milliseconds. */
const PATIENCE = 5_000;

const said = z.array(z.object({ role: z.enum(['user', 'assistant']), content: text })).max(1_000);

/** What went with a prompt, for whoever records it. */
export interface ServerMemory {
  readonly hits: readonly { readonly id: string; readonly type: string; readonly mentioned_at: string }[];
}

/** Whether the turns that were given need not be given again. */
export interface TurnsKept {
  readonly isDone: boolean;
}

export const backendInject = defineTool({
  name: 'backend_inject',
  family: 'memory',
  profile: 'client',
  effect: 'read',
  title: 'Server Memory for a Prompt',
  description:
    'What the memory server knows of a prompt, labelled, for the loop that puts it before the prompt.',
  input: z.object({ query: text }),
  async run({ query }, call, context) {
    const data: ServerMemory = { hits: [] };
    if (!wanted(context).autoRecall || query.trim() === '') return { text: '', data };
    // A chat that is gone on with, whose first prompt here need not say what it is about.
    const prior = await context.sessions.said(idOf(call.session), PRIOR);
    const asked = recallQuery(prior, query, LONGEST_QUERY);
    const signal = AbortSignal.any([call.signal, AbortSignal.timeout(PATIENCE)]);
    const hits = await asking(() => context.backend.recall(asked, { ...backendCall(call, context), signal }));
    return {
      text: hitsText(hits, context.now()),
      data: { hits: hits.map(({ id, type, mentionedAt }) => ({ id, type, mentioned_at: mentionedAt })) },
    };
  },
});

export const backendKeep = defineTool({
  name: 'backend_keep',
  family: 'memory',
  profile: 'client',
  effect: 'write',
  title: 'Keep a Conversation on the Server',
  description:
    'Keeps what was said in the last turns of a chat of ours, once there are enough; the loop gives it.',
  input: z.object({ said, turn: z.string().min(1).max(200) }),
  async run({ said: conversation, turn }, call, context) {
    const { autoRetain, retainEveryTurns } = wanted(context);
    const turns = conversation.filter(({ role }) => role === 'user').length;
    const waits: TurnsKept = { isDone: false };
    if (autoRetain && turns < retainEveryTurns) return { text: '', data: waits };
    const content = autoRetain ? retainedConversation(conversation) : '';
    if (content !== '') {
      // The turn's own id: said again, after a turn that was not known to have ended, it takes its own place.
      const item = { content, documentId: `${idOf(call.session)}-${turn}` };
      await asking(() => context.backend.retain([item], backendCall(call, context)));
    }
    const data: TurnsKept = { isDone: true };
    return { text: '', data };
  },
});

/** Of memory on this machine `memory.autoInject` puts what is relevant before a prompt. */
function wanted({ settings }: ToolContext) {
  const { kind, autoRecall, autoRetain, retainEveryTurns } = readBackendSettings(
    settings,
    process.env,
    'PUBLIC',
  );
  const isServer = kind === 'hindsight';
  return { autoRecall: isServer && autoRecall, autoRetain: isServer && autoRetain, retainEveryTurns };
}
