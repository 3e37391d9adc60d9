import type { TodoPhase, TodoStep, TodoTask } from '../../src/planProtocol.ts';
import { errorText } from '../kit/host.ts';
import { t } from '../kit/l10n.ts';
import { clip, visible, visibleLine } from '../kit/text.ts';
import type { Toast } from '../kit/toast.ts';
import type { Answer } from './edits.ts';
import { refusal } from './refusals.ts';
import {
  findTask,
  isFinished,
  neighbour,
  type Place,
  progressOf,
  restorePhase,
  restoreSteps,
} from './steps.ts';

interface Surface {
  phases(): readonly TodoPhase[];
  edit(steps: readonly TodoStep[]): Promise<Answer>;
  toast(toast: Toast): void;
  say(text: string): void;
}

/** What a person can do to the plan; each says how it went and answers whether it happened. */
export class TodoActions {
  readonly #surface: Surface;

  constructor(surface: Surface) {
    this.#surface = surface;
  }

  async toggle(task: TodoTask): Promise<void> {
    const op = isFinished(task) ? 'reopen' : 'done';
    if (!(await this.#edit([{ op, task: task.content }]))) return;
    const { done, total } = progressOf(this.#surface.phases());
    this.#surface.say(t('{0} of {1} done', done, total));
  }

  async start(content: string): Promise<void> {
    if (await this.#edit([{ op: 'start', task: content }]))
      this.#surface.say(t('Started “{0}”.', short(content)));
  }

  drop(content: string): Promise<void> {
    return this.#undoable({ op: 'drop', task: content }, [content], t('Dropped “{0}”.', short(content)));
  }

  remove(content: string): Promise<void> {
    return this.#undoable({ op: 'rm', task: content }, [content], t('Removed “{0}”.', short(content)));
  }

  /** Finishes, drops or removes all tasks of a phase. */
  phase(op: 'done' | 'drop' | 'rm', { name, tasks }: TodoPhase): Promise<void> {
    const text =
      op === 'done'
        ? t('All of “{0}” is done.', short(name))
        : op === 'drop'
          ? t('Dropped all of “{0}”.', short(name))
          : t('Removed all of “{0}”.', short(name));
    // What is finished already stays as it is.
    const contents = tasks.filter((task) => op === 'rm' || !isFinished(task)).map(({ content }) => content);
    if (op === 'rm') return this.#undoable({ op, phase: name }, contents, text);
    return this.#undoable(
      contents.map((task) => ({ op, task })),
      contents,
      text,
    );
  }

  /** Removes a phase with its name and its tasks. */
  async removePhase(phase: TodoPhase): Promise<void> {
    const index = this.#surface.phases().findIndex(({ name }) => name === phase.name);
    if (!(await this.#edit([{ op: 'remove_phase', phase: phase.name }]))) return;
    const undo = () => void this.#edit(restorePhase(this.#surface.phases(), phase, index));
    this.#surface.toast({ text: t('Removed the phase “{0}”.', short(phase.name)), undo });
  }

  async renamePhase(name: string, to: string): Promise<boolean> {
    if (!(await this.#edit([{ op: 'rename_phase', phase: name, to }]))) return false;
    this.#surface.say(t('Renamed to “{0}”.', short(to)));
    return true;
  }

  async rename(content: string, to: string): Promise<boolean> {
    if (!(await this.#edit([{ op: 'rename', task: content, to }]))) return false;
    this.#surface.say(t('Renamed to “{0}”.', short(to)));
    return true;
  }

  async add(phase: string, content: string): Promise<boolean> {
    if (!(await this.#edit([{ op: 'append', phase, items: [content] }]))) return false;
    this.#surface.say(t('Added “{0}”.', short(content)));
    return true;
  }

  async note(content: string, text: string): Promise<boolean> {
    if (!(await this.#edit([{ op: 'note', task: content, text }]))) return false;
    this.#surface.say(t('Note added.'));
    return true;
  }

  /** One step up or down. Answers the phase it is in then, or undefined at the ends. */
  step(content: string, down: boolean): string | undefined {
    const target = neighbour(this.#surface.phases(), content, down);
    if (target === undefined) this.#surface.say(down ? t('It is the last one.') : t('It is the first one.'));
    else void this.#move(content, target.phase, target.index);
    return target?.phase;
  }

  /** Moves by the mouse, which slips: it can be taken back. */
  async place(content: string, phase: string, index: number): Promise<void> {
    const before = findTask(this.#surface.phases(), content);
    if (before === undefined || (before.phase.name === phase && before.index === index)) return;
    const text = await this.#move(content, phase, index);
    const undo = () => void this.#move(content, before.phase.name, before.index);
    if (text !== undefined) this.#surface.toast({ text, undo });
  }

  async #move(content: string, phase: string, index: number): Promise<string | undefined> {
    const done = this.#edit([{ op: 'move', task: content, phase, index }]);
    // It is shown by now. Said later, it would come between what other keys say.
    const place = findTask(this.#surface.phases(), content);
    if (place === undefined) return undefined;
    const size = place.phase.tasks.length;
    const text = t('Moved to {0} of {1} in “{2}”.', place.index + 1, size, short(place.phase.name));
    this.#surface.say(text);
    return (await done) ? text : undefined;
  }

  async #undoable(
    step: TodoStep | readonly TodoStep[],
    contents: readonly string[],
    text: string,
  ): Promise<void> {
    const phases = this.#surface.phases();
    const before = contents
      .map((content) => findTask(phases, content))
      .filter((place): place is Place => place !== undefined);
    const steps: readonly TodoStep[] = 'op' in step ? [step] : step;
    if (steps.length === 0 || !(await this.#edit(steps))) return;
    const removed = steps.some(({ op }) => op === 'rm');
    this.#surface.toast({ text, undo: () => void this.#edit(restoreSteps(before, removed)) });
  }

  async #edit(steps: readonly TodoStep[]): Promise<boolean> {
    try {
      const { errors } = await this.#surface.edit(steps);
      if (errors.length === 0) return true;
      this.#surface.toast({ text: errors.map(refusal).join('\n'), error: true });
    } catch (error) {
      this.#surface.toast({ text: visible(errorText(error)), error: true });
    }
    return false;
  }
}

function short(text: string): string {
  const line = visibleLine(clip(text, 60));
  return text.length > 60 ? `${line}…` : line;
}
