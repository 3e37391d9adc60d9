import { z } from 'zod';
import { oneLine } from '../../memory/line.ts';
import { isoDate } from '../../memory/ttl.ts';
import { type EntryName, FINDING_KINDS, type Finding, type FindingKind } from '../../memoryProtocol.ts';
import type { Phrase } from '../../protocol.ts';
import { fill, phrase } from '../../worker/api.ts';
import type { HealthReport } from '../../worker/careApi.ts';
import { readerOf } from '../author.ts';
import { countOf, more } from '../counting.ts';
import { defineTool, type ToolCall, type ToolContext } from '../tool.ts';
import { missingFiles } from './missingFiles.ts';

const LISTED = 10;
/** A session that nobody went on with for so long is old, as a memory is. */
const OLD_SESSION = 30 * 86_400_000;

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
    const mend =
      call.actor === 'person' ? edit : await savingAgain([...missing, ...report.orphanLinks], call, context);
    const old = sessions.filter(({ live, lastActive }) => !live && context.now() - lastActive > OLD_SESSION);
    const findings = [
      ...linkFindings(report, mend),
      ...duplicateFindings(report),
      ...missing.map((entry) =>
        finding(
          'broken-file',
          entry,
          phrase('{0} is not there', oneLine(entry.file)),
          mend(entry, { file: '' }, { unlink: [entry.file] }),
        ),
      ),
      ...report.expired.map((entry) =>
        finding('expired', entry, phrase('expired on {0}', isoDate(entry.expires)), {
          tool: 'memory_archive',
          input: { expired: true },
        }),
      ),
      ...old.map(({ id, title, source, lastActive }) =>
        finding(
          'old-session',
          null,
          phrase('"{0}" was last active on {1}', oneLine(title || source), isoDate(lastActive)),
          call.actor === 'person' ? { tool: 'session_put_away', input: { sessions: [id] } } : null,
        ),
      ),
      ...Array.from({ length: report.damaged }, () =>
        finding(
          'damaged',
          null,
          phrase('a record cannot be read; what was written around it is whole'),
          null,
        ),
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

function linkFindings({ orphanLinks }: HealthReport, mend: Mend): Finding[] {
  return orphanLinks.map(({ link, inContent, ...entry }) =>
    finding(
      'orphan-link',
      entry,
      phrase('{0} leads nowhere', inContent ? `[[${oneLine(link)}]]` : oneLine(link)),
      mend(entry, { drop_links: [link] }, { unlink: [link], ...(inContent ? { replace: true } : {}) }),
    ),
  );
}

function duplicateFindings({ duplicates }: HealthReport): Finding[] {
  return duplicates.flatMap(([kept, ...others]) =>
    others.map((entry) =>
      finding('duplicate', entry, phrase('says the same as "{0}"', oneLine(kept?.key ?? '')), {
        tool: 'memory_consolidate',
        input: { mode: 'identical' },
      }),
    ),
  );
}

function finding(kind: FindingKind, entry: EntryName | null, said: Phrase, fix: Finding['fix']): Finding {
  const name =
    entry === null ? null : { id: entry.id, key: entry.key, category: entry.category, level: entry.level };
  return { kind, entry: name, detail: fill(said), phrase: said, fix };
}

type Change = Readonly<Record<string, unknown>>;
/** What changes an entry: for the person, who edits it, or for an agent, who saves it again. */
type Mend = (entry: EntryName, edited: Change, saved: Change) => Finding['fix'];

function edit({ id }: EntryName, edited: Change): Finding['fix'] {
  return { tool: 'memory_edit', input: { key: id, ...edited } };
}

/** An agent writes at its own level only; for entries of other levels there is nothing to call. */
async function savingAgain(
  names: readonly EntryName[],
  call: ToolCall,
  { store }: ToolContext,
): Promise<Mend> {
  const ids = names.filter(({ level }) => level === call.level).map(({ id }) => id);
  const entries = await store.fetch([...new Set(ids)], readerOf(call), false);
  const known = new Map(entries.map((entry) => [entry.id, entry]));
  return ({ id }, _edited, saved) => {
    const entry = known.get(id);
    if (entry === undefined) return null;
    const { category, key, content } = entry;
    return { tool: 'memory_remember', input: { category, key, content, ...saved } };
  };
}

function describe(score: number, active: number, findings: readonly Finding[]): string {
  const sign = score >= 90 ? '✅' : score >= 70 ? '⚠️' : '❌';
  const sections = FINDING_KINDS.flatMap((kind) => {
    const own = findings.filter((each) => each.kind === kind);
    if (own.length === 0) return [];
    const lines = own.slice(0, LISTED).map(({ entry, detail, fix }) => {
      const name = entry === null ? '' : `[${entry.category}] ${oneLine(entry.key)} (${entry.id}): `;
      return `  - ${name}${detail}${fixText(kind, fix)}`;
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

/** What puts a finding right, as a call; a content is not said again. */
function fixText(kind: FindingKind, fix: Finding['fix']): string {
  if (fix === null)
    return kind === 'old-session' ? ' → the person can put it away in the sessions panel' : '';
  const fields = Object.entries(fix.input).map(([name, value]) =>
    name === 'content' ? 'content: the same' : `${name}: ${JSON.stringify(value)}`,
  );
  return ` → ${fix.tool}({ ${oneLine(fields.join(', '))} })`;
}
