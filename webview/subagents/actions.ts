import type { BatchView, SubagentsDone, TaskView } from '../../src/protocol.ts';
import { errorText, type Host } from '../kit/host.ts';
import { phraseText } from '../kit/l10n.ts';
import { visible } from '../kit/text.ts';
import type { Toast } from '../kit/toast.ts';
import type { Act } from './offers.ts';

export type SubagentsTool = 'subagents_show' | 'subagents_diff' | `subagents_${Act}`;

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

  constructor(host: Host<SubagentsTool>, surface: Surface) {
    this.#host = host;
    this.#surface = surface;
  }

  /** Whether something is being done to this now. */
  isBusy(batch: string, task: string | undefined): boolean {
    return this.#busy.has(JSON.stringify([batch, task]));
  }

  async run(
    act: Act,
    { id: batch }: Pick<BatchView, 'id'>,
    task: Pick<TaskView, 'id'> | undefined,
  ): Promise<void> {
    const key = JSON.stringify([batch, task?.id]);
    if (this.#busy.has(key)) return;
    this.#busy.add(key);
    this.#surface.changed();
    const input = task === undefined ? { batch } : { batch, task: task.id };
    try {
      // The host may ask the person, who takes as long as it takes.
      const { text, data } = await this.#host.call<SubagentsDone | null>(`subagents_${act}`, input, {
        timeout: 0,
      });
      const shown = data?.phrase === undefined ? text : phraseText(data.phrase);
      const undo = undoAct(data);
      this.#surface.toast({
        text: visible(shown),
        ...(undo === undefined ? {} : { undo: () => void this.run(undo, { id: batch }, task) }),
      });
    } catch (error) {
      this.#surface.toast({ text: visible(errorText(error)), error: true });
    } finally {
      this.#busy.delete(key);
      this.#surface.changed();
    }
  }
}

function undoAct(data: SubagentsDone | null): Act | undefined {
  if (data?.undo === undefined) return undefined;
  return data.undo === 'subagents_apply' ? 'apply' : 'revert';
}
