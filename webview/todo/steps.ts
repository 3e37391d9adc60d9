import type { TodoPhase, TodoStep, TodoTask } from '../../src/planProtocol.ts';

/** Where tasks go when there is no phase to put them in. */
export const FIRST_PHASE = 'Todos';

/** A task and where it is. */
export interface Place {
  readonly phase: TodoPhase;
  readonly task: TodoTask;
  readonly index: number;
}

/** The list after a person's steps, as the host will answer it; what cannot be done changes nothing. */
export function applySteps(phases: readonly TodoPhase[], steps: readonly TodoStep[]): readonly TodoPhase[] {
  return oneActive(steps.reduce(applyStep, phases));
}

/** Whether nothing is left to do in it. */
export function isFinished({ status }: TodoTask): boolean {
  return status === 'completed' || status === 'abandoned';
}

export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** How many tasks are finished; dropped ones count, as they do for the agent. */
export function progressOf(phases: readonly TodoPhase[]): Progress {
  const tasks = phases.flatMap((phase) => phase.tasks);
  return { done: tasks.filter(isFinished).length, total: tasks.length };
}

export function findTask(phases: readonly TodoPhase[], content: string): Place | undefined {
  for (const phase of phases) {
    const index = phase.tasks.findIndex((task) => task.content === content);
    const task = phase.tasks[index];
    if (task !== undefined) return { phase, task, index };
  }
  return undefined;
}

/** The steps that give tasks back the state they are in here, those that were removed included. */
export function restoreSteps(places: readonly Place[], removed: boolean): readonly TodoStep[] {
  const steps: TodoStep[] = [];
  for (const { phase, task, index } of removed ? places : []) {
    steps.push({ op: 'append', phase: phase.name, items: [task.content] });
    steps.push({ op: 'move', task: task.content, phase: phase.name, index });
  }
  return [...steps, ...stateSteps(places, removed)];
}

/** The steps that put a removed phase back into a list, at the place it had, with its tasks. */
export function restorePhase(
  phases: readonly TodoPhase[],
  phase: TodoPhase,
  index: number,
): readonly TodoStep[] {
  const { name, tasks } = phase;
  const places = tasks.map((task, at) => ({ phase, task, index: at }));
  const items = tasks.map(({ content }) => content);
  return [
    // The agent may have written to it again by now.
    ...(hasPhase(phases, name) ? [] : [{ op: 'add_phase', phase: name, index } as const]),
    ...(items.length === 0 ? [] : [{ op: 'append', phase: name, items } as const]),
    ...stateSteps(places, true),
  ];
}

/** The steps that give tasks their notes and states; new ones have none yet and wait. */
function stateSteps(places: readonly Place[], fresh: boolean): readonly TodoStep[] {
  const steps: TodoStep[] = [];
  for (const { task } of fresh ? places : [])
    for (const text of task.notes) steps.push({ op: 'note', task: task.content, text });
  for (const { task } of places) {
    if (task.status === 'completed') steps.push({ op: 'done', task: task.content });
    else if (task.status === 'abandoned') steps.push({ op: 'drop', task: task.content });
    else if (!fresh) steps.push({ op: 'reopen', task: task.content });
  }
  // Last: whatever came before may have made another task the active one.
  const active = places.find(({ task }) => task.status === 'in_progress');
  if (active !== undefined) steps.push({ op: 'start', task: active.task.content });
  return steps;
}

/** Where a task goes with one step up or down, across phases too; undefined at the ends of the list. */
export function neighbour(
  phases: readonly TodoPhase[],
  content: string,
  down: boolean,
): { readonly phase: string; readonly index: number } | undefined {
  const place = findTask(phases, content);
  if (place === undefined) return undefined;
  const index = place.index + (down ? 1 : -1);
  if (index >= 0 && index < place.phase.tasks.length) return { phase: place.phase.name, index };
  const next = phases[phases.indexOf(place.phase) + (down ? 1 : -1)];
  return next && { phase: next.name, index: down ? 0 : next.tasks.length };
}

function applyStep(phases: readonly TodoPhase[], step: TodoStep): readonly TodoPhase[] {
  switch (step.op) {
    case 'append':
      return append(phases, step.phase, step.items);
    case 'move':
      return move(phases, step.task, step.phase, step.index);
    case 'rename':
      if (findTask(phases, step.to) !== undefined) return phases;
      return change(phases, [step.task], (task) => ({ ...task, content: step.to }));
    case 'note':
      return change(phases, [step.task], (task) => ({ ...task, notes: [...task.notes, step.text] }));
    case 'rename_phase':
      if (hasPhase(phases, step.to)) return phases;
      return phases.map((each) => (each.name === step.phase ? { ...each, name: step.to } : each));
    case 'add_phase':
      if (hasPhase(phases, step.phase)) return phases;
      return phases.toSpliced(step.index, 0, { name: step.phase, tasks: [] });
    case 'remove_phase':
      return phases.filter(({ name }) => name !== step.phase);
    default:
      return setStatus(phases, step);
  }
}

const STATUS = { done: 'completed', drop: 'abandoned', reopen: 'pending' } as const;

function setStatus(
  phases: readonly TodoPhase[],
  step: Extract<TodoStep, { readonly op: 'start' | 'done' | 'drop' | 'rm' | 'reopen' }>,
): readonly TodoPhase[] {
  const { op } = step;
  const phase = 'phase' in step ? phases.find(({ name }) => name === step.phase) : undefined;
  const targets = 'task' in step ? [step.task] : (phase?.tasks.map(({ content }) => content) ?? []);
  if (op === 'start') {
    return phases.map((each) => ({ ...each, tasks: each.tasks.map((task) => started(task, targets)) }));
  }
  if (op !== 'rm') return change(phases, targets, (task) => ({ ...task, status: STATUS[op] }));
  const gone = new Set(targets);
  return phases.map((each) => ({ ...each, tasks: each.tasks.filter(({ content }) => !gone.has(content)) }));
}

function started(task: TodoTask, targets: readonly string[]): TodoTask {
  if (targets.includes(task.content)) return { ...task, status: 'in_progress' };
  return task.status === 'in_progress' ? { ...task, status: 'pending' } : task;
}

function hasPhase(phases: readonly TodoPhase[], name: string): boolean {
  return phases.some((phase) => phase.name === name);
}

function append(phases: readonly TodoPhase[], name: string, items: readonly string[]): readonly TodoPhase[] {
  const tasks = items
    .filter((content) => findTask(phases, content) === undefined)
    .map((content) => ({ content, status: 'pending', notes: [] }) as const);
  if (tasks.length === 0) return phases;
  if (!hasPhase(phases, name)) return [...phases, { name, tasks }];
  return phases.map((phase) =>
    phase.name === name ? { ...phase, tasks: [...phase.tasks, ...tasks] } : phase,
  );
}

function move(
  phases: readonly TodoPhase[],
  content: string,
  name: string,
  index: number,
): readonly TodoPhase[] {
  const task = findTask(phases, content)?.task;
  if (task === undefined || !hasPhase(phases, name)) return phases;
  return phases.map((phase) => {
    const rest = phase.tasks.filter((each) => each !== task);
    return { ...phase, tasks: phase.name === name ? rest.toSpliced(index, 0, task) : rest };
  });
}

function change(
  phases: readonly TodoPhase[],
  contents: readonly string[],
  to: (task: TodoTask) => TodoTask,
): readonly TodoPhase[] {
  const targets = new Set(contents);
  return phases.map((phase) => ({
    ...phase,
    tasks: phase.tasks.map((task) => (targets.has(task.content) ? to(task) : task)),
  }));
}

/** One task is worked on: the first in progress, else the first that waits. */
function oneActive(phases: readonly TodoPhase[]): readonly TodoPhase[] {
  const tasks = phases.flatMap((phase) => phase.tasks);
  const active =
    tasks.find(({ status }) => status === 'in_progress') ?? tasks.find(({ status }) => status === 'pending');
  return phases.map((phase) => ({
    ...phase,
    tasks: phase.tasks.map((task) => {
      if (task === active) return task.status === 'in_progress' ? task : { ...task, status: 'in_progress' };
      return task.status === 'in_progress' ? { ...task, status: 'pending' } : task;
    }),
  }));
}
