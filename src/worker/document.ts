import type { FoldedEntry } from '../memory/fold.ts';
import { normalizeKey } from '../memory/operation.ts';
import { referencedKeys } from '../memory/quality.ts';
import type { RecallDocument } from '../recall/recallIndex.ts';

/** What the index knows of an entry. */
export function documentOf(entry: FoldedEntry): RecallDocument {
  const additions = entry.revisions.filter(({ addition }) => addition).map(({ text }) => text);
  return {
    id: entry.id,
    level: entry.level,
    key: entry.key,
    category: entry.category,
    content: [entry.content, ...additions].join('\n'),
    tags: entry.tags,
    file: entry.file,
    session: entry.session,
    at: entry.created,
    links: [...new Set([...entry.links.map(normalizeKey), ...referencedKeys(entry.content)])],
  };
}
