import type { BackendView } from '../../src/backendProtocol.ts';
import { age, count, timeOfDay } from '../kit/format.ts';
import { phraseText, t } from '../kit/l10n.ts';
import { visible, visibleLine } from '../kit/text.ts';

/** What came within one is said to wait, and not since when. */
const MINUTE = 60_000;

/** Whether something is wrong that the person can see to. */
export function isAiling({ kind, server, queue }: BackendView): boolean {
  if (kind !== 'hindsight') return false;
  const { state, error } = server ?? {};
  // An address that is none is not asked, and says why.
  const isWrong = state === 'unknown' && error !== undefined;
  return state === 'unreachable' || state === 'refusing' || isWrong || queue.refused > 0;
}

/** Where memories are kept, in one line. */
export function headline({ kind, server }: BackendView): string {
  if (kind === 'off') return t('recall, retain and reflect are off');
  if (kind === 'local') return t('Kept in this folder');
  if (server?.state === 'refusing') return t('The memory server refuses');
  if (server?.state === 'unreachable') return t('The memory server does not answer');
  return server === null || server.url === ''
    ? t('No memory server is set')
    : t('Shared on {0}', hostOf(server.url));
}

/** What has not arrived, in a few words; empty when everything has. */
export function backlog({ server, queue }: BackendView): string {
  // Where the server refuses all, each is waiting for it.
  if (server?.state === 'refusing' && queue.refused === queue.waiting)
    return queue.waiting === 0 ? '' : t('{0} waiting', count(queue.waiting));
  const pending = pendingOf(queue);
  return [
    pending === 0 ? '' : t('{0} waiting', count(pending)),
    queue.refused === 0 ? '' : t('{0} refused', count(queue.refused)),
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** What waits and was not refused. What other processes have to send is counted among what waits. */
function pendingOf({ waiting, refused }: BackendView['queue']): number {
  return Math.max(0, waiting - refused);
}

/** What the server was last seen doing; empty before anything was sent. */
export function serverText({ server }: BackendView): string {
  switch (server?.state) {
    case 'reachable':
      return t('It answers.');
    case 'unreachable':
      return t('It does not answer.');
    case 'refusing':
      return t('It refuses what is sent.');
    default:
      return '';
  }
}

/** Why something did not work, as it was said. */
export function reasonText(error: BackendView['queue']['error']): string {
  return error === undefined ? '' : visible(phraseText(error));
}

/**
 * What waits, since when, why, and when it is tried again: a sentence each.
 * @param known what was said already and need not be said again
 */
export function queueLines({ queue }: BackendView, known = '', now = Date.now()): readonly string[] {
  const { waiting, refused, nextTry, error } = queue;
  if (waiting + refused === 0) return [];
  const reason = reasonText(error);
  return [
    waitingText(queue, now),
    refused === 0 ? '' : t('The server refused {0}, kept here until it takes them.', count(refused)),
    reason === '' || reason === known ? '' : t('Last error: {0}', reason),
    // A moment that has passed means that it is being tried.
    nextTry === undefined || nextTry <= now ? '' : t('Next try at {0}.', timeOfDay(nextTry)),
  ].filter((line) => line !== '');
}

function waitingText(queue: BackendView['queue'], now: number): string {
  const waiting = pendingOf(queue);
  const { oldest } = queue;
  if (waiting === 0) return '';
  if (oldest === undefined || now - oldest < MINUTE)
    return waiting === 1 ? t('1 waits to be sent.') : t('{0} wait to be sent.', count(waiting));
  return waiting === 1
    ? t('1 waits to be sent; it came {0}.', age(oldest))
    : t('{0} wait to be sent; the oldest came {1}.', count(waiting), age(oldest));
}

/** For whom a bank is. */
export function bankScope({ scope, tag }: BackendView['banks'][number]): string {
  switch (scope) {
    case 'global':
      return t('every project');
    case 'project':
      return t('this project');
    case 'tagged':
      return tag === undefined ? t('every project') : t('this project, by the tag {0}', visibleLine(tag));
  }
}

/** The part of an address that tells which server it is; an address that is none stays as it is. */
function hostOf(url: string): string {
  return visibleLine(URL.canParse(url) ? new URL(url).host : url);
}
