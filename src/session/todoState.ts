/**
 * The todo list of a session, from its records. A rewind takes back what the agent did to the list since the
 * checkpoint, as it takes back that the agent knows of it; what a person saw and edited stays. When the person goes
 * back in the conversation the list stays as they see it, and the agent knows what it knew there.
 */
import type { SessionRecord, TodoPhase, TodoState } from './record.ts';

const NONE: readonly TodoPhase[] = [];
const TAKEN_BACK = 'in a part of the conversation that was taken back';

export class TodoFold {
  #phases = NONE;
  #known = NONE;
  #cleared = NONE;
  #action: string | undefined;
  /** What the agent knew of the list when a turn ended, by the uuid of its `end`. */
  readonly #turns = new Map<string, readonly TodoPhase[]>();
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
    for (const [uuid, known] of this.#turns) copy.#turns.set(uuid, known);
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
    } else if (record.type === 'end') this.#turns.set(record.uuid, this.#known);
    else if (record.type === 'returned') this.#return(record.returned.to);
  }

  #return(to: string | undefined): void {
    const known = to === undefined ? NONE : this.#turns.get(to);
    if (known === undefined) return;
    this.#known = known;
    this.#action = TAKEN_BACK;
  }

  #set({ phases, cleared = NONE }: TodoState): void {
    this.#phases = phases;
    this.#cleared = [...this.#cleared, ...cleared];
  }
}
