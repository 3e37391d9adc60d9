/**
 * The level of sessions: what a session starts at, and what it rose to since. It only rises, and whichever process
 * learns of a rise (a window, a server, the short-lived process of a hook) makes it count for all.
 *
 * A session that rose has one file for each level up to its own, `<store>/taint/<digest of its key>-<rank>`, put in place
 * whole and never changed: that it is there says it all, so processes need no lock. The highest is put there first: a
 * rise counts when the lowest is there, so each call of a session that did not rise asks the disk for one name. Their
 * text is sealed, so that nobody raises a session, which also widens what it reads, by putting files there.
 *
 * They are never swept: a chat can be gone on with at any time, with all that it has read in its context, and nobody
 * here learns that it was deleted for good.
 */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { z } from 'zod';
import { errorCode, removeFile, syncDir, writeNewFile } from '../journal/disk.ts';
import { makeDir } from '../journal/folder.ts';
import type { KeyRing } from '../journal/keys.ts';
import { NONCE_BYTES, seal, unseal } from '../journal/seal.ts';
import type { AuditSink } from './audit.ts';
import { canFlowTo, LEVELS, type Level, levelRank, maxLevel } from './level.ts';

const fileSchema = z.object({ key: z.string(), text: z.string() });

/** Which session, and the level that it started at. */
export interface TaintedSession {
  /** As its door gives it. */
  readonly key: string;
  readonly start: Level;
}

/** Why a session's level rises. */
export interface Rise {
  /** For people, such as "read secrets/plan.md". */
  readonly reason: string;
  /** The agent or surface, such as `copilot` or `panel`. */
  readonly source: string;
  readonly actor?: 'person' | 'agent' | undefined;
  /** Name of the tool. */
  readonly tool?: string | undefined;
  /** The rule that decided, such as `file:secrets/**`. */
  readonly rule?: string | undefined;
}

/** A file that says of a session that it rose to a level. */
interface Marker {
  readonly name: string;
  readonly level: Level;
  readonly text: string;
}

export interface Raised {
  readonly before: Level;
  readonly after: Level;
}

/** The level of a session cannot be told, so nothing may be read or written in it. */
export class TaintError extends Error {
  override readonly name = 'TaintError';
}

export interface TaintOptions {
  /** `<store>/taint`. */
  readonly dir: string;
  /** Opened when the first session rises, or is found to have risen. */
  keys(): KeyRing;
  readonly audit: AuditSink;
}

export class Taint {
  readonly #options: TaintOptions;
  /** What this process knows that sessions rose to. It never falls, so it is true whatever becomes of the files. */
  readonly #known = new Map<string, Level>();
  /** Sessions whose rise could not be saved, with the level that is saved: the next rise tries again. */
  readonly #unsaved = new Map<string, Level>();
  readonly #listeners = new Set<(session: string, raised: Raised) => void>();
  /** Digests of keys, which each look needs. */
  readonly #digests = new Map<string, string>();

  constructor(options: TaintOptions) {
    this.#options = options;
  }

  /**
   * The level of a session at this moment.
   * @throws TaintError when it cannot be told.
   */
  levelOf({ key, start }: TaintedSession): Level {
    const least = maxLevel(start, this.#known.get(key) ?? start);
    let found = least;
    for (const level of LEVELS.slice(levelRank(least) + 1)) {
      if (!this.#isMarked(key, level)) break;
      found = level;
    }
    if (found !== least) this.#known.set(key, found);
    return found;
  }

  /** The levels of many sessions at this moment, with one look for all; what cannot be told counts as the highest. */
  levelsOf(sessions: readonly TaintedSession[]): Level[] {
    const marked = this.#marked();
    return sessions.map((session) => {
      const { key, start } = session;
      const known = maxLevel(start, this.#known.get(key) ?? start);
      if (marked === undefined) return 'RESTRICTED';
      if (!LEVELS.some((level) => marked.has(this.#nameOf(key, level)))) return known;
      try {
        return this.levelOf(session);
      } catch {
        return 'RESTRICTED';
      }
    });
  }

  /**
   * Raises a session's level; one that is as high already stays as it is. When this resolves, the rise is on disk, and
   * in the audit log.
   * @returns undefined when nothing changed.
   * @throws TaintError when it cannot be written; it then counts in this process alone.
   */
  async raise(session: TaintedSession, to: Level, rise: Rise): Promise<Raised | undefined> {
    const { key } = session;
    const known = this.#levelBefore(session, to);
    const before = this.#unsaved.get(key) ?? known;
    const after = maxLevel(to, known);
    if (canFlowTo(after, before)) return undefined;
    this.#known.set(key, after);
    const raised = { before, after };
    for (const listener of this.#listeners) listener(key, raised);
    this.#unsaved.set(key, before);
    for (const level of LEVELS.slice(1, levelRank(after) + 1).reverse()) this.#mark(key, level);
    this.#unsaved.delete(key);
    const { reason, source, actor = 'agent', tool, rule } = rise;
    await this.#options.audit.record({
      ...{ kind: 'level-raised', level: after, actor, session: key, source, tool, rule },
      ...{ before, after, reason },
    });
    return raised;
  }

  /** Called when this process raised a session. Returns the unsubscribe function. */
  onRaise(listener: (session: string, raised: Raised) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What the session rises to counts here even where its level cannot be told. */
  #levelBefore(session: TaintedSession, to: Level): Level {
    try {
      return this.levelOf(session);
    } catch (error) {
      this.#known.set(session.key, maxLevel(to, this.#known.get(session.key) ?? session.start));
      this.#unsaved.set(session.key, this.#unsaved.get(session.key) ?? session.start);
      throw error;
    }
  }

  /** Names of all markers; undefined when they cannot be looked at. */
  #marked(): ReadonlySet<string> | undefined {
    try {
      return new Set(readdirSync(this.#options.dir));
    } catch (error) {
      return errorCode(error) === 'ENOENT' ? new Set() : undefined;
    }
  }

  #isMarked(session: string, level: Level): boolean {
    const name = this.#nameOf(session, level);
    const file = `${this.#options.dir}${sep}${name}`;
    try {
      if (statSync(file, { throwIfNoEntry: false }) === undefined) return false;
      this.#check(session, { name, level, text: readFileSync(file, 'utf8') });
      return true;
    } catch (cause) {
      if (cause instanceof TaintError) throw cause;
      throw new TaintError(
        `Memory cannot be read: the level of this session is not known (${errorCode(cause) ?? 'unreadable'}). Check that the store's folder is there and its permissions.`,
        { cause },
      );
    }
  }

  #check(session: string, { name, level, text }: Marker): void {
    const keys = this.#options.keys();
    const box = fileSchema.safeParse(parseJson(text)).data;
    // Another process may have made the first key since this one looked.
    if (box !== undefined && keys.find(box.key) === undefined) keys.lookAgain();
    const key = box && keys.find(box.key);
    const said = box && key && unseal(key.bytes, fieldsOf(name, level), box.text);
    if (said === session.toWellFormed()) return;
    throw new TaintError(
      `The level of this session cannot be told: taint/${name} in the store is damaged, or its key is not here.`,
    );
  }

  #mark(session: string, level: Level): void {
    const { dir } = this.#options;
    const name = this.#nameOf(session, level);
    const file = join(dir, name);
    const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      makeDir(dir);
      if (!existsSync(file)) {
        const { id: key, bytes } = this.#options.keys().sealingKey();
        const text = seal(bytes, randomBytes(NONCE_BYTES), fieldsOf(name, level), session.toWellFormed());
        writeNewFile(draft, Buffer.from(JSON.stringify({ key, text })));
        renameSync(draft, file);
      }
      // Also what another process has just put there.
      syncDir(dir);
    } catch (cause) {
      try {
        removeFile(draft);
      } catch {
        // Whatever keeps the file from being written keeps it from being removed.
      }
      throw new TaintError(
        `The session's new level, ${level}, could not be saved (${errorCode(cause) ?? 'unreadable'}). Free disk space or check the permissions of the store's folder.`,
        { cause },
      );
    }
  }

  #nameOf(session: string, level: Level): string {
    const known = this.#digests.get(session);
    const digest = known ?? digestOf(session);
    if (known === undefined) {
      if (this.#digests.size >= MAX_DIGESTS) this.#digests.clear();
      this.#digests.set(session, digest);
    }
    return `${digest}-${levelRank(level)}`;
  }
}

/** More sessions than most folders ever have. */
const MAX_DIGESTS = 10_000;

/** A key may name a person or a task; its digest does not. */
function digestOf(session: string): string {
  return createHash('sha256').update(session.toWellFormed()).digest('hex').slice(0, 32);
}

function fieldsOf(name: string, level: Level) {
  return { id: name, stamp: '', writer: 'taint', level };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
