/** The one way to run git: an environment of its own, bytes in and out, configuration that could act switched off. */
import { devNull } from 'node:os';
import { simpleGit } from 'simple-git';

/** What git and the programs it needs look up; nothing that begins with `GIT_` is inherited. */
const INHERITED = [
  'PATH',
  'Path',
  'HOME',
  'USERPROFILE',
  'HOMEDRIVE',
  'HOMEPATH',
  'XDG_CONFIG_HOME',
  'APPDATA',
  'PROGRAMDATA',
  'SYSTEMROOT',
  'SystemRoot',
  'TMPDIR',
  'TEMP',
  'TMP',
];

/** Settings that would run a program, reach the network or touch more than asked, each set to what does not. */
const NEUTRAL: readonly GitSetting[] = [
  ['core.hooksPath', devNull],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.splitIndex', 'false'],
  ['core.quotePath', 'false'],
  ['submodule.recurse', 'false'],
  ['protocol.allow', 'never'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['status.renames', 'false'],
];

/** What lies beyond is simple-git's own: git did not run. */
const LAST_EXIT_CODE = 255;

/** A setting's key and value. */
export type GitSetting = readonly [key: string, value: string];

export interface GitCall {
  /** Folder to run in. */
  readonly cwd: string;
  /** `GIT_*` variables of this call. */
  readonly env?: Readonly<Record<string, string>>;
  /** Settings that win over every file. */
  readonly settings?: readonly GitSetting[];
  /** What git reads from its standard input. */
  readonly input?: Buffer | string;
  /** Exit codes besides 0 that are an answer and no failure. */
  readonly accept?: readonly number[];
  readonly signal?: AbortSignal | undefined;
}

export interface GitAnswer {
  readonly code: number;
  readonly stdout: Buffer;
}

/** Git refused; the message is what it said. */
export class GitError extends Error {
  override readonly name = 'GitError';
  /** Git's exit code; -1 when it did not run. */
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

/**
 * Runs git with exactly these arguments; paths belong behind `--` or into `input`.
 * @throws {GitError} when git cannot run, or ends with a code that is neither 0 nor accepted.
 */
export async function runGit(args: readonly string[], call: GitCall): Promise<GitAnswer> {
  const env = environment(call);
  let answer: GitAnswer & { stderr: string } = { code: -1, stdout: Buffer.alloc(0), stderr: '' };
  try {
    const client = simpleGit({
      baseDir: call.cwd,
      maxConcurrentProcesses: 1,
      allowEnvironment: Object.keys(env).filter((key) => key.startsWith('GIT_')),
      // The guard is for settings and variables that come from outside; here none do.
      unsafe: {
        allowUnsafeConfigEnvCount: true,
        allowUnsafeConfigPaths: true,
        allowUnsafeFsMonitor: true,
        allowUnsafeHooksPath: true,
        allowUnsafeProtocolOverride: true,
      },
      // Nothing to say must be said, too: simple-git leaves the input open for an empty text, and git waits for ever.
      input: () => call.input || Buffer.alloc(0),
      // simple-git takes any output on stderr for a failure, and a failure in silence for success.
      errors: (error, { exitCode, stdOut, stdErr }) => {
        if (!Number.isInteger(exitCode) || exitCode < 0 || exitCode > LAST_EXIT_CODE) {
          return error ?? new Error('git was ended from outside');
        }
        answer = { code: exitCode, stdout: Buffer.concat(stdOut), stderr: Buffer.concat(stdErr).toString() };
        return undefined;
      },
      ...(call.signal ? { abort: call.signal } : {}),
    }).env(env);
    // After a command that said nothing simple-git waits for 50 ms, and most of git's plumbing says nothing.
    client.outputHandler((_command, stdout) =>
      stdout.once('end', () => stdout.emit('data', Buffer.alloc(0))),
    );
    await client.raw([...args]);
  } catch (error) {
    call.signal?.throwIfAborted();
    throw new GitError(error instanceof Error ? error.message : String(error), -1);
  }
  if (answer.code !== 0 && !call.accept?.includes(answer.code)) {
    throw new GitError(answer.stderr.trim() || `git ${args[0]} ended with code ${answer.code}`, answer.code);
  }
  return answer;
}

function environment({ env = {}, settings = [] }: GitCall): Record<string, string> {
  const result: Record<string, string> = {
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_LITERAL_PATHSPECS: '1',
    ...env,
  };
  for (const name of INHERITED) {
    const value = process.env[name];
    if (value !== undefined) result[name] = value;
  }
  const all = [...settings, ...NEUTRAL];
  result.GIT_CONFIG_COUNT = String(all.length);
  for (const [at, [key, value]] of all.entries()) {
    result[`GIT_CONFIG_KEY_${at}`] = key;
    result[`GIT_CONFIG_VALUE_${at}`] = value;
  }
  return result;
}

/** A one-line answer as text. */
export function lineOf(answer: GitAnswer): string {
  return answer.stdout.toString().replace(/\r?\n$/, '');
}

/** The fields of a `-z` answer, as bytes: names need not be UTF-8. */
export function fieldsOf(bytes: Buffer): Buffer[] {
  const fields: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0, start);
    const stop = end === -1 ? bytes.length : end;
    fields.push(bytes.subarray(start, stop));
    start = stop + 1;
  }
  return fields;
}

/** Fields as git reads them with `-z`. */
export function joinFields(fields: readonly Buffer[]): Buffer {
  const zero = Buffer.of(0);
  return Buffer.concat(fields.flatMap((field) => [field, zero]));
}
