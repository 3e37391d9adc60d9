/**
 * The todo list of a session, from its records. A rewind takes back what the agent did to the list since the
 * checkpoint, as it takes back that the agent knows of it; what a person saw and edited stays.
 */
import type { SessionRecord, TodoPhase, TodoState } from './record.ts';

const NONE: readonly TodoPhase[] = [];

export class TodoFold {
  #phases = NONE;
  #known = NONE;
  #cleared = NONE;
  #action: string | undefined;
  #cut: { uuid: string; phases: readonly TodoPhase[]; known: readonly TodoPhase[] } | undefined;

  get phases(): readonly TodoPhase[] {
    return this.#phases;
  }

  /** The list as the agent last saw it: a person's edit since then has to be told. */
  get known(): readonly TodoPhase[] {
    return this.#known;
  }

  /** Finished tasks that nobody took out by hand, oldest first. */
  get cleared(): readonly TodoPhase[] {
    return this.#cleared;
  }

  /** How the last edit was done, if it says so. */
  get action(): string | undefined {
    return this.#action;
  }

  /** A copy that takes in records of its own. */
  fork(): TodoFold {
    const copy = new TodoFold();
    copy.#phases = this.#phases;
    copy.#known = this.#known;
    copy.#cleared = this.#cleared;
    copy.#action = this.#action;
    copy.#cut = this.#cut && { ...this.#cut };
    return copy;
  }

  /** Takes in the next record of the transcript. */
  fold(record: SessionRecord): void {
    if (record.type === 'todo') {
      this.#set(record.todo);
      this.#known = this.#phases;
    } else if (record.type === 'todo_told') this.#known = this.#phases;
    else if (record.type === 'todo_edit') {
      this.#set(record.todo_edit);
      this.#action = record.todo_edit.action;
      if (this.#cut && record.todo_edit.by === 'person') this.#cut.phases = this.#phases;
    } else if (record.type === 'checkpoint' && record.checkpoint.event === 'created') {
      this.#cut = { uuid: record.uuid, phases: this.#phases, known: this.#known };
    } else if (record.type === 'rewind_report' && record.rewind_report.checkpoint === this.#cut?.uuid) {
      this.#phases = this.#cut.phases;
      this.#known = this.#cut.known;
      this.#cut = undefined;
    }
  }

  #set({ phases, cleared = NONE }: TodoState): void {
    this.#phases = phases;
    this.#cleared = [...this.#cleared, ...cleared];
  }
}
