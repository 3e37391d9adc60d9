/** What became of calls that were announced and have no outcome, as a resume records and tells it. */
import type { Finding } from '../effects.ts';
import type { Draft } from '../record.ts';
import type { Ledger, Unresolved } from './ledger.ts';
import { firstOf } from './lines.ts';

/** What somebody who looked found of a call. */
export interface CallFinding {
  readonly id: string;
  readonly finding: Finding;
  /** Why, for the model: one sentence. */
  readonly detail: string;
}

/** Work in the background that was found: it goes on, has ended, or has lost its process. */
export interface BackgroundState {
  /** Names what was found and the state it is in, so that it is told once. */
  readonly name: string;
  /** For the model, one line. */
  readonly text: string;
}

/** What was found around a session that was left. */
export interface Found {
  readonly calls: readonly CallFinding[];
  readonly background: readonly BackgroundState[];
}

export const NOTHING_FOUND: Found = { calls: [], background: [] };

const NOBODY_LOOKED = 'nobody could look';

/**
 * The record that settles every call that has no outcome, and tells what is new of the background; none when there is
 * nothing. What nobody looked at is unknown.
 * @param parts what else was found, one line each
 */
export function settlement(ledger: Ledger, found: Found, parts: readonly string[] = []): Draft[] {
  const findings = new Map(found.calls.map((call) => [call.id, call]));
  const settled = ledger.unresolved.map((call) => ({ call, ...findingOf(call, findings.get(call.call)) }));
  const background = found.background.filter(({ name }) => !ledger.wasTold(name));
  const calls = settled.map(({ call, finding }) => ({ id: call.call, name: call.name, finding }));
  if (calls.length === 0 && background.length === 0 && parts.length === 0) return [];
  const lines: string[] = [];
  // A call that was not recorded is not in the conversation: the model knows nothing of it.
  const shown = settled.filter(({ call }) => call.announced !== undefined);
  if (shown.length > 0) {
    lines.push('What became of the calls that had no result when the session was left:');
    // What is unknown is to be looked at: where not all can be told, those are.
    const isUnknown = ({ finding }: { readonly finding: Finding }) => finding === 'unknown';
    const told = shown.toSorted((a, b) => Number(isUnknown(b)) - Number(isUnknown(a)));
    lines.push(
      ...firstOf(
        told.map(({ call, finding, detail }) => {
          const announced = call.announced === '' ? '' : `, announced with: ${call.announced}`;
          return `- ${call.name} (${call.call}): ${finding}: ${detail}${announced}`;
        }),
      ),
    );
  }
  if (shown.some(({ finding }) => finding === 'unknown')) lines.push(LOOK_FIRST);
  if (background.length > 0)
    lines.push('Work in the background:', ...background.map(({ text }) => `- ${text}`));
  lines.push(...parts);
  const told = background.map(({ name }) => name);
  const reconciled = { calls, report: lines.join('\n'), ...(told.length > 0 && { told }) };
  return [{ type: 'reconciled', reconciled }];
}

const LOOK_FIRST =
  'Look with tools that only read whether the unknown ones took effect, then call acknowledge for each. Until then tools with side effects are refused.';

function findingOf(call: Unresolved, found: CallFinding | undefined): Omit<CallFinding, 'id'> {
  if (call.announced === undefined) return { finding: 'failed', detail: 'it was not begun' };
  if (call.ended === 'ok') return { finding: 'succeeded', detail: 'only what it answered is lost' };
  if (call.isProved) return { finding: 'succeeded', detail: 'what it wrote is in this session' };
  // All that such a call does is in the transcript, durably before it answers.
  if (call.effect === 'record') return { finding: 'failed', detail: 'it changed nothing' };
  return found ?? { finding: 'unknown', detail: NOBODY_LOOKED };
}
