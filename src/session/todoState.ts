/**
 * The todo list of a session, from its records. A rewind takes back what the agent did to the list since the
 * checkpoint, as it takes back that the agent knows of it; what a person saw and edited stays.
 */
import type { SessionRecord, TodoPhase } from './record.ts';

export class TodoFold {
  #phases: readonly TodoPhase[] = [];
  #cut: { uuid: string; phases: readonly TodoPhase[] } | undefined;

  #known: readonly TodoPhase[] = this.#phases;

  get phases(): readonly TodoPhase[] {
    return this.#phases;
  }

  /** The list as the agent last saw it: a person's edit since then has to be told. */
  get known(): readonly TodoPhase[] {
    return this.#known;
  }

  /** The agent has been told of the list as it is. */
  told(): void {
    this.#known = this.#phases;
  }

  /** Takes in the next record of the transcript. */
  fold(record: SessionRecord): void {
    if (record.type === 'todo') {
      this.#phases = record.todo.phases;
      this.told();
    } else if (record.type === 'todo_edit') {
      this.#phases = record.todo_edit.phases;
      if (this.#cut && record.todo_edit.by === 'person') this.#cut.phases = this.#phases;
    } else if (record.type === 'checkpoint' && record.checkpoint.event === 'created') {
      this.#cut = { uuid: record.uuid, phases: this.#phases };
    } else if (record.type === 'rewind_report' && record.rewind_report.checkpoint === this.#cut?.uuid) {
      const isTold = this.#known === this.#phases;
      this.#phases = this.#cut.phases;
      this.#cut = undefined;
      // The rewind is the agent's own doing.
      if (isTold) this.told();
    }
  }
}
