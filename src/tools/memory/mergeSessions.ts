import { z } from 'zod';
import { clip, oneLine } from '../../memory/line.ts';
import { isoDate } from '../../memory/ttl.ts';
import { authorOf, readerOf } from '../author.ts';
import { countOf, more } from '../counting.ts';
import { date, moment } from '../fields.ts';
import { headline } from '../render.ts';
import { defineTool } from '../tool.ts';
import { requireAcceptance } from './proactive.ts';

const LISTED = 10;
const MOST_PROMOTED = 100;

export const memoryMergeSessions = defineTool({
  name: 'memory_merge_sessions',
  family: 'memory',
  profile: 'full',
  effect: 'write',
  title: 'Merge Sessions',
  description:
    'Bring together what parallel sessions remembered since a moment: what each wrote, which memories of different sessions say the same, and which ones several sessions wrote to. promote: true also accepts the drafts of these sessions that are confident enough and new.',
  input: z.object({
    since: date.default('24h').describe('"24h", "7d" or an ISO date'),
    promote: z.boolean().default(false).describe('Accept the drafts of these sessions'),
  }),
  effectOf: ({ promote }) => (promote ? 'write' : 'read'),
  async run(input, call, context) {
    if (input.promote) requireAcceptance(call, context.settings);
    const since = moment(input.since || '24h', 'since', context.now(), 'start');
    const report = await context.care.sessionWork(since, readerOf(call));
    const { sessions, overlaps, shared } = report;
    const day = isoDate(since);
    const promoted = input.promote
      ? (
          await context.care.promote(
            { minConfidence: 0.65, max: MOST_PROMOTED, since, dryRun: false },
            authorOf(call, context),
          )
        ).promoted
      : [];
    if (sessions.length + promoted.length === 0)
      return { text: `No session remembered anything since ${day}.`, data: { ...report, promoted } };
    const drafts = sessions
      .flatMap(({ entries }) => entries)
      .filter(({ status }) => status === 'draft').length;
    const lines = [
      `🤝 ${countOf(sessions.length, 'session', 'sessions')} since ${day}:`,
      ...sessions
        .slice(0, LISTED)
        .flatMap(({ session, source, entries }) => [
          `• ${oneLine(source)} (${oneLine(session) || 'no session'}): ${countOf(entries.length, 'entry', 'entries')}`,
          ...entries
            .slice(0, LISTED)
            .map((entry) => `    ${headline(entry)}${entry.status === 'draft' ? ' (draft)' : ''}`),
          ...more(entries.length, LISTED),
        ]),
      ...more(sessions.length, LISTED),
      ...(overlaps.length > 0 ? ['👯 The same from different sessions:'] : []),
      ...overlaps
        .slice(0, LISTED)
        .map(
          ({ one, other, overlap }) =>
            `  ${oneLine(one.key)} ↔ ${oneLine(other.key)} (${Math.round(overlap * 100)}% overlap)`,
        ),
      ...(shared.length > 0 ? ['✍️ Written to more than once, with the texts beside each other:'] : []),
      ...shared.slice(0, LISTED).map((entry) => `  ${headline(entry)}`),
      ...(input.promote
        ? [
            `🌱 Promoted ${countOf(promoted.length, 'draft', 'drafts')}`,
            ...promoted.map(({ key, content }) => `  ${oneLine(key)} — ${clip(content, 80)}`),
          ]
        : drafts > 0
          ? [`${countOf(drafts, 'draft waits', 'drafts wait')}: accept them with promote: true.`]
          : []),
    ];
    return { text: lines.join('\n'), data: { ...report, promoted } };
  },
});
