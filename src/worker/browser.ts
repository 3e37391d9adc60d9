import { rmSync } from 'node:fs';
import initSqlJs, { type SqlJsStatic } from 'sql.js';
import { Catalog } from '../memory/catalog.ts';
import type { Reader } from '../memory/entry.ts';
import type { MemoryStore } from '../memory/store.ts';
import type { StoreChange } from '../memory/storeChange.ts';
import { LEVELS, type Level } from '../policy/level.ts';
import type { BrowseInput } from './api.ts';

export interface BrowserParts {
  readonly store: MemoryStore;
  readonly file: string;
  /** Reads `sql-wasm.wasm`. */
  wasm(): Promise<Uint8Array>;
  sealed(level: Level): boolean;
  /** See `KeyRing.settled`. */
  settled(write: () => void): void;
  now(): number;
}

/** Answers pages from the catalog, which is loaded or rebuilt at the first page and then kept in step. */
export class Browser {
  readonly #parts: BrowserParts;
  #sql: SqlJsStatic | undefined;
  #opening: Promise<Catalog> | undefined;
  #catalog: Catalog | undefined;
  #savedPosition = '';
  #stale = new Set<string>();

  constructor(parts: BrowserParts) {
    this.#parts = parts;
  }

  update({ ids }: Pick<StoreChange, 'ids'>): void {
    if (this.#opening === undefined) return;
    for (const id of ids) this.#stale.add(id);
  }

  async page(input: BrowseInput, reader: Reader): Promise<{ ids: string[]; total: number }> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      // The next page tries again.
      this.#opening = undefined;
      throw error;
    });
    const catalog = await this.#opening;
    this.#bringUpToDate(catalog);
    return catalog.page(input, reader, this.#parts.now());
  }

  /** Saves the catalog when it has changed since. A failure is ignored: the journal has everything. */
  async save(): Promise<void> {
    if (this.#catalog === undefined || this.#sql === undefined || this.#parts.store.isEmpty()) return;
    const position = this.#parts.store.position();
    if (position === this.#savedPosition) return;
    this.#bringUpToDate(this.#catalog);
    try {
      const [catalog, sql] = [this.#catalog, this.#sql];
      this.#parts.settled(() =>
        catalog.save(sql, position, (rank) => this.#parts.sealed(LEVELS[rank] ?? 'RESTRICTED')),
      );
      this.#savedPosition = position;
    } catch {
      // A full or read-only disk: the next start rebuilds it.
    }
  }

  /** After a hard delete the saved file must not keep what was erased. */
  discard(): void {
    this.close();
    for (const file of [this.#parts.file, `${this.#parts.file}.tmp`])
      rmSync(file, { recursive: true, force: true });
    this.#savedPosition = '';
  }

  close(): void {
    this.#catalog?.close();
    this.#catalog = undefined;
    this.#opening = undefined;
    this.#stale.clear();
  }

  async #open(): Promise<Catalog> {
    const { store, file, wasm, sealed } = this.#parts;
    const bytes = await wasm();
    this.#sql ??= await initSqlJs({ wasmBinary: bytes.slice().buffer });
    const { catalog, fresh } = Catalog.open(this.#sql, file, store.position());
    // The file never holds rows of sealed levels, so those come from the store in either case.
    catalog.put(this.#rows((level) => fresh || sealed(level)));
    if (!fresh) this.#savedPosition = store.position();
    this.#catalog = catalog;
    return catalog;
  }

  #bringUpToDate(catalog: Catalog): void {
    if (this.#stale.size > 0) {
      const entries = [...this.#stale].map((id) => ({ id, entry: this.#parts.store.folded(id) }));
      catalog.remove(entries.flatMap(({ id, entry }) => (entry === undefined ? [id] : [])));
      catalog.put(entries.flatMap(({ entry }) => (entry === undefined ? [] : [this.#row(entry)])));
    }
    this.#stale.clear();
  }

  *#rows(include: (level: Level) => boolean) {
    for (const entry of this.#parts.store.all()) if (include(entry.level)) yield this.#row(entry);
  }

  #row(entry: Parameters<MemoryStore['present']>[0]) {
    return { entry, used: this.#parts.store.usage(entry.id).used };
  }
}
