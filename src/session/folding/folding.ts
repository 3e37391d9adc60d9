/**
 * Cooperative folding: the model itself says what of its conversation it no longer needs word for word, and what stands
 * in its place. This side only numbers, checks, shows and reminds; it asks no model, and what is stored stays.
 */
import { messageOf } from '../../journal/errors.ts';
import type { Settings } from '../../ports.ts';
import type { FoldPlace, SessionFoldApi } from '../../worker/sessionFoldApi.ts';
import type { ChatModel } from '../chatModel.ts';
import { windowOf } from '../compaction/choose.ts';
import { tokensOfFixed, tokensOfMessages } from '../compaction/estimate.ts';
import { thresholds, type Window } from '../compaction/thresholds.ts';
import type { Compactor, CompactorRequest, Prepared } from '../compactor.ts';
import { contextTokens, type Message, textMessage } from '../messages.ts';
import type { FoldOpened } from '../record.ts';
import type { LoopCallInput, LoopResult, LoopTools } from '../turnCalls.ts';
import { COMPRESS_SPEC, FOLD_READ, FOLD_READ_SPEC } from './foldTools.ts';
import { foldedText, planFolds } from './gates.ts';
import { materialize } from './materialize.ts';
import { MOST_DENSE, nudgeText, type Room } from './nudge.ts';
import { parseFoldInput } from './parse.ts';
import { project, shorten } from './project.ts';
import { COMPRESS, type Folds, rebuild } from './rebuild.ts';
import { parseRef } from './refs.ts';

/** A view takes up at most this part of the window (Norma's noa). */
const FLOOR = 0.95;
/** What is left out is left out in steps of this part. */
const STEP_PART = 0.1;
/** By how much the model's tokens count for more after it refused a request that was thought to fit. */
const AFTER_OVERFLOW = 1.25;
/** Densities are rounded up to this part, so that they seldom change: with them the view does. */
const DENSITY_STEP = 8;
/** Of a block's original, at most this part of the window at once. */
const PAGE_PART = 0.1;
const PAGE_CHARACTERS = 24_000;
/** Sessions of which it is known that they were told. */
const REMEMBERED = 200;

export const NOT_FOLDED =
  'The model does not fold its conversation though its window is full, so old parts are left out of what it is shown. The transcript keeps all of it.';
const FOLDS_UNREADABLE = 'What was opened of the folds again could not be read:';

export interface FoldingOptions {
  readonly folds: Pick<SessionFoldApi, 'foldOpen' | 'foldCommit' | 'foldRead'>;
  readonly place: FoldPlace;
  windowOf(model: Pick<ChatModel, 'maxInputTokens'>): Window;
}

/** Places that were told that their model does not fold: once is enough. */
const told = new Set<string>();

/** The compactor of one turn of a session that folds. */
export function createFolding(options: FoldingOptions): Compactor {
  return new Folding(options);
}

/** Makes the compactor of a session whose person chose folding, and of one that left it, as the settings say. */
export function foldingOf(
  folds: FoldingOptions['folds'],
  place: FoldPlace,
  settings: Pick<Settings, 'get'>,
): { readonly folding: () => Compactor; readonly leaving: () => Compactor } {
  return {
    folding: () => createFolding({ folds, place, windowOf: (model) => windowOf(settings, model) }),
    leaving: () => unfolding(folds, place),
  };
}

/** Shows what was folded earlier as its summaries, so that it does not fill the window again; folds nothing. */
function unfolding(folds: Pick<SessionFoldApi, 'foldOpen'>, place: FoldPlace): Compactor {
  return {
    before: async ({ messages }) => {
      const known = await folds.foldOpen(place).catch(() => undefined);
      return { messages: materialize(messages, known?.opened ?? []), drafts: [] };
    },
    overflow: async () => undefined,
  };
}

interface Seen {
  readonly folds: Folds;
  readonly window: number;
}

class Folding implements Compactor {
  readonly tools: LoopTools = {
    specs: () => [COMPRESS_SPEC, FOLD_READ_SPEC],
    isExclusive: (name) => name === COMPRESS,
    // It changes what the model is shown, and nothing else.
    effectOf: () => 'read',
    call: (call) => (call.name === FOLD_READ ? this.#read(call) : this.#compress(call)),
  };
  readonly #options: FoldingOptions;
  #opened: readonly FoldOpened[] = [];
  #density = 1;
  /** What the last request was made of. */
  #seen: Seen | undefined;
  /** Tokens of the last request, as they were estimated. */
  #sent: number | undefined;

  constructor(options: FoldingOptions) {
    this.#options = options;
  }

  async before(request: CompactorRequest): Promise<Prepared> {
    const problem = await this.#open(this.#measured(request));
    const prepared = this.#prepare(request);
    return problem === undefined ? prepared : { ...prepared, notice: `${FOLDS_UNREADABLE} ${problem}` };
  }

  async overflow(request: CompactorRequest): Promise<Prepared | undefined> {
    const before = this.#sent ?? Number.POSITIVE_INFINITY;
    await this.#open(rounded(this.#density * AFTER_OVERFLOW));
    const prepared = this.#prepare(request);
    const after = this.#sent ?? 0;
    const { window } = this.#room(request);
    return after < before && after * this.#density <= window * FLOOR ? prepared : undefined;
  }

  /** Takes in what a person opened again, and saves what is known of the model's tokens. */
  async #open(density: number): Promise<string | undefined> {
    const { folds, place } = this.#options;
    const isDenser = density > this.#density;
    this.#density = Math.max(this.#density, density);
    try {
      const opened = await folds.foldOpen(place, isDenser ? this.#density : undefined);
      this.#opened = opened.opened;
      this.#density = Math.max(this.#density, opened.density);
      return undefined;
    } catch (error) {
      // The folds themselves follow from the messages.
      return messageOf(error);
    }
  }

  /** The density that the model's own count of the last request shows. */
  #measured({ usage, messages }: CompactorRequest): number {
    if (usage === undefined || this.#sent === undefined) return this.#density;
    const answer = messages.findLast(({ role }) => role === 'assistant');
    const estimated = this.#sent + tokensOfMessages(answer === undefined ? [] : [answer]);
    return rounded(contextTokens(usage) / Math.max(1, estimated));
  }

  #prepare(request: CompactorRequest): Prepared {
    const room = this.#room(request);
    const folds = rebuild(request.messages, this.#opened);
    this.#seen = { folds, window: room.window };
    const view = project(folds, { hasTags: true });
    const nudge = nudgeText(folds, tokensOfMessages(view), room);
    const reminder = nudge === undefined ? [] : [textMessage('system', nudge)];
    const most = Math.floor((room.window * FLOOR) / room.density) - room.fixed;
    const step = Math.max(1, Math.floor((room.window * STEP_PART) / room.density));
    const { messages, hasDropped } = shorten(view, Math.max(0, most - tokensOfMessages(reminder)), step);
    const all: readonly Message[] = [...messages, ...reminder];
    this.#sent = room.fixed + tokensOfMessages(all);
    const notice = hasDropped ? this.#tell() : undefined;
    return { messages: all, drafts: [], ...(notice !== undefined && { notice }) };
  }

  #room(request: CompactorRequest): Room {
    const { effectiveWindow } = thresholds(this.#options.windowOf(request.model));
    return { window: effectiveWindow, fixed: tokensOfFixed(request), density: this.#density };
  }

  #tell(): string | undefined {
    const { key, agent } = this.#options.place;
    const place = JSON.stringify([key, agent?.id]);
    if (told.has(place)) return undefined;
    told.add(place);
    for (const other of told) {
      if (told.size <= REMEMBERED) break;
      told.delete(other);
    }
    return NOT_FOLDED;
  }

  async #compress({ id, input }: LoopCallInput): Promise<LoopResult> {
    if (this.#seen === undefined) return error('There is nothing to fold yet. Go on with the task.');
    const { folds, window } = this.#seen;
    const plan = planFolds(folds, parseFoldInput(input), id, window);
    if (!plan.ok) return error(plan.error);
    const blocks = plan.planned.map(({ block }) => block);
    try {
      await this.#options.folds.foldCommit(this.#options.place, blocks);
    } catch (failure) {
      return error(
        `Nothing was folded: ${messageOf(failure)} Go on with the task; you can try again when more has been said.`,
      );
    }
    // Another call of the same answer must not fold it once more.
    for (const block of blocks) folds.blocks.add(block);
    return { text: foldedText(plan.planned, plan.notes), isError: false };
  }

  async #read({ input }: LoopCallInput): Promise<LoopResult> {
    const { folds, place } = this.#options;
    const fields = typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {};
    const ref = parseRef(String(fields.block ?? ''));
    if (ref?.kind !== 'block')
      return error(`"block" must name a folded section, such as b1.${this.#names()}`);
    const offset = Number(fields.offset ?? 0);
    if (!Number.isSafeInteger(offset) || offset < 0)
      return error('"offset" must be a whole number from 0. Leave it out to begin at the start.');
    try {
      const part = await folds.foldRead(place, `b${ref.n}`, offset, this.#page());
      const more =
        part.next === undefined ? '' : `\n\n[It goes on: call ${FOLD_READ} with offset ${part.next}.]`;
      return { text: part.text + more, isError: false };
    } catch (failure) {
      return error(`${messageOf(failure)}${this.#names()}`);
    }
  }

  #names(): string {
    const names = this.#seen?.folds.blocks.all.map(({ number }) => `b${number}`) ?? [];
    return names.length === 0 ? ' Nothing is folded yet.' : ` There are: ${names.join(', ')}.`;
  }

  #page(): number {
    const window = this.#seen?.window ?? Number.POSITIVE_INFINITY;
    return Math.max(1_000, Math.min(PAGE_CHARACTERS, Math.floor(window * PAGE_PART)));
  }
}

function rounded(density: number): number {
  return Math.min(MOST_DENSE, Math.max(1, Math.ceil(density * DENSITY_STEP) / DENSITY_STEP));
}

function error(text: string): LoopResult {
  return { text, isError: true };
}
