import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CaptureLog, type CaptureQuery, type Captures } from '../memory/capture.ts';
import type { Author } from '../memory/entry.ts';
import { canFlowTo, LEVELS, type Level } from '../policy/level.ts';
import { type Attendance, PresenceBoard, type PresenceView } from '../session/presence.ts';
import type { Presence } from '../session/presenceRecord.ts';
import type { SessionReader } from './sessionApi.ts';

/** A session that does nothing new is written down again only after this: it counts as active for far longer. */
const QUIET_MS = 30_000;

export interface PresenceOptions {
  /** The store's folder. */
  readonly dir: string;
  readonly defaultLevel: Level;
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
  readonly #said = new Map<string, { readonly what: string; readonly at: number }>();

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
    this.#said.set(attendance.key, { what, at });
  }

  leave(key: string): void {
    if (this.#said.delete(key)) this.#board.leave([key]);
  }

  view(reader: SessionReader): PresenceView {
    return this.#board.view(reader.level);
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
    for (const dir of [this.#boardDir, this.#captureDir]) rmSync(dir, { recursive: true, force: true });
    this.#board = this.#openBoard();
    this.#captures = this.#openCaptures();
  }

  #openBoard(): PresenceBoard {
    const { defaultLevel, now } = this.#options;
    return new PresenceBoard({ dir: this.#boardDir, defaultLevel, now });
  }

  #openCaptures(): CaptureLog {
    const { defaultLevel, now } = this.#options;
    return new CaptureLog({ dir: this.#captureDir, defaultLevel, now });
  }
}
