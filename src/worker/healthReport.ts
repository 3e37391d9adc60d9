/** What is wrong in a memory, and what its sessions wrote. Only looks. */
import { identicalGroups } from '../memory/consolidate.ts';
import type { Reader } from '../memory/entry.ts';
import type { FoldedEntry } from '../memory/fold.ts';
import { linksOf, meaningsOf } from '../memory/links.ts';
import { normalizeKey } from '../memory/operation.ts';
import { overlapOf } from '../memory/similar.ts';
import { canFlowTo, parseLevel } from '../policy/level.ts';
import type { HealthReport, MergeReport } from './careApi.ts';
import type { HeldMemory } from './heldMemory.ts';
import { nameOf } from './lifecycle.ts';

/** Above this share of common words two entries say the same (seed 001: Jaccard > 50 %). */
const SAME = 0.5;
/** Entries most like one, among which those of other sessions are looked for. */
const CANDIDATES = 10;
const MOST_OVERLAPS = 50;

/** Stops after each step so that other work can be done in between; what that changes is in the next report. */
export function* healthOf(memory: HeldMemory, reader: Reader): Generator<void, HealthReport> {
  const { store } = memory;
  const all = [...store.visible(reader)];
  yield;
  const live = all.filter((entry) => entry.status === 'active' && !store.isExpired(entry));
  yield;
  // What was forgotten is out of every read; everything else a link may lead to.
  const keys = new Set(all.filter(({ status }) => status !== 'forgotten').map(({ key }) => key));
  const orphanLinks: HealthReport['orphanLinks'][number][] = [];
  for (const entry of live) {
    for (const link of linksOf(entry))
      if (!meaningsOf(link).some((key) => keys.has(key)))
        orphanLinks.push({
          ...nameOf(entry),
          link,
          inContent: !entry.links.map(normalizeKey).includes(link),
        });
    yield;
  }
  const same = yield* identicalGroups(live);
  return {
    active: live.length,
    orphanLinks,
    duplicates: same.map(({ winner, losers }) => [winner, ...losers].map(nameOf)),
    expired: all
      .filter((entry) => entry.status === 'active' && store.isExpired(entry))
      .map((entry) => ({ ...nameOf(entry), expires: entry.expires ?? 0 })),
    files: live.filter(({ file }) => file !== '').map((entry) => ({ ...nameOf(entry), file: entry.file })),
    damaged: store.damage().filter(({ level }) => isTold(level, reader)).length,
  };
}

/** What no record is made of is of no level. */
function isTold(level: string | undefined, reader: Reader): boolean {
  return level === undefined || canFlowTo(parseLevel(level) ?? 'RESTRICTED', reader.level);
}

export function sessionWorkOf(memory: HeldMemory, since: number, reader: Reader): MergeReport {
  const { store } = memory;
  const recent = [...store.visible(reader)]
    .filter(
      (entry) =>
        entry.updated >= since &&
        (entry.status === 'active' || entry.status === 'draft') &&
        !store.isExpired(entry),
    )
    .sort((a, b) => b.updated - a.updated);
  const bySession = new Map<string, FoldedEntry[]>();
  for (const entry of recent) bySession.set(entry.session, [...(bySession.get(entry.session) ?? []), entry]);
  return {
    sessions: [...bySession].map(([session, entries]) => ({
      session,
      source: entries[0]?.source ?? '',
      entries: entries.map((entry) => store.present(entry)),
    })),
    overlaps: overlapsIn(memory, recent, reader),
    shared: recent
      .filter(({ revisions }) => revisions.some(({ addition, at }) => addition && at >= since))
      .map((entry) => store.present(entry)),
  };
}

function overlapsIn(
  { store, searcher }: HeldMemory,
  recent: readonly FoldedEntry[],
  reader: Reader,
): MergeReport['overlaps'] {
  const byId = new Map(recent.map((entry) => [entry.id, entry]));
  const found = recent.flatMap((one) => {
    // Each pair once, by the order of the ids.
    const accepts = (id: string): boolean =>
      id > one.id && byId.has(id) && byId.get(id)?.session !== one.session;
    return searcher.similar(`${one.key}\n${one.content}`, CANDIDATES, reader, accepts).flatMap((id) => {
      const other = byId.get(id);
      const overlap = other === undefined ? 0 : overlapOf(one, other, (of) => searcher.words(of));
      return other === undefined || overlap <= SAME ? [] : [{ one, other, overlap }];
    });
  });
  return found
    .sort((a, b) => b.overlap - a.overlap)
    .slice(0, MOST_OVERLAPS)
    .map(({ one, other, overlap }) => ({ one: store.present(one), other: store.present(other), overlap }));
}
