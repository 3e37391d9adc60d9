import * as vscode from 'vscode';
import type { News } from '../news.ts';

/**
 * Shows that memory is being opened, for as long as that takes: a bar over the memory browser, and in the status bar how
 * much is done. Memory that opens at once shows nothing.
 */
export function showOpening(news: Pick<News, 'onOpening'>): void {
  let shown: { report(share: number): void; end(): void } | undefined;
  news.onOpening((share) => {
    if (share < 1) {
      shown ??= begin();
      shown.report(share);
    } else {
      shown?.end();
      shown = undefined;
    }
  });
}

function begin(): { report(share: number): void; end(): void } {
  const { promise: over, resolve: end } = deferred();
  const title = vscode.l10n.t('Opening memory');
  let progress: vscode.Progress<{ message?: string }> | undefined;
  void vscode.window.withProgress({ location: { viewId: 'lodeline.memory' } }, () => over);
  void vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, (each) => {
    progress = each;
    return over;
  });
  return {
    report: (share) => progress?.report({ message: `${Math.floor(share * 100)} %` }),
    end,
  };
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
