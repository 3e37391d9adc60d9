import { type Applied, applyOps, normalize, type Phase, type Task } from './list.ts';

/** One step of a person's edit: the agent's operations, and what only a person does. */
export type Step =
  | { readonly op: 'start' | 'done' | 'drop' | 'rm' | 'reopen'; readonly task: string }
  | { readonly op: 'done' | 'drop' | 'rm'; readonly phase: string }
  | { readonly op: 'append'; readonly phase: string; readonly items: readonly string[] }
  | { readonly op: 'note'; readonly task: string; readonly text: string }
  | { readonly op: 'rename'; readonly task: string; readonly to: string }
  /** Puts a task at a place in a phase; `index` counts the phase's tasks without it. */
  | { readonly op: 'move'; readonly task: string; readonly phase: string; readonly index: number }
  | { readonly op: 'rename_phase'; readonly phase: string; readonly to: string }
  /** Puts an empty phase at a place in the list, which takes a removal back. */
  | { readonly op: 'add_phase'; readonly phase: string; readonly index: number }
  /** With its heading; `rm` leaves that. */
  | { readonly op: 'remove_phase'; readonly phase: string };

/**
 * The list after a person's edit: the agent's operations, and what only a person does. All or nothing: with any
 * error the list stays as it was.
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

/** The list after steps that were meant for it as it was some time ago: what no longer fits is left out. */
export function applyFitting(phases: readonly Phase[], steps: readonly Step[]): readonly Phase[] {
  return normalize(steps.reduce((after, step) => applyStep(after, step).phases, phases));
}

function applyStep(phases: readonly Phase[], step: Step): Applied {
  switch (step.op) {
    case 'reopen':
      return changeTask(phases, step.task, (task) => ({ ...task, status: 'pending' }));
    case 'rename':
      return rename(phases, step.task, step.to);
    case 'move':
      return move(phases, step);
    case 'rename_phase':
      return renamePhase(phases, step.phase, step.to);
    case 'add_phase':
      return addPhase(phases, step.phase, step.index);
    case 'remove_phase':
      return removePhase(phases, step.phase);
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

function renamePhase(phases: readonly Phase[], name: string, to: string): Applied {
  if (to.trim() === '') return { phases, errors: ['Missing phase name'] };
  const known = phases.find((phase) => phase.name === name);
  if (known === undefined) return { phases, errors: [`Phase "${name}" not found`] };
  if (to !== name && phases.some((phase) => phase.name === to))
    return { phases, errors: [`Phase "${to}" already exists`] };
  return { phases: phases.map((phase) => (phase === known ? { ...phase, name: to } : phase)), errors: [] };
}

function addPhase(phases: readonly Phase[], name: string, index: number): Applied {
  if (name.trim() === '') return { phases, errors: ['Missing phase name'] };
  if (phases.some((phase) => phase.name === name))
    return { phases, errors: [`Phase "${name}" already exists`] };
  return { phases: phases.toSpliced(index, 0, { name, tasks: [] }), errors: [] };
}

function removePhase(phases: readonly Phase[], name: string): Applied {
  const known = phases.find((phase) => phase.name === name);
  if (known === undefined) return { phases, errors: [`Phase "${name}" not found`] };
  return { phases: phases.filter((phase) => phase !== known), errors: [] };
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
