import type { BatchView, SubagentsDone, TaskView } from '../../src/subagentProtocol.ts';
import { errorText, type Host } from '../kit/host.ts';
import { phraseText } from '../kit/l10n.ts';
import { visible } from '../kit/text.ts';
import type { Toast } from '../kit/toast.ts';
import type { Act } from './offers.ts';

export type SubagentsTool =
  | 'subagents_show'
  | 'subagents_diff'
  | `subagents_${Act}`
  | 'subagents_left'
  | 'subagents_left_files'
  | `subagents_left_${'apply' | 'discard' | 'restore'}`;

/** A file of a task's work, or a hunk of it, counted from 0. */
export interface Part {
  readonly path: string;
  readonly hunk?: number | undefined;
}

/** Names a part of a task's work. */
export function partKey({ path, hunk }: Part): string {
  return `${path}\0${hunk ?? ''}`;
}

interface Surface {
  toast(toast: Toast): void;
  /** What is being done has begun or ended. */
  changed(): void;
}

/** What a person can do to batches and tasks; the host says how it went. */
export class SubagentsActions {
  readonly #host: Host<SubagentsTool>;
  readonly #surface: Surface;
  readonly #busy = new Set<string>();
  #refused: { readonly task: string; readonly texts: ReadonlyMap<string, string> } | undefined;

  constructor(host: Host<SubagentsTool>, surface: Surface) {
    this.#host = host;
    this.#surface = surface;
  }

  /** Whether something is being done to this now. */
  isBusy(batch: string, task: string | undefined): boolean {
    return this.#busy.has(JSON.stringify([batch, task]));
  }

  /** Why parts of a task's work could not be applied, by `partKey`; kept until another task's are. */
  refused(batch: string, task: string): ReadonlyMap<string, string> {
    const { task: of, texts } = this.#refused ?? {};
    return of === JSON.stringify([batch, task]) && texts !== undefined ? texts : NONE;
  }

  async run(
    act: Act,
    { id: batch }: Pick<BatchView, 'id'>,
    task: Pick<TaskView, 'id'> | undefined,
    part?: Part,
  ): Promise<void> {
    const key = JSON.stringify([batch, task?.id]);
    if (this.#busy.has(key)) return;
    this.#refuse(key, part, undefined);
    this.#busy.add(key);
    this.#surface.changed();
    const input = { batch, ...(task && { task: task.id }), ...part };
    try {
      // The host may ask the person, who takes as long as it takes.
      const { text, data } = await this.#host.call<SubagentsDone | null>(`subagents_${act}`, input, {
        timeout: 0,
      });
      const shown = data?.phrase === undefined ? text : phraseText(data.phrase);
      const undo = undoAct(data);
      this.#surface.toast({
        text: visible(shown),
        ...(undo === undefined ? {} : { undo: () => void this.run(undo, { id: batch }, task, part) }),
      });
    } catch (error) {
      // What is in the way of a part is told beside it.
      if (part !== undefined && act === 'apply') this.#refuse(key, part, visible(errorText(error)));
      else this.#surface.toast({ text: visible(errorText(error)), error: true });
    } finally {
      this.#busy.delete(key);
      this.#surface.changed();
    }
  }

  #refuse(task: string, part: Part | undefined, text: string | undefined): void {
    const texts = new Map(part !== undefined && this.#refused?.task === task ? this.#refused.texts : []);
    if (part !== undefined && text === undefined) texts.delete(partKey(part));
    else if (part !== undefined && text !== undefined) texts.set(partKey(part), text);
    this.#refused = { task, texts };
  }
}

const NONE: ReadonlyMap<string, string> = new Map();

function undoAct(data: SubagentsDone | null): Act | undefined {
  if (data?.undo === undefined) return undefined;
  return data.undo === 'subagents_apply' ? 'apply' : 'revert';
}
