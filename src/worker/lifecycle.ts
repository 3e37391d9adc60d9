/** What takes entries out of recall in order, and what brings drafts into it. */
import { type Group, identicalGroups, similarGroups, versionGroups } from '../memory/consolidate.ts';
import type { Author } from '../memory/entry.ts';
import { type FoldedEntry, qualityAt } from '../memory/fold.ts';
import { oneLine } from '../memory/line.ts';
import type { Attributes, PutOperation } from '../memory/operation.ts';
import { staticQuality } from '../memory/quality.ts';
import { overlapOf, type WordsOf } from '../memory/similar.ts';
import { isoDate } from '../memory/ttl.ts';
import { StoreError } from './api.ts';
import type {
  ArchiveOutcome,
  CapturedDraft,
  ConsolidateInput,
  ConsolidateOutcome,
  DraftName,
  EntryName,
  PromoteInput,
  PromoteOutcome,
} from './careApi.ts';
import { signature } from './changes.ts';
import type { Change, HeldMemory } from './heldMemory.ts';

/** Above this share of common words a draft says what is remembered already (seed 001: Jaccard > 0.5). */
const KNOWN = 0.5;
/** Entries most like one, among which those that say the same are looked for. */
const CANDIDATES = 20;

/** Archives what is expired or unchanged since `before`; never pinned entries, and never the newest one. */
export function archive(memory: HeldMemory, before: number, author: Author): ArchiveOutcome {
  const { store } = memory;
  const mine = [...store.visible(author)].filter(
    (entry) => entry.status === 'active' && memory.mayChange(entry, author),
  );
  const newest = mine
    .filter((entry) => !store.isExpired(entry))
    .reduce<FoldedEntry | undefined>(
      (last, entry) => (last && last.updated >= entry.updated ? last : entry),
      undefined,
    );
  const archived = mine.flatMap((entry) => {
    const reason = store.isExpired(entry)
      ? `expired on ${isoDate(entry.expires ?? 0)}`
      : `not changed since ${isoDate(entry.updated)}`;
    const goes =
      store.isExpired(entry) || (entry.updated < before && !entry.pinned && entry.id !== newest?.id);
    return goes ? [{ entry, reason }] : [];
  });
  // An archived entry does not expire a second time, so that a search in the archive finds it.
  memory.writeAll(
    archived.map(({ entry, reason }) =>
      change(memory, entry, { status: 'archived', reason, expires: null }, author),
    ),
  );
  return {
    archived: archived.map(({ entry, reason }) => ({ ...nameOf(entry), reason })),
    active: memory.live(author).length,
  };
}

/** Finds what says the same, is poor or was overtaken, and unless it is a dry run takes it out of recall. */
export function consolidate(memory: HeldMemory, input: ConsolidateInput, author: Author): ConsolidateOutcome {
  const mine = memory.live(author).filter((entry) => memory.mayChange(entry, author));
  if (input.mode === 'low-quality') return compressPoor(memory, mine, input, author);
  const words = cachedWords(memory);
  const groups = {
    identical: () => identicalGroups(mine),
    similar: () => similarGroups(mine, words),
    versions: () => versionGroups(mine, words),
  }[input.mode]();
  if (!input.dryRun) memory.writeAll(groups.flatMap((group) => merging(memory, group, input.mode, author)));
  return {
    groups: groups.map(({ winner, losers, why }) => ({
      winner: nameOf(winner),
      losers: losers.map(nameOf),
      why,
    })),
  };
}

/** What is looked at of a draft, whether it is in memory or was captured. */
type Candidate = Pick<FoldedEntry, 'key' | 'content' | 'tags' | 'confidence'> & {
  readonly entry?: FoldedEntry | undefined;
  readonly captured?: CapturedDraft | undefined;
};

/** Chooses drafts that are confident enough and say something new, and accepts those that are in memory. */
export function promote(
  memory: HeldMemory,
  input: PromoteInput,
  author: Author,
): PromoteOutcome & { readonly captured: readonly CapturedDraft[] } {
  const words = cachedWords(memory);
  const promoted: Candidate[] = [];
  const waiting: (DraftName & { reason: string })[] = [];
  for (const draft of candidatesOf(memory, input, author)) {
    const reason =
      input.ids === undefined ? whyNot(memory, draft, promoted, words, input, author) : undefined;
    if (reason === undefined) promoted.push(draft);
    else waiting.push({ ...draftName(draft), reason });
  }
  if (!input.dryRun) {
    // A person who accepts a draft has read it.
    const set: Attributes = { status: 'active', ...(author.actor === 'person' ? { confirmed: true } : {}) };
    memory.writeAll(
      promoted.flatMap(({ entry }) => (entry === undefined ? [] : [change(memory, entry, set, author)])),
    );
  }
  const captured = promoted.flatMap((draft) => draft.captured ?? []);
  return { promoted: promoted.map(draftName), waiting, captured: input.dryRun ? [] : captured };
}

function draftName({ entry, key, content, confidence }: Candidate): DraftName {
  return { id: entry?.id ?? null, key, content, confidence };
}

function candidatesOf(memory: HeldMemory, input: PromoteInput, author: Author): Candidate[] {
  const { ids, since, sessions, captured = [] } = input;
  if (ids !== undefined) {
    return ids.map((name) => {
      const entry = memory.store.resolve(name, author);
      if (entry?.status !== 'draft' || !memory.mayChange(entry, author))
        throw new StoreError(`"${oneLine(name)}" is not a draft. List the drafts with memory_promote({}).`);
      return { ...entry, entry };
    });
  }
  const drafts = [...memory.store.visible(author)].filter(
    (entry) =>
      entry.status === 'draft' &&
      entry.updated >= since &&
      !memory.store.isExpired(entry) &&
      memory.mayChange(entry, author) &&
      (sessions?.includes(entry.session) ?? true),
  );
  return [
    ...drafts.map((entry): Candidate => ({ ...entry, entry })),
    ...captured.map(
      (each): Candidate => ({
        ...each,
        tags: each.tags ?? [],
        confidence: each.confidence ?? 0,
        captured: each,
      }),
    ),
  ].sort((a, b) => b.confidence - a.confidence || (a.key < b.key ? -1 : 1));
}

function whyNot(
  memory: HeldMemory,
  draft: Candidate,
  promoted: readonly Candidate[],
  words: WordsOf,
  { minConfidence, max }: PromoteInput,
  author: Author,
): string | undefined {
  if (draft.confidence < minConfidence) return `confidence ${draft.confidence.toFixed(2)}`;
  const near = [...alike(memory, draft, author, draft.entry?.id), ...promoted];
  const known = near.find((other) => overlapOf(draft, other, words) > KNOWN);
  if (known !== undefined) return `says what "${oneLine(known.key)}" says`;
  return promoted.length >= max ? `more than max ${max}` : undefined;
}

function compressPoor(
  memory: HeldMemory,
  mine: readonly FoldedEntry[],
  { minQuality, dryRun }: ConsolidateInput,
  author: Author,
): ConsolidateOutcome {
  const now = memory.now();
  const poor = mine
    .filter(
      (entry) =>
        qualityAt(entry, now) < minQuality &&
        !entry.pinned &&
        !entry.confirmed &&
        entry.importance !== 'critical' &&
        entry.importance !== 'high',
    )
    .map((entry) => ({ entry, why: `quality ${qualityAt(entry, now).toFixed(2)}` }));
  if (!dryRun)
    memory.writeAll(
      poor.map(({ entry, why }) => change(memory, entry, { status: 'archived', reason: why }, author)),
    );
  return { groups: poor.map(({ entry, why }) => ({ winner: null, losers: [nameOf(entry)], why })) };
}

/** The winner takes over tags, links and, where texts differ, the texts; the others are superseded by it. */
function merging(
  memory: HeldMemory,
  { winner, losers, why }: Group,
  mode: ConsolidateInput['mode'],
  author: Author,
): Change[] {
  const superseded = losers.map((loser) =>
    change(memory, loser, { status: 'superseded', supersededBy: winner.key, reason: why }, author),
  );
  // An older version's text would only mislead beside the newer one.
  if (mode === 'versions') return superseded;
  const texts = mode === 'similar' ? losers.map(({ content }) => content) : [];
  const tags = missing(
    winner.tags,
    losers.flatMap((loser) => loser.tags),
  );
  const links = missing(
    winner.links,
    losers.flatMap((loser) => loser.links),
  ).filter((link) => link !== winner.key);
  const pins = !winner.pinned && losers.some((loser) => loser.pinned);
  const after = { ...winner, tags: [...winner.tags, ...tags], links: [...winner.links, ...links] };
  const set: Attributes = {
    quality: Math.max(winner.quality, staticQuality(after)),
    ...(pins ? { pinned: true } : {}),
  };
  const gains = pins || tags.length + links.length > 0;
  return [
    ...(gains ? [change(memory, winner, set, author, { tags: { add: tags }, links: { add: links } })] : []),
    ...texts.map((value) => change(memory, winner, {}, author, { text: { value, mode: 'keep' } })),
    ...superseded,
  ];
}

function change(
  memory: HeldMemory,
  entry: FoldedEntry,
  set: Attributes,
  author: Author,
  rest: Partial<Pick<PutOperation, 'text' | 'tags' | 'links'>> = {},
): Change {
  return {
    operation: { op: 'put', key: entry.key, at: memory.now(), by: signature(author), set, ...rest },
    level: entry.level,
  };
}

/** Active entries most like this text, the entry `own` left out. */
function alike(
  memory: HeldMemory,
  text: Pick<FoldedEntry, 'key' | 'content'>,
  author: Author,
  own: string | undefined,
): FoldedEntry[] {
  const { store, searcher } = memory;
  const accepts = (id: string): boolean => {
    const other = store.folded(id);
    return (
      other !== undefined &&
      id !== own &&
      other.status === 'active' &&
      !store.isExpired(other) &&
      store.isVisible(other, author)
    );
  };
  return searcher
    .similar(`${text.key}\n${text.content}`, CANDIDATES, author, accepts)
    .flatMap((id) => store.folded(id) ?? []);
}

/** Each text's words once, since it is compared with many. */
function cachedWords(memory: HeldMemory): WordsOf {
  const known = new Map<string, ReadonlySet<string>>();
  return (entry) => {
    const text = JSON.stringify([entry.key, entry.tags, entry.content]);
    const words = known.get(text) ?? memory.searcher.words(entry);
    known.set(text, words);
    return words;
  };
}

function missing(own: readonly string[], others: readonly string[]): string[] {
  return [...new Set(others)].filter((value) => !own.includes(value));
}

/** An entry as lists name it. */
export function nameOf({ id, key, category, level }: FoldedEntry): EntryName {
  return { id, key, category, level };
}
