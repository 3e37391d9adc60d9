import { z } from 'zod';
import { CAPTURE_SETTING, type Capture } from '../../memory/capture.ts';
import { oneLine } from '../../memory/line.ts';
import { nameOf } from '../../session/presenceConflicts.ts';
import { phrase } from '../../worker/api.ts';
import { readerOf } from '../author.ts';
import { defineTool, question } from '../tool.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 500;
const MAX_FILTER = 1024;

export const memoryCaptured = defineTool({
  name: 'memory_captured',
  family: 'memory',
  profile: 'full',
  effect: 'destructive',
  effectOf: ({ clear }) => (clear ? 'destructive' : 'read'),
  title: 'Captured Activity',
  description:
    'What hooks saw agents do in this folder, newest first, where the person turned capturing on: tool, file and a line without secrets each. These are drafts, not memories. clear: true empties the log.',
  input: z.object({
    limit: z.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT).describe('Most actions in the list'),
    tool: z.string().max(MAX_FILTER).default('').describe("Part of the tool's name"),
    file: z.string().max(MAX_FILTER).default('').describe("Part of the file's path"),
    clear: z.boolean().default(false).describe('Empty the log instead of listing it'),
  }),
  confirm: ({ clear }) =>
    clear
      ? question(
          phrase('Clear the captured activity of this folder?'),
          phrase('What hooks captured is removed and cannot be restored. Memories stay.'),
          false,
        )
      : undefined,
  async run({ limit, tool, file, clear }, call, context) {
    if (clear) {
      const cleared = await context.sessions.clearCaptured({ actor: call.actor, level: call.level });
      return { text: `🧹 Cleared ${countOf(cleared)}.`, data: { cleared } };
    }
    const found = await context.sessions.captured({ limit, tool, file }, readerOf(call));
    const isOn = context.settings.get(CAPTURE_SETTING) === true;
    return { text: textOf(found.captures, found.total, isOn), data: { ...found, isOn } };
  },
});

function textOf(captures: readonly Capture[], total: number, isOn: boolean): string {
  const off = isOn
    ? ''
    : `Capturing is off. The person can turn it on with the setting "${CAPTURE_SETTING}": true, where hooks are installed.`;
  if (captures.length === 0) return ['No captured activity.', off].filter(Boolean).join(' ');
  const title = `📝 Captured activity (${captures.length === total ? total : `${captures.length} of ${total}`}), newest first:`;
  return [title, '', ...captures.map(lineOf), ...(off === '' ? [] : ['', off])].join('\n');
}

/** `[2026-07-12 09:00] copilot@main · read_file · src/cache.ts — what it was about` */
function lineOf(capture: Capture): string {
  const { at, tool, file, summary } = capture;
  const time = new Date(at).toISOString().slice(0, 16).replace('T', ' ');
  const what = [oneLine(nameOf(capture)), oneLine(tool), ...(file === '' ? [] : [oneLine(file)])].join(' · ');
  return `[${time}] ${what}${summary === '' ? '' : ` — ${oneLine(summary)}`}`;
}

function countOf(count: number): string {
  return `${count} captured ${count === 1 ? 'action' : 'actions'}`;
}
