/** Memories on their way between this folder and the memory server. */
import * as vscode from 'vscode';
import type { BackendView } from '../backendProtocol.ts';
import type { BackendCopied } from '../tools/memory/backendCopy.ts';
import type { Apps } from './apps.ts';
import { withSignal } from './cancellation.ts';
import type { Person } from './person.ts';
import { shownText } from './shownText.ts';

interface Parts {
  readonly apps: Apps;
  readonly person: Person;
}

/** Folders whose memories are being copied: a second click changes nothing. */
const running = new Set<string>();

/**
 * Copies memories, with the editor's progress and its way to cancel, and says what came of it.
 * @param agreed the person has seen what would leave the machine
 */
export async function copyMemories(
  { apps, person }: Parts,
  to: BackendCopied['to'],
  agreed = false,
): Promise<void> {
  const { window, l10n, ProgressLocation } = vscode;
  const { folder } = apps;
  const key = folder?.uri.toString() ?? '';
  if (running.has(key)) return;
  running.add(key);
  try {
    if (!agreed && !(await agrees({ apps, person }, to))) return;
    const title =
      to === 'local'
        ? l10n.t('Copying memories to this folder')
        : l10n.t('Copying memories to the memory server');
    const options = { location: ProgressLocation.Notification, title, cancellable: true };
    const copied = await window.withProgress(options, async (report, token) =>
      withSignal(token, async (signal) => {
        const progress = (done: number, total: number): void =>
          report.report({ message: l10n.t('{0} of {1}', done, total) });
        const call = { door: 'palette', folder, signal, progress } as const;
        return (await person.invoke('backend_copy', { to }, call)).data as BackendCopied;
      }),
    );
    void window.showInformationMessage(copiedText(copied));
  } finally {
    running.delete(key);
  }
}

/** Sends what waits at once. */
export async function retryMemoryServer({ apps, person }: Parts): Promise<void> {
  const { window, l10n } = vscode;
  const call = { door: 'palette', folder: apps.folder } as const;
  const { kind, queue } = (await person.invoke('backend_retry', {}, call)).data as BackendView;
  void window.showInformationMessage(
    kind !== 'hindsight'
      ? l10n.t('No memory server is used here, so nothing waits.')
      : queue.waiting === 0
        ? l10n.t('Everything has arrived at the memory server.')
        : l10n.t('{0} memories still wait. The Memory view says why.', queue.waiting),
  );
}

/** The server in few words. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

async function agrees({ apps: { folder }, person }: Parts, to: BackendCopied['to']): Promise<boolean> {
  const { window, l10n } = vscode;
  const call = { door: 'palette', folder } as const;
  const { kind, server } = (await person.invoke('backend_status', {}, call)).data as BackendView;
  if (kind !== 'hindsight' || server === null || server.url === '') {
    const choose = l10n.t('Choose a Server…');
    const said = l10n.t('No memory server is used here. Nothing was copied.');
    if ((await window.showInformationMessage(said, choose)) === choose)
      await vscode.commands.executeCommand('lodeline.chooseMemoryBackend', 'hindsight');
    return false;
  }
  const host = hostOf(server.url);
  const copy = l10n.t('Copy');
  if (to === 'local') {
    const detail = l10n.t(
      'They come here unconfirmed. What is the same already stays as it is, nothing here is overwritten, and what you forgot stays forgotten.',
    );
    const title = shownText(l10n.t('Copy the memories on {0} to this folder?', host));
    return (await window.showInformationMessage(title, { modal: true, detail }, copy)) === copy;
  }
  const { data } = await person.invoke('backend_copy', { to, preview: true }, call);
  const { total, kept, maxLevel } = data as BackendCopied;
  if (total === 0) {
    void window.showInformationMessage(
      kept === 0
        ? l10n.t('There is nothing to copy yet.')
        : l10n.t('All {0} memories are above {1} and stay on this machine.', kept, maxLevel),
    );
    return false;
  }
  const detail = [
    l10n.t('Secrets are taken out first. Copying again makes nothing twice.'),
    kept === 0 ? '' : l10n.t('{0} more are above {1} and stay on this machine.', kept, maxLevel),
  ];
  const title = shownText(l10n.t('Copy {0} memories of this folder to {1}?', total, host));
  const options = { modal: true, detail: detail.filter((line) => line !== '').join('\n\n') };
  return (await window.showInformationMessage(title, options, copy)) === copy;
}

/** What was copied, and what was not and why. */
function copiedText({
  to,
  total,
  copied,
  fresh,
  kept,
  left,
  maxLevel,
  waiting,
  cancelled,
}: BackendCopied): string {
  const { l10n } = vscode;
  return [
    cancelled
      ? l10n.t('Cancelled after {0} of {1} memories. Copy again to go on.', copied, total)
      : to === 'local'
        ? l10n.t('Copied from the memory server: {0} of {1} memories were new here.', fresh, total)
        : l10n.t('Copied {0} memories.', copied),
    waiting === 0 ? '' : l10n.t('{0} wait until the memory server takes them.', waiting),
    kept === 0 ? '' : l10n.t('{0} are above {1} and stayed here.', kept, maxLevel),
    left === 0
      ? ''
      : l10n.t('{0} were left out: conversations, what is too long, and what you forgot.', left),
  ]
    .filter((line) => line !== '')
    .join(' ');
}
