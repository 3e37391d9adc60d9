/** What doors are told without asking a tool: that something has changed, and not what. */
import type { Messaging } from './messaging/messaging.ts';
import type { Taint, TaintedSession } from './policy/taint.ts';
import type { Subagents } from './subagent/subagents.ts';
import type { OpenStore } from './worker/client.ts';

/** Each but the last returns the unsubscribe function. */
export interface News {
  /** Memory changed, here or in another process. */
  onMemory(listener: () => void): () => void;
  /** Something came of subagents, or of messages between sessions. */
  onWork(listener: () => void): () => void;
  /** See `OpenStore`. */
  onOpening: OpenStore['onOpening'];
  /** A number that is another one after each change of what a session may see. @throws TaintError */
  memoryVersion(session: TaintedSession): Promise<number>;
}

interface NewsSources {
  readonly store: Pick<OpenStore, 'onChange' | 'onOpening' | 'version'>;
  readonly taint: Pick<Taint, 'levelOf'>;
  readonly subagents: Pick<Subagents, 'onChange'>;
  readonly messaging: Pick<Messaging, 'onChange'>;
}

/** The news of a folder. */
export function newsOf({ store, taint, subagents, messaging }: NewsSources): News {
  return {
    onMemory: (listener) => store.onChange(listener),
    onWork: (listener) => {
      const stops = [subagents.onChange(listener), messaging.onChange(listener)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    onOpening: (listener) => store.onOpening(listener),
    memoryVersion: async (session) => store.version({ level: taint.levelOf(session) }),
  };
}
