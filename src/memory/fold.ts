import type { Level } from '../policy/level.ts';
import type { Entry, Revision } from './entry.ts';
import {
  type Attributes,
  comparableText,
  compareStamped,
  type PutOperation,
  type Stamped,
} from './operation.ts';
import { recencyQuality } from './quality.ts';

/** An entry without what depends on the moment of reading (use, recency). */
export type FoldedEntry = Omit<Entry, 'used' | 'lastUsed'>;

/**
 * All operations on one key at one level. Folding sorts by the total order, so the order in which operations
 * arrive from other processes does not matter.
 */
export class EntryLog {
  readonly level: Level;
  readonly key: string;
  readonly id: string;
  #puts: Stamped<PutOperation>[] = [];
  #erasedUpTo: Stamped | undefined;
  #folded: FoldedEntry | undefined;

  constructor(level: Level, key: string, id: string) {
    this.level = level;
    this.key = key;
    this.id = id;
  }

  /** Whether a hard delete left nothing of it. */
  get isEmpty(): boolean {
    return this.#puts.length === 0;
  }

  /** Takes in an operation; true when a hard delete voids it or something taken in before. */
  add(stamped: Stamped): boolean {
    this.#folded = undefined;
    if (stamped.operation.op === 'erase') {
      if (this.#erasedUpTo === undefined || compareStamped(stamped, this.#erasedUpTo) > 0)
        this.#erasedUpTo = stamped;
      const before = this.#puts.length;
      this.#puts = this.#puts.filter((put) => this.isLive(put));
      return this.#puts.length < before;
    }
    if (stamped.operation.op !== 'put') return false;
    if (!this.isLive(stamped)) return true;
    const put = { stamp: stamped.stamp, writer: stamped.writer, operation: stamped.operation };
    const last = this.#puts.at(-1);
    this.#puts.push(put);
    if (last !== undefined && compareStamped(put, last) < 0) this.#puts.sort(compareStamped);
    return false;
  }

  /** Whether an operation survives the hard deletes seen so far. */
  isLive(stamped: Pick<Stamped, 'stamp' | 'writer'>): boolean {
    const erased = this.#erasedUpTo;
    if (erased === undefined) return true;
    return stamped.stamp > erased.stamp || (stamped.stamp === erased.stamp && stamped.writer > erased.writer);
  }

  /** Equal for logs that hold the same operations of the same entry; undefined when nothing is left. */
  fingerprint(): string | undefined {
    if (this.#puts.length === 0) return undefined;
    return [this.level, this.key, ...this.#puts.map(({ stamp, writer }) => `${stamp} ${writer}`)].join('\0');
  }

  /**
   * The entry, or undefined when nothing of it is left. `moment`, epoch milliseconds: as it stood then, undefined when
   * there was nothing of it yet.
   */
  entry(moment?: number): FoldedEntry | undefined {
    const puts =
      moment === undefined ? this.#puts : this.#puts.filter(({ operation }) => operation.at <= moment);
    if (puts.length === 0) return undefined;
    if (puts.length < this.#puts.length) return fold(this.level, this.key, this.id, puts);
    this.#folded ??= fold(this.level, this.key, this.id, this.#puts);
    return this.#folded;
  }
}

/** Of every log of which something is left, by id. */
export function fingerprints(logs: ReadonlyMap<string, EntryLog>): Map<string, string> {
  const found = new Map<string, string>();
  for (const [id, log] of logs) {
    const fingerprint = log.fingerprint();
    if (fingerprint !== undefined) found.set(id, fingerprint);
  }
  return found;
}

function fold(level: Level, key: string, id: string, puts: readonly Stamped<PutOperation>[]): FoldedEntry {
  const attributes: { -readonly [Name in keyof Attributes]: Attributes[Name] } = {};
  const tags = new Set<string>();
  const links = new Set<string>();
  let quality = 0;
  for (const { operation } of puts) {
    Object.assign(attributes, operation.set);
    quality = Math.max(quality, operation.set?.quality ?? 0);
    applyDelta(tags, operation.tags);
    applyDelta(links, operation.links);
  }
  const { content, revisions, contentBy } = foldTexts(puts);
  const first = puts[0]?.operation;
  const last = puts.at(-1)?.operation;
  return {
    id,
    level,
    key,
    category: attributes.category ?? 'knowledge',
    content,
    file: attributes.file ?? '',
    tags: [...tags],
    links: [...links],
    created: first?.at ?? 0,
    updated: puts.reduce((latest, { operation }) => Math.max(latest, operation.at), first?.at ?? 0),
    expires: attributes.expires ?? undefined,
    importance: attributes.importance ?? undefined,
    quality,
    confidence: attributes.confidence ?? 1,
    pinned: attributes.pinned ?? false,
    pathScope: attributes.pathScope ?? '',
    origin: attributes.origin ?? 'agent',
    status: attributes.status ?? 'active',
    confirmed: attributes.confirmed ?? false,
    branch: contentBy?.branch ?? last?.by.branch ?? '',
    session: contentBy?.session ?? last?.by.session ?? '',
    source: contentBy?.source ?? last?.by.source ?? '',
    supersededBy: attributes.supersededBy ?? '',
    reason: attributes.reason ?? '',
    revisions,
  };
}

function applyDelta(values: Set<string>, delta: PutOperation['tags']): void {
  for (const value of delta?.remove ?? []) values.delete(value);
  for (const value of delta?.add ?? []) values.add(value);
}

/**
 * The content is the last replacing text, else the first text at all. Every other distinct text is a
 * revision, so two processes that create one key at once lose nothing.
 */
function foldTexts(puts: readonly Stamped<PutOperation>[]) {
  const texts = puts.flatMap(({ operation: { text, more = [], at, by } }) => [
    ...(text === undefined ? [] : [{ ...text, at, by }]),
    ...more.map((each) => ({ ...each, at })),
  ]);
  const replacing = texts.findLastIndex((text) => text.mode === 'replace');
  const contentIndex = Math.max(replacing, 0);
  const content = texts[contentIndex];
  const seen = new Set(texts.length > 1 && content !== undefined ? [comparableText(content.value)] : []);
  const revisions: Revision[] = [];
  for (let index = texts.length - 1; index >= 0; index--) {
    const text = texts[index];
    if (text === undefined || index === contentIndex) continue;
    const comparable = comparableText(text.value);
    if (seen.has(comparable)) continue;
    seen.add(comparable);
    revisions.push({
      text: text.value,
      at: text.at,
      actor: text.by.actor,
      source: text.by.source,
      addition: index > contentIndex,
    });
  }
  return { content: content?.value ?? '', contentBy: content?.by, revisions };
}

/** Adds what depends on the moment of reading. `now` in epoch milliseconds. */
export function present(
  folded: FoldedEntry,
  usage: { used: number; lastUsed: number | undefined },
  now: number,
): Entry {
  return { ...folded, quality: qualityAt(folded, now), used: usage.used, lastUsed: usage.lastUsed };
}

/** Quality with its recency part, 0–1. `now` in epoch milliseconds. */
export function qualityAt(folded: FoldedEntry, now: number): number {
  return Math.min(1, folded.quality + recencyQuality(folded.updated, now));
}
