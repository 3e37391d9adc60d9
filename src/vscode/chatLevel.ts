/** At which level a chat begins: where nobody sees which files its agent reads, it may have read any. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { App } from '../appApi.ts';
import type { Level } from '../policy/level.ts';
import { unobservedLevel } from './apps.ts';
import { observesFiles } from './hooksFile.ts';

/** The editor's own setting, without which it runs no hooks. */
const USE_HOOKS = 'chat.useHooks';
const LAUNCHER = process.platform === 'win32' ? 'lodeline-hook.cmd' : 'lodeline-hook';

/** A chat, and whether it is known which files its agent reads. */
export interface BeginningChat {
  readonly key: string;
  readonly source: string;
  readonly isObserved: boolean;
}

/**
 * The level at which a chat begins: the folder's where it is observed, else `classification.unobservedLevel`. That one
 * is kept as a rise of its session, since hooks that are turned on later do not tell what it read before.
 * @throws TaintError when it cannot be kept.
 */
export async function beginsAt(
  app: App,
  folder: vscode.WorkspaceFolder | undefined,
  { key, source, isObserved }: BeginningChat,
): Promise<Level> {
  const { defaultLevel: start, taint } = app;
  const level = isObserved ? start : unobservedLevel(app, folder);
  // A folder that is not trusted is not written to.
  if (level !== start && vscode.workspace.isTrusted) {
    const reason = 'Not every file that this chat reads is seen';
    await taint.raise({ key, start }, level, { reason, source, rule: 'unobserved' });
  }
  return level;
}

/**
 * Whether a chat is observed: hooks are on, and one has told of it. The editor may take up a new hook file some time
 * after it is written, and a chat that begins before that runs without it.
 */
export async function isObserved(
  app: Pick<App, 'isAttending'>,
  folder: vscode.WorkspaceFolder | undefined,
  key: string,
): Promise<boolean> {
  return hasHooks(folder) && (await app.isAttending(key));
}

/** Whether the editor is to tell our hook of every tool that its own agents use in a folder. */
export function hasHooks(folder: vscode.WorkspaceFolder | undefined): boolean {
  return (
    folder !== undefined &&
    vscode.workspace.isTrusted &&
    vscode.workspace.getConfiguration().get(USE_HOOKS) === true &&
    observesFiles(folder.uri.fsPath) &&
    // The file may come with the repository; without the launcher it runs nothing.
    existsSync(join(homedir(), '.lodeline', 'bin', LAUNCHER))
  );
}
