/** The level of the current session in the status bar, and why it is so high. */
import * as vscode from 'vscode';
import type { AuditPage, AuditRecord } from '../policy/audit.ts';
import type { Level } from '../policy/level.ts';
import type { TaintedSession } from '../policy/taint.ts';
import type { Apps } from './apps.ts';
import { hasHooks } from './chatLevel.ts';
import { ago } from './chatText.ts';
import type { CurrentSession } from './currentSession.ts';
import type { Person } from './person.ts';
import { riseReason } from './riseReason.ts';
import { shownText } from './shownText.ts';

/** Processes of hooks raise sessions, too. A look asks for three names of files. */
const LOOK_EVERY = 3_000;
/** As many records as the log shows at once. */
const LOOKED_THROUGH = 1_000;

/** Another process writes its record just after the level rose. */
const LOOKS = 3;

/** The agent of the editor's, which hooks tell of; what chats with @lodeline read is never seen wholly. */
const OBSERVABLE = 'copilot';

interface Around {
  readonly now: number;
  readonly hooks: boolean;
}

export interface LevelItemParts {
  readonly apps: Apps;
  readonly person: Person;
  readonly current: CurrentSession;
  readonly log: vscode.LogOutputChannel;
}

export class LevelItem implements vscode.Disposable {
  readonly #parts: LevelItemParts;
  readonly #item: vscode.StatusBarItem;
  readonly #timer: NodeJS.Timeout;
  readonly #subscriptions: vscode.Disposable;
  /** What is shown, so that nothing is asked for again while it stays. */
  #shown = '';
  /** How often the log is still looked into for why. */
  #looks = 0;

  constructor(parts: LevelItemParts) {
    this.#parts = parts;
    this.#item = vscode.window.createStatusBarItem('lodeline.level', vscode.StatusBarAlignment.Right, 89);
    this.#item.name = vscode.l10n.t('Lodeline Level');
    this.#item.command = 'lodeline.levelMenu';
    this.#subscriptions = vscode.Disposable.from(
      this.#item,
      parts.current.onDidChange(() => void this.#look()),
      parts.apps.onDidChangeMemory(() => void this.#look()),
      parts.apps.onDidChangeFolder(() => void this.#look()),
    );
    this.#timer = setInterval(() => {
      if (this.#shown === '' || vscode.window.state.focused) void this.#look();
    }, LOOK_EVERY);
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#subscriptions.dispose();
  }

  async #look(): Promise<void> {
    const { apps, current, log } = this.#parts;
    try {
      const { folder } = apps;
      if (folder === undefined) return this.#hide();
      const [app, session] = await Promise.all([apps.app(folder), current.of(folder)]);
      const level = levelIn(app.taint, session);
      // At the lowest level nothing rose, and no step has to be told.
      const hooks = level !== undefined && level !== 'PUBLIC' && hasHooks(folder);
      const shown = JSON.stringify([folder.uri.toString(), session, level, hooks]);
      if (shown === this.#shown && this.#looks === 0) return;
      if (shown !== this.#shown) this.#looks = LOOKS;
      this.#shown = shown;
      const rise = level === undefined ? undefined : await this.#lastRise(folder, session, level);
      const isKnown = rise !== undefined || level === undefined || level === session.start;
      this.#looks = isKnown ? 0 : this.#looks - 1;
      if (this.#shown !== shown) return;
      this.#show(level, levelTexts(level, session.isChat, rise, { now: Date.now(), hooks }));
    } catch (error) {
      log.warn(`The level of the session: ${String(error)}`);
      this.#hide();
    }
  }

  /** What the audit log says of it, where it rose. */
  async #lastRise(
    folder: vscode.WorkspaceFolder,
    { key }: TaintedSession,
    level: Level,
  ): Promise<AuditRecord | undefined> {
    // Nothing is below it, so nothing rose to it; the log of a folder that is merely looked at is not opened.
    if (level === 'PUBLIC') return undefined;
    const input = { limit: LOOKED_THROUGH };
    const { data } = await this.#parts.person.invoke('audit_show', input, { door: 'palette', folder });
    return (data as AuditPage).records.find(
      ({ kind, session, after }) => kind === 'level-raised' && session === key && after === level,
    );
  }

  #show(level: Level | undefined, [title, ...more]: readonly [string, ...string[]]): void {
    this.#item.text = `$(shield) ${level ?? '?'}`;
    this.#item.tooltip = [title, ...more].join('\n');
    this.#item.accessibilityInformation = { label: [title, ...more].join('. '), role: 'button' };
    this.#item.show();
  }

  #hide(): void {
    this.#shown = '';
    this.#item.hide();
  }
}

/** Undefined: it cannot be told. */
function levelIn(
  taint: { levelOf(session: TaintedSession): Level },
  session: TaintedSession,
): Level | undefined {
  try {
    return taint.levelOf(session);
  } catch (error) {
    // By its name: its module is not loaded when the extension starts.
    if (error instanceof Error && error.name === 'TaintError') return undefined;
    throw error;
  }
}

/**
 * What the tooltip says, line by line.
 * @param level undefined: it cannot be told
 * @param isChat false: no chat has called yet
 * @param rise the last time it rose
 * @param around `now`: epoch milliseconds; `hooks`: whether they are on in the folder
 */
export function levelTexts(
  level: Level | undefined,
  isChat: boolean,
  rise: Pick<AuditRecord, 'at' | 'before' | 'actor' | 'source' | 'reason' | 'rule' | 'tool'> | undefined,
  around: Around,
): readonly [string, ...string[]] {
  const { l10n } = vscode;
  if (level === undefined)
    return [
      l10n.t('The level of this session cannot be told'),
      l10n.t('It can read and save nothing. Start a new chat.'),
    ];
  return [
    l10n.t('Lodeline level of this session: {0}', level),
    isChat ? l10n.t('The chat that called Lodeline last.') : l10n.t('No chat has called Lodeline yet.'),
    ...(rise === undefined ? [startText(level)] : riseLines(rise, around)),
  ];
}

function startText(level: Level): string {
  return level === 'PUBLIC'
    ? vscode.l10n.t('Nothing has raised it.')
    : vscode.l10n.t('It started at this level.');
}

function riseLines(rise: NonNullable<Parameters<typeof levelTexts>[2]>, { now, hooks }: Around): string[] {
  const { l10n } = vscode;
  const { at, before, actor, source } = rise;
  const who = actor === 'person' ? l10n.t('you') : shownText(source);
  const raised = l10n.t('Raised from {0} by {1}, {2}', before ?? '', who, ago(at, now));
  const { why, rule } = riseReason(rise);
  return [
    raised,
    ...(why === undefined || why === '' ? [] : [l10n.t('Why: {0}', shownText(why))]),
    ...(rule === undefined ? [] : [l10n.t('Rule: {0}', shownText(rule))]),
    ...(rise.rule === 'unobserved' && source === OBSERVABLE ? [unobservedStep(hooks)] : []),
  ];
}

/** How a chat comes to be observed. A level never falls, so it is another chat. */
function unobservedStep(hooks: boolean): string {
  const { l10n } = vscode;
  return hooks
    ? l10n.t('Next step: hooks are on by now, so reload this window and start a new chat.')
    : l10n.t(
        'Next step: run “Lodeline: Observe Copilot Chats Fully…”, reload this window and start a new chat.',
      );
}
