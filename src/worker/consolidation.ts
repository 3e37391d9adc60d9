/** What says the same, is poor or was overtaken gives way to what stays. */
import { type Group, identicalGroups, similarGroups, versionGroups } from '../memory/consolidate.ts';
import type { Author } from '../memory/entry.ts';
import { type FoldedEntry, qualityAt } from '../memory/fold.ts';
import type { Attributes } from '../memory/operation.ts';
import { staticQuality } from '../memory/quality.ts';
import type { ConsolidateInput, ConsolidateOutcome } from './careApi.ts';
import type { Change, HeldMemory } from './heldMemory.ts';
import { cachedWords, change, nameOf } from './lifecycle.ts';
import { inSlices } from './slices.ts';

/**
 * Finds what says the same, is poor or was overtaken, and unless it is a dry run takes it out of recall.
 * @throws an AbortError when the signal fires before anything was changed
 */
export async function consolidate(
  memory: HeldMemory,
  input: ConsolidateInput,
  author: Author,
  signal?: AbortSignal | undefined,
): Promise<ConsolidateOutcome> {
  const mine = [...memory.store.all()].filter(
    (entry) => memory.isLive(entry) && memory.mayChange(entry, author),
  );
  if (input.mode === 'low-quality') return compressPoor(memory, mine, input, author);
  const looking = {
    identical: () => identicalGroups(mine),
    similar: () => similarGroups(mine, (texts) => memory.searcher.words(texts)),
    versions: () => versionGroups(mine, cachedWords(memory)),
  }[input.mode]();
  const found = asTheyAre(memory, await inSlices(looking, signal));
  if (!input.dryRun) memory.writeAll(found.flatMap((group) => merging(memory, group, input.mode, author)));
  return {
    groups: found.map(({ winner, losers, why }) => ({
      winner: nameOf(winner),
      losers: losers.map(nameOf),
      why,
    })),
  };
}

/** Looking lets other calls through, and what they changed is left alone. */
function asTheyAre(memory: HeldMemory, groups: readonly Group[]): Group[] {
  memory.sync();
  const asItWas = (entry: FoldedEntry): FoldedEntry[] => {
    const now = memory.store.folded(entry.id);
    if (now === undefined || !memory.isLive(now)) return [];
    return now.updated === entry.updated && now.content === entry.content ? [now] : [];
  };
  return groups.flatMap((group) => {
    const [winner] = asItWas(group.winner);
    const losers = group.losers.flatMap(asItWas);
    return winner === undefined || losers.length === 0 ? [] : [{ ...group, winner, losers }];
  });
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

function missing(own: readonly string[], others: readonly string[]): string[] {
  return [...new Set(others)].filter((value) => !own.includes(value));
}
