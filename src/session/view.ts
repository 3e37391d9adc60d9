/**
 * The request view: what a model is shown of a session. It is computed from the records, record by record, and
 * the transcript is never rewritten for it.
 *
 * - A rewind puts its report in the place of everything after its checkpoint.
 * - Every call is shown with its result and every result with its call, or not at all. They are paired by id,
 *   a result with the last call before it that has none yet. The rest of such a message is shown.
 * - What stands before the last compact boundary is not shown. Where the boundary says that the rest is kept,
 *   what was not summarised comes again after the summary; it counts once the summary is there.
 * - When the person goes back to the end of a turn, the view is what it was there. What other sessions sent after
 *   that turn and before the person's next one stays: the person, who took back their own, said nothing about it.
 */
import { type Block, boundaryOf, type Message, textMessage } from './messages.ts';
import {
  isPromptRecord,
  type MessageBody,
  type Reconciled,
  type RecordHead,
  type RewindReport,
  type SessionRecord,
} from './record.ts';
import { acknowledgedNotes, type Item, type Link, linksOf, rewindText, shownOf } from './viewItem.ts';

/** The state of the view when a checkpoint was created. */
interface Cut {
  readonly uuid: string;
  readonly index: number;
  readonly start: number;
}

/** The items after a turn: the first `count` of `items`. */
interface TurnCut {
  /** Uuid of its `end`; undefined before the first one. */
  readonly turn: string | undefined;
  readonly items: readonly Item[];
  readonly count: number;
  readonly cut: Cut | undefined;
}

const BEGINNING: TurnCut = { turn: undefined, items: [], count: 0, cut: undefined };

/** A call that no result answers. */
export interface OpenCall {
  readonly id: string;
  readonly name: string;
  /** The message it stands in; its texts stay in the view. */
  readonly message: Message;
}

export class RequestView {
  /** Only added to; where items are taken out, a new array takes its place, as `#turns` may still need the old. */
  #items: Item[] = [];
  readonly #shown: Message[] = [];
  /** Calls without a result, by id. */
  readonly #open = new Map<string, { link: Link; item: Item }>();
  /** Index of the first item that is shown. */
  #start = 0;
  #cut: Cut | undefined;
  #notes: string[] = [];
  /** By the uuid of a turn's `end`: the last turn of the person's until then, undefined where there was none. */
  readonly #owners = new Map<string, string | undefined>();
  /** By a turn of the person's: the view after it and all that other sessions sent until the next one. */
  readonly #turns = new Map<string | undefined, TurnCut>();
  #lastTurn: string | undefined;
  /** The last turn of the person's. */
  #lastOwn: string | undefined;
  #openTurn: 'person' | 'session' | undefined;
  /** A boundary whose summary is to come with the next message. */
  #boundary: { readonly uuid: string; readonly message: Message; readonly left: number } | undefined;
  /** How many of the first messages are what they were at the last `changes`. */
  #unchanged = 0;

  /** The messages to be sent. Belongs to the view: valid until the next `fold`. */
  messages(): readonly Message[] {
    return this.#shown;
  }

  /**
   * What became of the messages since the last call, for a copy kept elsewhere: the first `keep` are as they
   * were, and `messages` come after them. Costs what was added, not what there is.
   */
  changes(): { keep: number; messages: Message[] } {
    const keep = this.#unchanged;
    this.#unchanged = this.#shown.length;
    return { keep, messages: this.#shown.slice(keep) };
  }

  /** Calls that are waiting for their result, oldest first. They are not in the messages. */
  openCalls(): OpenCall[] {
    return [...this.#open.values()].flatMap(({ link: { block }, item }) =>
      block.type === 'tool_use' ? [{ id: block.id, name: block.name, message: item.message }] : [],
    );
  }

  /** What a resume, or the person, found and the next prompt will begin with; empty when there is nothing. */
  get notes(): string {
    return this.#notes.join('\n\n');
  }

  /** The turn that the view stands after, by the uuid of its `end`; undefined before the first one. */
  get lastTurn(): string | undefined {
    return this.#lastTurn;
  }

  /** Whether the person can go back to this turn, by the uuid of its `end`; undefined is the beginning. */
  canReturn(to: string | undefined): boolean {
    if (to === undefined) return this.#lastOwn !== undefined;
    return this.#owners.has(to) && this.#owners.get(to) !== this.#lastOwn;
  }

  /** Takes in the next record of the transcript. */
  fold(record: SessionRecord): void {
    if (record.type === 'message') this.#message(record);
    else if (record.type === 'reconciled') this.#reconcile(record.reconciled);
    else if (record.type === 'acknowledged') this.#notes.push(...acknowledgedNotes(record.acknowledged));
    else if (record.type === 'rewind_report') this.#rewind(record.rewind_report);
    else if (record.type === 'checkpoint') {
      const { event } = record.checkpoint;
      if (event === 'created') {
        this.#cut = { uuid: record.uuid, index: this.#items.length, start: this.#start };
      } else if (event === 'cancelled') this.#cut = undefined;
    } else if (record.type === 'end') {
      if (record.end.reason === 'aborted') this.#cut = undefined;
      this.#end(record.uuid);
    } else if (record.type === 'returned') this.#return(record.returned.to);
  }

  #message(record: MessageBody & RecordHead): void {
    const { message, begins, provenance, summary_of, uuid } = record;
    const boundary = this.#boundary;
    this.#boundary = undefined;
    if (summary_of !== undefined) {
      if (boundary?.uuid === summary_of) this.#compact(boundary.message, message, boundary.left);
      return;
    }
    const { keeps_rest, messages_summarized: left } = boundaryOf(message) ?? {};
    if (keeps_rest === true && typeof left === 'number') {
      this.#boundary = { uuid, message, left };
      return;
    }
    const isOwn = isPromptRecord(record);
    if (this.#notes.length > 0 && (isOwn || begins)) {
      const notes = this.#notes;
      this.#notes = [];
      this.#add(textMessage('system', notes.join('\n\n')));
    }
    this.#add(message);
    if (isOwn) this.#openTurn = 'person';
    else if (begins) this.#openTurn ??= 'session';
    // What comes between two turns belongs to the one before.
    else if (provenance && this.#openTurn === undefined) this.#keep();
  }

  /** The kept messages are added as they are shown: half a pair stays where it was, behind the boundary. */
  #compact(boundary: Message, summary: Message, left: number): void {
    const rest = this.#shown.slice(Math.max(0, left));
    for (const message of [boundary, summary, ...rest]) this.#add(message);
  }

  #end(uuid: string): void {
    if (this.#openTurn !== 'session') this.#lastOwn = uuid;
    this.#openTurn = undefined;
    this.#lastTurn = uuid;
    this.#owners.set(uuid, this.#lastOwn);
    this.#keep();
  }

  /** This is where the person comes to who goes back to the last turn of theirs. */
  #keep(): void {
    const { length: count } = this.#items;
    this.#turns.set(this.#lastOwn, { turn: this.#lastTurn, items: this.#items, count, cut: this.#cut });
  }

  #add(message: Message): void {
    const isBoundary = message.content.some((block) => block.type === 'compact_boundary');
    // What comes after a boundary has nothing to do with calls before it, which are no longer shown.
    if (isBoundary) this.#open.clear();
    const item: Item = {
      message,
      index: this.#items.length,
      shownAt: this.#shown.length,
      links: linksOf(message),
      givenUp: [],
    };
    this.#items.push(item);
    let from = item.index;
    for (const link of item.links) {
      const { block } = link;
      if (block.type === 'tool_use') this.#open.set(block.id, { link, item });
      else {
        const call = this.#open.get(block.tool_use_id);
        if (!call) continue;
        this.#open.delete(block.tool_use_id);
        call.link.other = item;
        link.other = call.item;
        from = Math.min(from, call.item.index);
      }
    }
    if (isBoundary) this.#start = item.index;
    this.#show(isBoundary ? item.index : from);
  }

  /** Shows the items from `index` on anew. */
  #show(index: number): void {
    const first = this.#items[index];
    this.#cutTo(index === this.#start ? 0 : first?.shownAt);
    for (let at = index; at < this.#items.length; at++) {
      const item = this.#items[at] as Item;
      item.shownAt = this.#shown.length;
      const message = shownOf(item);
      if (message) this.#shown.push(message);
    }
  }

  #cutTo(length = this.#shown.length): void {
    this.#shown.length = length;
    this.#unchanged = Math.min(this.#unchanged, length);
  }

  /** The calls are given up: a result that still comes has no call any more. */
  #reconcile({ calls, report }: Reconciled): void {
    for (const { id } of calls) this.#giveUp(id);
    if (report !== '') this.#notes.push(report);
    // A turn that another session asked for, and that nobody goes on with.
    if (this.#openTurn !== 'session') return;
    this.#openTurn = undefined;
    this.#keep();
  }

  #giveUp(id: string): void {
    this.#open.get(id)?.item.givenUp.push(id);
    this.#open.delete(id);
  }

  /** Shows the messages that were there once more, since calls and results may have been parted in between. */
  #return(to: string | undefined): void {
    if (!this.canReturn(to)) return;
    const own = to === undefined ? undefined : this.#owners.get(to);
    const turn = this.#turns.get(own) ?? BEGINNING;
    this.#items = [];
    this.#open.clear();
    this.#start = 0;
    this.#cutTo(0);
    for (const { message, givenUp } of turn.items.slice(0, turn.count)) {
      this.#add(message);
      for (const id of givenUp) this.#giveUp(id);
    }
    // A checkpoint that came to its end in between is not open again.
    this.#cut = turn.cut?.uuid === this.#cut?.uuid ? turn.cut : undefined;
    this.#lastTurn = turn.turn;
    this.#lastOwn = own;
    this.#openTurn = undefined;
  }

  #rewind(report: RewindReport): void {
    const cut = this.#cut;
    if (cut?.uuid !== report.checkpoint) return;
    this.#cut = undefined;
    const left = this.#items.slice(cut.index);
    this.#items = this.#items.slice(0, cut.index);
    for (const { links } of left) {
      for (const { block, other } of links)
        if (block.type === 'tool_use' && !other) this.#open.delete(block.id);
    }
    // With a compaction in between, what it hid is shown again: the view is the one at the checkpoint.
    const isCompacted = this.#start !== cut.start;
    this.#start = cut.start;
    this.#cutTo(left[0]?.shownAt);
    const kept = left.flatMap(({ links }) => links.filter(({ other }) => other && other.index < cut.index));
    const results: Block[] = [];
    let from = cut.index;
    for (const { block, other } of kept) {
      if (block.type !== 'tool_result') continue;
      from = Math.min(from, other?.index ?? from);
      const call = other?.links.find(
        (link) => link.block.type === 'tool_use' && link.block.id === block.tool_use_id && link.other,
      );
      if (!call) continue;
      call.other = undefined;
      // The call that brought the report would show it a second time.
      if (block.tool_use_id === report.call_id) {
        other?.givenUp.push(block.tool_use_id);
        continue;
      }
      this.#open.set(block.tool_use_id, { link: call, item: other as Item });
      results.push(block);
    }
    this.#show(isCompacted ? this.#start : from);
    if (results.length > 0) this.#add({ role: 'user', content: results });
    this.#add(textMessage('system', rewindText(report)));
  }
}

/** The view of a whole transcript. */
export function viewOf(records: Iterable<SessionRecord>): RequestView {
  const view = new RequestView();
  for (const record of records) view.fold(record);
  return view;
}
