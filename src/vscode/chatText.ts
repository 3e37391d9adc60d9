/** Texts of the chat with @lodeline: what comes from elsewhere stays text in Markdown. */
import * as vscode from 'vscode';
import type { TodoPhase, TodoTask } from '../planProtocol.ts';

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** A text that is shown as it is, on one line: Markdown takes any punctuation after a backslash for itself. */
export function plain(text: string): string {
  return text
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

/** A text as a block that Markdown leaves alone. */
export function verbatim(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

/** A list as a checklist; the text that stands for an empty one is the caller's. */
export function checklist(phases: readonly TodoPhase[]): string {
  return phases.map(({ name, tasks }) => `**${plain(name)}**\n\n${tasks.map(line).join('\n')}`).join('\n\n');
}

function line({ content, status, notes }: TodoTask): string {
  const text = plain(content);
  const shown = { pending: text, in_progress: `**${text}**`, completed: text, abandoned: `~~${text}~~` }[
    status
  ];
  const mark = status === 'completed' ? 'x' : ' ';
  return [`- [${mark}] ${shown}`, ...(notes ?? []).map((note) => `  - ${plain(note)}`)].join('\n');
}

/** How long ago a moment was, such as "3 hours ago", in the editor's language. Both in epoch milliseconds. */
export function ago(moment: number, now: number): string {
  const format = new Intl.RelativeTimeFormat(vscode.env.language, { numeric: 'auto' });
  const passed = Math.max(0, now - moment);
  const [unit, size] = UNITS.find(([, length]) => passed >= length) ?? (['second', 1000] as const);
  return unit === 'second' ? format.format(0, 'second') : format.format(-Math.floor(passed / size), unit);
}
