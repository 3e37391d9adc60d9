/** `backend_copy`: takes the folder's memories to the server, or the server's into the folder, for the person. */
import { z } from 'zod';
import { documentOf, takenFromDocument } from '../../memory/hindsight/documents.ts';
import { isServerUrl, readBackendSettings } from '../../memory/hindsight/settings.ts';
import type { TakenEntry } from '../../memory/taken.ts';
import { canFlowTo, LEVELS, type Level, parseLevel } from '../../policy/level.ts';
import { phrase } from '../../worker/api.ts';
import { authorOf } from '../author.ts';
import { countOf } from '../counting.ts';
import { content, key } from '../fields.ts';
import { redactionLine } from '../render.ts';
import { defineTool, type ToolCall, type ToolContext, ToolError } from '../tool.ts';
import { unlessAborted } from '../unlessAborted.ts';
import { asking } from './backendCall.ts';

/** As many entries as are looked at in one call of the store. */
const PAGE = 200;
/** As many as go on their way at once (seed 000: a batch). */
const BATCH = 16;

/** What of a memory from elsewhere must fit here. */
const takeable = z.object({ key, content });

/** What a copy did, or would do. */
export interface BackendCopied {
  readonly to: 'hindsight' | 'local';
  /** How many there are to copy; what may not leave is not among them. */
  readonly total: number;
  /** How many were gone through. */
  readonly copied: number;
  /** Of those that came here: how many changed something. */
  readonly fresh: number;
  /** To the server: how many are above the level that may leave, and so stay. */
  readonly kept: number;
  /** Up to which level they may leave. */
  readonly maxLevel: Level;
  /** Of what came here: how many could not be kept, or are out of recall here on purpose. */
  readonly left: number;
  /** How many still wait on this machine to be sent. */
  readonly waiting: number;
  /** It was stopped before its end. What was copied stays, and copying again goes on. */
  readonly cancelled: boolean;
  /** Kinds of secrets that were taken out. */
  readonly redacted: readonly string[];
}

export const backendCopy = defineTool({
  name: 'backend_copy',
  family: 'memory',
  profile: 'person',
  effect: 'write',
  effectOf: ({ preview }) => (preview ? 'read' : 'write'),
  title: 'Copy Memories to or from the Server',
  description:
    "Copies the folder's memories to the memory server, or the server's into the folder. Again, it makes nothing twice. What is above the level that may leave the machine stays and is counted. preview: true changes nothing.",
  input: z.object({
    to: z.enum(['hindsight', 'local']),
    preview: z.boolean().default(false),
    /** For a preview: the server that is to be used. */
    url: z.string().max(2_000).optional(),
  }),
  async run({ to, preview, url }, call, context) {
    if (url !== undefined && !isServerUrl(url))
      throw new ToolError(
        phrase(
          '"{0}" is no address of a server. Give one that begins with http:// or https:// and holds no password. Nothing was changed.',
          url.slice(0, 200),
        ),
      );
    const data = to === 'hindsight' ? await toServer(preview, call, context) : await toFolder(call, context);
    return { text: copiedText(data), data };
  },
});

/** Entries of one level that go on their way together. */
interface LeavingBatch {
  readonly level: Level;
  readonly ids: readonly string[];
}

interface Leaving {
  readonly batches: readonly LeavingBatch[];
  readonly kept: number;
  readonly maxLevel: Level;
}

/**
 * Which entries may leave, those of each level oldest first, so that what was said later is also later there. Each level
 * is looked at as it is seen there: a gap in its bank would tell of what shadows an entry here.
 */
async function leaving(call: ToolCall, { store, settings }: ToolContext): Promise<Leaving> {
  const { maxLevel } = readBackendSettings(settings, process.env, defaultLevelOf(settings));
  const batches: LeavingBatch[] = [];
  let kept = 0;
  for (const level of LEVELS.filter((each) => canFlowTo(each, call.level))) {
    const ids: string[] = [];
    for (let offset = 0, isMore = true; isMore; offset += PAGE) {
      call.signal.throwIfAborted();
      const { entries } = await store.browse(
        { filter: { status: 'active', level }, sort: 'created', descending: false, offset, limit: PAGE },
        { level },
      );
      ids.push(...entries.map(({ id }) => id));
      isMore = entries.length === PAGE;
    }
    if (!canFlowTo(level, maxLevel)) kept += ids.length;
    else
      for (let at = 0; at < ids.length; at += BATCH) batches.push({ level, ids: ids.slice(at, at + BATCH) });
  }
  return { batches, kept, maxLevel };
}

async function toServer(preview: boolean, call: ToolCall, context: ToolContext): Promise<BackendCopied> {
  const { batches, kept, maxLevel } = await leaving(call, context);
  const total = batches.reduce((sum, { ids }) => sum + ids.length, 0);
  const begun = { to: 'hindsight', total, kept, maxLevel, left: 0, fresh: 0 } as const;
  if (preview) return { ...begun, copied: 0, waiting: 0, cancelled: false, redacted: [] };
  const { backend, store } = context;
  await requireServer(context);
  const redacted = new Set<string>();
  let copied = 0;
  let answers = true;
  for (const { level, ids } of batches) {
    if (call.signal.aborted) break;
    call.progress?.(copied, total);
    const entries = await store.fetch(ids, { level }, false, { status: 'active' });
    const author = { ...authorOf(call, context), level };
    // A batch that has begun is put on its way whole: its outcome has to be known.
    const { signal } = new AbortController();
    const outcome = await asking(() => backend.retain(entries.map(documentOf), { author, signal }));
    for (const kind of outcome.redacted) redacted.add(kind);
    copied += ids.length;
    // What is on its way does not grow without end; where the server does not take it, it waits and is sent later.
    if (answers) answers = await sent(call, context);
  }
  call.progress?.(copied, total);
  const { queue } = await backend.status(call.level);
  return {
    ...{ ...begun, copied, waiting: queue.waiting, redacted: [...redacted] },
    cancelled: copied < total,
  };
}

/** Sends what waits. @returns whether the server takes it */
async function sent({ signal }: ToolCall, { backend }: ToolContext): Promise<boolean> {
  try {
    await unlessAborted(backend.flush(signal), signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return (await backend.status()).server?.state === 'reachable';
}

async function toFolder(call: ToolCall, context: ToolContext): Promise<BackendCopied> {
  const { backend, care, settings } = context;
  await requireServer(context);
  const own = defaultLevelOf(settings);
  const level = canFlowTo(own, call.level) ? own : call.level;
  const author = { ...authorOf(call, context), level, source: 'hindsight' };
  const redacted = new Set<string>();
  const counts = { total: 0, copied: 0, fresh: 0, left: 0 };
  try {
    for (;;) {
      const { signal } = call;
      const page = await asking(async () => backend.documents?.(counts.copied, { author, signal }));
      if (page === undefined) break;
      const { documents, listed, total } = page;
      const taken = documents.flatMap((document) => takenFromDocument(document) ?? []);
      const fit: TakenEntry[] = taken.filter((each) => takeable.safeParse(each).success);
      const outcome = await care.takeIn(fit, [], author);
      counts.total = total;
      counts.copied += listed;
      counts.fresh += outcome.created + outcome.updated;
      counts.left += documents.length - fit.length + outcome.skipped.length;
      for (const kind of outcome.redacted) redacted.add(kind);
      call.progress?.(counts.copied, total);
      if (listed === 0 || counts.copied >= total) break;
    }
  } catch (error) {
    // What came before stays; an error that is not of our stopping is told.
    if (!call.signal.aborted) throw error;
  }
  return {
    ...{ to: 'local', ...counts },
    ...{ kept: 0, maxLevel: level, waiting: 0, redacted: [...redacted], cancelled: call.signal.aborted },
  };
}

async function requireServer({ backend }: ToolContext): Promise<void> {
  if ((await backend.status()).kind === 'hindsight') return;
  throw new ToolError(
    phrase(
      'There is no memory server to copy to or from. Choose one with "Choose the Memory Backend…", then copy again. Nothing was changed.',
    ),
  );
}

function defaultLevelOf(settings: ToolContext['settings']): Level {
  return parseLevel(String(settings.get('classification.defaultLevel'))) ?? 'PUBLIC';
}

function copiedText({ to, total, copied, kept, maxLevel, left, waiting, ...rest }: BackendCopied): string {
  return [
    `Copied ${copied} of ${countOf(total, 'memory', 'memories')} to ${to === 'local' ? 'this folder' : 'the server'}${rest.cancelled ? ', then it was cancelled' : ''}`,
    ...(kept === 0 ? [] : [`Above ${maxLevel}, and so kept here: ${kept}`]),
    ...(to === 'local' ? [`New here: ${rest.fresh}`] : []),
    ...(left === 0 ? [] : [`Left there: ${left}`]),
    ...(waiting === 0 ? [] : [`Waiting to be sent: ${waiting}`]),
    ...redactionLine(rest.redacted),
  ].join('\n');
}
