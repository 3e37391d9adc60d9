/**
 * How a subagent ends. It calls the hidden tool `yield`; when it stops without, it is reminded, up to three times.
 * Pure: a loop of ours tells of calls and stops, and does what the answers say.
 */
import type { JsonValue } from '../journal/record.ts';
import type { ToolSpec } from '../session/chatModel.ts';
import { type Finding, withFindings } from './findings.ts';
import type { OutputSchema } from './outputSchema.ts';
import { oneLine } from './text.ts';

export const YIELD = 'yield';

/** Seed 000: at most three reminders. */
const REMINDERS = 3;
/** A schema that the model misses twice is more likely at fault than the work. */
const MISMATCHES = 2;
/** A model that cannot form the call never will; without this it would go on until its budget is spent. */
const FAILED_CALLS = 6;

const WARNING = `SYSTEM WARNING: Subagent exited without calling yield tool after ${REMINDERS} reminders.`;

/** Answer to a call of `yield`. */
export interface YieldAnswer {
  readonly text: string;
  readonly isError: boolean;
  /** The loop ends after this call. */
  readonly ends: boolean;
}

/** What to do when the model stops without having yielded. */
export type StopAnswer =
  | { readonly kind: 'remind'; readonly text: string; readonly mustCall: typeof YIELD | undefined }
  | { readonly kind: 'finish' };

/** How the loop itself ended. */
export interface LoopEnd {
  /** The last text of the model. */
  readonly text: string;
  /** 0 when the loop ended by itself. */
  readonly exitCode: number;
  /** What went wrong in the loop. */
  readonly error?: string | undefined;
  /** It was cancelled. */
  readonly cancelled?: boolean | undefined;
}

export interface Outcome {
  readonly status: 'completed' | 'failed' | 'aborted';
  readonly exitCode: number;
  /** What the parent gets; goes whole into the artifact. */
  readonly output: string;
  readonly stderr: string;
  /** The output as a value, when it is one. */
  readonly data?: JsonValue | undefined;
  /** Where an output that was accepted all the same does not fit the schema. */
  readonly mismatch?: string | undefined;
}

type Yielded =
  | { readonly status: 'success'; readonly data: JsonValue; readonly mismatch?: string | undefined }
  | { readonly status: 'aborted'; readonly error: string };

/** One subagent's way to its end. */
export class YieldMachine {
  readonly #schema: OutputSchema | undefined;
  #yielded: Yielded | undefined;
  #mismatches = 0;
  #failed = 0;
  #problem: string | undefined;
  #reminders = 0;

  constructor(schema?: OutputSchema) {
    this.#schema = schema;
  }

  /** A call of `yield` with what the model wrote; undefined when that was no JSON. Of several, the last one counts. */
  call(input: JsonValue | undefined): YieldAnswer {
    const problem = this.#take(input);
    if (problem === undefined) return { text: this.#accepted(), isError: false, ends: true };
    this.#failed += 1;
    this.#problem = problem;
    return { text: problem, isError: true, ends: this.#failed >= FAILED_CALLS };
  }

  /** The model stopped without a call of `yield` that was accepted. */
  stopped(): StopAnswer {
    if (this.#yielded || this.#reminders >= REMINDERS) return { kind: 'finish' };
    this.#reminders += 1;
    const last = this.#reminders === REMINDERS;
    const text = `Reminder ${this.#reminders} of ${REMINDERS}: you stopped without calling ${YIELD}, the only way to hand over. If work is left, go on with it. If it is done, call ${YIELD} with {"result": {"data": …}}. If it cannot be done, call ${YIELD} with {"result": {"error": "why"}}.${last ? ' This is the last reminder: call it now.' : ''}`;
    return { kind: 'remind', text, mustCall: last ? YIELD : undefined };
  }

  /** What the subagent comes to, with the findings that it reported. */
  finish(end: LoopEnd, findings: readonly Finding[] = []): Outcome {
    const yielded = this.#yielded;
    if (yielded?.status === 'success') return this.#completed(yielded.data, findings, yielded.mismatch);
    if (yielded) {
      const { error } = yielded;
      return { status: 'aborted', exitCode: 0, output: json({ aborted: true, error }), stderr: error };
    }
    const text = end.text.toWellFormed();
    if (end.cancelled || end.exitCode !== 0) {
      const stderr = end.error ?? (end.cancelled ? 'Cancelled' : 'The subagent failed');
      const status = end.cancelled ? 'aborted' : 'failed';
      return { status, exitCode: end.exitCode || 1, output: text, stderr };
    }
    const data = acceptable(text, this.#schema);
    if (data !== undefined) return this.#completed(data, findings);
    if (!this.#schema && text.trim() !== '')
      return { status: 'completed', exitCode: 0, output: text, stderr: '' };
    const output = text.trim() === '' ? WARNING : `${WARNING}\n\n${text}`;
    return { status: 'failed', exitCode: 1, output, stderr: this.#problem ?? WARNING };
  }

  /** Takes a call, or says what is wrong with it. */
  #take(input: JsonValue | undefined): string | undefined {
    const result = isObject(input) ? input.result : undefined;
    if (!isObject(result))
      return '`result` must be an object: {"result": {"data": …}} for success, {"result": {"error": "why"}} when the task cannot be done.';
    const { data } = result;
    // Some models fill in every field; one that is null says nothing.
    const error = result.error ?? undefined;
    if (data !== undefined && data !== null && error !== undefined)
      return '`result` cannot contain both `data` and `error`. Send `data` for success or `error` for failure.';
    if (error !== undefined) {
      if (typeof error !== 'string' || error.trim() === '')
        return '`error` must be a text that says why the task cannot be done.';
      this.#yielded = { status: 'aborted', error: error.toWellFormed() };
      return undefined;
    }
    if (data === undefined) return '`result` must contain either `data` or `error`.';
    const problems = this.#schema?.check(data) ?? [];
    if (data === null && (!this.#schema || problems.length > 0))
      return '`data` must not be null: put what you hand over there.';
    const mismatch = problems.length > 0 ? problems.join('; ') : undefined;
    if (mismatch !== undefined) {
      this.#mismatches += 1;
      if (this.#mismatches < MISMATCHES) return `Output does not match schema: ${mismatch}`;
    }
    this.#yielded = { status: 'success', data, mismatch };
    return undefined;
  }

  #accepted(): string {
    if (this.#yielded?.status === 'aborted') return `Task aborted: ${oneLine(this.#yielded.error)}`;
    return this.#yielded?.mismatch === undefined
      ? 'Result submitted.'
      : `Result submitted (schema validation overridden after ${this.#mismatches} failed attempt(s)).`;
  }

  #completed(data: JsonValue, findings: readonly Finding[], mismatch?: string): Outcome {
    const whole = withFindings(data, findings, this.#schema);
    return { status: 'completed', exitCode: 0, output: json(whole), stderr: '', data: whole, mismatch };
  }
}

/**
 * The tool as the model is told of it. A schema that refers to parts of itself stands in the description, because
 * inside another schema its references would lead nowhere.
 */
export function yieldSpec(schema?: OutputSchema): ToolSpec {
  const text = schema && JSON.stringify(schema.jsonSchema);
  const apart = text?.includes('"$ref"') || text?.includes('"$dynamicRef"') || text?.includes('"$id"');
  const described = apart ? ` result.data must match this JSON Schema: ${text}` : '';
  const data: JsonValue = text && !apart ? JSON.parse(text) : {};
  return {
    name: YIELD,
    description: `Ends your work and hands over its result; nothing else you write reaches the one who asked. Call it exactly once, as the last thing: {"result": {"data": …}} when the task is done, {"result": {"error": "why"}} when it cannot be done.${described}`,
    inputSchema: {
      type: 'object',
      properties: {
        result: {
          type: 'object',
          description: 'Either data or error.',
          properties: { data, error: { type: 'string', description: 'Why the task cannot be done.' } },
        },
      },
      required: ['result'],
    },
  };
}

/** The value that a last text stands for: JSON, perhaps in a code fence or as `{"data": …}`, that fits the schema. */
function acceptable(text: string, schema: OutputSchema | undefined): JsonValue | undefined {
  if (!schema) return undefined;
  let whole: JsonValue;
  try {
    whole = JSON.parse(/^\s*```(?:json)?\n([\s\S]*)\n```\s*$/.exec(text)?.[1] ?? text);
  } catch {
    return undefined;
  }
  const inner = isObject(whole) && Object.keys(whole).length === 1 ? whole.data : undefined;
  const candidates = schema.declares('data') ? [whole, inner] : [inner, whole];
  return candidates.find((one) => one !== undefined && schema.check(one).length === 0);
}

function json(value: JsonValue): string {
  return JSON.stringify(value, null, 2);
}

function isObject(value: JsonValue | undefined): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
