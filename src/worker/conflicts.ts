/** Entries and texts of which only one may be right, for a person to decide. Only looks. */
import type { Author, Reader } from '../memory/entry.ts';
import type { FoldedEntry } from '../memory/fold.ts';
import { normalizeKey } from '../memory/operation.ts';
import type { Conflict, ConflictKind, ConflictSide, ConflictsFound } from '../memoryProtocol.ts';
import type { ConsolidateOutcome } from './careApi.ts';
import type { HeldMemory } from './heldMemory.ts';
import { nameOf } from './lifecycle.ts';

/** As many as a person goes through at a time. */
const MOST = 50;

/** Entries to which other texts were added: who saved them under the same key may have meant to correct them. */
export function addedTexts(memory: HeldMemory, author: Author): ConflictsFound {
  const entries = memory
    .live(author)
    .filter((entry) => entry.revisions.some(({ addition }) => addition) && memory.mayChange(entry, author))
    .sort((a, b) => b.updated - a.updated);
  return {
    total: entries.length,
    conflicts: entries.slice(0, MOST).map((entry) => ({
      kind: 'texts',
      sides: [
        sideOf(entry),
        ...entry.revisions
          .filter(({ addition }) => addition)
          .map(({ text, at, source }) => ({ ...sideOf(entry), text, at, source })),
      ],
    })),
  };
}

/** Groups of entries that a dry run found, without those that link to each other: somebody knows of both. */
export function apartFrom(
  memory: HeldMemory,
  kind: Exclude<ConflictKind, 'texts'>,
  { groups }: ConsolidateOutcome,
  reader: Reader,
): ConflictsFound {
  const { store } = memory;
  const found = groups.flatMap(({ winner, losers }): Conflict[] => {
    const entries = [winner, ...losers]
      .flatMap((name) => store.folded(name?.id ?? '') ?? [])
      // Where another one is shown in its place there is nothing to decide.
      .filter((entry) => store.isVisible(entry, reader));
    const [first, ...others] = entries;
    if (first === undefined) return [];
    const open = others.filter((other) => !isLinked(first, other));
    return open.length === 0 ? [] : [{ kind, sides: [first, ...open].map(sideOf) }];
  });
  return { total: found.length, conflicts: found.slice(0, MOST) };
}

function isLinked(one: FoldedEntry, other: FoldedEntry): boolean {
  const leads = (from: FoldedEntry, to: FoldedEntry) => from.links.map(normalizeKey).includes(to.key);
  return leads(one, other) || leads(other, one);
}

function sideOf(entry: FoldedEntry): ConflictSide {
  const { content, updated, source, tags, links } = entry;
  return { ...nameOf(entry), text: content, at: updated, source, tags, links };
}
