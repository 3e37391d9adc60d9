/** Who asks about sessions. */
import type { Level } from '../policy/level.ts';
import { splitKey } from '../policy/sessionKey.ts';
import { clampedMode, type VisibilityMode } from '../policy/visibility.ts';
import { canonicalKey } from '../session/key.ts';
import type { SessionKind } from '../session/record.ts';
import { idOf } from '../session/sessionId.ts';
import type { SessionFacts } from '../worker/sessionLookApi.ts';
import type { SessionRow } from './row.ts';
import type { SessionPolicy } from './sessionPolicy.ts';

/** Of a call, what access depends on. */
export interface SessionCall {
  readonly door: string;
  readonly actor: 'person' | 'agent';
  readonly level: Level;
  /** Key of the calling session, as its door gave it. */
  readonly session: string;
  /** The agent, as it names itself. */
  readonly source?: string | undefined;
  readonly loop?: { readonly depth: number; readonly callId?: string } | undefined;
  readonly sandboxed?: boolean | undefined;
}

/** As somebody who sees every session, for what goes on by itself: who may do what was asked before, and is again. */
export const ANYBODY: SessionCall = { door: 'panel', actor: 'person', level: 'RESTRICTED', session: '' };

/** Who asks. */
export interface Requester {
  /** Canonical key. */
  readonly key: string;
  readonly agentId: string;
  readonly isPerson: boolean;
  readonly sandboxed: boolean;
  readonly depth: number;
  readonly level: Level;
  /** After the clamp of a sandbox. */
  readonly mode: VisibilityMode;
}

/** Who asks, by its row where it has one. */
export function requesterOf(
  call: SessionCall,
  rows: readonly SessionRow[],
  policy: SessionPolicy,
): Requester {
  const { session, level, sandboxed = false, loop } = call;
  const row = ownRow(rows, session);
  const key = row?.key ?? ownKey(call);
  return {
    ...{ key, level, sandboxed },
    agentId: splitKey(key).agentId,
    isPerson: call.actor === 'person',
    depth: Math.max(row?.depth ?? 0, loop?.depth ?? 0),
    mode: clampedMode({ ...policy, sandboxed }),
  };
}

/** Of a person's call, and of a session whose key is reserved. */
function ownKey(call: SessionCall): string {
  return canonicalKey(call.session, kindOf(call));
}

function kindOf({ door }: SessionCall): SessionKind {
  return door === 'mcp' || door === 'cli' ? 'mcp' : 'copilot';
}

/** What is known of the calling session itself, without its transcript. */
export function ownFacts(call: SessionCall, now: number): SessionFacts {
  const { session: key, source = '', level, loop } = call;
  return {
    ...{ id: idOf(key), key, kind: kindOf(call), source, level, started: now, lastActive: now },
    ...{
      live: false,
      isPresent: true,
      depth: loop?.depth ?? 0,
      tail: {},
      saidAway: undefined,
      overrides: {},
    },
  };
}

export function ownRow(rows: readonly SessionRow[], session: string): SessionRow | undefined {
  return rows.find(({ origin }) => origin.key === session);
}
