import type { LeftFiles, LeftView, SubagentsDone } from '../../src/subagentProtocol.ts';
import { errorText, type Host } from '../kit/host.ts';
import { phraseText } from '../kit/l10n.ts';
import { visible } from '../kit/text.ts';
import type { Toast } from '../kit/toast.ts';
import type { SubagentsTool } from './actions.ts';
import type { AskedLeft } from './question.ts';

interface Surface {
  toast(toast: Toast): void;
  /** What is being done has begun or ended. */
  changed(): void;
}

/** What a person can do with work that was left behind. */
export class LeftActions {
  readonly #host: Host<SubagentsTool>;
  readonly #surface: Surface;
  /** Id of the one to which something is being done. */
  busy = '';

  constructor(host: Host<SubagentsTool>, surface: Surface) {
    this.#host = host;
    this.#surface = surface;
  }

  /** What to ask before something is done: what it would change is looked up first. */
  async asked(act: AskedLeft['act'], left: LeftView): Promise<AskedLeft | undefined> {
    const { kind, id } = left;
    return this.#working(id, async () => {
      const { files } = await this.#host.invoke<LeftFiles>(
        'subagents_left_files',
        { kind, id },
        { timeout: 0 },
      );
      return { act, left, files };
    });
  }

  async run({ act, left: { kind, id } }: AskedLeft): Promise<void> {
    await this.#working(id, () => this.#call(`subagents_left_${act}`, { kind, id }));
  }

  async #call(tool: SubagentsTool, input: Record<string, unknown>): Promise<void> {
    const { text, data } = await this.#host.call<SubagentsDone | null>(tool, input, { timeout: 0 });
    const shown = data?.phrase === undefined ? text : phraseText(data.phrase);
    const undo = data?.restore;
    this.#surface.toast({
      text: visible(shown),
      ...(undo === undefined
        ? {}
        : { undo: () => void this.#working('', () => this.#call('subagents_left_restore', { undo })) }),
    });
  }

  async #working<Result>(id: string, work: () => Promise<Result>): Promise<Result | undefined> {
    this.busy = id;
    this.#surface.changed();
    try {
      return await work();
    } catch (error) {
      this.#surface.toast({ text: visible(errorText(error)), error: true });
      return undefined;
    } finally {
      this.busy = '';
      this.#surface.changed();
    }
  }
}
