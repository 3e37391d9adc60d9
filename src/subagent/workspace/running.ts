/**
 * Commands that run, one small file each: should this process be killed, whoever comes next sees what goes on. Which
 * command it is stands there as a hash only.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { removeFile, writeNewFile } from '../../journal/disk.ts';
import { makeDir } from '../../journal/folder.ts';
import { isAlive } from '../../journal/liveness.ts';
import { commandHash } from './commandEvidence.ts';

const NAME = /^[0-9a-f-]{36}\.json$/;

const noteSchema = z.object({
  /** Id of the session, for a subagent with a slash and its own. */
  session: z.string(),
  call: z.string(),
  command: z.string(),
  pid: z.int().positive(),
  host: z.string(),
  /** As the system tells it, see `startOf`; empty where it does not. */
  start: z.string(),
  /** Unix milliseconds. */
  at: z.number(),
});

export type RunningNote = z.output<typeof noteSchema>;

/** A note, and what has become of its process. */
export interface FoundCommand extends RunningNote {
  readonly file: string;
  /** `gone`: it has ended. `unsure`: there is a process with this id, of which it cannot be told whether it is this one. */
  readonly state: 'running' | 'gone' | 'unsure';
}

export class RunningCommands {
  readonly #dir: string;
  readonly #session: string;

  /** @param dir `<store>/running` */
  constructor(dir: string, session: string) {
    this.#dir = dir;
    this.#session = session;
  }

  /** Notes that a command has begun. Answers the note's name; undefined where it cannot be written, which is no reason to stop. */
  began({ pid, call, command }: { pid: number; call: string; command: string }): string | undefined {
    const note: RunningNote = {
      ...{ session: this.#session, call, command: commandHash(command) },
      ...{ pid, host: hostname(), start: startOf(pid) ?? '', at: Date.now() },
    };
    const name = `${randomUUID()}.json`;
    try {
      makeDir(this.#dir);
      writeNewFile(join(this.#dir, name), Buffer.from(JSON.stringify(note)));
      return name;
    } catch {
      return undefined;
    }
  }

  ended(name: string): void {
    removeFile(join(this.#dir, name));
  }
}

/** Commands of a session and its subagents of which there are notes. */
export function runningCommands(dir: string, session: string): readonly FoundCommand[] {
  return namesIn(dir).flatMap((name): FoundCommand[] => {
    const file = join(dir, name);
    const note = read(file);
    if (note === undefined || (note.session !== session && !note.session.startsWith(`${session}/`)))
      return [];
    return [{ ...note, file, state: stateOf(note) }];
  });
}

/** Removes the note of a command that has ended and was told of. */
export function forgetCommand({ file, state }: FoundCommand): void {
  if (state === 'gone') rmSync(file, { force: true });
}

function stateOf({ pid, host, start }: RunningNote): FoundCommand['state'] {
  if (host !== hostname()) return 'unsure';
  if (!isAlive(pid)) return 'gone';
  const now = startOf(pid);
  if (start === '' || now === undefined) return 'unsure';
  return now === start ? 'running' : 'gone';
}

/**
 * When a process began, as a text that no later process with its id has: on Linux the time since boot, with the boot's
 * own id; undefined elsewhere.
 */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may hold anything; the start is the 20th field after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // One that has ended and whose parent has not asked yet does nothing any more.
    if (fields[0] === 'Z' || fields[0] === 'X') return '';
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19]}`;
  } catch {
    return undefined;
  }
}

function read(file: string): RunningNote | undefined {
  try {
    return noteSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).filter((name) => NAME.test(name));
  } catch {
    return [];
  }
}
