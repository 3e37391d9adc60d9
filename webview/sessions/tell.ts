import type { MessageLine, SessionsView } from '../../src/sessionProtocol.ts';
import { t } from '../kit/l10n.ts';
import { clip, visibleLine } from '../kit/text.ts';
import { sessionName, standingName, standingOf } from './describe.ts';

const NAMED = 3;
const NAME = 60;

/** What a screen reader is told when the sessions were read again: which ended, and which messages came. */
export function newsOf(before: SessionsView, after: SessionsView): string {
  const states = new Map(before.sessions.map((session) => [session.key, standingOf(session)]));
  const ended = after.sessions
    .filter((session) => states.get(session.key) === 'running' && standingOf(session) !== 'running')
    .map(
      (session) => `${visibleLine(clip(sessionName(session), NAME))}: ${standingName(standingOf(session))}`,
    );
  const known = new Set(before.timeline.map(({ id, event }) => `${id} ${event}`));
  const came = after.timeline
    .filter((message) => !known.has(`${message.id} ${message.event}`) && !isOwn(message))
    .map(messageText);
  return [...ended, ...came].slice(0, NAMED).join('. ');
}

/** What the person sends was told of when it was taken, and would be drowned out by being told again. */
function isOwn({ from, event }: MessageLine): boolean {
  return from === null && (event === 'sent' || event === 'waiting');
}

function messageText({ event, from, to }: MessageLine): string {
  const [sender, target] = [from?.name ?? t('You'), to?.name ?? t('You')].map((name) =>
    visibleLine(clip(name, NAME)),
  );
  if (event === 'failed') return t('A message to {0} failed', target ?? '');
  return t('Message from {0} to {1}', sender ?? '', target ?? '');
}
