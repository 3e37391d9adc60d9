import * as vscode from 'vscode';
import { folderSetting } from '../fileSettings.ts';
import type { Log, Ports } from '../ports.ts';
import { codeOf } from './code.ts';
import { hindsightToken } from './hindsightToken.ts';
import { effectiveValue } from './settingValues.ts';

/** The editor as the host of one workspace folder's app. */
export function portsOf(
  folder: vscode.WorkspaceFolder,
  log: vscode.LogOutputChannel,
  secrets: vscode.SecretStorage,
): Ports {
  return {
    settings: {
      get: (key) => (key === 'vocab' ? vocabularyIn(folder, log) : readSetting(key, folder)),
      set: async (key, value) => {
        await vscode.workspace
          .getConfiguration('lodeline')
          .update(key, value, vscode.ConfigurationTarget.Global);
      },
    },
    log: {
      info: (message) => log.info(message),
      warn: (message) => log.warn(message),
      error: (message) => log.error(message),
    },
    now: Date.now,
    trusted: () => vscode.workspace.isTrusted,
    door: 'editor',
    github: {
      api: 'https://api.github.com',
      token: async () => {
        const session = await vscode.authentication.getSession('github', ['gist'], { createIfNone: true });
        return session.accessToken;
      },
    },
    code: codeOf(folder),
    chatModel: async (name) => await (await import('./chatModel.ts')).chatModelNamed(name),
    hindsightToken: (server) => hindsightToken(secrets, server),
    showKey: (key) => void import('./keyNotice.ts').then((notice) => notice.showKey(key)),
    openSession: async (id) => {
      await vscode.commands.executeCommand('lodeline.resumeSession', id);
    },
  };
}

/** The project's vocabulary, which the folder's own settings file holds for every door, and over it the editor's. */
function vocabularyIn(folder: vscode.WorkspaceFolder, log: Log): unknown {
  const project = vscode.workspace.isTrusted ? folderSetting(folder.uri.fsPath, 'vocab', log) : undefined;
  return { ...asObject(project), ...asObject(readSetting('vocab', folder)) };
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** A setting of `lodeline.` by the rest of its name. */
export function readSetting(key: string, folder?: vscode.WorkspaceFolder): unknown {
  return effectiveValue(key, vscode.workspace.getConfiguration('lodeline', folder?.uri ?? null).inspect(key));
}
