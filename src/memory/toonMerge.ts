/** The text of a `.toon` file after an export, in which nothing is lost that the file alone knows. */
import type { Entry } from './entry.ts';
import { comparableText, normalizeKey } from './operation.ts';
import { type FileSummary, Losses } from './taken.ts';
import { isToonExportable, toonId, toonRow } from './toonEntries.ts';
import {
  normalizeToonText,
  rowLine,
  summaryLine,
  type ToonFile,
  type ToonRow,
  toonText,
} from './toonFormat.ts';

export interface MergedToon {
  readonly text: string;
  /** Rows that memories of here have in it. */
  readonly written: number;
  /** Rows of the file that nothing here is about, kept as they are. */
  readonly foreign: number;
  /** Keys whose row says what is not known here, kept as it is. */
  readonly unknown: readonly string[];
  /** Memories that are forgotten, archived or have expired, and stay here. */
  readonly withheld: number;
  readonly losses: readonly string[];
}

/**
 * Puts memories into a file. A row whose text is known here gives way to the memory's own; every other line stays.
 * @param there what the file holds; undefined when there is none
 * @param now epoch milliseconds
 */
export function mergeToon(
  entries: readonly Entry[],
  summaries: readonly FileSummary[],
  there: ToonFile | undefined,
  now: number,
): MergedToon {
  const losses = new Losses();
  const open = entries.filter((entry) => isToonExportable(entry, now));
  const mine = new Map(open.map((entry) => [entry.key, entry]));
  const theirs = new Map<string, ToonRow>();
  const kept: string[] = [];
  const unknown: string[] = [];
  let foreign = 0;
  for (const { raw, row } of there?.rows ?? []) {
    const key = normalizeKey(row.key);
    const entry = mine.get(key);
    if (entry !== undefined && !theirs.has(key) && knows(entry, row.content)) theirs.set(key, row);
    else if (entry !== undefined && theirs.has(key) && knows(entry, row.content)) continue;
    else {
      kept.push(raw);
      if (entry === undefined) foreign++;
      else if (!unknown.includes(key)) unknown.push(key);
    }
  }
  const silent = new Set(unknown);
  // What cannot be read may be mended by hand, and stays among its like: elsewhere it could be read as something else.
  const [brokenSummaries, brokenRows] = [true, false].map((wanted) =>
    (there?.damaged ?? []).filter(({ isSummary }) => isSummary === wanted).map(({ raw }) => raw),
  ) as [string[], string[]];
  const ids = new Set((there?.rows ?? []).map(({ row }) => row.id));
  const rows = open
    .filter(({ key }) => !silent.has(key))
    .sort((a, b) => b.updated - a.updated || (a.key < b.key ? -1 : 1))
    .map((entry) => {
      const row = toonRow(entry, theirs.get(entry.key), losses);
      const id = row.id === '' ? toonId(entry.key, ids) : row.id;
      ids.add(id);
      return rowLine({ ...row, id });
    });
  return {
    text: toonText(
      [...rows, ...kept, ...brokenRows],
      [...summaryLines(summaries, there, losses), ...brokenSummaries],
    ),
    written: rows.length,
    foreign,
    unknown,
    withheld: entries.length - open.length,
    losses: losses.lines(),
  };
}

/** Whether a text is the content of a memory, or was one: then nothing is lost with it. */
function knows({ content, revisions }: Entry, text: string): boolean {
  const wanted = comparable(text);
  return [content, ...revisions.map((revision) => revision.text)].some((each) => comparable(each) === wanted);
}

function comparable(text: string): string {
  return comparableText(normalizeToonText(text));
}

function summaryLines(
  summaries: readonly FileSummary[],
  there: ToonFile | undefined,
  losses: Losses,
): string[] {
  const lines = new Map<string, string>();
  for (const { file, raw } of there?.summaries ?? []) lines.set(file, raw);
  for (const summary of summaries) {
    const line = summaryLine(summary);
    if (line === undefined) losses.add('summary of a file whose path the format cannot name');
    else lines.set(summary.file, line);
  }
  return [...lines.values()];
}
