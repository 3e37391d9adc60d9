/** Commands about the level of a session. */
import * as vscode from 'vscode';
import { canFlowTo, LEVELS, type Level } from '../policy/level.ts';
import type { SessionLine, SessionRaised, SessionsView } from '../sessionProtocol.ts';
import type { Apps } from './apps.ts';
import type { CurrentSession } from './currentSession.ts';
import type { Person } from './person.ts';
import { nameOf } from './sessionActions.ts';

interface Parts {
  readonly apps: Apps;
  readonly person: Person;
  readonly current: CurrentSession;
}

/** A session as it is asked about. */
interface Target {
  /** As `session_raise` takes it. */
  readonly session: string;
  readonly name: string;
  readonly level: Level;
}

/** Raises the level of a session: of the one with the given key, else of the current one. */
export async function raiseLevel(parts: Parts, given?: unknown): Promise<void> {
  const target = await targetOf(parts, given);
  if (target === undefined) return;
  const { l10n, window } = vscode;
  const title = l10n.t('Raise the level of “{0}”', target.name);
  const higher = LEVELS.filter((level) => !canFlowTo(level, target.level));
  if (higher.length === 0) {
    void window.showInformationMessage(l10n.t('“{0}” is at the highest level.', target.name));
    return;
  }
  const chosen = await window.showQuickPick(
    higher.map((level) => ({ label: level, level, description: levelText(level) })),
    {
      title,
      placeHolder: l10n.t('It is at {0}. A level only rises, and cannot be taken back.', target.level),
    },
  );
  if (chosen === undefined) return;
  const prompt = l10n.t('Why, for the audit log (may be empty)');
  const reason = await window.showInputBox({ title: `${title}: ${chosen.label}`, prompt });
  if (reason === undefined) return;
  const input = { session: target.session, level: chosen.level, reason: reason.slice(0, 300) };
  const { data } = await parts.person.invoke('session_raise', input, { door: 'palette' });
  const { after } = data as SessionRaised;
  void window.showInformationMessage(l10n.t('“{0}” is at {1} from now on.', target.name, after));
}

/** What can be done about levels, from the status bar. */
export async function levelMenu(): Promise<void> {
  const { l10n, window, commands, workspace } = vscode;
  const raise = { label: `$(arrow-up) ${l10n.t('Raise this session’s level…')}`, command: 'raiseLevel' };
  const others = [
    { label: `$(eye) ${l10n.t('What Lodeline sees')}`, command: 'whatIsSeen' },
    { label: `$(shield) ${l10n.t('Audit Log')}`, command: 'showAuditLog' },
    { label: `$(list-tree) ${l10n.t('Sessions')}`, command: 'openSessions' },
  ];
  const items = workspace.isTrusted ? [raise, ...others] : others;
  const chosen = await window.showQuickPick(items, { title: l10n.t('Lodeline Level') });
  if (chosen !== undefined) await commands.executeCommand(`lodeline.${chosen.command}`);
}

async function targetOf({ apps, person, current }: Parts, given: unknown): Promise<Target | undefined> {
  const { l10n } = vscode;
  const { folder } = apps;
  // Without a folder this says what to do.
  const app = await apps.app(folder);
  if (typeof given === 'string') {
    const { data } = await person.invoke('sessions_show', {}, { door: 'palette' });
    const found = (data as SessionsView).sessions.find(({ key }) => key === given);
    if (found === undefined) throw new Error(l10n.t('This session is not there any more.'));
    return targetFor(found);
  }
  if (folder === undefined) return undefined;
  const session = await current.of(folder);
  const name = session.isChat ? l10n.t('the current chat') : l10n.t('this window');
  return { session: session.key, name, level: app.taint.levelOf(session) };
}

function targetFor(session: SessionLine): Target {
  return { session: session.key, name: nameOf(session), level: session.level };
}

function levelText(level: Level): string {
  const { l10n } = vscode;
  const texts: Record<Level, string> = {
    PUBLIC: l10n.t('for everybody'),
    INTERNAL: l10n.t('what it saves is hidden from PUBLIC sessions'),
    CONFIDENTIAL: l10n.t('what it saves is hidden from PUBLIC and INTERNAL sessions'),
    RESTRICTED: l10n.t('what it saves is hidden from all sessions below'),
  };
  return texts[level];
}
