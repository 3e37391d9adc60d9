/** The file in a workspace that makes the editor run our hook for each step of its agents. */
import { lstatSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PARTS = ['.github', 'hooks', 'lodeline.json'];
/** What the hook needs to see all of a chat, and no more: each event costs the agent a process. */
export const HOOK_EVENTS = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'];
/** Seconds after which the editor gives up; a chat that starts in a large folder takes the longest. */
const TIMEOUT = 20;
const LAUNCHER = 'lodeline-hook';

export interface HookFile {
  readonly state: 'missing' | 'ours' | 'foreign';
  /** As it is on disk; empty when it is missing. */
  readonly text: string;
}

/** Where the file lies in a workspace folder, for people to read. */
export const HOOK_FILE = PARTS.join('/');

/** The absolute path of the file. */
export function hookFileOf(root: string): string {
  return join(root, ...PARTS);
}

/**
 * What each hook runs: the launcher in the home folder of whoever runs it, and nothing where there is none, so that
 * the file may be committed. On Windows the editor hands commands to PowerShell.
 */
export function hookCommand(platform: NodeJS.Platform): string {
  if (platform !== 'win32') {
    const path = `"$HOME/.lodeline/bin/${LAUNCHER}"`;
    return `test ! -x ${path} || ${path}`;
  }
  const path = `"$env:USERPROFILE\\.lodeline\\bin\\${LAUNCHER}.cmd"`;
  return `if (Test-Path ${path}) { & ${path} }`;
}

/** What stands in the file. Copilot CLI reads it, too, by its own names for a version and for Windows. */
export function hookFileText(): string {
  const [command, windows] = [hookCommand('linux'), hookCommand('win32')];
  const hook = { type: 'command', command, windows, powershell: windows, timeout: TIMEOUT };
  const hooks = Object.fromEntries(HOOK_EVENTS.map((event) => [event, [hook]]));
  return `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`;
}

/** Whether a text is a file of hooks that run nothing but ours, of whichever version. */
export function isOurs(text: string): boolean {
  try {
    const { hooks } = JSON.parse(text) as {
      hooks: Record<string, readonly { readonly command?: unknown }[]>;
    };
    const all = Object.values(hooks).flat();
    return (
      all.length > 0 && all.every(({ command }) => String(command).includes(`/.lodeline/bin/${LAUNCHER}"`))
    );
  } catch {
    return false;
  }
}

/** The file of a workspace folder. @throws when it cannot be read, or lies behind a link. */
export function readHookFile(root: string): HookFile {
  if (!isThere(root)) return { state: 'missing', text: '' };
  const text = readFileSync(hookFileOf(root), 'utf8');
  return { state: isOurs(text) ? 'ours' : 'foreign', text };
}

/** Whether the file makes the editor tell our hook of every tool that an agent has used. Never throws. */
export function observesFiles(root: string): boolean {
  try {
    const { state, text } = readHookFile(root);
    const { hooks } = state === 'ours' ? JSON.parse(text) : {};
    return Array.isArray(hooks?.PostToolUse) && hooks.PostToolUse.length > 0;
  } catch {
    return false;
  }
}

/** Writes the file. Never over one that is not ours. @throws when it cannot be written, or lies behind a link. */
export function writeHookFile(root: string): void {
  const { state } = readHookFile(root);
  if (state === 'foreign') throw new Error(`${HOOK_FILE} holds hooks of somebody else.`);
  mkdirSync(dirname(hookFileOf(root)), { recursive: true });
  writeFileSync(hookFileOf(root), hookFileText(), state === 'missing' ? { flag: 'wx' } : {});
}

/** Removes the file and the folders that are empty then. False when it is not there, or not ours. */
export function removeHookFile(root: string): boolean {
  if (readHookFile(root).state !== 'ours') return false;
  rmSync(hookFileOf(root));
  for (const length of [2, 1]) {
    try {
      rmdirSync(join(root, ...PARTS.slice(0, length)));
    } catch {
      // Not empty: others have files there.
      break;
    }
  }
  return true;
}

/** A repository must not lead what is written here to another place. */
function isThere(root: string): boolean {
  for (let length = 1; length <= PARTS.length; length++) {
    const path = join(root, ...PARTS.slice(0, length));
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return false;
    const isExpected = length === PARTS.length ? stat.isFile() : stat.isDirectory();
    if (!isExpected)
      throw new Error(`${PARTS.slice(0, length).join('/')} is a link or not what it should be.`);
  }
  return true;
}
