/** The audit log as a document to read. */
import * as vscode from 'vscode';
import type { AuditKind, AuditPage, AuditRecord, AuditVerdict } from '../policy/audit.ts';
import type { Person } from './person.ts';
import { riseReason } from './riseReason.ts';

const SCHEME = 'lodeline-audit';
const LIMIT = 500;

/** By the query of their URIs; only the one that was asked for last. */
const texts = new Map<string, string>();

/** Lets the editor read these documents. */
export function registerAuditDocuments(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: ({ query }) => texts.get(query) ?? '',
  });
}

/** Opens the latest records of the current folder's log, after a check of all of them. */
export async function showAuditLog(person: Person): Promise<void> {
  const page = (await person.invoke('audit_show', { limit: LIMIT }, { door: 'palette' })).data as AuditPage;
  const verdict = (await person.invoke('audit_verify', {}, { door: 'palette' })).data as AuditVerdict;
  // Of another moment it is another document: the editor keeps the text of one that it has open.
  const query = String(Date.now());
  texts.clear();
  texts.set(query, [...verdictLines(verdict), '', ...recordLines(page)].join('\n'));
  const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${vscode.l10n.t('Audit Log')}.log`, query });
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
}

function verdictLines({ ok, files, records, problems, torn }: AuditVerdict): string[] {
  const heading = ok
    ? vscode.l10n.t('Every record is as it was written: {0} records in {1} files.', records, files)
    : vscode.l10n.t(
        'Some records are not as they were written. Somebody changed these files, or the disk is damaged:',
      );
  return [
    heading,
    ...problems.map(({ file, record, reason }) => `  ${file} #${record}: ${reasonText(reason)}`),
    ...torn.map(({ file, bytes }) =>
      vscode.l10n.t(
        '  {0}: {1} bytes at the end were never finished, since their process was ended.',
        file,
        bytes,
      ),
    ),
  ];
}

function reasonText(reason: AuditVerdict['problems'][number]['reason']): string {
  if (reason === 'changed') return vscode.l10n.t('changed or removed');
  return reason === 'file-missing' ? vscode.l10n.t('the file is gone') : vscode.l10n.t('cannot be read');
}

function recordLines({ records, next, unreadable }: AuditPage): string[] {
  if (records.length === 0 && unreadable === 0)
    return [vscode.l10n.t('Nothing has been raised, denied or deleted for good yet.')];
  return [
    ...records.flatMap(linesOf),
    ...(unreadable > 0
      ? [vscode.l10n.t('{0} records cannot be opened: their key is not here.', unreadable)]
      : []),
    ...(next === undefined ? [] : [vscode.l10n.t('Older records are left out.')]),
  ];
}

/** One below the other, since an editor beside a chat is narrow: when and what, then why, then who and where. */
function linesOf(record: AuditRecord): string[] {
  const { at, kind, before, after, actor, source, session, subject } = record;
  const levels = before !== undefined && after !== undefined ? `${before} → ${after}` : record.level;
  const who = actor === 'person' ? vscode.l10n.t('person') : source;
  const { why, rule, tool } =
    kind === 'level-raised' ? riseReason(record) : { ...record, why: record.reason };
  const time = new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
  const line = (parts: readonly (string | undefined)[]) =>
    parts
      .filter((part) => part !== undefined && part !== '')
      .map((part) => String(part).replace(/[\p{Cc}\u2028\u2029]+/gu, ' '))
      .join('  ');
  const [first, ...more] = [
    line([time, levels, kindText(kind)]),
    line([why]),
    line([tool, rule, subject]),
    line([who, session]),
  ];
  return [first ?? '', ...more.filter((each) => each !== '').map((each) => `    ${each}`)];
}

function kindText(kind: AuditKind): string {
  const texts: Readonly<Record<AuditKind, string>> = {
    'level-raised': vscode.l10n.t('Level raised'),
    denied: vscode.l10n.t('Denied'),
    erased: vscode.l10n.t('Deleted for good'),
    sealed: vscode.l10n.t('Memory encrypted'),
    opened: vscode.l10n.t('Memory decrypted'),
  };
  return texts[kind];
}
