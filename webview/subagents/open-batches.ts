import type { BatchView } from '../../src/subagentProtocol.ts';
import { isRunning } from './outcome.ts';
import type { SubagentsState } from './state.ts';

type Chosen = SubagentsState['open'];

/** Which batches show their tasks: what the person chose, else the running ones and the latest. */
export class OpenBatches {
  /** What was open by itself stays so until the panel is loaded again: nothing folds away under the person's hands. */
  readonly #opened = new Set<string>();
  #last:
    | { readonly batches: readonly BatchView[]; readonly chosen: Chosen; readonly open: ReadonlySet<string> }
    | undefined;

  /** Ids of the open batches; the same object while nothing changes. */
  of(batches: readonly BatchView[], chosen: Chosen): ReadonlySet<string> {
    if (this.#last?.batches === batches && this.#last.chosen === chosen) return this.#last.open;
    for (const [at, batch] of batches.entries()) if (at === 0 || isRunning(batch)) this.#opened.add(batch.id);
    const isOpen = ({ id }: BatchView) =>
      (Object.hasOwn(chosen, id) ? chosen[id] : undefined) ?? this.#opened.has(id);
    const open = new Set(batches.filter(isOpen).map(({ id }) => id));
    this.#last = { batches, chosen, open };
    return open;
  }

  /** What to remember after a choice; of batches that are gone nothing. */
  choose(batches: readonly BatchView[], chosen: Chosen, id: string, open: boolean): Chosen {
    const known = new Set(batches.map((batch) => batch.id));
    const kept = Object.entries(chosen).filter(([each]) => known.has(each));
    return { ...Object.fromEntries(kept), [id]: open };
  }
}
