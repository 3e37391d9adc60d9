import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '../journal/record.ts';
import type { TodoPhase } from '../planProtocol.ts';
import { canFlowTo } from '../policy/level.ts';
import type { Draft } from '../session/record.ts';
import { idOf } from '../session/sessionId.ts';
import { applyCommand, type Command, importList } from '../todo/commands.ts';
import { type Applied, applyOps, type Phase } from '../todo/list.ts';
import { toMarkdown } from '../todo/markdown.ts';
import { editReminder } from '../todo/reminder.ts';
import { stepSchema } from '../todo/stepSchema.ts';
import { applyFitting, applySteps, type Step } from '../todo/steps.ts';
import { StoreError } from './api.ts';
import { type ClearedLists, clearedFrom, withCleared, withoutCleared } from './clearedLists.ts';
import type { Held } from './held.ts';
import type { HeldSessions } from './heldSessions.ts';
import type { SessionCaller, SessionReader, TodoCommanded, TodoWritten } from './sessionApi.ts';
import { locked, notThere } from './sessionErrors.ts';

export const TOLD: Draft = { type: 'todo_told', todo_told: {} };
const IN_PANEL = 'in the todo panel';

/** The todo lists of sessions. */
export class Plans {
  readonly #sessions: HeldSessions;
  readonly #lists: ClearedLists;

  constructor(sessions: HeldSessions, lists: ClearedLists) {
    this.#sessions = sessions;
    this.#lists = lists;
  }

  write(caller: SessionCaller, ops: unknown, clearDelay: number): TodoWritten {
    if (caller.loop !== undefined && caller.loop.depth > 0) {
      throw new StoreError('The todo list belongs to the session that started this subagent: report to it.');
    }
    return this.#sessions.write(caller, (held) => {
      const { todo } = held.live;
      const before = this.#lists.cleared(held.id, todo.phases, clearDelay);
      const notice = this.notice(held);
      const applied = applyOps(before, ops);
      const callId = caller.loop?.callId;
      const state = {
        phases: applied.phases,
        ...(callId !== undefined && { call_id: callId }),
        ...clearedField(todo.phases, before),
      };
      if (applied.phases !== before) {
        this.#sessions.append(held, [{ type: 'todo', todo: state, level: caller.level }]);
      } else if (notice !== undefined) this.#sessions.append(held, [TOLD]);
      // What was finished now is cleared some time from now.
      this.#lists.cleared(held.id, todo.phases, clearDelay);
      return { ...applied, notice };
    });
  }

  /** What the agent of a session has to be told of a person's edits; `TOLD` says that it was. */
  notice({ id, live: { todo } }: Held): string | undefined {
    const { known, phases, action = IN_PANEL } = todo;
    if (known === phases) return undefined;
    const after = this.#lists.current(id, phases);
    return editReminder({ action, before: withoutCleared(known, after), after });
  }

  show(id: string, phases: readonly Phase[], clearDelay: number): readonly TodoPhase[] {
    return this.#lists.cleared(id, phases, clearDelay).map(shownPhase);
  }

  edit(id: string, steps: readonly Step[], reader: SessionReader, clearDelay: number): Applied {
    const { summary, state } = this.#sessions.readable(id, reader);
    const { phases } = state.todo;
    const before = this.#lists.cleared(id, phases, clearDelay);
    const applied = applySteps(before, steps);
    if (applied.errors.length > 0) return applied;
    const held = this.#sessions.get(id);
    if (held === undefined) {
      const given = { by: 'person', steps: steps as readonly JsonValue[] } as const;
      this.#sessions.deliver(id, { type: 'todo_steps', todo_steps: given, level: summary.level });
    } else {
      const edit = { by: 'person', phases: applied.phases, ...clearedField(phases, before) } as const;
      this.#sessions.append(held, [{ type: 'todo_edit', todo_edit: edit }]);
    }
    this.#lists.cleared(id, this.#sessions.state(id).todo.phases, clearDelay);
    return applied;
  }

  /** Makes of steps that a person gave the edit that they are on the list as it is now. */
  given(id: string, draft: Draft, phases: readonly Phase[]): Draft | undefined {
    if (draft.type !== 'todo_steps') return draft;
    const { todo_steps: given, ...head } = draft;
    const before = this.#lists.current(id, phases);
    const steps = given.steps.map((step) => stepSchema.safeParse(step));
    const after = applyFitting(
      before,
      steps.flatMap(({ data }) => (data === undefined ? [] : [data])),
    );
    if (isDeepStrictEqual(after, before)) return undefined;
    const edit = { by: given.by, phases: after, ...clearedField(phases, before) };
    return { ...head, type: 'todo_edit', todo_edit: edit };
  }

  command(
    caller: SessionCaller,
    command: Command,
    markdown: string | undefined,
    clearDelay: number,
  ): TodoCommanded {
    const change = changeOf(command, markdown);
    if (change === undefined) return shown(this.#looked(caller, command, clearDelay));
    return this.#sessions.write(caller, (held) => {
      const { phases } = held.live.todo;
      const before = this.#lists.cleared(held.id, phases, clearDelay);
      const after = change(before);
      if ('problem' in after) return { problem: after };
      if (isDeepStrictEqual(after, before)) return shown(before);
      const action = `by /todo ${command.verb}`;
      const edit = { by: 'person', action, phases: after, ...clearedField(phases, before) } as const;
      this.#sessions.append(held, [{ type: 'todo_edit', todo_edit: edit }]);
      return shown(this.#lists.cleared(held.id, held.live.todo.phases, clearDelay));
    });
  }

  /** The list for a command that changes nothing, and must not make a session either. */
  #looked({ key, level }: SessionCaller, { verb }: Command, clearDelay: number): readonly Phase[] {
    const id = idOf(key);
    if (!this.#sessions.exists(id)) return [];
    const summary = this.#sessions.registry.list('RESTRICTED').find((each) => each.id === id);
    if (summary !== undefined && !canFlowTo(summary.level, level)) throw notThere();
    const { todo, isLocked } = this.#sessions.state(id);
    if (isLocked) throw locked();
    // A person who asks for the list is shown all of it.
    if (verb === 'show') return withCleared(todo.phases, todo.cleared);
    return this.#lists.cleared(id, todo.phases, clearDelay);
  }
}

export function shownPhase({ name, tasks }: Phase): TodoPhase {
  return { name, tasks: tasks.map(({ notes = [], ...task }) => ({ ...task, notes })) };
}

function shown(phases: readonly Phase[]): TodoCommanded {
  return { phases: phases.map(shownPhase), markdown: toMarkdown(phases) };
}

/** What a command makes of the list; undefined for one that only looks. */
function changeOf(command: Command, markdown: string | undefined) {
  switch (command.verb) {
    case 'show':
    case 'copy':
    case 'export':
    case 'help':
      return undefined;
    case 'edit':
    case 'import':
      // Without a text it is the first half of the command: the door asks for what to edit.
      return markdown === undefined ? undefined : () => importList(markdown);
    default:
      return (phases: readonly Phase[]) => applyCommand(command, phases);
  }
}

function clearedField(phases: readonly Phase[], left: readonly Phase[]): { cleared?: readonly Phase[] } {
  const cleared = clearedFrom(phases, left);
  return cleared.length > 0 ? { cleared } : {};
}
