/**
 * The memory server and a chat with @lodeline, where the person wants that: what it knows goes before the first prompt,
 * and what was said goes to it. That either fails is no failure of the turn.
 */
import { messageOf } from '../journal/errors.ts';
import { textMessage } from '../session/messages.ts';
import type { Draft } from '../session/record.ts';
import type { ServerMemory, TurnsKept } from '../tools/memory/backendTurn.ts';
import type { TurnOwner } from '../worker/sessionApi.ts';
import type { Chat } from './participantChat.ts';

/** So many messages wait at most to be kept. */
const MOST = 200;

type Serving = Pick<Chat, 'app' | 'parts' | 'place' | 'signal'>;

interface Said {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** What this window has of a chat. */
interface ChatState {
  /** Its first prompt here was looked up. */
  isRecalled: boolean;
  /** What was said since it was last kept. */
  said: readonly Said[];
}

const chats = new WeakMap<object, Map<string, ChatState>>();

/** What is recorded before the first prompt of a chat in this window: where it comes from, and what the server found. */
export async function recalledBefore(
  chat: Serving,
  owner: Pick<TurnOwner, 'level' | 'source'>,
  prompt: string,
): Promise<readonly Draft[]> {
  const state = stateOf(chat);
  if (state.isRecalled) return [];
  state.isRecalled = true;
  try {
    const { text, data } = await invoke(chat, owner, 'backend_inject', { query: prompt });
    if (text === '') return [];
    const { hits } = data as ServerMemory;
    return [
      {
        type: 'provenance',
        provenance: { source: 'memory-server', detail: { hits: hits.map((hit) => ({ ...hit })) } },
      },
      { type: 'message', message: textMessage('system', text) },
    ];
  } catch (error) {
    chat.parts.log.warn(`@lodeline: the memory server was not asked for a prompt: ${messageOf(error)}`);
    return [];
  }
}

/**
 * Notes what was said in a turn; once there are enough turns, the server is given them.
 * @param turn names the turn
 */
export async function keepTurn(
  chat: Serving,
  owner: Pick<TurnOwner, 'level' | 'source'>,
  turn: string,
  { prompt, answer }: { readonly prompt: string; readonly answer: string },
): Promise<void> {
  const state = stateOf(chat);
  const said: readonly Said[] = [
    ...state.said,
    { role: 'user', content: prompt },
    { role: 'assistant', content: answer },
  ];
  // What cannot be kept goes with the turns that follow.
  state.said = said.slice(-MOST);
  try {
    const { data } = await invoke(chat, owner, 'backend_keep', { said, turn });
    if ((data as TurnsKept).isDone) state.said = [];
  } catch (error) {
    chat.parts.log.warn(`@lodeline: a chat was not kept on the memory server: ${messageOf(error)}`);
  }
}

async function invoke(
  { app, place, signal }: Serving,
  { level, source }: Pick<TurnOwner, 'level' | 'source'>,
  tool: string,
  input: Readonly<Record<string, unknown>>,
) {
  const outcome = await app.registry.invoke(tool, input, {
    ...{ door: 'editor', actor: 'agent', isUnobserved: true, level, session: place.key, source, signal },
    approve: async () => 'declined',
  });
  if (outcome.isError) throw new Error(outcome.text);
  return outcome;
}

function stateOf({ app, place }: Serving): ChatState {
  const known = chats.get(app) ?? new Map<string, ChatState>();
  chats.set(app, known);
  const state = known.get(place.key) ?? { isRecalled: false, said: [] };
  known.set(place.key, state);
  return state;
}
