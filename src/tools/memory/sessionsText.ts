/** Who is at work, in the shape of seed 001's example. Also printed at the start of a chat. */
import { oneLine } from '../../memory/line.ts';
import type { PresenceView, PresentSession } from '../../session/presence.ts';
import { ACTIVE_MS } from '../../session/presenceRecord.ts';

/** A list is to be read at a glance; the rest is counted. */
const MOST_FILES = 20;

/**
 * ```
 * 🧭 Active sessions (2) — 10 min window:
 *
 * • claude-code @ feature/foo
 *    id: sess-B
 *    Files:
 *      • src/shared.ts
 * • copilot @ feature/foo (you)
 *    id: sess-A
 *
 * 🔥 Soft conflicts (1):
 *   ⚠️ src/shared.ts  ↔  claude-code@feature/foo, copilot@feature/foo
 * ```
 * @param own the key of the session that asks
 */
export function sessionsText(view: PresenceView, own: string, conflictsOnly = false): string {
  const conflicts = conflictLines(view);
  if (conflictsOnly)
    return conflicts.join('\n') || 'No soft conflicts: no file was touched by two active sessions.';
  const { sessions } = view;
  if (sessions.length === 0) return '🧭 No active sessions.';
  return [
    `🧭 Active sessions (${sessions.length}) — ${ACTIVE_MS / 60_000} min window:`,
    '',
    ...sessions.flatMap((session) => sessionLines(session, own)),
    ...(conflicts.length === 0 ? [] : ['', ...conflicts]),
  ].join('\n');
}

function sessionLines({ key, agent, branch, files }: PresentSession, own: string): string[] {
  const place = branch === '' ? oneLine(agent) : `${oneLine(agent)} @ ${oneLine(branch)}`;
  const lines = [`• ${place}${key === own ? ' (you)' : ''}`, `   id: ${oneLine(key)}`];
  if (files.length === 0) return lines;
  lines.push('   Files:', ...files.slice(0, MOST_FILES).map((file) => `     • ${oneLine(file)}`));
  if (files.length > MOST_FILES) lines.push(`     … and ${files.length - MOST_FILES} more`);
  return lines;
}

function conflictLines({ conflicts }: PresenceView): string[] {
  if (conflicts.length === 0) return [];
  return [
    `🔥 Soft conflicts (${conflicts.length}):`,
    ...conflicts.map(({ file, sessions }) => `  ⚠️ ${oneLine(file)}  ↔  ${sessions.map(oneLine).join(', ')}`),
  ];
}
