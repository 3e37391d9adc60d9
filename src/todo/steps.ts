import { type Applied, applyOps, normalize, type Phase, type Task } from './list.ts';

/** One step of a person's edit: the agent's operations, and what only a person does. */
export type Step =
  | { readonly op: 'start' | 'done' | 'drop' | 'rm' | 'reopen'; readonly task: string }
  | { readonly op: 'done' | 'drop' | 'rm'; readonly phase: string }
  | { readonly op: 'append'; readonly phase: string; readonly items: readonly string[] }
  | { readonly op: 'note'; readonly task: string; readonly text: string }
  | { readonly op: 'rename'; readonly task: string; readonly to: string }
  /** Puts a task at a place in a phase; `index` counts the phase's tasks without it. */
  | { readonly op: 'move'; readonly task: string; readonly phase: string; readonly index: number };

/**
 * The list after a person's edit: the agent's operations, and reopening, renaming and moving, which only a person
 * does. All or nothing: with any error the list stays as it was.
 */
export function applySteps(phases: readonly Phase[], steps: readonly Step[]): Applied {
  let after = phases;
  const errors: string[] = [];
  for (const step of steps) {
    const applied = applyStep(after, step);
    after = applied.phases;
    errors.push(...applied.errors);
  }
  return errors.length > 0 ? { phases, errors } : { phases: normalize(after), errors };
}

function applyStep(phases: readonly Phase[], step: Step): Applied {
  switch (step.op) {
    case 'reopen':
      return changeTask(phases, step.task, (task) => ({ ...task, status: 'pending' }));
    case 'rename':
      return rename(phases, step.task, step.to);
    case 'move':
      return move(phases, step);
    default:
      return applyOps(phases, [step]);
  }
}

function rename(phases: readonly Phase[], content: string, to: string): Applied {
  if (to.trim() === '') return { phases, errors: ['Missing task content'] };
  if (to !== content && find(phases, to) !== undefined)
    return { phases, errors: [`Task "${to}" already exists`] };
  return changeTask(phases, content, (task) => ({ ...task, content: to }));
}

function move(
  phases: readonly Phase[],
  { task: content, phase: name, index }: Extract<Step, { op: 'move' }>,
): Applied {
  const task = find(phases, content);
  if (task === undefined) return { phases, errors: [`Task "${content}" not found`] };
  if (!phases.some((phase) => phase.name === name)) return { phases, errors: [`Phase "${name}" not found`] };
  const moved = phases.map((phase) => {
    const others = phase.tasks.filter((each) => each !== task);
    return { ...phase, tasks: phase.name === name ? others.toSpliced(index, 0, task) : others };
  });
  return { phases: moved, errors: [] };
}

function changeTask(phases: readonly Phase[], content: string, change: (task: Task) => Task): Applied {
  const task = find(phases, content);
  if (task === undefined) return { phases, errors: [`Task "${content}" not found`] };
  const changed = phases.map((phase) => ({
    ...phase,
    tasks: phase.tasks.map((each) => (each === task ? change(each) : each)),
  }));
  return { phases: changed, errors: [] };
}

function find(phases: readonly Phase[], content: string): Task | undefined {
  return phases.flatMap(({ tasks }) => tasks).find((task) => task.content === content);
}
