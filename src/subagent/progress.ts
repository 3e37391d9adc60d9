/** Gathers what a running task is doing, for people who watch it. */
import type { LoopCallInput } from '../session/turnCalls.ts';
import { NO_PROGRESS, type TaskProgress } from './batchRecord.ts';

const ARGS = 60;
const RECENT = 5;
const LINES = 8;
const LINE = 200;
/** Of what the agent says, so much is kept to take its last lines from. */
const TAIL = 8 * 1024;

/** The progress of one task. `changed` is called after each change that a person could see. */
export class ProgressTracker {
  readonly #changed: () => void;
  readonly #now: () => number;
  #progress: TaskProgress = NO_PROGRESS;
  #tail = '';
  readonly #running = new Map<string, { tool: string; args: string; at: number }>();

  constructor(now: () => number, changed: () => void) {
    this.#now = now;
    this.#changed = changed;
  }

  get snapshot(): TaskProgress {
    return { ...this.#progress, lines: lastLines(this.#tail) };
  }

  said(text: string): void {
    this.#tail = (this.#tail + text).slice(-TAIL);
    this.#changed();
  }

  called({ id, name, input }: LoopCallInput): void {
    // The next thing that is said begins a line of its own.
    if (this.#tail !== '' && !this.#tail.endsWith('\n')) this.#tail += '\n';
    this.#running.set(id, { tool: name, args: argsLine(input), at: this.#now() });
    this.#update({ tools: this.#progress.tools + 1 });
  }

  answered({ id }: Pick<LoopCallInput, 'id'>): void {
    const call = this.#running.get(id);
    this.#running.delete(id);
    if (call === undefined) return;
    this.#update({ recent: [{ ...call, at: this.#now() }, ...this.#progress.recent].slice(0, RECENT) });
  }

  /** Tokens of one more answer. */
  used(tokens: number): void {
    this.#update({ tokens: this.#progress.tokens + tokens });
  }

  #update(change: Partial<TaskProgress>): void {
    this.#progress = { ...this.#progress, ...change, current: [...this.#running.values()].at(-1) };
    this.#changed();
  }
}

function argsLine(input: unknown): string {
  const text = JSON.stringify(input) ?? '';
  const line = [
    ...text
      .slice(0, ARGS * 4)
      .replace(/\s+/gu, ' ')
      .toWellFormed(),
  ];
  return line.length <= ARGS ? line.join('') : `${line.slice(0, ARGS - 1).join('')}…`;
}

function lastLines(tail: string): readonly string[] {
  return tail
    .toWellFormed()
    .split('\n')
    .map((line) => line.trim().slice(0, LINE))
    .filter((line) => line !== '')
    .slice(-LINES)
    .reverse();
}
