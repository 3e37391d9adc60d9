/** The folds of sessions: what is on disk of them, and what a person does with them. Lives in the store's thread. */
import { statSync } from 'node:fs';
import { messageOf } from '../journal/errors.ts';
import type { FoldLine } from '../planProtocol.ts';
import { archiveText } from '../session/folding/archive.ts';
import { archivePath, blockName, type FoldBlock } from '../session/folding/blocks.ts';
import { COMPRESS, type Folds as FoldsOf, rebuild } from '../session/folding/rebuild.ts';
import { parseRef } from '../session/folding/refs.ts';
import type { LiveSession } from '../session/liveSession.ts';
import type { Message } from '../session/messages.ts';
import { foldsDir, transcriptFile } from '../session/place.ts';
import type { FoldOpened } from '../session/record.ts';
import { idOf } from '../session/sessionId.ts';
import { shownMessage } from '../session/shownMessage.ts';
import { followTranscript } from '../session/transcript.ts';
import { RequestView } from '../session/view.ts';
import { phrase, StoreError } from './api.ts';
import { type Archive, FoldFiles } from './foldFiles.ts';
import type { Held } from './held.ts';
import type { HeldOptions, HeldSessions } from './heldSessions.ts';
import type { SessionReader } from './sessionApi.ts';
import { locked, plainError } from './sessionErrors.ts';
import type { FoldPlace, FoldsOpened, FoldText } from './sessionFoldApi.ts';
import { agentPlace } from './sessionIds.ts';

/** So many problems are named. */
const NAMED = 5;

/** What is known of a session that this process holds. */
interface Known {
  readonly files: FoldFiles;
  density: number;
  /** Blocks whose originals are written while the result of their call is not recorded yet. */
  pending: FoldBlock[];
  /** What was found when it was opened, until it was told. */
  problems: readonly string[];
}

interface Followed {
  readonly stamp: string;
  readonly folds: FoldsOf;
}

export class Folds {
  readonly #sessions: HeldSessions;
  readonly #options: HeldOptions;
  readonly #known = new WeakMap<LiveSession, Known>();
  /** Of the session that was looked at last and that this process does not hold. */
  #followed: (Followed & { readonly id: string }) | undefined;

  constructor(sessions: HeldSessions, options: HeldOptions) {
    this.#sessions = sessions;
    this.#options = options;
  }

  open(place: FoldPlace, density?: number): FoldsOpened {
    const held = this.#held(place);
    const known = this.#checked(held);
    if (density !== undefined && density > known.density) {
      known.density = density;
      // Of a session that never folded there is nothing to save.
      if (known.files.exists) this.#save(held, known, []);
    }
    return { opened: [...held.live.openedFolds], density: known.density };
  }

  commit(place: FoldPlace, blocks: readonly FoldBlock[]): void {
    const held = this.#held(place);
    const known = this.#checked(held);
    const folds = this.#foldsOf(held, known);
    for (const block of blocks) {
      if (!fits(folds, block)) throw new StoreError('The conversation has changed meanwhile.');
      folds.blocks.add(block);
    }
    this.#save(held, known, blocks, folds);
    known.pending.push(...blocks);
  }

  read(place: FoldPlace, block: string, offset: number, length: number): FoldText {
    const held = this.#held(place);
    const text = originalOf(this.#foldsOf(held, this.#checked(held)), block, held.id);
    const end = offset + length;
    // Half a character is none.
    const to = isInsidePair(text, end) ? end - 1 : end;
    const from = isInsidePair(text, offset) ? offset - 1 : offset;
    return { text: text.slice(from, to), next: to < text.length ? to : undefined };
  }

  list(id: string, reader: SessionReader): readonly FoldLine[] {
    const folds = this.#readable(id, reader)?.folds;
    if (folds === undefined) return [];
    const { cores, blocks } = folds;
    return blocks.all.map((block) => ({
      ...{ block: blockName(block.number), tier: block.tier, topic: block.topic, summary: block.summary },
      messages: new Set(block.refs.map((ref) => cores[ref - 1]?.message)).size,
      ...{ tokens: block.tokens, active: blocks.isActive(block) },
    }));
  }

  show(id: string, block: string, reader: SessionReader): string {
    const readable = this.#readable(id, reader);
    if (readable === undefined) throw noBlock();
    return originalOf(readable.folds, block, id);
  }

  reopen(id: string, name: string, reader: SessionReader): void {
    const readable = this.#readable(id, reader);
    const block = readable && blockNamed(readable.folds, name);
    if (readable === undefined || block === undefined) throw noBlock();
    if (!readable.folds.blocks.isActive(block))
      throw new StoreError(
        phrase('This part is not folded any more, or it is folded together with others. Open those first.'),
      );
    const opened = { block: blockName(block.number), call_id: block.callId };
    const draft = { type: 'fold_opened', fold_opened: opened } as const;
    const held = this.#sessions.get(id);
    if (held === undefined) this.#sessions.deliver(id, { ...draft, level: readable.level });
    else this.#sessions.append(held, [draft]);
  }

  /** What was found of the folds when a session was opened, for the report of a resume; told once. */
  parts(held: Held): readonly string[] {
    try {
      const known = this.#checked(held);
      const { problems } = known;
      known.problems = [];
      return problems;
    } catch (error) {
      // Folds are shown from the transcript alone; only their originals as files are not there.
      return [`The originals of folded parts could not be checked: ${messageOf(plainError(error))}`];
    }
  }

  #held({ key, agent }: FoldPlace): Held {
    const held = this.#sessions.get(agent === undefined ? idOf(key) : agentPlace(agent));
    if (held?.turn === undefined) throw new StoreError('This turn is over. Begin another one.');
    return held;
  }

  /** What is known of a session, checked against its transcript the first time. */
  #checked(held: Held): Known {
    const { live } = held;
    const before = this.#known.get(live);
    if (before !== undefined) return before;
    const known: Known = { files: this.#files(held.id), density: 1, pending: [], problems: [] };
    this.#known.set(live, known);
    const hasFiles = known.files.exists;
    const messages = messagesOf(live.view);
    if (!hasFiles && !calls(messages)) return known;
    const folds = rebuild(messages, live.openedFolds);
    const state = known.files.state();
    known.density = state?.density ?? 1;
    const archives = archivesOf(folds, folds.blocks.all, held.id);
    const altered = known.files.verify(archives);
    const isWhole =
      state !== undefined &&
      altered.length === 0 &&
      JSON.stringify(state.blocks) === JSON.stringify(folds.blocks.all) &&
      known.files.holds(archives);
    if (isWhole) {
      known.files.clear();
      return known;
    }
    known.problems = problemsOf({ hasFiles, altered, folds });
    try {
      known.files.replace(live.writer.level, archives, { density: known.density, blocks: folds.blocks.all });
    } catch (error) {
      this.#known.delete(live);
      throw error;
    }
    return known;
  }

  #save(held: Held, known: Known, added: readonly FoldBlock[], folds = this.#foldsOf(held, known)): void {
    const state = { density: known.density, blocks: folds.blocks.all };
    known.files.commit(held.live.writer.level, archivesOf(folds, added, held.id), state);
  }

  /** The folds as they will be once the results of open calls are recorded. */
  #foldsOf({ live }: Held, known: Known): FoldsOf {
    const folds = rebuild(messagesOf(live.view), live.openedFolds);
    const open = new Set(live.view.openCalls().map(({ id }) => id));
    known.pending = known.pending.filter(({ callId }) => open.has(callId));
    for (const block of known.pending) folds.blocks.add(block);
    return folds;
  }

  #readable(id: string, reader: SessionReader) {
    const files = this.#files(id);
    const held = this.#sessions.get(id);
    const { level } = this.#sessions.readable(id, reader).summary;
    if (held !== undefined) {
      const messages = messagesOf(held.live.view);
      // Of a long conversation that never folded there is nothing to rebuild each time that it is looked at.
      if (!files.exists && !calls(messages)) return undefined;
      return { level, folds: rebuild(messages, held.live.openedFolds) };
    }
    if (!files.exists) return undefined;
    return { level, folds: this.#follow(id) };
  }

  #follow(id: string): FoldsOf {
    const place = { ...this.#options, id };
    const stat = statSync(transcriptFile(place), { throwIfNoEntry: false });
    const stamp = `${stat?.size} ${stat?.mtimeMs} ${stat?.ino}`;
    if (this.#followed?.id === id && this.#followed.stamp === stamp) return this.#followed.folds;
    const view = new RequestView();
    const opened: FoldOpened[] = [];
    for (const record of followTranscript(place).read().records) {
      if (record.type === 'opaque' && record.reason === 'key-missing') throw locked();
      if (record.type === 'fold_opened') opened.push(record.fold_opened);
      view.fold(record);
    }
    const folds = rebuild(messagesOf(view), opened);
    this.#followed = { id, stamp, folds };
    return folds;
  }

  /** `session`: its id; a subagent's behind a slash. */
  #files(session: string): FoldFiles {
    const [id = '', agentId] = session.split('/');
    const { dir, keys, defaultLevel, seam } = this.#options;
    return new FoldFiles({ dir: foldsDir({ dir, id, agentId }), session, keys, defaultLevel, seam });
  }
}

/** The view as loops show it. */
function messagesOf(view: RequestView): readonly Message[] {
  return view.messages().map(shownMessage);
}

function calls(messages: readonly Message[]): boolean {
  return messages.some(({ content }) =>
    content.some((block) => block.type === 'tool_use' && block.name === COMPRESS),
  );
}

/** Whether a block that was planned elsewhere is of this conversation. */
function fits({ cores, blocks }: FoldsOf, block: FoldBlock): boolean {
  if (blocks.get(block.number) !== undefined) return false;
  if (block.tier > 1) return block.children.every((child) => blocks.get(child) !== undefined);
  return (
    block.members.length === block.refs.length &&
    block.refs.every((ref, at) => cores[ref - 1]?.id === block.members[at])
  );
}

function archivesOf(folds: FoldsOf, blocks: readonly FoldBlock[], session: string): Archive[] {
  return blocks.map((block) => ({
    path: archivePath(block),
    block: identityOf(block),
    text: archiveText(session, folds, block),
  }));
}

/** Tells a block from one that had its number before the conversation went back. */
function identityOf({ callId, digest }: FoldBlock): string {
  return `${callId} ${digest}`;
}

function blockNamed({ blocks }: FoldsOf, name: string): FoldBlock | undefined {
  const ref = parseRef(name);
  return ref?.kind === 'block' ? blocks.get(ref.n) : undefined;
}

/**
 * From the conversation itself. Its file says the same, but whoever can write there could write another text and the
 * hash that goes with it, and the agent would be told that.
 */
function originalOf(folds: FoldsOf, name: string, session: string): string {
  const block = blockNamed(folds, name);
  if (block === undefined) throw noBlock();
  return archiveText(session, folds, block);
}

function problemsOf(found: {
  readonly hasFiles: boolean;
  readonly altered: ReturnType<FoldFiles['verify']>;
  readonly folds: FoldsOf;
}): string[] {
  const { hasFiles, altered, folds } = found;
  if (!hasFiles) {
    // A session whose folds were never written, since it was killed before, has none in its messages either.
    return folds.folded.length === 0 ? [] : [`${LOST}: their folder was missing. ${AGAIN}`];
  }
  const what = altered.slice(0, NAMED).map(({ path, problem }) => `${path} was ${problem}`);
  if (altered.length > NAMED) what.push(`and ${altered.length - NAMED} more`);
  return what.length === 0 ? [] : [`${LOST}: ${what.join(', ')}. ${AGAIN}`];
}

const LOST = 'Files of folded parts of this conversation were not as they were written';
const AGAIN = 'They were made again from the conversation itself, so nothing is lost.';

function noBlock(): StoreError {
  return new StoreError(phrase('There is no such folded part in this session any more.'));
}

function isInsidePair(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1));
}
