/** Paths as a model writes them: which are names below the workspace, and which of those are nobody's to touch. */
import { quote, WorkspaceError } from './tool.ts';

const MAX_PATH = 4096;
/** Names that Windows opens as devices, with any extension. */
const DEVICE =
  /^(con|prn|aux|nul|conin\$|conout\$|com[0-9\u00B9\u00B2\u00B3]|lpt[0-9\u00B9\u00B2\u00B3])\s*(\.|$)/i;

/**
 * The names of a relative path. Both slashes separate, on every platform, so that a path means the same everywhere.
 * The empty path and `.` are the workspace folder itself: no names.
 * @throws WorkspaceError for what is not a plain path below the folder.
 */
export function parsePath(path: string, platform: NodeJS.Platform = process.platform): readonly string[] {
  const refuse = (problem: string): never => {
    throw new WorkspaceError(
      `${quote(path)} ${problem}. Give a path relative to the workspace folder, such as "src/index.ts".`,
    );
  };
  if (path.length > MAX_PATH) return refuse('is too long');
  if (!path.isWellFormed() || /\p{Cc}/u.test(path)) return refuse('contains characters that no path has');
  if (/^[\\/]/.test(path)) return refuse('is an absolute path');
  if (/^[a-z][a-z0-9+.-]*:/i.test(path)) return refuse('names a drive or an address');
  const names = path.split(/[\\/]+/).filter((name) => name !== '' && name !== '.');
  if (names[0] === '~') return refuse('names the home folder');
  for (const name of names) {
    if (name === '..') return refuse('contains ".."');
    if (platform !== 'win32') continue;
    if (/[<>:"|?*]/.test(name) || DEVICE.test(name) || /[. ]$/.test(name))
      return refuse('contains a name that Windows gives another meaning');
  }
  return names;
}

/**
 * A name as the most forgiving file system sees it: NTFS ignores case, dots and spaces at the end and what follows
 * a colon; HFS+ ignores case and invisible characters.
 */
function folded(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/:.*$/su, '')
    .replace(/[. ]+$/u, '');
}

/** Whether some file system opens git's own folder under this name. `git~1` is its short name on NTFS. */
export function isGitName(name: string): boolean {
  return /^(\.git|git~\d+)$/u.test(folded(name));
}

/** The same for our own folder. */
export function isOwnName(name: string): boolean {
  return /^(\.lodeline|lodeli~\d+)$/u.test(folded(name));
}

export type Purpose = 'read' | 'write';

/**
 * Refuses names that no subagent reads (git's own data, the store of memories) or writes (also our settings).
 * @throws WorkspaceError
 */
export function guardNames(names: readonly string[], purpose: Purpose): void {
  const path = quote(names.join('/'));
  if (names.some(isGitName))
    throw new WorkspaceError(`${path} belongs to git and is not open to this tool. Leave it alone.`);
  const own = names.findIndex(isOwnName);
  if (own === -1) return;
  if (purpose === 'write')
    throw new WorkspaceError(`${path} belongs to Lodeline and is not written to. Leave it alone.`);
  if (names.slice(own + 1).some((name) => folded(name) === 'store'))
    throw new WorkspaceError(`${path} holds memory, which is read with the memory tools only.`);
}

/** Files that tell editors and agents what to run; a person agrees before one changes. */
const CONFIGURES = /^(\.vscode|\.devcontainer|\.claude|\.cursor|\.mcp\.json|.*\.code-workspace)$/;

/** Whether a change to this file can make an editor or another agent run something. */
export function configuresPrograms(names: readonly string[]): boolean {
  return names.some((name) => CONFIGURES.test(folded(name)));
}
