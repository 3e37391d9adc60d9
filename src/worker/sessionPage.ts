import type { JsonValue } from '../journal/record.ts';
import type { LineCodec } from '../session/line.ts';
import type { Block } from '../session/messages.ts';
import type { SessionRecord } from '../session/record.ts';
import { recordsBackwards } from '../session/tail.ts';
import type { PageMessage, PageQuery, TranscriptPage } from './sessionLookApi.ts';

/** A page looks back so far at most, however few messages it has found by then. */
const PAGE_RECORDS = 5_000;
const PAGE_BYTES = 8 * 1024 * 1024;
/** What a page hands over at most, in characters; whoever shows it shows less. */
const PAGE_TEXT = 1024 * 1024;

/** The last messages of a transcript, or those before `query.before`. */
export function pageOf(file: string, codec: LineCodec, query: PageQuery): TranscriptPage {
  const page = new Page(query);
  for (const placed of recordsBackwards(file, codec, query.before)) {
    if (placed === 'damaged') return page.result(undefined, true);
    page.take(placed.record, placed.offset);
    if (page.isFull) return page.result(placed.offset === 0 ? undefined : placed.offset);
  }
  return page.result(undefined);
}

/** Takes in records from the last to the first. */
class Page {
  readonly #query: PageQuery;
  readonly #messages: PageMessage[] = [];
  #records = 0;
  /** Where the first and the last record that were taken in begin. */
  #from: number | undefined;
  #to = 0;
  #length = 0;
  #omitted = 0;
  #isCut = false;
  #isUnreadable = false;

  constructor(query: PageQuery) {
    this.#query = query;
  }

  get isFull(): boolean {
    return (
      this.#messages.length >= this.#query.limit ||
      this.#records >= PAGE_RECORDS ||
      this.#length >= PAGE_TEXT ||
      (this.#from ?? 0) - this.#to >= PAGE_BYTES
    );
  }

  take(record: SessionRecord, offset: number): void {
    this.#records++;
    this.#from ??= offset;
    this.#to = offset;
    if (record.type === 'opaque') this.#isUnreadable ||= record.reason !== 'newer-version';
    if (record.type !== 'message') return;
    const { message, model, provenance, uuid, timestamp, summary_of } = record;
    const { tools } = this.#query;
    const content = message.content.filter(({ type }) =>
      tools ? type !== 'compact_boundary' : type === 'text',
    );
    if (content.length === 0) {
      this.#omitted++;
      return;
    }
    // Nobody said a summary.
    const role = summary_of === undefined ? message.role : 'system';
    const shown = { role, content: content.map((block) => this.#block(block)) };
    this.#messages.push({
      ...{ uuid, offset, at: Date.parse(timestamp), message: shown },
      ...(model !== undefined && { model }),
      ...(provenance && { provenance }),
    });
  }

  result(before: number | undefined, isDamaged = false): TranscriptPage {
    return {
      messages: this.#messages.toReversed(),
      before,
      omitted: this.#omitted,
      isCut: this.#isCut,
      isDamaged: isDamaged || this.#isUnreadable,
    };
  }

  #block(block: Block): Block {
    if (block.type === 'text') return { ...block, text: this.#text(block.text) };
    if (block.type === 'thinking') return { type: 'thinking', thinking: this.#text(block.thinking) };
    if (block.type === 'tool_use') return { ...block, input: this.#json(block.input) };
    if (block.type === 'tool_result')
      return { ...block, content: block.content.map((each) => this.#block(each)) };
    return block;
  }

  #json(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return value.map((each) => this.#json(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.#json(each)]));
  }

  #text(text: string): string {
    const { textLength } = this.#query;
    const isLong = text.length > textLength;
    this.#isCut ||= isLong;
    this.#length += Math.min(text.length, textLength);
    return isLong ? text.slice(0, textLength).toWellFormed() : text;
  }
}
