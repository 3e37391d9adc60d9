/** What a parent reads of its subagents, in the shape of seed 000's reference. */
import { lineCount } from './output.ts';

/** Seed 000's reference: longer outputs are shown in part, and read whole by their address. */
const PREVIEW_CHARACTERS = 5_000;

/** What became of one task. */
export interface TaskResult {
  /** Artifact id. */
  readonly id: string;
  readonly agent: string;
  readonly exitCode: number;
  /** What the parent gets, after the cap. */
  readonly output: string;
  /** Of the whole output; without it `output` is the whole. */
  readonly outputMeta?: { readonly lineCount: number; readonly charCount: number } | undefined;
  /** Cancelled, or given up by the subagent itself. */
  readonly aborted?: boolean | undefined;
  /** Beside exit code 0: what went wrong after the work was done, when it was brought back. */
  readonly error?: string | undefined;
  /** What the parent should know of the output, such as that it does not fit the schema. */
  readonly warning?: string | undefined;
}

export interface SummaryOptions {
  /** Milliseconds. */
  readonly durationMs: number;
  /** What became of the changes of isolated tasks. */
  readonly merge?: string | undefined;
}

/** In words: `completed`, `failed (exit 1)`, `merge failed` or `cancelled`. */
export function statusOf({ aborted, exitCode, error }: TaskResult): string {
  if (aborted) return 'cancelled';
  if (exitCode !== 0) return `failed (exit ${exitCode})`;
  return error === undefined ? 'completed' : 'merge failed';
}

/**
 * The summary of a batch. Names and texts of others cannot close its tags, open some of their own, or speak as the
 * system.
 */
export function taskSummary(results: readonly TaskResult[], { durationMs, merge }: SummaryOptions): string {
  const succeeded = results.filter((result) => statusOf(result) === 'completed').length;
  const cancelled = results.filter((result) => result.aborted).length;
  const also = cancelled > 0 ? ` (${cancelled} cancelled)` : '';
  return [
    '<task-summary>',
    `<header>${succeeded}/${results.length} succeeded${also} [${duration(durationMs)}]</header>`,
    ...results.flatMap(agentLines),
    ...(merge === undefined ? [] : ['<merge-summary>', harmless(merge), '</merge-summary>']),
    '</task-summary>',
  ].join('\n');
}

/** The start of a long text, up to the last whole line; undefined for a text that is short enough. */
export function previewOf(text: string): string | undefined {
  if (text.length <= PREVIEW_CHARACTERS) return undefined;
  const start = text.slice(0, PREVIEW_CHARACTERS);
  const end = start.lastIndexOf('\n');
  // Never half of a character.
  return end > 0 ? start.slice(0, end) : start.replace(/[\uD800-\uDBFF]$/, '');
}

function agentLines(result: TaskResult): string[] {
  const { id, agent, output, error, warning } = result;
  const meta = result.outputMeta ?? { lineCount: lineCount(output), charCount: output.length };
  const preview = previewOf(output);
  return [
    `<agent id="${attribute(id)}" agent="${attribute(agent)}">`,
    `<status>${statusOf(result)}</status>`,
    ...(output === '' ? [] : [`<meta lines="${meta.lineCount}" size="${size(meta.charCount)}" />`]),
    ...(error === undefined ? [] : [`<error>${harmless(error)}</error>`]),
    ...(warning === undefined ? [] : [`<warning>${harmless(warning)}</warning>`]),
    ...(preview === undefined
      ? ['<result>', harmless(output), '</result>']
      : [`<preview full-path="agent://${attribute(id)}">`, harmless(preview), '</preview>']),
    '</agent>',
  ];
}

/** Our tags, and those by which hosts speak to models. Everything else, such as code, stays as it is. */
const TAG =
  /<(?=[\s/\p{Cf}]*(?:task-summary|header|agent|status|meta|error|warning|result|preview|merge-summary|system[\w-]*)(?![\w-]))/giu;

function harmless(text: string): string {
  return text.toWellFormed().replace(TAG, '&lt;');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function attribute(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
}

function size(characters: number): string {
  if (characters < 1_000) return `${characters} characters`;
  return characters < 1_000_000
    ? `${(characters / 1_000).toFixed(1)}K`
    : `${(characters / 1_000_000).toFixed(1)}M`;
}

function duration(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)}s`;
  return `${Math.floor(seconds / 60)}m ${Math.floor(seconds % 60)}s`;
}
