import * as vscode from 'vscode';
import type { Ports } from '../ports.ts';
import { codeOf } from './code.ts';
import { effectiveValue } from './settingValues.ts';

/** The editor as the host of one workspace folder's app. */
export function portsOf(folder: vscode.WorkspaceFolder, log: vscode.LogOutputChannel): Ports {
  return {
    settings: {
      get: (key) => readSetting(key, folder),
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
    openSession: async (id) => {
      await vscode.commands.executeCommand('lodeline.resumeSession', id);
    },
  };
}

/** A setting of `lodeline.` by the rest of its name. */
export function readSetting(key: string, folder?: vscode.WorkspaceFolder): unknown {
  return effectiveValue(key, vscode.workspace.getConfiguration('lodeline', folder?.uri ?? null).inspect(key));
}
