import type { SessionChange, SessionDone, SessionLine } from '../../src/sessionProtocol.ts';
import { errorText, type Host } from '../kit/host.ts';
import { t } from '../kit/l10n.ts';
import type { MenuItem } from '../kit/menu.ts';
import { visible } from '../kit/text.ts';
import type { Toast } from '../kit/toast.ts';
import { sessionName } from './describe.ts';

export type SessionsTool =
  | 'sessions_show'
  | 'sessions_read'
  | 'sessions_change'
  | 'sessions_stop'
  | 'sessions_send'
  | 'sessions_spawn'
  | 'transcripts_search';

/** What can be done to a session beside sending it a message. */
export interface SessionCommands {
  open(session: SessionLine): void;
  message(session: SessionLine): void;
  resume(session: SessionLine): void;
  stop(session: SessionLine): void;
  rename(session: SessionLine): void;
  raise(session: SessionLine): void;
  change(session: SessionLine, change: SessionChange): void;
  copyKey(session: SessionLine): void;
}

/**
 * The menu of a session; where the folder is not trusted only what changes nothing. `isShown`: it belongs to the pane
 * that shows the session, where other keys count than in the tree.
 */
export function sessionMenu(
  session: SessionLine,
  commands: SessionCommands,
  canWrite: boolean,
  isShown: boolean,
): readonly MenuItem[] {
  const { id, archived, sendPolicy, canResume, run, maySend, level } = session;
  const item = (label: string, act: () => void, key = ''): MenuItem => ({
    ...{ label, run: act },
    ...(key !== '' && { keys: key }),
  });
  const inTree = (key: string) => (isShown ? '' : key);
  const look = isShown ? [] : [item(t('Show history'), () => commands.open(session), 'Enter')];
  const copy = item(t('Copy the key'), () => commands.copyKey(session));
  if (!canWrite) return [...look, copy];
  const send = () => commands.message(session);
  const away = () => commands.change(session, { archived: !archived });
  const policy = (label: string, value: SessionLine['sendPolicy'], apart = false): MenuItem => ({
    ...item(label, () => commands.change(session, { sendPolicy: value })),
    ...{ apart, checked: sendPolicy === value },
  });
  return [
    ...look,
    ...(canResume ? [item(t('Resume in a chat'), () => commands.resume(session))] : []),
    ...(maySend ? [item(t('Send a message'), send, isShown ? 'm' : '')] : []),
    ...(run === null ? [] : [item(t('Stop the run'), () => commands.stop(session))]),
    ...(id === null ? [] : [item(t('Rename…'), () => commands.rename(session), inTree('F2'))]),
    ...(level === 'RESTRICTED' ? [] : [item(t('Raise the level…'), () => commands.raise(session))]),
    ...(id === null || archived ? [] : [item(t('Archive session'), away, inTree('Del'))]),
    ...(id === null || !archived ? [] : [item(t('Restore session'), away)]),
    ...(id === null
      ? []
      : [
          policy(t('Messages: as the settings say'), null, true),
          policy(t('Messages: allow'), 'allow'),
          policy(t('Messages: deny'), 'deny'),
        ]),
    { ...copy, apart: true },
  ];
}

interface Surface {
  toast(toast: Toast): void;
  /** What is being done has begun or ended. */
  changed(): void;
}

/** What a person does to sessions; the host says how it went. */
export class SessionActions {
  readonly #host: Host<SessionsTool>;
  readonly #surface: Surface;
  readonly #busy = new Set<string>();
  /** A message that is sent again after a failure must not arrive twice: it keeps its id. */
  #failed: { readonly session: string; readonly message: string; readonly id: string } | undefined;

  constructor(host: Host<SessionsTool>, surface: Surface) {
    this.#host = host;
    this.#surface = surface;
  }

  isBusy(session: string): boolean {
    return this.#busy.has(session);
  }

  async change(session: SessionLine, change: SessionChange): Promise<void> {
    const before: SessionChange = {
      ...(change.title === undefined ? {} : { title: session.title }),
      ...(change.archived === undefined ? {} : { archived: session.archived }),
      ...(change.sendPolicy === undefined ? {} : { sendPolicy: session.sendPolicy }),
    };
    const done = await this.#run('sessions_change', session.key, { session: session.key, ...change });
    if (done === undefined) return;
    const name = sessionName(session);
    const undo = () => void this.#run('sessions_change', session.key, { session: session.key, ...before });
    this.#surface.toast({ text: changeText(name, change), undo });
  }

  async stop(session: SessionLine): Promise<void> {
    const done = await this.#run('sessions_stop', session.key, { session: session.key });
    if (done !== undefined) this.#surface.toast({ text: t('Stopping “{0}”.', sessionName(session)) });
  }

  /** @returns whether it was taken; what it was not stays where it was written. */
  async send(session: SessionLine, message: string): Promise<boolean> {
    const { key } = session;
    const again = this.#failed?.session === key && this.#failed.message === message;
    const id = (again ? this.#failed?.id : undefined) ?? crypto.randomUUID();
    const done = await this.#run('sessions_send', key, { sessionKey: key, message, timeoutSeconds: 0, id });
    this.#failed = done === undefined ? { session: key, message, id } : undefined;
    if (done === undefined) return false;
    const name = sessionName(session);
    const text = session.answers
      ? t('Sent to “{0}”.', name)
      : t('“{0}” is told with the next call of its agent.', name);
    this.#surface.toast({ text });
    return true;
  }

  /** @returns the key of the session that was started. */
  async spawn(input: Readonly<Record<string, unknown>>): Promise<string | undefined> {
    const done = await this.#run('sessions_spawn', '', input);
    if (done === undefined) return undefined;
    this.#surface.toast({ text: t('Started.') });
    return done.childSessionKey;
  }

  async #run(
    tool: SessionsTool,
    key: string,
    input: Readonly<Record<string, unknown>>,
  ): Promise<SessionDone | undefined> {
    if (this.#busy.has(key)) return undefined;
    this.#busy.add(key);
    this.#surface.changed();
    try {
      // The host may ask the person, who takes as long as it takes.
      const data = (await this.#host.invoke<SessionDone | null>(tool, input, { timeout: 0 })) ?? {};
      if (data.status !== 'error' && data.status !== 'forbidden') return data;
      this.#surface.toast({ text: visible(data.error ?? t('It did not work.')), error: true });
    } catch (error) {
      this.#surface.toast({ text: visible(errorText(error)), error: true });
    } finally {
      this.#busy.delete(key);
      this.#surface.changed();
    }
    return undefined;
  }
}

function changeText(name: string, { title, archived, sendPolicy }: SessionChange): string {
  if (archived !== undefined) return archived ? t('Archived “{0}”.', name) : t('Restored “{0}”.', name);
  if (title !== undefined) return t('Renamed “{0}”.', name);
  if (sendPolicy === 'allow') return t('“{0}” takes messages.', name);
  if (sendPolicy === 'deny') return t('“{0}” takes no messages.', name);
  return t('“{0}” takes messages as the settings say.', name);
}
