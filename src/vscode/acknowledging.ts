/** The person says what became of calls that a session was left in the middle of. */
import * as vscode from 'vscode';
import type { CheckpointView } from '../planProtocol.ts';
import type { Finding } from '../session/effects.ts';
import type { OpenQuestions } from '../worker/sessionApi.ts';
import type { Person } from './person.ts';
import { nameOf, pickSession } from './sessionActions.ts';
import { shownText } from './shownText.ts';

export const FINDINGS: readonly Finding[] = ['succeeded', 'failed', 'unknown'];

interface Parts {
  readonly person: Person;
}

/** Settles what is open: of the given session and call, or settings, else of what the person chooses. */
export async function acknowledgeCalls(
  { person }: Parts,
  session?: unknown,
  what?: unknown,
  finding?: unknown,
): Promise<void> {
  const input = typeof session === 'string' ? inputOf(session, what, finding) : await ask(person);
  if (input === undefined) return;
  const { data } = await person.invoke('session_acknowledge', input, { door: 'palette' });
  const left = data as OpenQuestions;
  const { l10n, window } = vscode;
  const count = left.calls.length + left.policy.length;
  void window.showInformationMessage(
    count === 0
      ? l10n.t('Noted. Nothing is open in this session any more: its tools may act again.')
      : l10n.t('Noted. Still open in this session: {0}', count),
  );
}

/** The question about a call. */
export function calledText(name: string): string {
  return vscode.l10n.t('It is not known whether “{0}” took effect.', name);
}

export function findingText(finding: Finding): string {
  const { l10n } = vscode;
  return {
    succeeded: l10n.t('It Succeeded'),
    failed: l10n.t('It Did Not'),
    unknown: l10n.t('Still Unknown, Go On'),
  }[finding];
}

type Input = Readonly<Record<string, unknown>>;

function inputOf(session: string, what: unknown, finding: unknown): Input {
  // What is not as it should be is refused by the tool.
  return Array.isArray(what) ? { session, settings: what } : { session, calls: [{ id: what, finding }] };
}

async function ask(person: Person): Promise<Input | undefined> {
  const { l10n, window } = vscode;
  const open = new Map<string, CheckpointView>();
  const title = l10n.t('Acknowledge what a session was left in');
  const session = await pickSession(person, title, async ({ id }) => {
    if (id === null) return false;
    const { data } = await person.invoke('checkpoint_show', { session: id }, { door: 'palette' });
    const view = data as CheckpointView;
    open.set(id, view);
    return view.unknowns.length + view.looser.length > 0;
  });
  const view = session?.id == null ? undefined : open.get(session.id);
  if (session?.id == null || view === undefined) return undefined;
  const { unknowns, looser } = view;
  const items = [
    ...unknowns.map(({ id, name, announced }) => ({
      ...{ label: shownText(calledText(name)), detail: shownText(announced), what: id },
    })),
    ...(looser.length === 0
      ? []
      : [
          {
            label: l10n.t('Settings are looser now than when it was left'),
            detail: shownText(
              looser.map(({ key, counts, says }) => `${key}: ${counts} → ${says}`).join(' · '),
            ),
            what: looser.map(({ key }) => key),
          },
        ]),
  ];
  const chosen = await window.showQuickPick(items, { title: nameOf(session) });
  if (chosen === undefined) return undefined;
  const { what } = chosen;
  const answers: readonly { readonly label: string; readonly finding?: Finding }[] =
    typeof what === 'string'
      ? FINDINGS.map((finding) => ({ label: findingText(finding), finding }))
      : [{ label: l10n.t('Let the New Values Count') }];
  const answer = await window.showQuickPick(answers, { title: chosen.label });
  return answer && inputOf(session.id, what, answer.finding);
}
