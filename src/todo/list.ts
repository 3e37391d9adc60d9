import type { OpName } from './schema.ts';

export type Status = 'pending' | 'in_progress' | 'completed' | 'abandoned';

/** One thing to do. Its content is its identity: unique in the list and compared exactly. */
export interface Task {
  readonly content: string;
  readonly status: Status;
  /** Never an empty array: a task without notes has none. */
  readonly notes?: readonly string[];
}

/** Tasks that belong together. The name is unique in the list and compared exactly. */
export interface Phase {
  readonly name: string;
  readonly tasks: readonly Task[];
}

export interface Applied {
  readonly phases: readonly Phase[];
  /** What could not be done, one sentence each, in the order of the operations. */
  readonly errors: readonly string[];
}

interface DraftTask {
  content: string;
  status: Status;
  notes?: string[];
}

interface DraftPhase {
  name: string;
  tasks: DraftTask[];
}

interface Draft {
  phases: DraftPhase[];
  readonly errors: string[];
}

type Fields = Readonly<Record<string, unknown>>;

/** More in one call is a runaway, and would keep everybody else waiting. */
const MAX_OPS = 1_000;
/** Of a content, a name or a note: longer is a document, for which a file is the place. UTF-16 units. */
const MAX_TEXT = 10_000;

/**
 * The list after a batch of operations (seed 000, `todo_write`), all of them in order on a copy, and then with
 * one active task. Takes what a model sent, in whatever shape: what is wrong becomes an error and the rest
 * still counts. Without any operation the list stays as it is.
 */
export function applyOps(phases: readonly Phase[], ops: unknown): Applied {
  if (!Array.isArray(ops) || ops.length === 0) {
    return { phases, errors: ['Missing ops: give an array of at least one operation'] };
  }
  if (ops.length > MAX_OPS) {
    return { phases, errors: [`Too many ops: ${ops.length}, at most ${MAX_OPS} in one call`] };
  }
  const draft: Draft = { phases: copy(phases), errors: [] };
  for (const [index, op] of ops.entries()) applyOp(draft, op, index + 1);
  return { phases: normalize(draft.phases), errors: draft.errors };
}

/**
 * One active task (seed 000): the first in progress stays so and further ones wait again; if there is none, the
 * first pending one becomes active.
 */
export function normalize(phases: readonly Phase[]): readonly Phase[] {
  const tasks = phases.flatMap((phase) => phase.tasks);
  const active =
    tasks.find((task) => task.status === 'in_progress') ?? tasks.find((task) => task.status === 'pending');
  return phases.map((phase) => ({ ...phase, tasks: phase.tasks.map((task) => demote(task, active)) }));
}

function demote(task: Task, active: Task | undefined): Task {
  if (task === active) return { ...task, status: 'in_progress' };
  return task.status === 'in_progress' ? { ...task, status: 'pending' } : task;
}

/** Whether there is still something to do in it. */
export function isOpen(task: Task): boolean {
  return task.status === 'pending' || task.status === 'in_progress';
}

/** The list with only these tasks, and without the phases that this emptied. */
export function keepTasks(
  phases: readonly Phase[],
  keep: (task: Task, phase: Phase) => boolean,
): readonly Phase[] {
  return phases.flatMap((phase) => {
    const tasks = phase.tasks.filter((task) => keep(task, phase));
    return tasks.length === 0 && phase.tasks.length > 0 ? [] : [{ ...phase, tasks }];
  });
}

/**
 * The list with which a resumed session goes on (seed 000): finished tasks are out, the transcript keeps them.
 * No task is made active here, since nobody has worked yet; the next batch does that.
 */
export function resumeList(phases: readonly Phase[]): readonly Phase[] {
  return keepTasks(phases, isOpen);
}

const OPERATIONS: Readonly<Record<OpName, (draft: Draft, op: Fields) => void>> = {
  init,
  start,
  done: (draft, op) => finish(draft, op, 'completed'),
  drop: (draft, op) => finish(draft, op, 'abandoned'),
  rm: remove,
  append,
  note,
};

function applyOp(draft: Draft, op: unknown, position: number): void {
  if (!isFields(op)) draft.errors.push(`Operation ${position} is not an object`);
  else if (isOpName(op.op)) OPERATIONS[op.op](draft, op);
  else {
    const given = typeof op.op === 'string' ? `unknown op "${op.op}"` : 'op is missing';
    const known = Object.keys(OPERATIONS).join(', ');
    draft.errors.push(`Operation ${position}: ${given} (use one of ${known})`);
  }
}

function isOpName(name: unknown): name is OpName {
  return typeof name === 'string' && Object.hasOwn(OPERATIONS, name);
}

function init(draft: Draft, op: Fields): void {
  if (!Array.isArray(op.list)) {
    draft.errors.push('Missing list for init operation');
    return;
  }
  const phases: DraftPhase[] = [];
  const contents = new Set<string>();
  for (const entry of op.list) {
    const name = isFields(entry) ? entry.phase : undefined;
    const items = isFields(entry) ? entry.items : undefined;
    if (!isText(name)) draft.errors.push('Missing phase name for init operation');
    else if (name.length > MAX_TEXT) draft.errors.push(`Phase name is longer than ${MAX_TEXT} characters`);
    else if (!Array.isArray(items)) draft.errors.push('Missing items for init operation');
    else {
      const known = phases.find((phase) => phase.name === name);
      if (known !== undefined) draft.errors.push(`Phase "${name}" already exists`);
      const tasks = newTasks(draft, contents, items);
      if (known !== undefined) known.tasks.push(...tasks);
      else if (tasks.length > 0 || items.length === 0) phases.push({ name, tasks });
    }
  }
  // A list of which nothing could be read is a mistake, not a wish to lose the old one.
  if (phases.length > 0 || op.list.length === 0) draft.phases = phases;
}

function start(draft: Draft, op: Fields): void {
  const task = findTask(draft, op.task);
  if (task === undefined) return;
  for (const other of allTasks(draft)) {
    if (other.status === 'in_progress') other.status = 'pending';
  }
  task.status = 'in_progress';
}

function finish(draft: Draft, op: Fields, status: Status): void {
  for (const task of targets(draft, op)) task.status = status;
}

function remove(draft: Draft, op: Fields): void {
  const gone = new Set(targets(draft, op));
  for (const phase of draft.phases) phase.tasks = phase.tasks.filter((task) => !gone.has(task));
}

function append(draft: Draft, op: Fields): void {
  const name = op.phase;
  if (!isText(name)) {
    draft.errors.push('Missing phase name for append operation');
    return;
  }
  if (name.length > MAX_TEXT) {
    draft.errors.push(`Phase name is longer than ${MAX_TEXT} characters`);
    return;
  }
  if (!Array.isArray(op.items) || op.items.length === 0) {
    draft.errors.push('Missing items for append operation');
    return;
  }
  const contents = new Set(allTasks(draft).map((task) => task.content));
  const tasks = newTasks(draft, contents, op.items);
  const phase = draft.phases.find((each) => each.name === name);
  if (phase !== undefined) phase.tasks = [...phase.tasks, ...tasks];
  else if (tasks.length > 0) draft.phases.push({ name, tasks });
}

function note(draft: Draft, op: Fields): void {
  const task = findTask(draft, op.task);
  if (task === undefined) return;
  // Only the end is trimmed: the indentation of a first line may mean something.
  const text = typeof op.text === 'string' ? op.text.trimEnd() : '';
  if (text === '') draft.errors.push('Missing text for note operation');
  else if (text.length > MAX_TEXT) draft.errors.push(`Note is longer than ${MAX_TEXT} characters`);
  else task.notes = [...(task.notes ?? []), text];
}

/** Tasks for those items that are texts and new; `contents` grows with them. */
function newTasks(draft: Draft, contents: Set<string>, items: readonly unknown[]): DraftTask[] {
  return items.flatMap((content) => {
    if (!isText(content)) draft.errors.push('Missing task content');
    else if (content.length > MAX_TEXT)
      draft.errors.push(`Task content is longer than ${MAX_TEXT} characters`);
    else if (contents.has(content)) draft.errors.push(`Task "${content}" already exists`);
    else {
      contents.add(content);
      return [{ content, status: 'pending' as const }];
    }
    return [];
  });
}

/** What done, drop and rm are about: the task, else the phase, else everything. */
function targets(draft: Draft, op: Fields): readonly DraftTask[] {
  if (isGiven(op.task)) {
    const task = findTask(draft, op.task);
    return task === undefined ? [] : [task];
  }
  if (isGiven(op.phase)) return findPhase(draft, op)?.tasks ?? [];
  // Models fill fields that they do not need with ''. Beside a target it means nothing; alone it may be a name
  // that got lost, which must not finish or remove everything.
  if (op.task === '' || op.phase === '') {
    draft.errors.push('Missing task content');
    return [];
  }
  return allTasks(draft);
}

function findTask(draft: Draft, content: unknown): DraftTask | undefined {
  if (typeof content !== 'string' || content === '') {
    draft.errors.push('Missing task content');
    return undefined;
  }
  for (const phase of draft.phases) {
    const task = phase.tasks.find((each) => each.content === content);
    if (task !== undefined) return task;
  }
  const empty = draft.phases.every((phase) => phase.tasks.length === 0);
  const hint = empty ? ' (todo list is empty — was it replaced or not yet created?)' : '';
  draft.errors.push(`Task "${content}" not found${hint}`);
  return undefined;
}

function findPhase(draft: Draft, op: Fields): DraftPhase | undefined {
  if (typeof op.phase !== 'string') {
    draft.errors.push(`Missing phase name for ${op.op} operation`);
    return undefined;
  }
  const found = draft.phases.find((phase) => phase.name === op.phase);
  if (found === undefined) draft.errors.push(`Phase "${op.phase}" not found`);
  return found;
}

function allTasks(draft: Draft): DraftTask[] {
  return draft.phases.flatMap((phase) => phase.tasks);
}

function copy(phases: readonly Phase[]): DraftPhase[] {
  return phases.map(({ name, tasks }) => ({
    name,
    tasks: tasks.map(({ notes, ...task }) => (notes === undefined ? task : { ...task, notes: [...notes] })),
  }));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
