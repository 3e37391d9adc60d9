/** Which commands of a model run without a question. */
import { WorkspaceError } from './tool.ts';

/** A person has to be able to read what they are asked about. */
const MAX_COMMAND = 4000;

/**
 * What stands for itself in every shell. Everything else (quotes, `;`, `&`, `|`, `$`, backticks, line ends, `%`,
 * `^`, globs) can make one command into two or into another.
 */
const PLAIN = /^[\p{L}\p{N} _./:=@,+-]*$/u;

/**
 * Refuses a command that a person would not see as it is: control characters, characters that are invisible or
 * change the direction of writing.
 * @throws WorkspaceError
 */
export function checkCommand(command: string): void {
  if (command.trim() === '') throw new WorkspaceError('The command is empty. Give one line for the shell.');
  if (command.length > MAX_COMMAND)
    throw new WorkspaceError(
      `The command has more than ${MAX_COMMAND} characters. Write it to a script file and run that.`,
    );
  if (!command.isWellFormed() || /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(command))
    throw new WorkspaceError(
      'The command contains characters that a person cannot see. Write it without them.',
    );
}

/**
 * Whether the person's list allows a command: one that is the same, or one that begins as an entry with `*` at its
 * end does and goes on with plain characters only.
 * @param list value of the setting; anything but an array of strings allows nothing
 */
export function isAllowed(command: string, list: unknown): boolean {
  if (!Array.isArray(list)) return false;
  return list.some((entry: unknown) => {
    if (typeof entry !== 'string') return false;
    if (!entry.endsWith('*')) return entry !== '' && command === entry;
    const prefix = entry.slice(0, -1);
    return command.startsWith(prefix) && PLAIN.test(command.slice(prefix.length));
  });
}

/** What a command's processes inherit: where things are and how a person writes, and no secrets. */
const INHERITED = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TERM', 'TZ', 'TMPDIR', 'TEMP', 'TMP'],
  ...['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR'],
  ...['JAVA_HOME', 'GOPATH', 'GOROOT', 'CARGO_HOME', 'RUSTUP_HOME', 'NVM_DIR', 'VIRTUAL_ENV', 'CONDA_PREFIX'],
  ...['PYENV_ROOT', 'PNPM_HOME', 'DOTNET_ROOT', 'ANDROID_HOME'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'USERPROFILE', 'USERNAME', 'HOMEDRIVE'],
  ...['HOMEPATH', 'APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)'],
  ...['NUMBER_OF_PROCESSORS', 'PROCESSOR_ARCHITECTURE'],
]);

/** The environment of a command: the variables above and the locale, from that of this process. */
export function environmentOf(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(own).filter(([name]) => INHERITED.has(name.toUpperCase()) || /^LC_[A-Z]+$/.test(name)),
  );
}
