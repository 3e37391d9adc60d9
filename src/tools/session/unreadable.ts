import type { SessionRow } from '../../planProtocol.ts';
import type { Phrase } from '../../protocol.ts';
import { StoreError } from '../../worker/api.ts';
import { readerOf } from '../author.ts';
import type { ToolCall, ToolContext } from '../tool.ts';

/** As many as a panel offers of those that can be read. */
const LISTED = 50;

/** What a panel shows of a session that cannot be read: why, and the sessions to choose instead. */
interface Unreadable {
  readonly session: SessionRow | null;
  readonly sessions: readonly SessionRow[];
  readonly unreadable: Phrase;
}

/**
 * The view of a session; where it cannot be read, `otherwise` with the reason, so that the panel neither looks empty
 * nor loses the choice of another session.
 */
export async function readable<View extends object, Other extends object>(
  read: () => Promise<View>,
  otherwise: Other,
  id: string | undefined,
  call: ToolCall,
  { sessions }: ToolContext,
): Promise<View | (Other & Unreadable)> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const entries = await sessions.sessionsBrowse(readerOf(call));
    const rows = entries.slice(0, LISTED).map(({ key: _key, kind: _kind, ...row }): SessionRow => row);
    const session = rows.find((row) => id === undefined || row.id === id) ?? null;
    const unreadable = error.phrase ?? { text: error.message, values: [] };
    return { ...otherwise, session, sessions: rows, unreadable };
  }
}
