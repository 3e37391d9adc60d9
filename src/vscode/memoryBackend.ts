/** Where recall, retain and reflect keep memories: the person chooses, and sees before what would leave the machine. */
import * as vscode from 'vscode';
import type { BackendView } from '../backendProtocol.ts';
import type { BackendCopied } from '../tools/memory/backendCopy.ts';
import type { Apps } from './apps.ts';
import { copyMemories, hostOf } from './memoryBackendCopy.ts';
import type { Person } from './person.ts';
import { readSetting } from './ports.ts';
import { shownText } from './shownText.ts';

type Kind = BackendView['kind'];
const KINDS: readonly Kind[] = ['local', 'hindsight', 'off'];

export interface BackendParts {
  readonly apps: Apps;
  readonly person: Person;
}

/** Asks where to keep memories, unless that is given, and switches. */
export async function chooseMemoryBackend(parts: BackendParts, given?: unknown): Promise<void> {
  const view = await statusOf(parts);
  const kind = KINDS.find((each) => each === given) ?? (await pickKind(view.kind));
  if (kind === undefined) return;
  if (kind === 'hindsight') return useServer(parts, view);
  if (kind === view.kind || !(await agreesToLeave(view, kind))) return;
  await switchTo(parts, kind);
  const { l10n, window } = vscode;
  void window.showInformationMessage(
    kind === 'local'
      ? l10n.t('What agents keep with retain stays in this folder from now on.')
      : l10n.t('Agents no longer have recall, retain and reflect.'),
  );
}

async function pickKind(current: Kind): Promise<Kind | undefined> {
  const { l10n, window } = vscode;
  const texts: Readonly<Record<Kind, readonly [label: string, detail: string]>> = {
    local: [l10n.t('In This Folder'), l10n.t('Nothing leaves this machine.')],
    hindsight: [
      l10n.t('On a Hindsight Server…'),
      l10n.t('A team can share it. You see first what would leave this machine.'),
    ],
    off: [
      l10n.t('Nowhere'),
      l10n.t('Agents have no recall, retain and reflect. Your memory stays as it is.'),
    ],
  };
  const items = KINDS.map((kind) => {
    const [label, detail] = texts[kind];
    return { backend: kind, label, detail, description: kind === current ? l10n.t('in use') : '' };
  });
  const title = l10n.t('Where recall, retain and reflect keep memories');
  return (await window.showQuickPick(items, { title }))?.backend;
}

/** What has not arrived would wait; nothing else is lost by it. */
async function agreesToLeave({ queue, server }: BackendView, kind: 'local' | 'off'): Promise<boolean> {
  if (queue.waiting === 0 || server === null) return true;
  const { l10n, window } = vscode;
  const go = kind === 'local' ? l10n.t('Keep Memories Here') : l10n.t('Turn Off');
  const detail = l10n.t(
    '{0} memories have not arrived at {1}. They stay on this machine, and go there when the server is used again.',
    queue.waiting,
    hostOf(server.url),
  );
  const title = l10n.t('Stop using the memory server?');
  return (await window.showWarningMessage(title, { modal: true, detail }, go)) === go;
}

async function useServer(parts: BackendParts, { kind, server }: BackendView): Promise<void> {
  const { l10n, window } = vscode;
  const { folder } = parts.apps;
  const url = await askAddress(server?.url || String(readSetting('hindsight.apiUrl', folder) ?? ''));
  if (url === undefined) return;
  const input = { to: 'hindsight', preview: true, url };
  const { data } = await parts.person.invoke('backend_copy', input, { door: 'palette', folder });
  const leaving = data as BackendCopied;
  const use = l10n.t('Use the Server');
  const copy = l10n.t('Use It and Copy Memories');
  const chosen = await window.showInformationMessage(
    shownText(l10n.t('Use the memory server at {0}?', hostOf(url))),
    { modal: true, detail: leavingText(leaving, folder) },
    ...(leaving.total === 0 ? [use] : [use, copy]),
  );
  if (chosen === undefined) return;
  // The environment's address wins, and need not become a setting.
  if (process.env.HINDSIGHT_API_URL === undefined) await update('hindsight.apiUrl', url);
  if (kind !== 'hindsight') await switchTo(parts, 'hindsight');
  if ((await statusOf(parts)).kind !== 'hindsight') {
    void window.showWarningMessage(
      l10n.t('The settings of this folder keep its memories on this machine, so here nothing was changed.'),
    );
    return;
  }
  if (chosen === copy) await copyMemories(parts, 'hindsight', true);
  const token = l10n.t('Set the Token…');
  const said = l10n.t('What agents keep with retain goes to {0} from now on.', hostOf(url));
  if ((await window.showInformationMessage(shownText(said), token)) === token)
    await vscode.commands.executeCommand('lodeline.setHindsightToken');
}

async function askAddress(value: string): Promise<string | undefined> {
  const { l10n, window } = vscode;
  const fixed = process.env.HINDSIGHT_API_URL;
  if (fixed !== undefined && fixed !== '') return fixed.trim();
  const given = await window.showInputBox({
    title: l10n.t('Address of the Hindsight server'),
    prompt: l10n.t('Nothing is sent before you have seen what would leave this machine.'),
    placeHolder: 'https://hindsight.example.com',
    value,
    ignoreFocusOut: true,
    validateInput: (text) =>
      /^https?:\/\/\S+$/.test(text.trim()) && URL.canParse(text.trim())
        ? undefined
        : l10n.t('An address begins with http:// or https://.'),
  });
  return given?.trim();
}

/** What leaves the machine, and what does not, before anything does. */
function leavingText(
  { total, kept, maxLevel }: BackendCopied,
  folder: vscode.WorkspaceFolder | undefined,
): string {
  const { l10n } = vscode;
  const [recalls, retains] = ['hindsight.autoRecall', 'hindsight.autoRetain'].map(
    (key) => readSetting(key, folder) === true,
  );
  return [
    l10n.t(
      'From then on this goes there, without secrets: what agents keep with retain, and what they ask with recall and reflect.',
    ),
    recalls ? l10n.t('Auto-recall is on: the first prompt of each chat with @lodeline goes there, too.') : '',
    retains ? l10n.t('Auto-retain is on: whole chats with @lodeline go there, too.') : '',
    retains
      ? l10n.t('Files and plans stay here.')
      : l10n.t('Files, plans and the transcripts of chats stay here.'),
    l10n.t('Only what is at most {0} leaves this machine.', maxLevel),
    l10n.t('The memories of this folder stay here, too. {0} of them can be copied there.', total),
    kept === 0 ? '' : l10n.t('{0} are above that level and are not copied.', kept),
    l10n.t('This counts for every folder that you open.'),
  ]
    .filter((line) => line !== '')
    .join('\n\n');
}

async function switchTo({ apps }: BackendParts, kind: Kind): Promise<void> {
  await update('memory.backend', kind);
  if (apps.folder !== undefined) apps.noteMemory(apps.folder);
}

/** The person's own setting: a folder's cannot send anything away. */
async function update(key: string, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration('lodeline').update(key, value, vscode.ConfigurationTarget.Global);
}

async function statusOf({ apps, person }: BackendParts): Promise<BackendView> {
  const call = { door: 'palette', folder: apps.folder } as const;
  return (await person.invoke('backend_status', {}, call)).data as BackendView;
}
