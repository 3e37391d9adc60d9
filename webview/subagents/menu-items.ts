import { t } from '../kit/l10n.ts';
import type { MenuItem } from '../kit/menu.ts';
import { type Act, actsOf } from './offers.ts';
import type { Row } from './rows.ts';

export interface RowCommands {
  readonly canWrite: boolean;
  act(act: Act, row: Row): void;
  open(row: Row): void;
  changes(row: Row): void;
  worktree(row: Row): void;
}

/** The name of an act on a task or, without one, on a batch. */
export function actName(act: Act, whole = false): string {
  const names: Record<Act, string> = {
    apply: t('Apply'),
    discard: t('Discard'),
    revert: t('Revert'),
    cancel: whole ? t('Cancel all') : t('Cancel task'),
    retry: whole ? t('Retry what did not end well') : t('Retry'),
  };
  return names[act];
}

/** What can be done to a line. */
export function rowMenu(row: Row, commands: RowCommands): readonly MenuItem[] {
  const whole = row.kind === 'batch';
  const acts = commands.canWrite ? [...actsOf(row.batch, whole ? undefined : row.task)] : [];
  const items = acts.map((act) => ({ label: actName(act, whole), run: () => commands.act(act, row) }));
  if (whole) return items;
  const { files, worktree } = row.task;
  return [
    { label: t('Show details'), keys: 'Enter', run: () => commands.open(row) },
    ...(files.length === 0 ? [] : [{ label: t('Open changes'), run: () => commands.changes(row) }]),
    ...(worktree ? [{ label: t('Open worktree'), run: () => commands.worktree(row) }] : []),
    ...items.map((item, index) => (index === 0 ? { ...item, apart: true } : item)),
  ];
}
