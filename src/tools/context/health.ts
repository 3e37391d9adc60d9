import { z } from 'zod';
import { oneLine } from '../../memory/line.ts';
import { isoDate } from '../../memory/ttl.ts';
import type { StoreApi } from '../../worker/api.ts';
import type { EntryName, HealthReport } from '../../worker/careApi.ts';
import { readerOf } from '../author.ts';
import { countOf, more } from '../counting.ts';
import { defineTool } from '../tool.ts';
import { missingFiles } from './missingFiles.ts';

const LISTED = 10;
/** A session that nobody went on with for so long is old, as a memory is. */
const OLD_SESSION = 30 * 86_400_000;

export const FINDING_KINDS = [
  'orphan-link',
  'duplicate',
  'broken-file',
  'expired',
  'old-session',
  'damaged',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** What the score loses for the first finding of a kind, for each further one, and at most. Together at most 100. */
const PENALTY: Readonly<Record<FindingKind, { first: number; more: number; most: number }>> = {
  'orphan-link': { first: 5, more: 1, most: 20 },
  duplicate: { first: 5, more: 1, most: 20 },
  'broken-file': { first: 5, more: 1, most: 20 },
  expired: { first: 3, more: 1, most: 10 },
  'old-session': { first: 2, more: 1, most: 10 },
  damaged: { first: 20, more: 0, most: 20 },
};

const TITLES: Readonly<Record<FindingKind, string>> = {
  'orphan-link': 'Orphan links',
  duplicate: 'Duplicates',
  'broken-file': 'Broken file references',
  expired: 'Expired',
  'old-session': 'Old sessions',
  damaged: 'Damaged places in the journal',
};

/** Something to put right. */
export interface Finding {
  readonly kind: FindingKind;
  /** The entry it is about, or null. */
  readonly entry: EntryName | null;
  /** English. */
  readonly detail: string;
  /** The call that a person puts it right with; null where nothing has to be done. */
  readonly fix: { readonly tool: string; readonly input: Readonly<Record<string, unknown>> } | null;
}

export const contextHealth = defineTool({
  name: 'context_health',
  family: 'context',
  profile: 'full',
  effect: 'read',
  title: 'Memory Health',
  description:
    'Audit the memory: links that lead nowhere, memories with the same content, file references that are gone, expired memories, sessions that nobody went on with. Gives a score from 0 to 100 and, for each finding, the call that puts it right.',
  input: z.object({}),
  async run(_input, call, context) {
    const reader = readerOf(call);
    const [report, sessions] = await Promise.all([
      context.care.health(reader),
      context.sessions.sessionsBrowse(reader),
    ]);
    const missing = await missingFiles(context.root, report.files);
    const old = sessions.filter(({ live, lastActive }) => !live && context.now() - lastActive > OLD_SESSION);
    const findings = [
      ...(await linkFindings(report, context.store, reader)),
      ...duplicateFindings(report),
      ...missing.map((entry) =>
        finding('broken-file', entry, `${oneLine(entry.file)} is not there`, edit(entry, { file: '' })),
      ),
      ...report.expired.map((entry) =>
        finding('expired', entry, `expired on ${isoDate(entry.expires)}`, {
          tool: 'memory_archive',
          input: {},
        }),
      ),
      ...old.map(({ title, source, lastActive }) =>
        finding(
          'old-session',
          null,
          `"${oneLine(title || source)}" was last active on ${isoDate(lastActive)}`,
          null,
        ),
      ),
      ...Array.from({ length: report.damaged }, () =>
        finding('damaged', null, 'a record cannot be read; what was written around it is whole', null),
      ),
    ];
    const score = scoreOf(findings);
    return {
      text: describe(score, report.active, findings),
      data: { score, active: report.active, findings },
    };
  },
});

/** 0–100; 100 without findings, and lower with each. */
function scoreOf(findings: readonly Finding[]): number {
  const lost = FINDING_KINDS.map((kind) => {
    const count = findings.filter((each) => each.kind === kind).length;
    const { first, more: further, most } = PENALTY[kind];
    return count === 0 ? 0 : Math.min(most, first + further * (count - 1));
  });
  return 100 - lost.reduce((sum, each) => sum + each, 0);
}

async function linkFindings(
  { orphanLinks }: HealthReport,
  store: StoreApi,
  reader: ReturnType<typeof readerOf>,
): Promise<Finding[]> {
  const entries = new Map(
    (await store.fetch([...new Set(orphanLinks.map(({ id }) => id))], reader, false)).map((entry) => [
      entry.id,
      entry,
    ]),
  );
  return orphanLinks.map((orphan) => {
    const { link, inContent, ...name } = orphan;
    const entry = entries.get(name.id);
    const fix =
      entry === undefined
        ? null
        : inContent
          ? edit(name, { content: withoutReference(entry.content, link) })
          : edit(name, { set_links: entry.links.filter((each) => each !== link) });
    return finding(
      'orphan-link',
      name,
      `${inContent ? `[[${oneLine(link)}]]` : oneLine(link)} leads nowhere`,
      fix,
    );
  });
}

function duplicateFindings({ duplicates }: HealthReport): Finding[] {
  return duplicates.flatMap(([kept, ...others]) =>
    others.map((entry) =>
      finding('duplicate', entry, `says the same as "${oneLine(kept?.key ?? '')}"`, {
        tool: 'memory_consolidate',
        input: { mode: 'identical' },
      }),
    ),
  );
}

function finding(kind: FindingKind, entry: EntryName | null, detail: string, fix: Finding['fix']): Finding {
  const name =
    entry === null ? null : { id: entry.id, key: entry.key, category: entry.category, level: entry.level };
  return { kind, entry: name, detail, fix };
}

function edit({ id }: EntryName, change: Readonly<Record<string, unknown>>): Finding['fix'] {
  return { tool: 'memory_edit', input: { key: id, ...change } };
}

/** `[[key]]` → `key`, for this key only. */
function withoutReference(content: string, key: string): string {
  return content.replace(/\[\[([^[\]\n]{1,200})\]\]/gu, (whole, inner: string) =>
    inner.normalize('NFC').trim() === key ? inner.trim() : whole,
  );
}

function describe(score: number, active: number, findings: readonly Finding[]): string {
  const sign = score >= 90 ? '✅' : score >= 70 ? '⚠️' : '❌';
  const sections = FINDING_KINDS.flatMap((kind) => {
    const own = findings.filter((each) => each.kind === kind);
    if (own.length === 0) return [];
    const lines = own.slice(0, LISTED).map(({ entry, detail, fix }) => {
      const name = entry === null ? '' : `[${entry.category}] ${oneLine(entry.key)} (${entry.id}): `;
      return `  - ${name}${detail}${fix === null ? '' : ` → ${fix.tool}`}`;
    });
    return [[`${TITLES[kind]} (${own.length}):`, ...lines, ...more(own.length, LISTED)].join('\n')];
  });
  return [
    `${sign} Memory health: ${score}/100, ${countOf(active, 'active entry', 'active entries')}`,
    ...(sections.length === 0
      ? ['No orphan links, duplicates, broken files, expired entries or old sessions.']
      : sections),
  ].join('\n\n');
}
