/** What takes entries out of recall in order, and what brings drafts into it. */
import type { Author, Reader } from '../memory/entry.ts';
import type { FoldedEntry } from '../memory/fold.ts';
import { oneLine } from '../memory/line.ts';
import type { Attributes, PutOperation } from '../memory/operation.ts';
import { overlapOf, type WordsOf } from '../memory/similar.ts';
import { isoDate } from '../memory/ttl.ts';
import type { EntryName } from '../memoryProtocol.ts';
import type { Level } from '../policy/level.ts';
import type { Phrase } from '../protocol.ts';
import { fill, phrase, StoreError } from './api.ts';
import type { ArchiveOutcome, CapturedDraft, DraftName, PromoteInput, PromoteOutcome } from './careApi.ts';
import { signature } from './changes.ts';
import { acceptedDraft, undecidedOf } from './drafts.ts';
import type { Change, HeldMemory } from './heldMemory.ts';

/** Above this share of common words a draft says what is remembered already (seed 001: Jaccard > 0.5). */
const KNOWN = 0.5;
/** Entries most like one, among which those that say the same are looked for. */
const CANDIDATES = 20;

/** Archives what is expired or unchanged since `before`; never pinned entries, and never the newest one of a level. */
export function archive(memory: HeldMemory, before: number, dryRun: boolean, author: Author): ArchiveOutcome {
  const { store } = memory;
  const mine = [...store.all()].filter(
    (entry) => entry.status === 'active' && memory.mayChange(entry, author),
  );
  const newest = new Map<Level, FoldedEntry>();
  for (const entry of mine.filter((each) => !store.isExpired(each))) {
    const last = newest.get(entry.level);
    if (last === undefined || last.updated < entry.updated) newest.set(entry.level, entry);
  }
  const archived = mine.flatMap((entry) => {
    const why = store.isExpired(entry)
      ? phrase('expired on {0}', isoDate(entry.expires ?? 0))
      : phrase('not changed since {0}', isoDate(entry.updated));
    const goes =
      store.isExpired(entry) ||
      (entry.updated < before && !entry.pinned && entry.id !== newest.get(entry.level)?.id);
    return goes ? [{ entry, why }] : [];
  });
  // An archived entry does not expire a second time, so that a search in the archive finds it.
  if (!dryRun)
    memory.writeAll(
      archived.map(({ entry, why }) =>
        change(memory, entry, { status: 'archived', reason: fill(why), expires: null }, author),
      ),
    );
  return {
    archived: archived.map(({ entry, why }) => ({ ...nameOf(entry), reason: fill(why), phrase: why })),
    active: memory.live(author).length,
  };
}

/** What is looked at of a draft, whether it is in memory or was captured. */
type Candidate = Pick<FoldedEntry, 'key' | 'content' | 'tags' | 'confidence' | 'level'> & {
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
  const waiting: (DraftName & { reason: string; phrase: Phrase })[] = [];
  // Where it is going to be a memory: what is above that has no say in it.
  const levelOf = (draft: Candidate): Level => (author.actor === 'person' ? draft.level : author.level);
  for (const draft of candidatesOf(memory, input, author)) {
    const level = levelOf(draft);
    const beside = promoted.filter((other) => levelOf(other) === level);
    const why = input.ids === undefined ? whyNot(memory, draft, beside, words, input, { level }) : undefined;
    if (why === undefined) promoted.push(draft);
    else waiting.push({ ...draftName(draft), reason: fill(why), phrase: why });
  }
  if (!input.dryRun) {
    // A person who accepts a draft has read it.
    const confirmed = author.actor === 'person' ? { confirmed: true } : {};
    memory.writeAll(
      promoted.flatMap(({ entry }) =>
        entry === undefined ? [] : [change(memory, entry, { ...acceptedDraft(entry), ...confirmed }, author)],
      ),
    );
  }
  const captured = promoted.flatMap((draft) => draft.captured ?? []);
  return { promoted: promoted.map(draftName), waiting, captured: input.dryRun ? [] : captured };
}

function draftName({ entry, key, content, confidence }: Candidate): DraftName {
  return { id: entry?.id ?? null, key, content, confidence };
}

function candidatesOf(memory: HeldMemory, input: PromoteInput, author: Author): Candidate[] {
  const { ids, since, captured = [] } = input;
  if (ids !== undefined) {
    return ids.map((name) => {
      const entry = memory.store.resolve(name, author);
      if (entry?.status !== 'draft' || !memory.mayChange(entry, author))
        throw new StoreError(`"${oneLine(name)}" is not a draft. List the drafts with memory_promote({}).`);
      return { ...entry, entry };
    });
  }
  const drafts = [...memory.store.all()].filter(
    (entry) =>
      entry.status === 'draft' &&
      entry.updated >= since &&
      !memory.store.isExpired(entry) &&
      memory.mayChange(entry, author),
  );
  return [
    ...drafts.map((entry): Candidate => ({ ...entry, entry })),
    // Of what was rejected or accepted there is an entry, and it is not asked about again.
    ...undecidedOf(memory, captured, author).map(
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
  reader: Reader,
): Phrase | undefined {
  if (draft.confidence < minConfidence) return phrase('confidence {0}', draft.confidence.toFixed(2));
  const near = [...alike(memory, draft, reader, draft.entry?.id), ...promoted];
  const known = near.find((other) => overlapOf(draft, other, words) > KNOWN);
  if (known !== undefined) return phrase('says what "{0}" says', oneLine(known.key));
  return promoted.length >= max ? phrase('more than max {0}', max) : undefined;
}

/** A change of an entry, at the entry's own level. */
export function change(
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
  reader: Reader,
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
      store.isVisible(other, reader)
    );
  };
  return searcher
    .similar(`${text.key}\n${text.content}`, CANDIDATES, reader, accepts)
    .flatMap((id) => store.folded(id) ?? []);
}

/** Each text's words once, since it is compared with many. */
export function cachedWords(memory: HeldMemory): WordsOf {
  const known = new Map<string, ReadonlySet<string>>();
  return (entry) => {
    const text = JSON.stringify([entry.key, entry.tags, entry.content]);
    const words = known.get(text) ?? memory.searcher.words(entry);
    known.set(text, words);
    return words;
  };
}

/** An entry as lists name it. */
export function nameOf({ id, key, category, level }: FoldedEntry): EntryName {
  return { id, key, category, level };
}
