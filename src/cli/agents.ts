/**
 * Which files of which agent say that Lodeline's server and hooks are there, as the agents document them: VS Code and
 * Copilot CLI (hooks in `.github/hooks`, read by both), Claude Code (which VS Code and Copilot CLI read as well), and
 * Codex.
 */
import { join } from 'node:path';
import { HOOK_FILE, hookCommand, hookFileText, isOurs } from '../vscode/hooksFile.ts';
import type { ConfigPlan, ConfigUser } from './agentConfig.ts';
import type { ConfigEntry } from './agentConfigEdit.ts';

export const AGENTS = ['vscode', 'claude', 'codex', 'copilot'] as const;
export type AgentName = (typeof AGENTS)[number];

/** Where agents are set up. */
export interface AgentPlace {
  /** The workspace folder. */
  readonly root: string;
  readonly home: string;
  /** For `CODEX_HOME` and `COPILOT_HOME`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

const SERVER = 'lodeline';
/** Seconds that an agent waits for a hook, as in the editor's file. */
const TIMEOUT = 20;

/** What a person has to know or do once an agent is set up. */
export const AGENT_NOTES: Readonly<Record<AgentName, string>> = {
  vscode:
    'VS Code: with the extension, chats have the tools already; this serves agents outside its window. Hooks run when the setting "chat.useHooks" is on; windows that are open take them up when they are loaded again.',
  claude: 'Claude Code: it asks once whether to use the server of this folder.',
  codex: 'Codex: it runs hooks of a folder that it trusts, once you have agreed to them with /hooks.',
  copilot: 'Copilot CLI: the server is there in every folder; hooks run in this one.',
};

/** The files to set up for an agent in a workspace folder. */
export function plansOf(agent: AgentName, place: AgentPlace): ConfigPlan[] {
  const { root, home, env } = place;
  const user: ConfigUser = { root, agent };
  const ofFolder = { base: root, format: 'json', isPrivate: false, user } as const;
  const ofPerson = { isPrivate: true, user } as const;
  switch (agent) {
    case 'vscode':
      return [
        {
          ...ofFolder,
          file: join(root, '.vscode', 'mcp.json'),
          entries: [
            server('servers', {
              type: 'stdio',
              command: launcher(variable('userHome'), place),
              args: ['--root', variable('workspaceFolder')],
            }),
          ],
        },
        editorHooks(ofFolder, root),
      ];
    case 'claude':
      return [
        {
          ...ofFolder,
          file: join(root, '.mcp.json'),
          entries: [
            server('mcpServers', {
              ...{ type: 'stdio', args: [] },
              command: launcher(variable(place.platform === 'win32' ? 'USERPROFILE' : 'HOME'), place),
            }),
          ],
        },
        {
          ...ofFolder,
          file: join(root, '.claude', 'settings.json'),
          // Claude Code hands commands to a POSIX shell everywhere.
          entries: hooks(['SessionStart', 'PreToolUse', 'PostToolUse', 'SessionEnd'], hookCommand('linux'), {
            // Of a command that fails nothing is told after it, and what it showed may raise the session.
            PreToolUse: 'Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit',
            PostToolUse: '*',
          }),
        },
      ];
    case 'codex': {
      const own = env.CODEX_HOME || join(home, '.codex');
      return [
        {
          ...ofPerson,
          ...{ file: join(own, 'config.toml'), base: env.CODEX_HOME || home, format: 'toml' },
          entries: [server('mcp_servers', { command: launcher(home, place), args: [] })],
        },
        {
          ...ofFolder,
          file: join(root, '.codex', 'hooks.json'),
          entries: hooks(['SessionStart', 'PreToolUse', 'PostToolUse', 'Stop'], codexCommand(place), {
            PreToolUse: 'apply_patch|Edit|Write',
          }),
        },
      ];
    }
    case 'copilot': {
      const own = env.COPILOT_HOME || join(home, '.copilot');
      return [
        {
          ...ofPerson,
          ...{ file: join(own, 'mcp-config.json'), base: env.COPILOT_HOME || home, format: 'json' },
          entries: [
            server('mcpServers', { type: 'local', command: launcher(home, place), args: [], tools: ['*'] }),
          ],
        },
        editorHooks(ofFolder, root),
      ];
    }
  }
}

/** What editors and agents put something else in the place of, so that a file may be committed. */
function variable(name: string): string {
  return `\${${name}}`;
}

function server(list: string, value: object): ConfigEntry {
  return { path: [list, SERVER], value };
}

/** The stable launcher, which updates of the extension do not move. */
function launcher(home: string, { platform }: AgentPlace): string {
  return platform === 'win32'
    ? `${home}\\.lodeline\\bin\\lodeline-mcp.cmd`
    : `${home}/.lodeline/bin/lodeline-mcp`;
}

/** Codex's hooks are in a file that no other agent reads, so its name can be said. */
function codexCommand({ home, platform }: AgentPlace): string {
  return platform === 'win32'
    ? `"${home}\\.lodeline\\bin\\lodeline-hook.cmd" --agent codex`
    : `${hookCommand(platform)} --agent codex`;
}

/** Claude Code's schema, which Codex has taken over: for each event groups of hooks, each with a matcher or without. */
function hooks(
  events: readonly string[],
  command: string,
  matchers: Readonly<Record<string, string>> = {},
): ConfigEntry[] {
  return events.map((event) => ({
    path: ['hooks', event],
    inList: true,
    value: {
      ...(matchers[event] === undefined ? {} : { matcher: matchers[event] }),
      hooks: [{ type: 'command', command, timeout: TIMEOUT }],
    },
  }));
}

/** The file of hooks that the extension writes as well. */
function editorHooks(
  ofFolder: Pick<ConfigPlan, 'base' | 'format' | 'isPrivate' | 'user'>,
  root: string,
): ConfigPlan {
  const { hooks: events, ...others } = JSON.parse(hookFileText()) as {
    hooks: Readonly<Record<string, readonly object[]>>;
  };
  return {
    ...ofFolder,
    file: join(root, ...HOOK_FILE.split('/')),
    entries: [
      ...Object.entries(others).map(([name, value]) => ({ path: [name], value })),
      ...Object.entries(events).flatMap(([event, list]) =>
        list.map((value) => ({ path: ['hooks', event], inList: true, value })),
      ),
    ],
    isSetUp: isOurs,
  };
}
