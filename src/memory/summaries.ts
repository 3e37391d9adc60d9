/** What files are about, as agents say it: the last word at each level. */
import { canFlowTo, type Level, levelRank } from '../policy/level.ts';
import type { Reader } from './entry.ts';
import { compareStamped, type Stamped, type SummaryOperation } from './operation.ts';

type LevelSummary = Stamped<SummaryOperation> & { readonly level: Level };

export class Summaries {
  readonly #last = new Map<string, LevelSummary>();

  get size(): number {
    return this.#last.size;
  }

  clear(): void {
    this.#last.clear();
  }

  take(summary: LevelSummary): void {
    const id = idOf(summary.level, summary.operation.file);
    const known = this.#last.get(id);
    if (known === undefined || compareStamped(summary, known) > 0) this.#last.set(id, summary);
  }

  /** Whether no later one for the same file and level was taken in. */
  isCurrent(summary: Stamped<SummaryOperation> & { readonly level: string }): boolean {
    const known = this.#last.get(idOf(summary.level, summary.operation.file));
    return known === undefined || compareStamped(summary, known) >= 0;
  }

  /** Those visible to a reader, by file; the highest visible level of a file wins, and an empty text is none. */
  visible(reader: Reader): Record<string, string> {
    const best = new Map<string, { text: string; level: Level }>();
    for (const { operation, level } of this.#last.values()) {
      if (!canFlowTo(level, reader.level)) continue;
      const known = best.get(operation.file);
      if (known === undefined || levelRank(level) > levelRank(known.level))
        best.set(operation.file, { text: operation.text, level });
    }
    return Object.fromEntries(
      [...best].filter(([, { text }]) => text !== '').map(([file, { text }]) => [file, text]),
    );
  }

  /** Files with a summary at exactly this level. */
  files(level: Level): string[] {
    return [...this.#last.values()].flatMap(({ operation, level: at }) =>
      at === level && operation.text !== '' ? [operation.file] : [],
    );
  }
}

function idOf(level: string, file: string): string {
  return `${level}\0${file}`;
}
