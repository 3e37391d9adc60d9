import type { FoldedEntry } from '../memory/fold.ts';
import { oneLine } from '../memory/line.ts';
import { normalizeKey, normalizeTags, type PutOperation } from '../memory/operation.ts';
import { LEVELS } from '../policy/level.ts';
import { redactFields } from '../policy/redact.ts';
import { StoreError } from './api.ts';
import { rememberOperation, signature } from './changes.ts';
import type { HeldMemory } from './heldMemory.ts';
import type { MemoryRecord, RecordsApi } from './recordsApi.ts';

/** Classified memory by key (seed 004). Lives in the store's thread. */
export class RecordsService implements RecordsApi {
  readonly #memory: HeldMemory;

  constructor(memory: HeldMemory) {
    this.#memory = memory;
  }

  readonly recordSave: RecordsApi['recordSave'] = async (input, author) => {
    const { fields, found } = await redactFields({ ...input, key: normalizeKey(input.key) });
    const memory = this.#memory;
    memory.sync();
    const before = memory.store.at(author.level, fields.key);
    const gone = before !== undefined && !this.#isInRecall(before);
    const { operation } = rememberOperation(
      { ...fields, category: before?.category ?? 'knowledge', replace: true },
      author,
      before,
      gone,
      {},
      memory.now(),
    );
    memory.write([{ ...operation, tags: tagChange(before, fields.tags) }], author);
    const { key, level } = memory.require(author.level, fields.key);
    return { key, classification: level, redacted: found };
  };

  readonly recordGet: RecordsApi['recordGet'] = async (name, reader) => {
    const { store } = this.#memory;
    this.#memory.sync();
    const key = normalizeKey(name);
    // From the highest level down: the first that is visible at all decides, in recall or not.
    for (const level of LEVELS.toReversed()) {
      const entry = store.at(level, key);
      // A draft is no memory yet, and hides none.
      if (entry === undefined || entry.status === 'draft' || !store.isVisible(entry, reader)) continue;
      if (!this.#isInRecall(entry)) return undefined;
      this.#memory.countUse([entry], reader);
      return recordOf(entry);
    }
    return undefined;
  };

  readonly recordList: RecordsApi['recordList'] = async (tag, limit, reader) => {
    this.#memory.sync();
    const wanted = tag === undefined ? undefined : normalizeTags([tag])[0];
    const live = this.#memory
      .live(reader)
      .filter(({ tags }) => wanted === undefined || tags.includes(wanted))
      .sort((a, b) => b.updated - a.updated || (a.key < b.key ? -1 : 1));
    return { records: live.slice(0, limit).map(recordOf), total: live.length };
  };

  readonly recordDelete: RecordsApi['recordDelete'] = async (name, author) => {
    this.#memory.sync();
    const key = normalizeKey(name);
    const entry = this.#memory.store.at(author.level, key);
    if (entry === undefined || !this.#isInRecall(entry))
      throw new StoreError(`Memory record '${oneLine(name)}' not found at ${author.level} level`);
    const forgotten: PutOperation = {
      ...{ op: 'put', key, at: this.#memory.now(), by: signature(author) },
      set: { status: 'forgotten', reason: 'memory_delete' },
    };
    this.#memory.write([forgotten], author);
    return { key };
  };

  #isInRecall(entry: FoldedEntry): boolean {
    return entry.status === 'active' && !this.#memory.store.isExpired(entry);
  }
}

/** `given` is the whole set; undefined: as it was. */
function tagChange(before: FoldedEntry | undefined, given: readonly string[] | undefined) {
  if (given === undefined) return {};
  const add = normalizeTags(given);
  return { add, remove: (before?.tags ?? []).filter((tag) => !add.includes(tag)) };
}

function recordOf({ key, content, level, tags, created, updated, revisions }: FoldedEntry): MemoryRecord {
  // What was added to the content without replacing it is part of what a reader is told.
  const additions = revisions.filter(({ addition }) => addition).map(({ text }) => text);
  return {
    ...{ key, classification: level, tags, createdAt: created, updatedAt: updated },
    content: [content, ...additions.reverse()].join('\n\n'),
  };
}
