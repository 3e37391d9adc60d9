/** Where other tools keep their memories. */
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { realPathOf } from '../../policy/realPath.ts';

export const IMPORT_KINDS = ['toon', 'copilot', 'claude', 'basic-memory', 'server-memory'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/** From the workspace folder. */
export const TOON_FILE = join('.toon-memory', 'memory', 'data.toon');

export interface Surroundings {
  /** The workspace folder. */
  readonly root: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the editor that asks keeps what extensions store: for the user, and for the folder. */
  readonly storage?: { readonly user: string; readonly folder?: string | undefined } | undefined;
}

const COPILOT_MEMORIES = ['memory-tool', 'memories'] as const;

/** Files and folders in which a tool may keep memories about the folder, absolute; not all of them are there. */
export async function placesOf(kind: ImportKind, around: Surroundings): Promise<string[]> {
  const { root, home, env } = around;
  switch (kind) {
    case 'toon':
      return [join(root, TOON_FILE)];
    case 'claude':
      return [
        ...['CLAUDE.md', 'CLAUDE.local.md'].map((name) => join(root, name)),
        ...['CLAUDE.md', 'rules'].map((name) => join(root, '.claude', name)),
        join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects', claudeName(root), 'memory'),
      ];
    case 'copilot':
      return [
        ...new Set([
          ...openedPlaces(around),
          ...(await Promise.all(userFolders(around).map((folder) => copilotPlaces(folder, root)))).flat(),
        ]),
      ];
    case 'basic-memory':
      return [join(env.BASIC_MEMORY_HOME || join(home, 'basic-memory'))];
    case 'server-memory':
      return env.MEMORY_FILE_PATH ? [env.MEMORY_FILE_PATH.replace(/^~(?=\/|$)/, home)] : [];
  }
}

/** Claude Code's name for a folder: its path, with a dash for whatever is no letter or digit. */
function claudeName(root: string): string {
  return root.replace(/[^a-zA-Z0-9]/g, '-');
}

/** Where editors of this family keep a user's data. */
function userFolders({ home, env }: Surroundings): string[] {
  const names = ['Code', 'Code - Insiders', 'VSCodium'];
  const bases = [
    env.APPDATA,
    join(home, 'Library', 'Application Support'),
    env.XDG_CONFIG_HOME || join(home, '.config'),
  ].filter((base) => base !== undefined);
  return [
    ...bases.flatMap((base) => names.map((name) => join(base, name, 'User'))),
    ...['.vscode-server', '.vscode-server-insiders'].map((name) => join(home, name, 'data', 'User')),
  ];
}

/** In the editor that asks, wherever it keeps its data. */
function openedPlaces({ storage }: Surroundings): string[] {
  if (storage === undefined) return [];
  const { user, folder } = storage;
  return [
    join(user, 'github.copilot-chat', ...COPILOT_MEMORIES),
    ...(folder === undefined ? [] : [join(folder, 'GitHub.copilot-chat', ...COPILOT_MEMORIES, 'repo')]),
  ];
}

/** The memories of a user and of a folder; those of single chats are not meant to last. */
async function copilotPlaces(user: string, root: string): Promise<string[]> {
  const workspaces = join(user, 'workspaceStorage');
  const names = await readdir(workspaces).catch((): string[] => []);
  const here = realPathOf(root) ?? root;
  const own = names.filter((name) => folderOf(join(workspaces, name, 'workspace.json')) === here);
  return [
    join(user, 'globalStorage', 'github.copilot-chat', ...COPILOT_MEMORIES),
    ...own.map((name) => join(workspaces, name, 'GitHub.copilot-chat', ...COPILOT_MEMORIES, 'repo')),
  ];
}

/** The folder that an editor's storage is about; undefined when it says none of this machine. */
function folderOf(file: string): string | undefined {
  try {
    const { folder } = JSON.parse(readFileSync(file, 'utf8')) as { folder?: unknown };
    const path = typeof folder === 'string' ? fileURLToPath(folder) : undefined;
    return path === undefined ? undefined : (realPathOf(path) ?? path);
  } catch {
    return undefined;
  }
}
