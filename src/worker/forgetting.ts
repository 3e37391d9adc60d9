/** What takes memories away: out of recall, from where they come back, or for good. */
import type { Author, Entry } from '../memory/entry.ts';
import type { FoldedEntry } from '../memory/fold.ts';
import { oneLine } from '../memory/line.ts';
import { entryIds, type Operation, type PutOperation } from '../memory/operation.ts';
import { type ForgetInput, StoreError } from './api.ts';
import { goneBecause, signature } from './changes.ts';
import type { HeldMemory } from './heldMemory.ts';

/**
 * Takes an entry out of recall, brings it back, or deletes it for good, and returns it as it is after that; as it was
 * when it was deleted. `reason` has no secrets any more.
 * @throws StoreError for an entry that is not there or not the author's, and for a replacement that is none
 */
export function forget(
  memory: HeldMemory,
  { reason, ...input }: ForgetInput & { readonly reason: string },
  author: Author,
): Entry {
  const before = memory.own(input.target, author);
  const put = (set: PutOperation['set']): PutOperation => ({
    op: 'put',
    key: before.key,
    at: memory.now(),
    by: signature(author),
    ...(set === undefined ? {} : { set }),
  });
  switch (input.action) {
    case 'soft':
      memory.write([put({ status: 'forgotten', reason })], author);
      break;
    case 'restore':
      memory.write(
        [
          put({
            status: 'active',
            reason: '',
            supersededBy: '',
            // Restored, it would still be out of every read.
            ...(memory.store.isExpired(before) ? { expires: null } : {}),
          }),
        ],
        author,
      );
      break;
    case 'supersede': {
      const winner = memory.store.resolve(input.newKey ?? '', author);
      if (winner === undefined) {
        throw new StoreError(
          `Replacement "${oneLine(input.newKey ?? '')}" not found in memory. Save it first, then supersede "${oneLine(before.key)}".`,
        );
      }
      if (winner.id === before.id)
        throw new StoreError(
          `"${oneLine(before.key)}" cannot supersede itself. Name another entry in new_key.`,
        );
      const gone = goneBecause(winner, memory.store.isExpired(winner));
      if (gone !== undefined) throw new StoreError(`The replacement is not in recall: ${gone}`);
      memory.write([put({ status: 'superseded', supersededBy: winner.key, reason })], author);
      break;
    }
    case 'hard': {
      const entry = memory.store.present(before);
      memory.write(
        [{ op: 'erase', entry: longId(before), at: memory.now(), by: signature(author), reason }],
        author,
      );
      memory.audit.record({ ...erasure(author), tool: 'memory_forget', subject: longId(before), reason });
      memory.purge();
      return entry;
    }
  }
  return memory.require(before.level, before.key);
}

/** Deletes everything at the author's level for good. */
export function eraseAll(memory: HeldMemory, author: Author): { erased: number } {
  const by = signature(author);
  const at = memory.now();
  const entries = [...memory.store.ownLevel(author)];
  const operations: Operation[] = [
    ...entries.map(
      (entry): Operation => ({ op: 'erase', entry: longId(entry), at, by, reason: 'delete everything' }),
    ),
    ...memory.store
      .summarized(author.level)
      .map((file): Operation => ({ op: 'summary', file, text: '', at, by })),
  ];
  if (operations.length > 0) memory.write(operations, author);
  memory.audit.record({
    ...erasure(author),
    tool: 'memory_erase',
    rule: 'everything',
    reason: `${entries.length} entries`,
  });
  memory.store.clearUse();
  memory.purge(author.level);
  return { erased: entries.length };
}

function erasure({ level, actor, session, source }: Author) {
  return { kind: 'erased', level, actor, session, source } as const;
}

function longId({ level, key }: FoldedEntry): string {
  return entryIds(level, key).long;
}
