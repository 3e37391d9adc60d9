/** From the records of a transcript to what is searched and shown of it. */
import { clip } from '../memory/line.ts';
import { analyze } from '../recall/analyze.ts';
import { textOf } from '../session/messages.ts';
import type { SessionRecord } from '../session/record.ts';
import type { CatalogMessage, TranscriptInfo } from './transcriptCatalog.ts';

/** What a person pasted goes on beyond what anybody looks for; in UTF-16 units. */
const MAX_TEXT = 8_000;
const TITLE = 80;
const NOBODY: TranscriptInfo = { key: '', kind: '', source: '', title: '' };

/** Whose transcript these records are of: as it was known, with what they add. */
export function infoOf(records: readonly SessionRecord[], known: TranscriptInfo | undefined): TranscriptInfo {
  const [first] = records;
  const { key, kind, source, title } =
    known ?? (first?.type === 'session' ? { title: '', ...first.session } : NOBODY);
  const said = records.find(
    (record) =>
      record.type === 'message' && record.message.role === 'user' && record.summary_of === undefined,
  );
  const named = title === '' && said?.type === 'message' ? textOf(said.message) : title;
  return { key, kind, source, title: clip(named, TITLE) };
}

/** What a record says, if it says something: messages without calls and their results, and reports of rewinds. */
export function messageOf(record: SessionRecord): CatalogMessage[] {
  const { uuid, level, timestamp } = record;
  const said =
    // A summary repeats what is found where it was said.
    record.type === 'message' && record.summary_of === undefined
      ? { role: record.message.role, text: textOf(record.message) }
      : record.type === 'rewind_report'
        ? { role: 'system', text: record.rewind_report.report }
        : undefined;
  const text = said?.text.slice(0, MAX_TEXT).toWellFormed().trim() ?? '';
  if (said === undefined || text === '') return [];
  const at = Date.parse(timestamp);
  const terms = analyze(text).map((term) => term.text);
  return [{ uuid, role: said.role, level, at: Number.isNaN(at) ? 0 : at, text, terms }];
}
