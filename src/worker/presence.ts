import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyRing } from '../journal/keys.ts';
import { CaptureLog, type CaptureQuery, type Captures } from '../memory/capture.ts';
import type { Author } from '../memory/entry.ts';
import { canFlowTo, LEVELS, type Level } from '../policy/level.ts';
import { type Attendance, PresenceBoard, type PresenceView } from '../session/presence.ts';
import type { FileHolder, FilesInUse } from '../session/presenceConflicts.ts';
import type { Presence } from '../session/presenceRecord.ts';
import { ToldHolders, WARNED_FOLDER } from '../session/toldHolders.ts';
import type { SessionReader } from './sessionApi.ts';

/** A session that does nothing new is written down again only after this: it counts as active for far longer. */
const QUIET_MS = 30_000;
/** Files of other programs are replaced in place, so nobody tells of it: they are looked at so often. */
const LOOK_MS = 2_000;

export interface PresenceOptions {
  /** The store's folder. */
  readonly dir: string;
  /** Top folder of the work tree; see `PresenceOptions` of the board. */
  readonly root?: string | undefined;
  readonly defaultLevel: Level;
  readonly keys?: KeyRing | undefined;
  now(): number;
}

/** Who is at work in the folder, as far as this process sees it, and what hooks captured. */
export class Presences {
  readonly #options: PresenceOptions;
  readonly #boardDir: string;
  readonly #captureDir: string;
  #board: PresenceBoard;
  #captures: CaptureLog;
  /** What was said of each session, and when. */
  readonly #said = new Map<
    string,
    { readonly what: string; readonly at: number; readonly isWindow: boolean }
  >();
  readonly #told = new ToldHolders();
  #looked = 0;
  /** Who was at work on what at the last look. */
  #seen: string | undefined;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#boardDir = join(options.dir, 'presence');
    this.#captureDir = join(options.dir, 'captured');
    this.#board = this.#openBoard();
    this.#captures = this.#openCaptures();
  }

  attend(attendance: Attendance): void {
    const what = JSON.stringify(attendance);
    const said = this.#said.get(attendance.key);
    const at = this.#options.now();
    if (said?.what === what && Math.abs(at - said.at) < QUIET_MS) return;
    this.#board.attend([attendance]);
    this.#said.set(attendance.key, { what, at, isWindow: attendance.window === attendance.key });
  }

  leave(key: string): void {
    if (this.#said.delete(key)) this.#board.leave([key]);
  }

  view(reader: SessionReader): PresenceView {
    return this.#board.view(reader.level);
  }

  /**
   * Who else touched files that a session is about to use. Of each file and holder it is told once in a while: a
   * warning at every call would soon not be read.
   */
  holders(use: FilesInUse, { level }: SessionReader): FileHolder[] {
    const found = this.#board.holders(use, level).filter(({ key }) => !this.#isOwnWindow(key));
    return this.#told.untold(use.key, found, this.#options.now());
  }

  /** The sessions at work of which a reader may know more than that. */
  active({ level: reader }: SessionReader): Presence[] {
    return this.#board.active().filter(({ level }) => canFlowTo(level, reader));
  }

  captured(query: CaptureQuery, reader: SessionReader): Captures {
    return this.#captures.list(query, reader.level);
  }

  clearCaptured({ actor, level: own }: Pick<Author, 'actor' | 'level'>): number {
    return this.#captures.clear(actor === 'agent' ? [own] : LEVELS.filter((level) => canFlowTo(level, own)));
  }

  /** Whether somebody came, went or touched another file since the last call. */
  poll(): boolean {
    const now = this.#options.now();
    if (Math.abs(now - this.#looked) < LOOK_MS) return false;
    this.#looked = now;
    const seen = JSON.stringify(
      this.#board
        .active()
        .map(({ key, agent, branch, level, files }) => [key, agent, branch, level, Object.keys(files).sort()])
        .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    );
    const isOther = this.#seen !== undefined && this.#seen !== seen;
    this.#seen = seen;
    return isOther;
  }

  /** See `SharedState.refit`. */
  refit(): void {
    this.#board.refit();
    this.#captures.refit();
  }

  /** The sessions of a process end with it. */
  close(): void {
    const keys = [...this.#said.keys()];
    this.#said.clear();
    if (keys.length === 0) return;
    try {
      this.#board.leave(keys);
    } catch {
      // A folder that is away or full: they are no longer active in a few minutes.
    }
  }

  /** Removes all of it from disk. */
  erase(): void {
    this.#said.clear();
    this.#board.erase();
    const warned = join(this.#options.dir, WARNED_FOLDER);
    for (const dir of [this.#boardDir, this.#captureDir, warned])
      rmSync(dir, { recursive: true, force: true });
    this.#board = this.#openBoard();
    this.#captures = this.#openCaptures();
  }

  /** A chat of which nobody said in which window it runs still runs in this one, if its calls come here. */
  #isOwnWindow(key: string): boolean {
    return this.#said.get(key)?.isWindow === true;
  }

  #openBoard(): PresenceBoard {
    const { root, defaultLevel, keys, now } = this.#options;
    return new PresenceBoard({ dir: this.#boardDir, root, defaultLevel, keys, now });
  }

  #openCaptures(): CaptureLog {
    const { defaultLevel, keys, now } = this.#options;
    return new CaptureLog({ dir: this.#captureDir, defaultLevel, keys, now });
  }
}
