import * as vscode from 'vscode';
import type { BrowsePage, EntryRow } from '../protocol.ts';
import type { Person } from './person.ts';
import { shownText } from './shownText.ts';
import { categoryName } from './statistics.ts';

const SHOWN = 50;
const TYPING_DELAY = 150;

interface EntryItem extends vscode.QuickPickItem {
  /** Absent: the line that says that nothing was found. */
  readonly row?: EntryRow;
}

/** Lets the person choose an entry; the list is searched as they type. */
export function pickEntry(person: Person, title: string): Promise<EntryRow | undefined> {
  const picker = vscode.window.createQuickPick<EntryItem>();
  picker.title = title;
  picker.placeholder = vscode.l10n.t('Words, a key or a file');
  let search = new AbortController();
  let typing: NodeJS.Timeout | undefined;

  const find = async (query: string): Promise<void> => {
    search.abort();
    search = new AbortController();
    const { signal } = search;
    picker.busy = true;
    try {
      const { data } = await person.invoke(
        'memory_browse',
        { query, limit: SHOWN },
        { door: 'palette', signal },
      );
      const items = (data as BrowsePage).rows.map(toItem);
      const none: EntryItem = { label: vscode.l10n.t('Nothing found'), alwaysShow: true };
      if (!signal.aborted) picker.items = items.length === 0 ? [none] : items;
    } catch (error) {
      if (signal.aborted) return;
      void vscode.window.showErrorMessage(shownText(error instanceof Error ? error.message : String(error)));
      picker.hide();
    }
    if (!signal.aborted) picker.busy = false;
  };

  return new Promise((resolve) => {
    picker.onDidChangeValue((value) => {
      clearTimeout(typing);
      typing = setTimeout(() => void find(value), TYPING_DELAY);
    });
    picker.onDidAccept(() => {
      resolve(picker.selectedItems[0]?.row);
      picker.hide();
    });
    picker.onDidHide(() => {
      clearTimeout(typing);
      search.abort();
      resolve(undefined);
      picker.dispose();
    });
    picker.show();
    void find('');
  });
}

function toItem(row: EntryRow): EntryItem {
  return {
    row,
    label: shownText(row.pinned ? `${row.key} 📌` : row.key),
    description: [
      categoryName(row.category),
      new Date(row.updated).toLocaleDateString(vscode.env.language),
    ].join(' · '),
    detail: shownText(row.preview),
    // The host has searched already; the picker must not filter again.
    alwaysShow: true,
  };
}
