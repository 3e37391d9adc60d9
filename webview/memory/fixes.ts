import type { EntryName, Finding } from '../../src/memoryProtocol.ts';
import type { Phrase } from '../../src/protocol.ts';
import type { PanelTool } from '../kit/host.ts';
import { phraseText, t } from '../kit/l10n.ts';
import { visibleLine } from '../kit/text.ts';

export type Fix = NonNullable<Finding['fix']>;

/** The tools that put findings right. */
const FIXES = [
  'memory_edit',
  'memory_archive',
  'memory_consolidate',
  'session_put_away',
] as const satisfies readonly PanelTool[];
export type FixTool = (typeof FIXES)[number];

/** The tool of a fix, where the panel knows it. */
export function toolOf({ tool }: Fix): FixTool | undefined {
  return FIXES.find((known) => known === tool);
}

/** Fixes that would do the same once: what puts all findings of a group right. */
export function distinct(findings: readonly Finding[]): Fix[] {
  const fixes = findings.flatMap(({ fix }) => (fix === null || toolOf(fix) === undefined ? [] : [fix]));
  return [...new Map(fixes.map((fix) => [JSON.stringify(fix), fix])).values()];
}

/** Whether a fix takes entries out of recall, so that it is shown first what it would do. */
export function isPreviewed(fix: Fix): boolean {
  return fix.tool === 'memory_archive' || fix.tool === 'memory_consolidate';
}

/** What the fixes answer, as far as the panel reads it. */
export interface FixAnswer {
  readonly id?: string;
  readonly archived?: readonly (EntryName & { readonly phrase: Phrase })[];
  readonly groups?: readonly { readonly winner: EntryName | null; readonly losers: readonly EntryName[] }[];
}

/** The entries that a fix touched. */
export function touchedIds({ id, archived = [], groups = [] }: FixAnswer): string[] {
  return [
    ...(id === undefined ? [] : [id]),
    ...archived.map((entry) => entry.id),
    ...groups.flatMap(({ winner, losers }) => [winner, ...losers].flatMap((entry) => entry?.id ?? [])),
  ];
}

/** A line for each thing that a fix would do. */
export function plannedLines({ archived = [], groups = [] }: FixAnswer): string[] {
  return [
    ...archived.map(({ key, phrase }) => t('{0} is archived: {1}', visibleLine(key), phraseText(phrase))),
    ...groups.map(({ winner, losers }) => {
      const given = losers.map(({ key }) => visibleLine(key)).join(', ');
      return winner === null
        ? t('{0} is archived', given)
        : t('{0} gives way to {1}', given, visibleLine(winner.key));
    }),
  ];
}

/** A kind of finding in the person's language. */
export function kindName(kind: Finding['kind']): string {
  const names: Record<Finding['kind'], string> = {
    'orphan-link': t('Links that lead nowhere'),
    duplicate: t('Duplicates'),
    'broken-file': t('Files that are not there'),
    expired: t('Expired'),
    'old-session': t('Old sessions'),
    damaged: t('Damaged places in the journal'),
  };
  return names[kind] ?? kind;
}

/** What a kind's fix does, for its button. */
export function fixName(kind: Finding['kind']): string {
  const names: Partial<Record<Finding['kind'], string>> = {
    'orphan-link': t('Remove link'),
    duplicate: t('Merge…'),
    'broken-file': t('Remove file'),
    expired: t('Archive…'),
    'old-session': t('Put away'),
  };
  return names[kind] ?? t('Fix');
}
