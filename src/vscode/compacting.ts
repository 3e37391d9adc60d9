/** Commands for long conversations: having one summarized, and the parts that an agent folded. */
import * as vscode from 'vscode';
import type { CheckpointView, FoldLine } from '../planProtocol.ts';
import type { ChatModel } from '../session/chatModel.ts';
import type { CompactedNow } from '../session/compaction/compactNow.ts';
import type { SessionLine, SessionsView } from '../sessionProtocol.ts';
import { withSignal } from './cancellation.ts';
import { chatModelNamed } from './chatModel.ts';
import { compactedText } from './compactedText.ts';
import { foldUri } from './foldDocuments.ts';
import type { Person } from './person.ts';
import { nameOf, pickSession } from './sessionActions.ts';
import { shownText } from './shownText.ts';

interface Parts {
  readonly person: Person;
}

/** Ids of sessions that are being summarized: a second click changes nothing. */
const running = new Set<string>();

/** Has the earlier conversation of a session summarized: of the one with the given id, else of one that is chosen. */
export async function compactSession({ person }: Parts, given?: unknown): Promise<void> {
  const { l10n, window, ProgressLocation } = vscode;
  const title = l10n.t('Summarize the earlier conversation of a session');
  const session =
    typeof given === 'string'
      ? (await linesOf(person)).find(({ id }) => id === given)
      : await pickSession(person, title, ({ id, answers }) => id !== null && answers);
  if (session?.id == null || running.has(session.id)) return;
  const { id } = session;
  running.add(id);
  try {
    const model = await modelOf(session);
    const progress = {
      location: ProgressLocation.Notification,
      title: shownText(l10n.t('Summarizing “{0}” with {1}…', nameOf(session), model.name)),
      cancellable: true,
    };
    const done = await window.withProgress(
      progress,
      async (_, token) =>
        await withSignal(token, async (signal) => {
          const call = { door: 'palette', model, signal } as const;
          return (await person.invoke('session_compact', { session: id }, call)).data as CompactedNow;
        }),
    );
    void window.showInformationMessage(shownText(compactedText(done)));
  } finally {
    running.delete(id);
  }
}

/** Shows a part of a conversation that its agent folded, or has the agent see it in full again. */
export async function showFolds({ person }: Parts): Promise<void> {
  const { l10n, window, workspace } = vscode;
  const folds = new Map<string, readonly FoldLine[]>();
  const session = await pickSession(person, l10n.t('Folded parts of a session'), async ({ id }) => {
    if (id === null) return false;
    const { data } = await person.invoke('checkpoint_show', { session: id }, { door: 'palette' });
    folds.set(id, (data as CheckpointView).folds);
    return (data as CheckpointView).folds.length > 0;
  });
  if (session?.id == null) return;
  const items = (folds.get(session.id) ?? []).toReversed().map((fold) => ({
    fold,
    label: shownText(fold.topic) || fold.block,
    description: l10n.t('{0} tokens', fold.tokens.toLocaleString(vscode.env.language)),
    detail: shownText(fold.summary).slice(0, 200),
  }));
  const chosen = await window.showQuickPick(items, { title: nameOf(session), matchOnDetail: true });
  if (chosen === undefined) return;
  const { block, active } = chosen.fold;
  const show = { label: l10n.t('Show Original'), isReopen: false };
  const reopen = { label: l10n.t('Reopen: the agent sees it in full again'), isReopen: true };
  const act = await window.showQuickPick(active ? [show, reopen] : [show], { title: chosen.label });
  if (act === undefined) return;
  const input = { session: session.id, block };
  if (act.isReopen) {
    await person.invoke('fold_reopen', input, { door: 'palette' });
    void window.showInformationMessage(
      l10n.t('The agent sees this part in full again, from its next request on.'),
    );
    return;
  }
  const document = await workspace.openTextDocument(foldUri(input));
  await window.showTextDocument(document, { preview: true });
}

async function linesOf(person: Person): Promise<readonly SessionLine[]> {
  return ((await person.invoke('sessions_show', {}, { door: 'palette' })).data as SessionsView).sessions;
}

/** The one that the session was led with, where the editor still has it. */
async function modelOf({ model }: SessionLine): Promise<ChatModel> {
  if (model === null) return await chatModelNamed(undefined);
  return await chatModelNamed(model).catch(() => chatModelNamed(undefined));
}
