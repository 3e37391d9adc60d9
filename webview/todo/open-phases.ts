import type { TodoPhase } from '../../src/planProtocol.ts';
import { isOpen } from './rows.ts';
import type { TodoState } from './state.ts';

type Open = TodoState['open'];

/** Which phases are open: what the person chose, which is kept, and what is in use, which is not. */
export class OpenPhases {
  #used: Open = {};
  #last: { readonly chosen: Open; readonly used: Open; readonly all: Open } | undefined;

  /** Both together; the same object while nothing changes. */
  all(chosen: Open): Open {
    if (this.#last?.chosen !== chosen || this.#last.used !== this.#used)
      this.#last = { chosen, used: this.#used, all: { ...chosen, ...this.#used } };
    return this.#last.all;
  }

  /** A phase that gets complete under the person's hands stays open until the panel is loaded again. */
  use(name: string): void {
    this.#used = { ...this.#used, [name]: true };
  }

  /** What was chosen for a phase is so for its new name, too. */
  rename(chosen: Open, name: string, to: string): Open {
    if (Object.hasOwn(this.#used, name)) this.use(to);
    const open = Object.hasOwn(chosen, name) ? chosen[name] : undefined;
    return open === undefined ? chosen : { ...chosen, [to]: open };
  }

  /** What to remember of a new choice: only what differs from what would be anyway. */
  choose(next: Open, phases: readonly TodoPhase[]): Open {
    const entries = Object.entries(next);
    const closed = new Set(entries.filter(([, open]) => !open).map(([name]) => name));
    const used = Object.entries(this.#used).filter(([name]) => !closed.has(name));
    if (used.length < Object.keys(this.#used).length) this.#used = Object.fromEntries(used);
    const kept = new Set(used.map(([name]) => name));
    return Object.fromEntries(
      entries.filter(([name, open]) => {
        const phase = phases.find((each) => each.name === name);
        return phase !== undefined && isOpen(phase, {}) !== open && !kept.has(name);
      }),
    );
  }
}
