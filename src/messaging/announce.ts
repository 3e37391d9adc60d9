/** What a requester is told when a session that it spawned has ended (seed 003: Status, Result, Notes, statistics). */
import type { Usage } from '../session/messages.ts';
import { clipped, oneLine, shortened } from './text.ts';

/** Characters of a result; the whole is in the child's transcript. */
const MOST_RESULT = 20_000;
const MOST_NOTES = 4_000;

/** How a run ended, as whoever ran it knows; what the model says of it does not count. */
export type RunOutcome = 'ok' | 'error' | 'timeout' | 'unknown';

export interface RunReport {
  readonly outcome: RunOutcome;
  /** Why, where it did not end well. */
  readonly error?: string | undefined;
  readonly label?: string | undefined;
  /** The child's last words. */
  readonly reply: string;
  /** The latest result of a tool in the child, which stands in for an empty reply. */
  readonly lastToolResult?: string | undefined;
  /** The child's answer in the announce step; absent where that step failed. */
  readonly notes?: string | undefined;
  readonly runtimeMs: number;
  /** Absent where the requester may not know it. */
  readonly usage?: Usage | undefined;
  /** In US dollars, where it is known. */
  readonly cost?: number | undefined;
  readonly model?: string | undefined;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly transcriptPath: string;
}

const STATUS: Readonly<Record<RunOutcome, string>> = {
  ok: 'completed successfully',
  error: 'failed',
  timeout: 'timed out',
  unknown: 'unknown: the run was interrupted and is not repeated by itself; check what it has done',
};

/**
 * The announcement:
 * ```
 * Status: completed successfully
 * Result:
 * …
 * Notes:
 * …
 * Stats: runtime 5m12s • tokens 1200 (in 900 / out 300) • sessionKey … • sessionId … • transcript …
 * ```
 */
export function announcement(report: RunReport): string {
  const { outcome, error, notes = '' } = report;
  const reason = error === undefined || outcome === 'ok' ? '' : `: ${clipped(oneLine(error), 500)}`;
  return [
    `Status: ${STATUS[outcome]}${reason}`,
    `Result:\n${shortened(resultOf(report), MOST_RESULT) || '(none)'}`,
    ...(notes.trim() === '' ? [] : [`Notes:\n${shortened(notes.trim(), MOST_NOTES)}`]),
    statistics(report),
  ].join('\n\n');
}

/** The child's last words, else the latest result of a tool. */
export function resultOf({
  reply,
  lastToolResult = '',
}: Pick<RunReport, 'reply' | 'lastToolResult'>): string {
  return reply.trim() === '' ? lastToolResult.trim() : reply.trim();
}

function statistics(report: RunReport): string {
  const parts = [
    `runtime ${duration(report.runtimeMs)}`,
    ...(report.usage === undefined ? [] : tokensOf(report.usage)),
    ...(report.cost === undefined ? [] : [`est $${report.cost.toFixed(4)}`]),
    ...(report.model === undefined ? [] : [`model ${oneLine(report.model)}`]),
    `sessionKey ${oneLine(report.sessionKey)}`,
    `sessionId ${report.sessionId}`,
    `transcript ${oneLine(report.transcriptPath)}`,
  ];
  return `Stats: ${parts.join(' • ')}`;
}

function tokensOf({ input_tokens, output_tokens, cache_read_tokens, cache_write_tokens }: Usage): string[] {
  const cached = cache_read_tokens + cache_write_tokens;
  return [
    `tokens ${input_tokens + output_tokens} (in ${input_tokens} / out ${output_tokens})`,
    ...(cached > 0 ? [`prompt/cache ${cached}`] : []),
  ];
}

/** `12s`, `5m12s`, `1h2m`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m${seconds % 60}s` : `${Math.floor(minutes / 60)}h${minutes % 60}m`;
}
