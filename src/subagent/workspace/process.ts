/** Runs one command line in the platform's shell, and ends everything that it started. */
import { type ChildProcess, spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

/** What is kept of the output: its beginning and its end. In UTF-16 units. */
const HEAD = 40_000;
const TAIL = 56_000;
/** Processes that were asked to end have this long to do it, milliseconds. */
const GRACE = 2000;
/** A process that left the group may hold the output open; it is not waited for. Milliseconds. */
const LINGER = 500;

export interface CommandOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds. */
  readonly timeout: number;
}

export interface CommandEnd {
  /** Both streams, in the order of arrival. */
  readonly output: string;
  /** The exit code; the signal's name when one ended it; undefined when it did not start. */
  readonly code: number | string | undefined;
  readonly timedOut: boolean;
}

/**
 * Runs a command to its end. Processes that it leaves behind in its group are ended with it.
 * @param began told the process's id, which on POSIX is also its group's
 * @throws the signal's reason when cancelled, after its processes were ended; an error when there is no shell.
 */
export async function runCommand(
  command: string,
  { cwd, env, timeout }: CommandOptions,
  signal: AbortSignal,
  began?: (pid: number) => void,
): Promise<CommandEnd> {
  signal.throwIfAborted();
  const isWindows = process.platform === 'win32';
  const child = spawn(command, {
    cwd,
    env,
    shell: true,
    // Its own group on POSIX, so that all of it can be ended at once.
    detached: !isWindows,
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) began?.(child.pid);
  const output = new Output();
  output.take(child.stdout);
  output.take(child.stderr);
  const stop = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
  const ended = whenEnded(child);
  const onStop = () => void endGroup(child, ended);
  stop.addEventListener('abort', onStop, { once: true });
  try {
    const code = await ended;
    const timedOut = stop.aborted;
    killGroup(child, 'SIGKILL');
    await Promise.race([output.closed(), delay(LINGER)]);
    signal.throwIfAborted();
    return { output: output.text(), code, timedOut };
  } finally {
    stop.removeEventListener('abort', onStop);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** Asks the group to end, and makes it after a moment. */
async function endGroup(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  killGroup(child, 'SIGTERM');
  const quiet = ended.catch(() => undefined);
  const isOver = await Promise.race([quiet.then(() => true), delay(GRACE, false)]);
  if (!isOver) killGroup(child, 'SIGKILL');
}

function killGroup(child: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  if (process.platform === 'win32') {
    // Windows has no groups: the tree is found from its top, as long as that lives.
    if (child.exitCode === null)
      spawn('taskkill', ['/pid', String(child.pid), '/T', '/F'], { windowsHide: true, stdio: 'ignore' }).on(
        'error',
        () => child.kill(),
      );
    return;
  }
  try {
    process.kill(-child.pid, name);
  } catch {
    // Nobody is left in the group.
  }
}

function whenEnded(child: ChildProcess): Promise<number | string | undefined> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, name) => resolve(code ?? name ?? undefined));
  });
}

/** The beginning and the end of what a command writes, whatever it writes. */
class Output {
  #head = '';
  #tail = '';
  #dropped = 0;
  readonly #closed: Promise<unknown>[] = [];

  take(stream: NodeJS.ReadableStream): void {
    // Characters may be cut between two chunks.
    const decoder = new StringDecoder('utf8');
    stream.on('data', (chunk: Buffer) => this.#add(decoder.write(chunk)));
    stream.on('end', () => this.#add(decoder.end()));
    this.#closed.push(new Promise<void>((resolve) => stream.once('close', resolve)));
  }

  closed(): Promise<unknown> {
    return Promise.all(this.#closed);
  }

  text(): string {
    const tail = this.#tail.slice(-TAIL);
    const dropped = this.#dropped + this.#tail.length - tail.length;
    const gap = dropped === 0 ? '' : `\n(… ${dropped} characters are left out here …)\n`;
    return stripVTControlCharacters(`${this.#head}${gap}${tail}`).toWellFormed();
  }

  #add(text: string): void {
    const room = HEAD - this.#head.length;
    this.#head += text.slice(0, room);
    this.#tail += text.slice(Math.max(0, room));
    // Twice as much before it is cut, so that many small chunks are not copied each time.
    if (this.#tail.length <= 2 * TAIL) return;
    this.#dropped += this.#tail.length - TAIL;
    this.#tail = this.#tail.slice(-TAIL);
  }
}
