/**
 * Which entries say the same or have been overtaken. Deterministic, and nothing is changed here. Each way of looking
 * stops after each step so that other work can be done in between.
 */
import { AlikeSets } from './alike.ts';
import { IMPORTANCE } from './entry.ts';
import type { FoldedEntry } from './fold.ts';
import { jaccard, type WordsOf } from './similar.ts';
import { compareVersions, versionsIn } from './versions.ts';

/** Above this share of common words two entries say the same (seed 001: Jaccard > 50 %). */
const SIMILAR = 0.5;
/** Entries on two versions of one thing are on one topic when their keys, or so much of their words, agree. */
const SAME_TOPIC = 0.5;

/** Entries of which one is to stay and the others are to give way to it. */
export interface Group {
  readonly winner: FoldedEntry;
  readonly losers: readonly FoldedEntry[];
  /** English, for the report. */
  readonly why: string;
}

/** A version of something that an entry names. */
interface Mention {
  readonly entry: FoldedEntry;
  readonly name: string;
  readonly version: string;
}

/** Entries of one level with the same content but for blanks. The best kept one stays. */
export function* identicalGroups(entries: readonly FoldedEntry[]): Generator<void, Group[]> {
  const same = yield* groupBy(entries, ({ level, content }) => `${level}\0${plain(content)}`);
  return same.flatMap((group) => {
    const [winner, ...losers] = [...group].sort(byWorth);
    return winner === undefined || losers.length === 0 ? [] : [{ winner, losers, why: 'the same content' }];
  });
}

/** Entries of one level and category that share more than half of their words; the longest content stays. */
export function* similarGroups(entries: readonly FoldedEntry[], words: WordsOf): Generator<void, Group[]> {
  const groups: Group[] = [];
  for (const kin of yield* groupBy(entries, ({ level, category }) => `${level}\0${category}`)) {
    const longestFirst = kin.sort(byLength);
    // As in `overlapOf`: everything, or the contents where keys and tags name the same differently.
    const alike = [
      yield* AlikeSets.of(wordsOfEach(longestFirst, words), SIMILAR),
      yield* AlikeSets.of(
        wordsOfEach(longestFirst, ({ content }) => words({ key: '', content, tags: [] })),
        SIMILAR,
      ),
    ];
    const taken = new Set<number>();
    for (const [at, winner] of longestFirst.entries()) {
      if (taken.has(at)) continue;
      const near = new Set(alike.flatMap((sets) => sets.take(at)));
      for (const other of near) {
        taken.add(other);
        for (const sets of alike) sets.drop(other);
      }
      const losers = [...near].flatMap((other) => longestFirst[other] ?? []).sort(byWorth);
      if (losers.length > 0) groups.push({ winner, losers, why: 'more than half of the words in common' });
      yield;
    }
  }
  return groups.sort((a, b) => byLength(a.winner, b.winner));
}

function* wordsOfEach(entries: readonly FoldedEntry[], words: WordsOf): Generator<ReadonlySet<string>> {
  for (const entry of entries) yield words(entry);
}

/** Entries of one level on the same topic that name different versions of one thing; the newest version stays. */
export function* versionGroups(entries: readonly FoldedEntry[], words: WordsOf): Generator<void, Group[]> {
  const mentions: Mention[] = [];
  for (const entry of entries) {
    for (const [name, version] of versionsIn(entry)) mentions.push({ entry, name, version });
    yield;
  }
  const taken = new Set<string>();
  const groups: Group[] = [];
  for (const group of yield* groupBy(mentions, ({ entry, name }) => `${entry.level}\0${name}`)) {
    groups.push(...overtakenIn(group, taken, words));
    yield;
  }
  return groups;
}

function overtakenIn(group: readonly Mention[], taken: Set<string>, words: WordsOf): Group[] {
  const [top, ...older] = [...group].sort(
    (a, b) => compareVersions(b.version, a.version) || b.entry.updated - a.entry.updated,
  );
  if (top === undefined || taken.has(top.entry.id)) return [];
  const losers = older.filter(
    ({ entry, version }) =>
      compareVersions(version, top.version) < 0 &&
      !taken.has(entry.id) &&
      sameTopic(entry, top.entry, top.name, words),
  );
  if (losers.length === 0) return [];
  for (const { entry } of losers) taken.add(entry.id);
  const why = `${top.name} ${losers.map(({ version }) => version).join(', ')} → ${top.version}`;
  return [{ winner: top.entry, losers: losers.map(({ entry }) => entry), why }];
}

function sameTopic(one: FoldedEntry, other: FoldedEntry, name: string, words: WordsOf): boolean {
  if ([one, other].every(({ key }) => key.normalize('NFC').toLowerCase().includes(name))) return true;
  const [left, right] = [one, other].map(({ content }) =>
    withoutNumbers(words({ key: '', content, tags: [] })),
  );
  return jaccard(left ?? new Set(), right ?? new Set()) > SAME_TOPIC;
}

function withoutNumbers(words: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...words].filter((word) => !/\d/.test(word)));
}

/** The entry that a person or use has vouched for first, then the better and the older one. */
function byWorth(a: FoldedEntry, b: FoldedEntry): number {
  return (
    Number(b.pinned) - Number(a.pinned) ||
    Number(b.confirmed) - Number(a.confirmed) ||
    importanceRank(a) - importanceRank(b) ||
    b.quality - a.quality ||
    a.created - b.created ||
    (a.id < b.id ? -1 : 1)
  );
}

/** The longest content first. */
function byLength(a: FoldedEntry, b: FoldedEntry): number {
  return b.content.length - a.content.length || byWorth(a, b);
}

/** 0 for critical; no explicit importance ranks as medium. */
function importanceRank({ importance }: FoldedEntry): number {
  return IMPORTANCE.indexOf(importance ?? 'medium');
}

function plain(content: string): string {
  return content.normalize('NFC').replace(/\s+/gu, ' ').trim();
}

function* groupBy<Item>(items: readonly Item[], name: (item: Item) => string): Generator<void, Item[][]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = name(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
    yield;
  }
  return [...groups.values()].filter((group) => group.length > 1);
}
