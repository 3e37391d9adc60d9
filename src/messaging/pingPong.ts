/** What two agents say to each other after a message was answered, and how it ends (seed 003). */

/** `session.agentToAgent.maxPingPongTurns`: 0 to 5; what is no number counts as the default. */
export function maxPingPongTurns(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) return MOST_TURNS;
  return Math.min(MOST_TURNS, Math.max(0, Math.floor(value)));
}

const MOST_TURNS = 5;

/** Exactly these answers are for nobody. */
const SILENT: ReadonlySet<string> = new Set(['REPLY_SKIP', 'ANNOUNCE_SKIP', 'NO_REPLY']);

/** Whether an answer says that there is nothing to say. */
export function isSilent(reply: string): boolean {
  const text = reply.trim();
  return text === '' || SILENT.has(text);
}

export interface Talk {
  /** How many automatic answers came. */
  readonly turns: number;
  /** The last one that said something. */
  readonly latest: string;
}

/**
 * Lets two agents answer each other in turn, the requester first, until one is silent or all turns are used.
 * @param first what the target answered to the message
 * @param answer asks one of them; undefined where it cannot, or must not, answer
 */
export async function pingPong(
  first: string,
  maxTurns: number,
  answer: (turn: number, speaker: 'requester' | 'target', text: string) => Promise<string | undefined>,
): Promise<Talk> {
  let latest = first;
  for (let turn = 1; turn <= maxTurns; turn++) {
    const reply = await answer(turn, turn % 2 === 1 ? 'requester' : 'target', latest);
    if (reply === undefined) return { turns: turn - 1, latest };
    if (isSilent(reply)) return { turns: turn, latest };
    latest = reply;
  }
  return { turns: maxTurns, latest };
}
