import type { Author, Category, Reader } from '../memory/entry.ts';
import { qualityAt } from '../memory/fold.ts';
import { graphOf, neighboursIn, shortestPath } from '../memory/graph.ts';
import { oneLine } from '../memory/line.ts';
import { normalizeKey, normalizeTags } from '../memory/operation.ts';
import { reflectOn } from '../memory/reflect.ts';
import type { FileSummary, TakenEntry } from '../memory/taken.ts';
import type { Secret } from '../memory/vault.ts';
import type { ConflictKind } from '../memoryProtocol.ts';
import { LEVELS } from '../policy/level.ts';
import { StoreError } from './api.ts';
import type {
  CapturedDraft,
  CareApi,
  ConsolidateInput,
  GraphReport,
  ImportedEntry,
  MapInput,
  PromoteInput,
  SettleInput,
  TakeBackInput,
} from './careApi.ts';
import { addedTexts, apartFrom } from './conflicts.ts';
import { consolidate } from './consolidation.ts';
import { draftsOf, settleDrafts } from './drafts.ts';
import { healthOf, sessionWorkOf } from './healthReport.ts';
import type { HeldMemory } from './heldMemory.ts';
import { importEntries, makeCopy, onDisk, restoreCopy } from './keeping.ts';
import { archive, promote } from './lifecycle.ts';
import { mapOf } from './memoryMap.ts';
import { inSlices } from './slices.ts';
import { takeBack } from './takingBack.ts';
import { takeIn } from './takingIn.ts';

/** Keeps one folder's memory in order. Lives in the store's thread. */
export class CareService implements CareApi {
  readonly #memory: HeldMemory;
  readonly #vocabulary: Readonly<Record<string, readonly string[]>>;
  /** The last hard delete when copies were looked through. */
  #scrubbed = '';

  constructor(memory: HeldMemory, vocabulary: Readonly<Record<string, readonly string[]>>) {
    this.#memory = memory;
    this.#vocabulary = vocabulary;
  }

  async archive(before: number, dryRun: boolean, author: Author) {
    this.#memory.sync();
    return archive(this.#memory, before, dryRun, author);
  }

  async consolidate(input: ConsolidateInput, author: Author, signal?: AbortSignal | undefined) {
    this.#memory.sync();
    return consolidate(this.#memory, input, author, signal);
  }

  async promote(input: PromoteInput, author: Author) {
    this.#memory.sync();
    const { promoted, waiting, captured } = promote(this.#memory, input, author);
    for (const level of LEVELS) {
      // As `acceptedDraft` has it: without one of their own they get the confidence of what is inferred.
      const own = captured
        .filter((draft) => draft.level === level)
        .map((draft) => ({ ...draft, confidence: undefined }));
      // A session writes at its own level; what a person accepts stays at the level it has.
      const as = author.actor === 'person' ? { ...author, level } : author;
      if (own.length > 0) await this.importEntries(own, false, as);
    }
    return { promoted, waiting };
  }

  async drafts(captured: readonly CapturedDraft[], reader: Reader) {
    this.#memory.sync();
    return draftsOf(this.#memory, captured, reader);
  }

  async settleDrafts(input: SettleInput, author: Author) {
    return settleDrafts(this.#memory, input, this.#vocabulary, author);
  }

  async conflicts(kind: ConflictKind, author: Author) {
    this.#memory.sync();
    if (kind === 'texts') return addedTexts(this.#memory, author);
    const found = await this.consolidate({ mode: kind, minQuality: 0, dryRun: true }, author);
    return apartFrom(this.#memory, kind, found, author);
  }

  async takeBack(input: TakeBackInput, author: Author) {
    this.#memory.sync();
    return takeBack(this.#memory, input, author);
  }

  async health(reader: Reader) {
    this.#memory.sync();
    return inSlices(healthOf(this.#memory, reader));
  }

  async reflect(limit: number, category: Category | undefined, reader: Reader) {
    this.#memory.sync();
    const { store, now } = this.#memory;
    const entries = [...store.visible(reader)].filter(({ status }) => status === 'active');
    const beside = neighboursIn(graphOf(entries));
    const looked = entries.filter((entry) => category === undefined || entry.category === category);
    return reflectOn(
      looked.map((entry) => store.present(entry)),
      (id) => beside.get(id)?.length ?? 0,
      now(),
    ).slice(0, limit);
  }

  async graph(ids: readonly string[] | undefined, limit: number, reader: Reader): Promise<GraphReport> {
    this.#memory.sync();
    const graph = graphOf(this.#memory.live(reader));
    const beside = neighboursIn(graph);
    const degree = (id: string): number => beside.get(id)?.length ?? 0;
    const wanted =
      ids === undefined ? undefined : new Set(ids.flatMap((id) => [id, ...(beside.get(id) ?? [])]));
    const quality = (entry: (typeof graph.nodes)[number]): number => qualityAt(entry, this.#memory.now());
    const nodes = graph.nodes
      .filter(({ id }) => wanted?.has(id) ?? true)
      // What is asked for and what holds the graph together comes first, where not everything fits.
      .sort(
        (a, b) =>
          Number(ids?.includes(b.id) ?? false) - Number(ids?.includes(a.id) ?? false) ||
          degree(b.id) - degree(a.id) ||
          quality(b) - quality(a) ||
          (a.id < b.id ? -1 : 1),
      )
      .slice(0, limit);
    const shown = new Set(nodes.map(({ id }) => id));
    return {
      nodes: nodes.map((entry) => this.#memory.store.present(entry)),
      edges: graph.edges.filter(({ from, to }) => shown.has(from) && shown.has(to)),
    };
  }

  async map(input: MapInput, reader: Reader) {
    this.#memory.sync();
    return inSlices(mapOf(this.#memory, input, reader));
  }

  async path(from: string, to: string, reader: Reader): Promise<GraphReport | undefined> {
    this.#memory.sync();
    const { store } = this.#memory;
    const graph = graphOf(this.#memory.live(reader));
    const known = new Map(graph.nodes.map((entry) => [entry.id, entry]));
    const [start, end] = [from, to].map((name) => {
      const id = store.resolve(name, reader)?.id;
      if (id !== undefined && known.has(id)) return id;
      throw new StoreError(
        `"${oneLine(name)}" not found in memory. List what is there with memory_recall({ mode: "index" }).`,
      );
    }) as [string, string];
    const path = shortestPath(graph, start, end);
    if (path === undefined) return undefined;
    const steps = new Set(path.slice(1).flatMap((id, at) => [`${path[at]} ${id}`, `${id} ${path[at]}`]));
    return {
      nodes: path.flatMap((id) => known.get(id) ?? []).map((entry) => store.present(entry)),
      edges: graph.edges.filter((edge) => steps.has(`${edge.from} ${edge.to}`)),
    };
  }

  async sessionWork(since: number, reader: Reader) {
    this.#memory.sync();
    return sessionWorkOf(this.#memory, since, reader);
  }

  async importEntries(entries: readonly ImportedEntry[], replace: boolean, author: Author) {
    return importEntries(this.#memory, entries, replace, this.#vocabulary, author);
  }

  async takeIn(entries: readonly TakenEntry[], summaries: readonly FileSummary[], author: Author) {
    return takeIn(this.#memory, entries, summaries, author);
  }

  async copy(kind: 'backup' | 'snapshot', author: Author, note = '') {
    this.#memory.sync();
    return makeCopy(this.#memory, kind, author, note);
  }

  async copies(reader: Reader) {
    return this.#memory.copies.noted(reader.level);
  }

  async restore(name: string, author: Author) {
    this.#memory.sync();
    return restoreCopy(this.#memory, name, author);
  }

  async putSecret(secret: Omit<Secret, 'at'>, author: Author) {
    const { vault, now } = this.#memory;
    const name = normalizeKey(secret.name);
    onDisk(() => vault.put(author.level, { ...secret, name, tags: normalizeTags(secret.tags), at: now() }));
  }

  async secret(name: string, reader: Reader) {
    const found = onDisk(() => this.#memory.vault.get(reader.level, normalizeKey(name)));
    return found === undefined || this.#isOver(found) ? undefined : found;
  }

  async secrets(reader: Reader) {
    return onDisk(() => this.#memory.vault.list(reader.level))
      .filter((secret) => !this.#isOver(secret))
      .map(({ value: _, ...rest }) => rest);
  }

  async dropSecret(name: string, author: Author) {
    return onDisk(() => this.#memory.vault.remove(author.level, normalizeKey(name)));
  }

  async version(reader: Reader) {
    this.#memory.sync();
    return this.#memory.version(reader);
  }

  /** Work for idle moments: what an eraser that was ended left in copies. */
  tidy(): void {
    const last = this.#memory.store.lastErasure();
    if (last === this.#scrubbed) return;
    onDisk(() => this.#memory.scrub());
    this.#scrubbed = last;
  }

  #isOver({ expires }: Secret): boolean {
    return expires !== undefined && expires <= this.#memory.now();
  }
}
