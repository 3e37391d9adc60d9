import type { SpawnCaller } from '../../messaging/children.ts';
import { takesAttachments } from '../../messaging/childSettings.ts';
import { PERSON } from '../../messaging/messageText.ts';
import { SHOWN_SPAWN, SPAWN_INPUT, spawnRequest } from '../../messaging/spawnInput.ts';
import { parseKey } from '../../session/key.ts';
import { callerOf } from '../author.ts';
import { defineTool, type ToolCall, type ToolContext } from '../tool.ts';
import { answer } from './answer.ts';

export const sessionsSpawn = defineTool({
  name: 'sessions_spawn',
  family: 'session',
  profile: 'core',
  effect: 'execute',
  title: 'Spawn Session',
  description:
    'Start a session that works on a task by itself. Returns at once; its result is announced here. It knows only its task.',
  input: SPAWN_INPUT,
  shown: () => SHOWN_SPAWN,
  async run(input, call, context) {
    const { settings, access, messaging } = context;
    const request = spawnRequest(input, {
      sandboxed: call.sandboxed === true,
      opensChats: messaging.opensChats,
      attachments: takesAttachments(settings),
    });
    if ('error' in request) return answer(request);
    const allowed = await access.maySpawn(call, request.agentId);
    if ('error' in allowed) return answer(allowed);
    return answer(await messaging.spawn(request, await spawnCaller(call, allowed, context)));
  },
});

/** Who spawns. A person does it from a chat of ours, or from a panel, to which nothing is announced but a notice. */
async function spawnCaller(
  call: ToolCall,
  { agentId, requester }: { readonly agentId: string; readonly requester: { readonly key: string } },
  { access }: ToolContext,
): Promise<SpawnCaller> {
  const { actor, level, model, loop } = call;
  const hasChat = actor === 'agent' || 'row' in (await access.resolve(call, { sessionKey: 'current' }));
  const { kind, channel } = parseKey(requester.key);
  const own = kind === 'cron' || kind === 'hook' || kind === 'node' ? undefined : channel;
  return {
    ...{ key: hasChat ? requester.key : PERSON, agentId, level, model, call: loop?.callId },
    channel: hasChat ? (own ?? 'internal') : 'internal',
    session: hasChat ? callerOf(call) : undefined,
  };
}
