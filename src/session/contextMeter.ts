/** How full the model's window was with the last answer, read from the records of a session. */
import { boundaryOf, contextTokens } from './messages.ts';
import type { SessionRecord } from './record.ts';

export interface ContextMeasure {
  /** Tokens that the conversation took up with the last answer; after a compaction an estimate. */
  readonly used: number;
  /** What fits into the model of that answer, where it says so. */
  readonly window: number | undefined;
  /** How often the conversation was compacted. */
  readonly compactions: number;
}

export class ContextMeter {
  #used: number | undefined;
  #window: number | undefined;
  #compactions = 0;
  /** What a compaction will leave, by the uuid of its boundary. */
  #left: { readonly uuid: string; readonly tokens: number | undefined } | undefined;
  /** As it was at the open checkpoint, and at the end of each turn by the uuid of its `end`. */
  #cut: { readonly uuid: string; readonly used: number | undefined } | undefined;
  readonly #turns = new Map<string, number | undefined>();

  /** Undefined while no model has counted. */
  get measure(): ContextMeasure | undefined {
    if (this.#used === undefined) return undefined;
    return { used: this.#used, window: this.#window, compactions: this.#compactions };
  }

  /** Takes in the next record of the transcript. */
  fold(record: SessionRecord): void {
    switch (record.type) {
      case 'message': {
        const boundary = boundaryOf(record.message);
        if (boundary) this.#left = { uuid: record.uuid, tokens: boundary.post_tokens };
        else if (record.summary_of !== undefined) this.#compacted(record.summary_of);
        else if (record.usage) {
          this.#used = contextTokens(record.usage);
          this.#window = record.window ?? this.#window;
        }
        return;
      }
      case 'checkpoint':
        if (record.checkpoint.event === 'created') this.#cut = { uuid: record.uuid, used: this.#used };
        return;
      case 'rewind_report':
        if (this.#cut?.uuid === record.rewind_report.checkpoint) this.#used = this.#cut.used;
        return;
      case 'end':
        this.#turns.set(record.uuid, this.#used);
        return;
      case 'returned': {
        const { to } = record.returned;
        if (to === undefined) this.#used = undefined;
        else if (this.#turns.has(to)) this.#used = this.#turns.get(to);
        return;
      }
      default:
    }
  }

  #compacted(boundary: string): void {
    if (this.#left?.uuid !== boundary) return;
    this.#compactions++;
    this.#used = this.#left.tokens ?? this.#used;
    this.#left = undefined;
  }
}
