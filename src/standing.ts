/** The heartbeat of a window or a server: that it is at work in a folder, said again for as long as it is. */
import { existsSync } from 'node:fs';
import type { App, AttendingSession } from './appApi.ts';

/** Several times within the minutes that a session counts as active. */
const BEAT_MS = 60_000;
/** A host that starts has other things to do first. */
const FIRST_MS = 2_000;

export interface Standing {
  /** Says it now, with files that were touched just now. */
  beat(paths?: readonly string[]): Promise<void>;
  end(): void;
}

export interface StandingOptions {
  /** The app of the folder; undefined when there is nothing to say at the moment. */
  app(): Promise<App | undefined>;
  session(app: App): AttendingSession;
  warn(message: string): void;
}

/**
 * Begins to say, each minute, that a session is at work. Not in a folder without a store, unless it is told to be
 * made: looking at a folder leaves nothing behind in it.
 */
export function keepStanding({ app, session, warn }: StandingOptions, makesStore = () => false): Standing {
  async function beat(paths: readonly string[] = []): Promise<void> {
    try {
      const opened = await app();
      if (opened === undefined || !(existsSync(opened.storeDir) || makesStore())) return;
      await opened.attend({ ...session(opened), paths });
    } catch (error) {
      warn(`Other sessions cannot be told of this one: ${error instanceof Error ? error.message : error}`);
    }
  }
  const first = setTimeout(() => void beat(), FIRST_MS).unref();
  const timer = setInterval(() => void beat(), BEAT_MS).unref();
  return {
    beat,
    end: () => {
      clearTimeout(first);
      clearInterval(timer);
    },
  };
}
