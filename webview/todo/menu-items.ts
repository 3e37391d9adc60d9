import { t } from '../kit/l10n.ts';
import type { MenuItem } from '../kit/menu.ts';
import type { RowCommands } from './commands.ts';
import type { ItemRow, PhaseRow, TaskRow } from './rows.ts';
import { isFinished } from './steps.ts';

const MAC = navigator.platform.startsWith('Mac');
const ALT = MAC ? '⌥' : 'Alt+';

/** What can be done to a line. */
export function rowMenu(row: ItemRow, commands: RowCommands): readonly MenuItem[] {
  if (row.kind === 'task') return taskMenu(row, commands);
  return row.kind === 'phase' ? phaseMenu(row, commands) : [];
}

function taskMenu(row: TaskRow, commands: RowCommands): readonly MenuItem[] {
  const { task, phase } = row;
  const { content, status } = task;
  return [
    ...(status === 'in_progress'
      ? []
      : [{ label: t('Start'), keys: 'S', run: () => void commands.actions.start(content) }]),
    {
      label: isFinished(task) ? t('Reopen') : t('Mark as done'),
      keys: t('Space'),
      run: () => void commands.actions.toggle(task),
    },
    {
      label: t('Rename'),
      keys: 'F2',
      apart: true,
      run: () => commands.begin({ kind: 'rename', task: content, phase, text: content }),
    },
    { label: t('Add a note'), run: () => commands.begin({ kind: 'note', task: content, phase, text: '' }) },
    { label: t('Add a task'), keys: '+', run: () => commands.begin({ kind: 'add', phase, text: '' }) },
    { label: t('Move up'), keys: `${ALT}↑`, apart: true, run: () => commands.move(row, false) },
    { label: t('Move down'), keys: `${ALT}↓`, run: () => commands.move(row, true) },
    ...(isFinished(task)
      ? []
      : [{ label: t('Drop'), apart: true, run: () => void commands.actions.drop(content) }]),
    {
      label: t('Remove'),
      keys: deleteKey(),
      apart: isFinished(task),
      run: () => void commands.actions.remove(content),
    },
  ];
}

function phaseMenu({ phase }: PhaseRow, commands: RowCommands): readonly MenuItem[] {
  const open = phase.tasks.some((task) => !isFinished(task));
  const empty = phase.tasks.length === 0;
  return [
    {
      label: t('Add a task'),
      keys: '+',
      run: () => commands.begin({ kind: 'add', phase: phase.name, text: '' }),
    },
    { label: t('Add a phase'), run: () => commands.begin({ kind: 'phase', text: '' }) },
    {
      label: t('Rename'),
      keys: 'F2',
      apart: true,
      run: () => commands.begin({ kind: 'rename-phase', phase: phase.name, text: phase.name }),
    },
    ...(open
      ? [
          {
            label: t('Mark all as done'),
            apart: true,
            run: () => void commands.actions.phase('done', phase),
          },
          { label: t('Drop all'), run: () => void commands.actions.phase('drop', phase) },
        ]
      : []),
    ...(empty
      ? []
      : [
          {
            label: t('Remove all tasks'),
            keys: deleteKey(),
            apart: true,
            run: () => void commands.actions.phase('rm', phase),
          },
        ]),
    {
      label: t('Remove the phase'),
      ...(empty ? { keys: deleteKey(), apart: true } : {}),
      run: () => void commands.actions.removePhase(phase),
    },
  ];
}

function deleteKey(): string {
  return MAC ? '⌘⌫' : t('Del');
}
