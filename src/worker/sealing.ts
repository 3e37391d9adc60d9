/**
 * Seals a whole store, and opens it again.
 *
 *  1. The switch says `sealing`. From here on every writer seals, and whoever was writing meanwhile finds out before it
 *     acknowledges: the journal by a new generation, everything else by asking the switch again.
 *  2. Everything that was written before is rewritten, each file whole or not at all, by whoever may write to it.
 *  3. The switch says `sealed`, once nothing is left in the clear.
 *
 * Each step can be repeated. A process that finds `sealing` goes on with it; what a process leaves in the clear that is
 * killed between its write and its second look was not acknowledged, and is sealed by whoever tidies up next. Opening is
 * the same the other way round.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../journal/disk.ts';
import { JournalWriteError, messageOf } from '../journal/errors.ts';
import { makeDir } from '../journal/folder.ts';
import { KeyError, type KeyRing } from '../journal/keys.ts';
import { takeLock } from '../journal/lock.ts';
import type { SealSwitch } from '../journal/sealSwitch.ts';
import type { SealWord } from '../journal/sealWord.ts';
import type { AuditSink } from '../policy/audit.ts';
import { BusyError, phrase, StoreError } from './api.ts';
import { openedExport, sealedExport } from './sealedExport.ts';
import type { SealingApi, SealOutcome, SealStatus, SwitchedBy } from './sealingApi.ts';

const LOCK = 'sealing.lock';
/** So long a call waits for other processes, milliseconds; they look at the switch twice a second. */
const PATIENCE = 5_000;
const LOOK_AGAIN = 200;

export interface SealingParts {
  /** The store's folder. */
  readonly dir: string;
  readonly keys: KeyRing;
  readonly seals: SealSwitch;
  readonly audit: AuditSink;
  /** Memory first: its journal tells of the switch where the switch's own file is lost. */
  readonly refit: readonly ((force: boolean) => number | Promise<number>)[];
  now(): number;
  readonly seam?: { step?(name: string): void } | undefined;
}

export class SealingService implements SealingApi {
  readonly #parts: SealingParts;
  readonly #writer = randomBytes(6).toString('hex');
  #running: Promise<unknown> = Promise.resolve();

  constructor(parts: SealingParts) {
    this.#parts = parts;
  }

  readonly sealStatus: SealingApi['sealStatus'] = async () => this.#status();

  readonly seal: SealingApi['seal'] = (by) =>
    this.#alone(async () => {
      const word = this.#parts.seals.read();
      if (word.state === 'sealed') return this.#already();
      if (word.state !== 'plain') this.#requireKey();
      // A store that is half open still has the key that the other half is sealed with.
      const key = word.state === 'plain' ? this.#newKey() : word.key;
      return this.#switch({ state: 'sealing', key }, by);
    });

  readonly unseal: SealingApi['unseal'] = (by) =>
    this.#alone(async () => {
      const word = this.#parts.seals.read();
      if (word.state === 'plain') return this.#already();
      this.#requireKey();
      return this.#switch({ state: 'opening', key: word.key }, by);
    });

  readonly sealExport: SealingApi['sealExport'] = async (text, level) => {
    const { keys } = this.#parts;
    if (!keys.sealsAll()) return undefined;
    const missing = this.#missingKey();
    if (missing !== undefined) throw new StoreError(missing);
    return sealedExport(keys, { text, level });
  };

  readonly openExport: SealingApi['openExport'] = async (text) => openedExport(this.#parts.keys, text);

  /**
   * Work for idle moments: goes on with a switch that was interrupted, and rewrites what ended processes left.
   * @returns whether there is more to do
   */
  async tidy(): Promise<boolean> {
    const { seals } = this.#parts;
    if (seals.read().key === '' || this.#missingKey() !== undefined) return false;
    try {
      return await this.#alone(async () => {
        const { state, key } = seals.read();
        if (!seals.isWritten()) seals.put({ state, key });
        if (state === 'sealing' || state === 'opening') return (await this.#finish(state, key, 0)) > 0;
        return (await this.#refit(false)) > 0;
      });
    } catch (error) {
      // Another process is at it, or a folder is away or full: what is left waits for the next time.
      if (error instanceof StoreError || isOfDisk(error)) return false;
      throw error;
    }
  }

  async #switch(word: SealWord, by: SwitchedBy | undefined): Promise<SealOutcome> {
    const { seals, audit } = this.#parts;
    this.#step('start');
    try {
      seals.put(word);
    } catch (error) {
      throw nothingChanged(error);
    }
    this.#step('switched');
    if (by !== undefined) audit.record({ ...by, kind: word.state === 'sealing' ? 'sealed' : 'opened' });
    try {
      const others = await this.#finish(word.state, word.key, PATIENCE);
      return { ...this.#status(), already: false, others };
    } catch (error) {
      if (!isOfDisk(error)) throw error;
      throw new StoreError(
        word.state === 'sealing'
          ? phrase(
              "From now on everything is saved sealed, but not all that was saved before is sealed yet: {0} Free disk space or check the folder's permissions; it is gone on with by itself.",
              sentence(messageOf(error)),
            )
          : phrase(
              "From now on nothing more is sealed, but not all that was sealed before is open yet: {0} Free disk space or check the folder's permissions; it is gone on with by itself.",
              sentence(messageOf(error)),
            ),
      );
    }
  }

  /** Rewrites until nothing is left, or others have to do the rest. @returns how much that is */
  async #finish(state: SealWord['state'], key: string, patience: number): Promise<number> {
    const until = performance.now() + patience;
    let others = await this.#refit(true);
    while (others > 0 && performance.now() < until) {
      await sleep(LOOK_AGAIN);
      others = await this.#refit(false);
    }
    if (others > 0) return others;
    this.#step('rewritten');
    this.#parts.seals.put({ state: state === 'sealing' ? 'sealed' : 'plain', key });
    this.#step('finished');
    return 0;
  }

  async #refit(force: boolean): Promise<number> {
    let others = 0;
    for (const [at, refit] of this.#parts.refit.entries()) {
      others += await refit(force);
      this.#step(`part ${at}`);
    }
    return others;
  }

  /** One at a time, in this process and among all. @throws BusyError */
  async #alone<T>(action: () => Promise<T>): Promise<T> {
    const before = this.#running;
    const run = (async () => {
      await before.catch(() => {});
      const { dir, now, seam } = this.#parts;
      let release: (() => void) | undefined;
      try {
        makeDir(dir);
        release = takeLock({ dir, now, writer: this.#writer, seam: {} }, LOCK);
      } catch (error) {
        throw nothingChanged(error);
      }
      if (release === undefined)
        throw new BusyError(
          phrase('Another process is sealing or opening this store. Wait until it is done, then look again.'),
        );
      try {
        return await action();
      } finally {
        release();
        seam?.step?.('seal: released');
      }
    })();
    this.#running = run;
    return run;
  }

  #newKey(): string {
    try {
      return this.#parts.keys.newStoreKey().id;
    } catch (error) {
      if (!(error instanceof KeyError)) throw error;
      throw new StoreError(phrase('Nothing was changed: {0}', error.message));
    }
  }

  #already(): SealOutcome {
    return { ...this.#status(), already: true, others: 0 };
  }

  #status(): SealStatus {
    return { ...this.#parts.seals.read(), missing: this.#missingKey() };
  }

  /** @throws StoreError when the rest of the store could not be read. */
  #requireKey(): void {
    const missing = this.#missingKey();
    if (missing !== undefined) throw new StoreError(phrase('{0} Nothing was changed.', missing));
  }

  /** A key that was not here may have been put back. */
  #missingKey(): string | undefined {
    const { keys } = this.#parts;
    if (keys.missingKey() === undefined) return undefined;
    keys.lookAgain();
    return keys.missingKey();
  }

  #step(name: string): void {
    this.#parts.seam?.step?.(`seal: ${name}`);
  }
}

/** Whether a person can do something about it: a fault of the disk, or a key that is not here. */
function isOfDisk(error: unknown): boolean {
  return error instanceof JournalWriteError || error instanceof KeyError || errorCode(error) !== undefined;
}

/** The same error for whoever called, where it is one of the disk or of keys. */
function nothingChanged(error: unknown): unknown {
  if (!isOfDisk(error)) return error;
  return new StoreError(
    phrase(
      "Nothing was changed: {0}. Free disk space or check the folder's permissions, then try again.",
      messageOf(error),
    ),
  );
}

/** Errors of the system end without a full stop. */
function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}
