/** Memory that goes before a prompt to @lodeline, without being asked. */
import { messageOf } from '../journal/errors.ts';
import { textMessage } from '../session/messages.ts';
import type { Draft } from '../session/record.ts';
import type { InjectedMemory } from '../tools/memory/inject.ts';
import type { TurnOwner } from '../worker/sessionApi.ts';
import type { Chat } from './participantChat.ts';

/**
 * What is recorded before a prompt: where it comes from, and the memories as neither the person's nor the model's words.
 * Nothing where nothing is relevant, or all of it is in view already. That it fails is no failure of the turn.
 */
export async function injectedBefore(
  { app, parts, place, signal }: Pick<Chat, 'app' | 'parts' | 'place' | 'signal'>,
  owner: TurnOwner,
  prompt: string,
): Promise<readonly Draft[]> {
  try {
    if (app.settings.get('memory.autoInject') === 0) return [];
    const shown = await app.loopOf(place.key).memoriesShown(owner);
    const { text, data, isError } = await app.registry.invoke(
      'memory_inject',
      { query: prompt, shown },
      {
        ...{ door: 'editor', actor: 'agent', isUnobserved: true, level: owner.level },
        ...{ session: place.key, source: owner.source, signal },
        approve: async () => 'declined',
      },
    );
    if (isError) throw new Error(text);
    if (text === '') return [];
    const { entries } = data as InjectedMemory;
    return [
      {
        type: 'provenance',
        provenance: { source: 'memory', detail: { entries: entries.map((entry) => ({ ...entry })) } },
      },
      { type: 'message', message: textMessage('system', text) },
    ];
  } catch (error) {
    parts.log.warn(`@lodeline: memory was not looked at for a prompt: ${messageOf(error)}`);
    return [];
  }
}
