/** Memories as documents of a server: what an entry of this folder is told as there, and what one becomes here. */
import { CATEGORIES, type Entry } from '../entry.ts';
import { clip } from '../line.ts';
import type { TakenEntry } from '../taken.ts';

/** A document as the server keeps it. */
export interface ServerDocument {
  readonly id: string;
  readonly text: string;
  /** Where it came from; empty where nobody said. */
  readonly context: string;
  /** When it came there, epoch milliseconds; undefined where the server does not tell. */
  readonly at?: number | undefined;
}

/** Some of a server's documents. */
export interface DocumentPage {
  /** Those of them that are this project's, or everybody's. */
  readonly documents: readonly ServerDocument[];
  /** How many were looked at for that, from the offset on; 0 at the end. */
  readonly listed: number;
  /** How many there are in all. */
  readonly total: number;
}

const OURS = /^lodeline-[0-9a-z]+-[0-9a-z]+$/;
const CONTEXT = /^Lodeline (\w+)(?:; tags: (.*))?$/;
/** How a conversation begins that was kept whole. */
const CONVERSATION = '[role: ';
/** So much of a text is a key, in characters: a short name that a person reads. */
const KEY = 60;

type Told = Pick<Entry, 'id' | 'created' | 'key' | 'category' | 'content' | 'tags' | 'revisions'>;

/**
 * The document of an entry: its key on the first line, then its text with what was added to it.
 *
 * The id is the entry's and stays, so that copying again replaces. Ids of entries are made of level and key, which
 * other folders and people have, too; the moment at which it was written tells them apart.
 */
export function documentOf({ id, created, key, category, content, tags, revisions }: Told) {
  const added = revisions.filter(({ addition }) => addition).map(({ text }) => text);
  return {
    documentId: `lodeline-${id}-${created.toString(36)}`,
    content: [key, '', content, ...added.toReversed().flatMap((text) => ['', text])].join('\n'),
    context: `Lodeline ${category}${tags.length === 0 ? '' : `; tags: ${tags.join(', ')}`}`,
  };
}

/**
 * The entry that a document becomes; undefined for one that says nothing, and for a conversation, which is no memory.
 * What others wrote is named by its start.
 */
export function takenFromDocument({ id, text, context, at }: ServerDocument): TakenEntry | undefined {
  if (text.trim() === '' || text.startsWith(CONVERSATION)) return undefined;
  const split = text.indexOf('\n\n');
  if (!OURS.test(id) || split < 1) return { key: clip(text, KEY), category: 'knowledge', content: text, at };
  const [, said, tags = ''] = CONTEXT.exec(context) ?? [];
  return {
    key: text.slice(0, split),
    category: CATEGORIES.find((category) => category === said) ?? 'knowledge',
    content: text.slice(split + 2),
    tags: tags.split(', ').filter((tag) => tag !== ''),
    at,
  };
}
