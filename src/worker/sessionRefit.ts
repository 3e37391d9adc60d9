/** Transcripts, folds and what waits for a session, in the form that the store's switch wants. */
import { readdirSync, statSync } from 'node:fs';
import { Inbox } from '../session/inbox.ts';
import {
  foldsDir,
  isSessionId,
  leaseDir,
  localDir,
  type SessionPlace,
  transcriptFile,
} from '../session/place.ts';
import { refitTranscript } from '../session/refit.ts';
import { type TranscriptOptions, transcriptHolder } from '../session/transcript.ts';
import { FoldFiles } from './foldFiles.ts';
import { refitDamaged } from './sealedFiles.ts';

type Place = Pick<SessionPlace, 'id' | 'agentId'>;

export class SessionRefit {
  readonly #dir: string;
  readonly #transcript: (id: string) => TranscriptOptions;
  /** Transcripts as they were when they were looked at. */
  readonly #fitted = new Map<string, string>();

  /** @param dir the folder of all sessions */
  constructor(dir: string, transcript: (id: string) => TranscriptOptions) {
    this.#dir = dir;
    this.#transcript = transcript;
  }

  /**
   * @param own those that this process writes to, which follow by themselves
   * @returns how many others still have to put into that form
   * @throws what the disk says, KeyError
   */
  all(places: Iterable<Place>, own: readonly Place[]): number {
    const names = new Set(own.map(nameOf));
    let others = 0;
    for (const place of places) {
      const options = this.#optionsOf(place);
      const isOwn = names.has(nameOf(place));
      if (!isOwn && this.#isChanged(options) && refitTranscript(options)) {
        this.#fitted.delete(nameOf(place));
        others++;
      }
      if (this.folds(place, isOwn)) others++;
    }
    for (const id of sessionFolders(this.#dir)) {
      const options = this.#transcript(id);
      others += new Inbox(options).refit();
      refitDamaged(localDir(options), options.keys);
    }
    return others;
  }

  /** The folds of a session. @returns whether its process still has to do it */
  folds(place: Place, isOwn: boolean): boolean {
    const options = this.#optionsOf(place);
    const { keys, defaultLevel, seam } = options;
    const files = new FoldFiles({
      dir: foldsDir(options),
      session: nameOf(options),
      keys,
      defaultLevel,
      seam,
    });
    return files.refit(isOwn || transcriptHolder(options) === undefined);
  }

  #optionsOf({ id, agentId }: Place): TranscriptOptions {
    return { ...this.#transcript(id), agentId };
  }

  /** Whether a transcript is not as it was when it was last found to be in the form that counts. */
  #isChanged(options: TranscriptOptions): boolean {
    const stat = statSync(transcriptFile(options), { throwIfNoEntry: false });
    const lease = statSync(leaseDir(options), { throwIfNoEntry: false });
    const stamp = [options.keys.sealsAll(), stat?.ino, stat?.size, stat?.mtimeMs, lease?.mtimeMs].join(' ');
    const name = nameOf(options);
    if (this.#fitted.get(name) === stamp) return false;
    this.#fitted.set(name, stamp);
    return true;
  }
}

/** As sessions are named among all that are held. */
function nameOf({ id, agentId }: Pick<SessionPlace, 'id' | 'agentId'>): string {
  return agentId === undefined ? id : `${id}/${agentId}`;
}

/** Folders of sessions, also of such that have no transcript yet. */
function sessionFolders(dir: string): string[] {
  if (statSync(dir, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.endsWith('.lease'))
    .map(({ name }) => name)
    .filter(isSessionId);
}
