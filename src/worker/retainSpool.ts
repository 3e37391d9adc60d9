/**
 * Memories that wait to be sent to a server, so that they outlive the process that was told of them.
 *
 *     <dir>/<owner>.spool     what one process has to send (see retainSpoolFile.ts); nobody else writes to it
 *     <dir>/<owner>.lease/    who that is (see lease.ts)
 *     <dir>/damaged/          spools with lines that nobody can read, as they were before those lines went
 *
 * A process whose spool was taken over, because it slept for long, begins another one. An item can then be sent twice,
 * which its document id makes one.
 */
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { removeFile, syncDir, type WriteSome } from '../journal/disk.ts';
import { DAMAGED, makeDir, namesIn } from '../journal/folder.ts';
import type { SpoolItem } from '../memory/hindsight/item.ts';
import { canFlowTo } from '../policy/level.ts';
import { type Lease, leaseHolder, takeLease } from '../session/lease.ts';
import type { RetainSpoolApi } from './retainSpoolApi.ts';
import {
  appendLines,
  doneLine,
  linesOf,
  readSpool,
  rewriteSpool,
  type SpoolCodec,
  saying,
  trimTail,
} from './retainSpoolFile.ts';
import { refitDamaged } from './sealedFiles.ts';

const SPOOL = /^([0-9a-f]{12})\.spool$/;
const LEASE = /^([0-9a-f]{12})\.lease$/;
const HEARTBEAT = 60_000;
/** A spool of so many lines is written anew once most of them are done with. */
const LONG = 512;

export interface RetainSpoolOptions extends SpoolCodec {
  /** The folder of spools. */
  readonly dir: string;
  /** Epoch milliseconds. */
  now(): number;
  readonly deadThreads?: ReadonlySet<number> | undefined;
  /** Where tests reach in: nothing else sets it. */
  readonly seam?: { readonly write?: WriteSome; alive?(pid: number): boolean } | undefined;
}

/** A spool that this process may write to. */
interface HeldSpool {
  readonly file: string;
  readonly lease: Lease;
  /** Keys of what is pending in it. */
  readonly pending: Set<string>;
  lines: number;
}

export class RetainSpool implements RetainSpoolApi {
  readonly #options: RetainSpoolOptions;
  readonly #held = new Map<string, HeldSpool>();
  /** The one that this process adds to. */
  #own: HeldSpool | undefined;
  #wasSealing: boolean;
  #heartbeat: number;

  constructor(options: RetainSpoolOptions) {
    this.#options = options;
    this.#wasSealing = options.keys.sealsAll();
    this.#heartbeat = options.now();
  }

  readonly spoolPut: RetainSpoolApi['spoolPut'] = (items) =>
    saying(() => {
      const spool = this.#put(items);
      for (const { key } of items) spool.pending.add(key);
      spool.lines += items.length;
    });

  readonly spoolTake: RetainSpoolApi['spoolTake'] = (own = false) =>
    saying(() => {
      const found: (readonly SpoolItem[])[] = own ? this.#ownItems() : [];
      for (const name of namesIn(this.#options.dir)) {
        const owner = SPOOL.exec(name)?.[1];
        if (owner !== undefined && !this.#held.has(owner)) found.push(this.#takeOver(owner));
        const left = LEASE.exec(name)?.[1];
        if (left !== undefined && !this.#held.has(left)) this.#clear(left);
      }
      return { items: inOrder(found) };
    });

  readonly spoolDone: RetainSpoolApi['spoolDone'] = (keys) =>
    saying(() => {
      for (const [owner, spool] of this.#held) {
        const here = keys.filter((key) => spool.pending.delete(key));
        if (here.length === 0 || !spool.lease.held()) continue;
        if (spool.pending.size === 0 && this.#finish(owner, spool)) continue;
        // Without a sync: what is sent again takes its own place.
        appendLines(spool.file, doneLine(here), false, this.#options.seam?.write);
        spool.lines++;
        if (spool.lines > LONG && spool.lines > 4 * spool.pending.size) this.#rewrite(spool);
      }
    });

  readonly spoolLook: RetainSpoolApi['spoolLook'] = (reader = 'RESTRICTED') =>
    saying(() => {
      let [waiting, locked] = [0, 0];
      let oldest: number | undefined;
      for (const name of namesIn(this.#options.dir).filter((each) => SPOOL.test(each))) {
        const contents = readSpool(join(this.#options.dir, name), this.#options);
        for (const { at, level } of contents.pending.values()) {
          if (!canFlowTo(level, reader)) continue;
          waiting++;
          oldest = Math.min(oldest ?? at, at);
        }
        // Of what level these are only the key would tell.
        if (reader === 'RESTRICTED') locked += contents.locked.length;
      }
      return { waiting: waiting + locked, locked, oldest };
    });

  readonly spoolErase: RetainSpoolApi['spoolErase'] = async () => {
    const { waiting } = await this.spoolLook();
    return saying(() => {
      this.#held.clear();
      this.#own = undefined;
      rmSync(this.#options.dir, { recursive: true, force: true });
      return waiting;
    });
  };

  /** Shows that this process lives, and follows the store's switch. Called often. @returns false: it has no news */
  poll(): false {
    const { now, keys } = this.#options;
    if (Math.abs(now() - this.#heartbeat) >= HEARTBEAT) {
      this.#heartbeat = now();
      for (const { lease } of this.#held.values()) lease.heartbeat();
    }
    if (this.#wasSealing === keys.sealsAll()) return false;
    this.refit();
    this.#wasSealing = keys.sealsAll();
    return false;
  }

  /**
   * Puts what nobody else is to send into the form that the store's switch wants.
   * @returns how many spools others still have to put into it
   * @throws what the disk says, KeyError
   */
  refit(): number {
    let others = 0;
    for (const name of namesIn(this.#options.dir)) {
      if (name.endsWith('.tmp')) this.#clearDraft(name);
      const owner = SPOOL.exec(name)?.[1];
      if (owner === undefined) continue;
      const file = join(this.#options.dir, name);
      const held = this.#held.get(owner);
      const { isMisfit, damaged } = readSpool(file, this.#options);
      // What nobody can read may be anything, so it is sealed, too.
      if (!isMisfit && (damaged === 0 || !this.#options.keys.sealsAll())) continue;
      if (held !== undefined) this.#rewrite(held);
      else if (!this.#rewriteLeft(owner)) others++;
    }
    refitDamaged(this.#options.dir, this.#options.keys);
    return others;
  }

  /** What waits stays, for others to send. */
  close(): void {
    for (const [owner, { file, lease }] of this.#held) {
      lease.release();
      if (!existsSync(file)) this.#clear(owner);
    }
    this.#held.clear();
    this.#own = undefined;
  }

  /** Appends to this process's own spool, and once more when it was lost, or the store's switch was moved, meanwhile. */
  #put(items: readonly SpoolItem[]): HeldSpool {
    for (;;) {
      const spool = this.#open();
      const isNew = !existsSync(spool.file);
      this.#options.keys.settled(() =>
        appendLines(spool.file, linesOf(items, this.#options), true, this.#options.seam?.write),
      );
      if (isNew) syncDir(this.#options.dir);
      if (spool.lease.held() && existsSync(spool.file)) return spool;
      this.#own = undefined;
    }
  }

  #open(): HeldSpool {
    if (this.#own?.lease.held() === true) return this.#own;
    const { dir } = this.#options;
    makeDir(dir);
    const owner = randomBytes(6).toString('hex');
    const { lease } = takeLease(this.#leaseContext(owner));
    if (lease === undefined) throw new Error('a new lease is held by somebody else');
    this.#own = { file: join(dir, `${owner}.spool`), lease, pending: new Set(), lines: 0 };
    this.#held.set(owner, this.#own);
    return this.#own;
  }

  #ownItems(): SpoolItem[][] {
    return [...this.#held.values()].map(({ file }) => [...readSpool(file, this.#options).pending.values()]);
  }

  #takeOver(owner: string): readonly SpoolItem[] {
    const lease = this.#lease(owner);
    if (lease === undefined) return [];
    const file = join(this.#options.dir, `${owner}.spool`);
    if (!existsSync(file)) {
      rmSync(join(this.#options.dir, `${owner}.lease`), { recursive: true, force: true });
      return [];
    }
    trimTail(file);
    const { pending, lines } = readSpool(file, this.#options);
    const spool = { file, lease, pending: new Set(pending.keys()), lines };
    this.#held.set(owner, spool);
    if (pending.size === 0) this.#finish(owner, spool);
    return [...pending.values()];
  }

  /** The lease of a spool that nobody has. */
  #lease(owner: string): Lease | undefined {
    const context = this.#leaseContext(owner);
    // Whoever merely asks must not be noted as one who waits.
    return leaseHolder(context) === undefined ? takeLease(context).lease : undefined;
  }

  /** Everything in it was sent. @returns whether it is gone; what cannot be read stays */
  #finish(owner: string, spool: HeldSpool): boolean {
    const { dir } = this.#options;
    const { locked, damaged } = readSpool(spool.file, this.#options);
    if (locked.length > 0) return false;
    if (damaged > 0) {
      makeDir(join(dir, DAMAGED));
      renameSync(spool.file, join(dir, DAMAGED, `${owner}.bin`));
    } else removeFile(spool.file);
    spool.lines = 0;
    if (spool === this.#own) return true;
    this.#held.delete(owner);
    rmSync(join(dir, `${owner}.lease`), { recursive: true, force: true });
    return true;
  }

  #rewrite(spool: HeldSpool): void {
    const contents = readSpool(spool.file, this.#options);
    if (contents.damaged > 0) this.#keepDamaged(spool.file);
    this.#options.keys.settled(() =>
      rewriteSpool(spool.file, contents, this.#options, this.#options.seam?.write),
    );
    syncDir(this.#options.dir);
    spool.lines = contents.pending.size + contents.locked.length;
  }

  /** Puts a copy aside, which `refit` seals where the store is. */
  #keepDamaged(file: string): void {
    const folder = join(this.#options.dir, DAMAGED);
    makeDir(folder);
    copyFileSync(file, join(folder, `${basename(file, '.spool')}-${randomBytes(4).toString('hex')}.bin`));
  }

  /** Rewrites a spool that nobody has, which stays one. @returns whether it did */
  #rewriteLeft(owner: string): boolean {
    const lease = this.#lease(owner);
    if (lease === undefined) return false;
    try {
      const file = join(this.#options.dir, `${owner}.spool`);
      trimTail(file);
      this.#rewrite({ file, lease, pending: new Set(), lines: 0 });
      return true;
    } finally {
      lease.release();
    }
  }

  /** A lease that stayed behind its spool. */
  #clear(owner: string): void {
    const { dir } = this.#options;
    if (existsSync(join(dir, `${owner}.spool`)) || leaseHolder(this.#leaseContext(owner)) !== undefined)
      return;
    rmSync(join(dir, `${owner}.lease`), { recursive: true, force: true });
  }

  #clearDraft(name: string): void {
    const owner = name.slice(0, 12);
    if (this.#held.has(owner) || leaseHolder(this.#leaseContext(owner)) === undefined)
      removeFile(join(this.#options.dir, name));
  }

  #leaseContext(owner: string) {
    const { dir, now, deadThreads, seam } = this.#options;
    return { dir: join(dir, `${owner}.lease`), now, deadThreads, alive: seam?.alive };
  }
}

/** Items of several spools, oldest first. What stands in one spool stays in its order, though the clock was set back. */
function inOrder(spools: readonly (readonly SpoolItem[])[]): SpoolItem[] {
  const timed = spools.flatMap((items) => {
    let last = Number.NEGATIVE_INFINITY;
    return items.map((item) => {
      last = Math.max(last, item.at);
      return { item, at: last };
    });
  });
  return timed.sort((a, b) => a.at - b.at).map(({ item }) => item);
}
