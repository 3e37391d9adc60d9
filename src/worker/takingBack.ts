/** Taking back what was done to entries, without touching what others did to them since. */
import type { Author } from '../memory/entry.ts';
import type { FoldedEntry } from '../memory/fold.ts';
import type { Attributes, PutOperation } from '../memory/operation.ts';
import type { TakeBackInput } from './careApi.ts';
import { signature } from './changes.ts';
import type { Change, HeldMemory } from './heldMemory.ts';

/** Quality is left out: it is the best an entry ever had. */
const ATTRIBUTES = [
  'category',
  'file',
  'expires',
  'importance',
  'confidence',
  'pinned',
  'pathScope',
  'origin',
  'status',
  'confirmed',
  'supersededBy',
  'reason',
] as const satisfies readonly (keyof Attributes)[];

/**
 * Makes entries what they were at `from`, in all that had changed by `to` (epoch milliseconds). What was not there at
 * `from` becomes a draft. Answers the ids of what changed.
 */
export function takeBack(
  memory: HeldMemory,
  { ids, from, to }: TakeBackInput,
  author: Author,
): readonly string[] {
  const { store } = memory;
  const changed: string[] = [];
  const changes = [...new Set(ids)].flatMap((id): Change[] => {
    const now = store.folded(id);
    const after = store.folded(id, to);
    if (now === undefined || after === undefined || !memory.mayChange(now, author)) return [];
    const before = store.folded(id, from);
    const parts = before === undefined ? [{ set: WAITING }] : inverse(before, after, now);
    if (parts.length > 0) changed.push(id);
    const by = signature(author);
    return parts.map((part) => ({
      operation: { op: 'put', key: now.key, at: memory.now(), by, ...part },
      level: now.level,
    }));
  });
  memory.writeAll(changes);
  return changed;
}

type Part = Pick<PutOperation, 'set' | 'tags' | 'links' | 'text'>;

const WAITING: Attributes = { status: 'draft', confirmed: false };

function inverse(before: FoldedEntry, after: FoldedEntry, now: FoldedEntry): Part[] {
  // What somebody has set since is theirs.
  const names = ATTRIBUTES.filter((name) => before[name] !== after[name] && now[name] === after[name]);
  const set: Attributes = Object.fromEntries(names.map((name) => [name, before[name] ?? null]));
  const [tags, links] = [delta(before.tags, after.tags), delta(before.links, after.links)];
  const first: Part = {
    ...(names.length > 0 ? { set } : {}),
    ...(tags === undefined ? {} : { tags }),
    ...(links === undefined ? {} : { links }),
  };
  return [...(Object.keys(first).length > 0 ? [first] : []), ...textsBack(before, after, now)];
}

/** The content, then what stood beside it, and what others have put beside it since. */
function textsBack(before: FoldedEntry, after: FoldedEntry, now: FoldedEntry): Part[] {
  const isSame = JSON.stringify(textsOf(before)) === JSON.stringify(textsOf(after));
  // Somebody has written over it since: theirs stays, and the history has the other.
  if (isSame || now.content !== after.content) return [];
  const [content = '', ...beside] = textsOf(before);
  const gone = textsOf(after);
  const since = textsOf(now).filter((text) => !gone.includes(text));
  return [
    { text: { value: content, mode: 'replace' } },
    ...[...beside, ...since].map((value): Part => ({ text: { value, mode: 'keep' } })),
  ];
}

/** The content and the texts added to it, oldest first. */
function textsOf({ content, revisions }: FoldedEntry): string[] {
  const added = revisions.filter(({ addition }) => addition).map(({ text }) => text);
  return [content, ...added.reverse()];
}

function delta(before: readonly string[], after: readonly string[]): Part['tags'] {
  const add = before.filter((value) => !after.includes(value));
  const remove = after.filter((value) => !before.includes(value));
  return add.length + remove.length === 0 ? undefined : { add, remove };
}
