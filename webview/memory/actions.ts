import type { EntryRow } from '../../src/protocol.ts';
import { errorText, type Host, type PanelTool } from '../kit/host.ts';
import { t } from '../kit/l10n.ts';
import { visibleLine } from '../kit/text.ts';
import type { Toast } from '../kit/toast.ts';
import { savedId, savedMessage } from './saved.ts';

export type Named = Pick<EntryRow, 'id' | 'key'>;

interface Surface {
  toast(toast: Toast): void;
  /** Memory changed by our own doing. */
  changed(): void;
}

/** Calls a tool as part of a change. */
export type Invoke = <T>(tool: PanelTool, input: Record<string, unknown>) => Promise<T>;

interface Outcome {
  readonly done: readonly Named[];
  /** The reason of the first failure, empty when there was none. */
  readonly failure: string;
}

const WRITE_TIMEOUT = 60_000;
const AT_ONCE = 4;

/** What a person can do to entries; each says how it went. */
export class MemoryActions {
  readonly #host: Host;
  readonly #surface: Surface;

  constructor(host: Host, surface: Surface) {
    this.#host = host;
    this.#surface = surface;
  }

  async pin(entries: readonly Named[], pinned: boolean): Promise<void> {
    const outcome = await this.#each(entries, pinned ? 'memory_pin' : 'memory_unpin', ({ id }) => ({
      key: id,
    }));
    this.#tell(
      outcome,
      pinned ? (key) => t('Pinned “{0}”.', key) : (key) => t('Unpinned “{0}”.', key),
      pinned ? (size) => t('Pinned {0} entries.', size) : (size) => t('Unpinned {0} entries.', size),
    );
  }

  async confirm(entry: Named): Promise<void> {
    const outcome = await this.#each([entry], 'memory_edit', ({ id }) => ({ key: id, confirmed: true }));
    this.#tell(outcome, (key) => t('Confirmed “{0}”.', key));
  }

  async forget(entries: readonly Named[]): Promise<void> {
    const outcome = await this.#each(entries, 'memory_forget', ({ id }) => ({ key: id }));
    const undo = () => void this.restore(outcome.done);
    this.#tell(
      outcome,
      (key) => t('Forgot “{0}”.', key),
      (size) => t('Forgot {0} entries.', size),
      undo,
    );
  }

  async restore(entries: readonly Named[]): Promise<void> {
    const outcome = await this.#each(entries, 'memory_forget', ({ id }) => ({ key: id, action: 'restore' }));
    this.#tell(
      outcome,
      (key) => t('Restored “{0}”.', key),
      (size) => t('Restored {0} entries.', size),
    );
  }

  /** Deletes for good; the host asks first. Answers whether it happened. */
  async erase(entry: Named): Promise<boolean> {
    const outcome = await this.#each([entry], 'memory_forget', ({ id }) => ({ key: id, action: 'hard' }), 0);
    this.#tell(outcome, (key) => t('Deleted “{0}” for good.', key));
    return outcome.done.length > 0;
  }

  async tag(entries: readonly Named[], tags: readonly string[], action: 'add' | 'remove'): Promise<void> {
    const ids = entries.map(({ id }) => id);
    const [first] = entries;
    const key = visibleLine(first?.key ?? '');
    await this.change(async (invoke, touched) => {
      touched(ids);
      // A call changes entries of one level; those of others are named in a call of their own.
      for (let left = ids; left.length > 0; ) {
        const { changed } = await invoke<{ changed: readonly Named[] }>('memory_tag', {
          action,
          tags,
          ids: left,
        });
        const done = new Set(changed.map(({ id }) => id));
        left = left.filter((id) => !done.has(id));
      }
      if (entries.length === 1)
        return action === 'add' ? t('Tagged “{0}”.', key) : t('Took tags off “{0}”.', key);
      const size = entries.length;
      return action === 'add' ? t('Tagged {0} entries.', size) : t('Took tags off {0} entries.', size);
    });
  }

  /**
   * Makes a change by calls of tools, says what it did and offers to take it back. `run` tells which entries it
   * touches as it goes, so that half a change can be taken back, too. Answers whether it worked.
   */
  async change(run: (invoke: Invoke, touched: (ids: readonly string[]) => void) => Promise<string>) {
    const ids = new Set<string>();
    const span = { from: Number.POSITIVE_INFINITY, to: 0 };
    const undo = () => void this.#takeBack([...ids], span);
    const invoke: Invoke = async <T>(tool: PanelTool, input: Record<string, unknown>) => {
      const { data, began, ended } = await this.#host.call<T>(tool, input, { timeout: WRITE_TIMEOUT });
      span.from = Math.min(span.from, began);
      span.to = Math.max(span.to, ended);
      return data;
    };
    let failure = '';
    let text = '';
    try {
      text = await run(invoke, (more) => {
        for (const id of more) ids.add(id);
      });
    } catch (error) {
      failure = errorText(error);
    }
    const isDone = failure === '';
    this.#surface.toast({
      ...(isDone ? { text } : { text: failure, error: true }),
      ...(ids.size > 0 && span.to > 0 ? { undo } : {}),
    });
    this.#surface.changed();
    return isDone;
  }

  /** Takes sessions that nobody goes on with out of the lists. */
  async putAway(sessions: readonly string[], back = false): Promise<void> {
    try {
      await this.#host.invoke('session_put_away', { sessions, back }, { timeout: WRITE_TIMEOUT });
      const size = sessions.length;
      this.#surface.toast(
        back
          ? { text: t('Taken back.') }
          : {
              text: size === 1 ? t('Put 1 session away.') : t('Put {0} sessions away.', size),
              undo: () => void this.putAway(sessions, true),
            },
      );
    } catch (error) {
      this.fail(errorText(error));
    }
    this.#surface.changed();
  }

  /** Accepts or rejects a draft. */
  async settle(entry: Named, action: 'accept' | 'reject'): Promise<void> {
    await this.change(async (invoke, touched) => {
      touched([entry.id]);
      await invoke('memory_drafts', { action, ids: [entry.id] });
      return action === 'accept' ? t('Accepted 1 draft.') : t('Rejected 1 draft.');
    });
  }

  /** Says that something did not work. */
  fail(reason: string): void {
    this.#surface.toast({ text: reason, error: true });
  }

  async #takeBack(ids: readonly string[], span: { from: number; to: number }): Promise<void> {
    const outcome = { text: t('Taken back.'), error: false };
    try {
      await this.#host.invoke('memory_take_back', { ids, ...span }, { timeout: WRITE_TIMEOUT });
    } catch (error) {
      Object.assign(outcome, { text: errorText(error), error: true });
    }
    this.#surface.toast(outcome);
    this.#surface.changed();
  }

  /** Saves an edit or a new entry; rejects with the host's reason. Answers the entry's id when the host says it. */
  async save(
    tool: 'memory_edit' | 'memory_remember',
    input: Record<string, unknown>,
  ): Promise<string | undefined> {
    const data = await this.#host.invoke<unknown>(tool, input, { timeout: WRITE_TIMEOUT });
    this.#surface.toast({ text: savedMessage(data) });
    this.#surface.changed();
    return savedId(data);
  }

  async copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.#surface.toast({ text: t('Copied “{0}”.', visibleLine(text)) });
    } catch (error) {
      this.#surface.toast({ text: errorText(error), error: true });
    }
  }

  /** Calls a tool for each entry. */
  async #each(
    entries: readonly Named[],
    tool: PanelTool,
    input: (entry: Named) => Record<string, unknown>,
    timeout = WRITE_TIMEOUT,
  ): Promise<Outcome> {
    const done: Named[] = [];
    const failures: string[] = [];
    const queue = [...entries];
    const work = async () => {
      for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) {
        try {
          await this.#host.invoke(tool, input(entry), { timeout });
          done.push(entry);
        } catch (error) {
          failures.push(errorText(error));
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    this.#surface.changed();
    const [reason = ''] = failures;
    const failure =
      reason === '' || entries.length === 1
        ? reason
        : t('{0} of {1} failed: {2}', failures.length, entries.length, reason);
    return { done, failure };
  }

  /** Says what was done, and to how many or to which one, and what was not. */
  #tell(
    { done, failure }: Outcome,
    one: (key: string) => string,
    many?: (size: number) => string,
    undo?: () => void,
  ): void {
    const [first] = done;
    const said =
      first === undefined
        ? ''
        : done.length === 1 || many === undefined
          ? one(visibleLine(first.key))
          : many(done.length);
    this.#surface.toast({
      text: [said, failure].filter((part) => part !== '').join(' '),
      error: failure !== '',
      ...(undo !== undefined && first !== undefined ? { undo } : {}),
    });
  }
}
