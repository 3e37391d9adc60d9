import { z } from 'zod';
import { clip, oneLine } from '../../memory/line.ts';
import { readerOf } from '../author.ts';
import { more } from '../counting.ts';
import { date, moment } from '../fields.ts';
import { sessionsText } from '../memory/sessionsText.ts';
import { presentSessions } from '../presentSessions.ts';
import { headline } from '../render.ts';
import { defineTool, type ToolCall, type ToolContext } from '../tool.ts';

const DAY = 86_400_000;
const LISTED = 20;
const SUBJECT = 120;

export const contextDiff = defineTool({
  name: 'context_diff',
  family: 'context',
  profile: 'full',
  effect: 'read',
  title: 'What Changed',
  description:
    'What happened since the previous session, or since a moment: commits, files they changed, the work tree, new and changed memories, and who is at work. Use it to catch up at the start of a session.',
  input: z.object({
    since: date.default('').describe('"24h", "7d" or an ISO date; empty: since the previous session'),
  }),
  async run({ since: given }, call, context) {
    const reader = readerOf(call);
    const previous = given.trim() === '' ? await previousSession(call, context) : undefined;
    const since = previous ?? moment(given.trim() || '24h', 'since', context.now(), 'start');
    const folder = context.folder(call.level);
    const [history, git, changes, present] = await Promise.all([
      folder.history(since),
      folder.gitState(),
      context.store.changes(since, reader),
      presentSessions(call, context),
    ]);
    const section = (title: string, lines: readonly string[]): string =>
      lines.length === 0
        ? ''
        : [
            `## ${title} (${lines.length})`,
            ...lines.slice(0, LISTED).map((line) => `- ${line}`),
            ...more(lines.length, LISTED),
          ].join('\n');
    const moved = history.commits.length + changes.created.length + changes.updated.length;
    const branch = context.branch();
    const sections = [
      `# Changes since ${new Date(since).toISOString().slice(0, 16).replace('T', ' ')}${previous === undefined ? '' : ' (the previous session)'}`,
      moved === 0 ? 'No commits and no changes in memory.' : '',
      section(
        'Commits',
        history.commits.map(({ hash, subject }) => `${hash} ${clip(subject, SUBJECT)}`),
      ),
      section('Files in these commits', history.files.map(oneLine)),
      section('New memories', changes.created.map(headline)),
      section('Changed memories', changes.updated.map(headline)),
      branch === '' ? '' : `## Work tree\n- Branch ${oneLine(branch)}${git === '' ? '' : `, ${git}`}`,
      `## Sessions\n${sessionsText(present, call.session)}`,
      folder.note,
    ];
    return {
      text: sections.filter(Boolean).join('\n\n'),
      data: {
        since: new Date(since).toISOString(),
        commits: history.commits,
        files: history.files,
        created: changes.created,
        updated: changes.updated,
        sessions: present.sessions,
      },
    };
  },
});

/**
 * When the last session before this one was active, epoch milliseconds, and not longer ago than a month. Undefined
 * when there was none.
 */
async function previousSession(call: ToolCall, { sessions, now }: ToolContext): Promise<number | undefined> {
  const others = (await sessions.sessionsBrowse(readerOf(call))).filter(({ key }) => key !== call.session);
  const last = others.reduce((latest, { lastActive }) => Math.max(latest, lastActive), 0);
  return last === 0 ? undefined : Math.max(last, now() - 30 * DAY);
}
