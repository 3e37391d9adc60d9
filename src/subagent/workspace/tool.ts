/** What a worker tool is, and the texts that all of them share. */
import type { z } from 'zod';
import type { CallEvidence } from '../../session/effects.ts';
import type { PlannedFiles } from '../../session/turnCalls.ts';

/** Most characters that one answer holds; more would push a subagent's task out of its window. */
export const MAX_RESULT = 100_000;

/** An error that the model can act on; its message says what to do next. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError';
}

/** What is about to happen, for a person to decide. */
export interface Question {
  readonly title: string;
  readonly detail: string;
}

/** Asks the person. `unavailable`: nobody can be asked. */
export type Approve = (question: Question) => Promise<'approved' | 'declined' | 'unavailable'>;

/** An answer that shows what stands in files which its input does not name. */
export interface Shown {
  readonly text: string;
  /** From the workspace folder. */
  readonly files: readonly string[];
}

/** By what it can be told later whether a call took effect. */
export type Evidence = Omit<CallEvidence, 'root'>;

export interface WorkspaceTool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly description: string;
  /** The call runs alone: it changes something, or may. */
  readonly exclusive: boolean;
  readonly effect: 'read' | 'write' | 'execute';
  readonly input: Input;
  /**
   * @param call its id
   * @throws WorkspaceError, or the signal's reason when the call is cancelled.
   */
  run(input: z.output<Input>, signal: AbortSignal, call?: string): Promise<string | Shown>;
  /** Of a call that has an effect. @throws WorkspaceError where the call itself will be refused. */
  evidence?(input: z.output<Input>, planned: PlannedFiles): Promise<Evidence>;
}

/** Types a tool by its own schema. */
export function workspaceTool<Input extends z.ZodObject>(tool: WorkspaceTool<Input>): WorkspaceTool {
  return tool as unknown as WorkspaceTool;
}

/** On one line and without what changes how a line looks, so that foreign text cannot pretend to be ours. */
export function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '')
    .toWellFormed();
}

/** The start of a text of at most `length` UTF-16 units, never cut inside a character. */
export function start(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length);
  return cut.isWellFormed() ? cut : cut.slice(0, -1).toWellFormed();
}

/** A name in an error, quoted and short. */
export function quote(name: string): string {
  return `"${start(oneLine(name), 200)}"`;
}

/** `1,234 bytes`, `5.2 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 10_000) return `${bytes.toLocaleString('en-US')} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Waits for `work`, or for the signal: then throws its reason. The work itself is not stopped. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    // Nobody hears of it any more.
    work.catch(() => {});
    throw signal.reason;
  }
  let stop: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
