/** Drafts as a person goes through them: those in memory, and what hooks captured. */
import type { Author, Reader } from '../memory/entry.ts';
import type { FoldedEntry } from '../memory/fold.ts';
import { oneLine } from '../memory/line.ts';
import { type Attributes, normalizeKey } from '../memory/operation.ts';
import { confidenceOf } from '../memory/quality.ts';
import { canFlowTo, LEVELS, type Level } from '../policy/level.ts';
import { redactFields } from '../policy/redact.ts';
import { phrase, StoreError } from './api.ts';
import type { CapturedDraft, DraftsFound, SettleInput } from './careApi.ts';
import { signature } from './changes.ts';
import type { HeldMemory } from './heldMemory.ts';
import { importEntries } from './keeping.ts';

/** Drafts in memory, newest first, and which of the captured ones nobody has decided about yet. */
export function draftsOf(
  memory: HeldMemory,
  captured: readonly CapturedDraft[],
  reader: Reader,
): DraftsFound {
  const { store } = memory;
  const drafts = [...store.visible(reader)].filter(
    (entry) => entry.status === 'draft' && !store.isExpired(entry),
  );
  const undecided = undecidedOf(memory, captured, reader);
  return {
    entries: drafts.sort((a, b) => b.updated - a.updated).map((entry) => store.present(entry)),
    captured: captured.flatMap((each, at) => (undecided.includes(each) ? [at] : [])),
  };
}

/** Captured drafts of which there is no entry, whatever became of it, each once. */
export function undecidedOf(
  { store }: HeldMemory,
  captured: readonly CapturedDraft[],
  reader: Reader,
): CapturedDraft[] {
  const seen = new Set<string>();
  return captured.filter(({ level, key }) => {
    const name = `${level} ${normalizeKey(key)}`;
    if (seen.has(name) || !canFlowTo(level, reader.level)) return false;
    seen.add(name);
    return store.at(level, key) === undefined;
  });
}

/** Accepts or rejects drafts, all or none. A rejected one is forgotten, and is not captured again. */
export async function settleDrafts(
  memory: HeldMemory,
  { ids, accept, content, captured }: SettleInput,
  vocabulary: Readonly<Record<string, readonly string[]>>,
  author: Author,
): Promise<readonly string[]> {
  const text = content === undefined ? undefined : (await redactFields({ content })).fields.content;
  memory.sync();
  const named = ids.map(
    (name) => draftIn(memory, name, author) ?? capturedAs(memory, name, captured, author),
  );
  await keepCaptured(
    memory,
    named.filter((draft) => !('id' in draft)),
    vocabulary,
    author,
  );
  const drafts = named.map((draft) => ('id' in draft ? draft : memory.require(draft.level, draft.key)));
  const settled = (key: string, level: Level): Attributes => {
    if (!accept) return { status: 'forgotten' };
    const draft = memory.store.at(level, key);
    // Who accepts a draft has read it.
    return { ...(draft === undefined ? {} : acceptedDraft(draft)), status: 'active', confirmed: true };
  };
  memory.writeAll(
    drafts.map(({ key, level }) => ({
      operation: {
        ...{ op: 'put', key, at: memory.now(), by: signature(author), set: settled(key, level) },
        ...(text === undefined ? {} : { text: { value: text, mode: 'replace' } }),
      },
      level,
    })),
  );
  return drafts.map(({ id }) => id);
}

/**
 * What makes a draft a memory. How likely a captured action is worth keeping is no measure of how sure a memory is:
 * what was collected has the confidence of what is inferred (seed 001).
 */
export function acceptedDraft({ origin, file, tags }: FoldedEntry): Attributes {
  return {
    status: 'active',
    ...(origin === 'inferred' ? { confidence: confidenceOf('inferred', { file, tags }) } : {}),
  };
}

/** Takes what was captured into memory, as drafts of the levels at which it was captured. */
async function keepCaptured(
  memory: HeldMemory,
  captured: readonly CapturedDraft[],
  vocabulary: Readonly<Record<string, readonly string[]>>,
  author: Author,
): Promise<void> {
  for (const level of LEVELS) {
    const own = captured.filter((draft) => draft.level === level);
    const drafts = own.map(({ level: _, ...draft }) => ({ ...draft, isDraft: true }));
    if (own.length > 0) await importEntries(memory, drafts, false, vocabulary, { ...author, level });
  }
}

function draftIn(memory: HeldMemory, name: string, author: Author): FoldedEntry | undefined {
  const { store } = memory;
  // A key may stand for a memory as well, at another level.
  const named = [store.resolve(name, author), ...LEVELS.map((level) => store.at(level, name)).toReversed()];
  return named.find((entry) => entry?.status === 'draft' && memory.mayChange(entry, author));
}

function capturedAs(
  memory: HeldMemory,
  name: string,
  captured: readonly CapturedDraft[],
  author: Author,
): CapturedDraft {
  const found = undecidedOf(memory, captured, author).find(({ key }) => key === name);
  if (found === undefined)
    throw new StoreError(
      phrase('"{0}" is not a draft any more. It was accepted or rejected in the meantime.', oneLine(name)),
    );
  return found;
}
