/** `sessions_send`: checks who may send what to whom, and answers when there is an answer (seed 003). */
import { randomUUID } from 'node:crypto';
import type { RunRecord } from '../session/record.ts';
import { idOf } from '../session/sessionId.ts';
import type { SessionRef } from './access.ts';
import type { Cause, MessagingHost } from './host.ts';
import { derivedId } from './ids.ts';
import { PERSON } from './messageText.ts';
import { maxPingPongTurns } from './pingPong.ts';
import type { Requester, SessionCall } from './requester.ts';
import type { SessionRow } from './row.ts';
import { asSendRequest, sendTaskOf } from './sendRun.ts';

/** So many messages may lead to one another: agents that answer messages with messages must come to an end. */
const MOST_HOPS = 5;
/** Later than this a message is taken for one of its own. */
const ANSWER_MS = 5 * 60_000;
/** `timeoutSeconds` when it is not given. */
export const DEFAULT_WAIT_SECONDS = 30;

export interface SendCall extends SessionCall {
  /** The message that led to this call; absent where a person's prompt did. */
  readonly cause?: Cause | undefined;
}

export interface SendInput extends SessionRef {
  readonly message: string;
  readonly timeoutSeconds?: number | undefined;
  /** Names the message for its sender, who may send it again after a failure: it arrives once. */
  readonly id?: string | undefined;
}

/** Seed 003's results, and notes of ours on what to do next. */
export interface SendAnswer {
  readonly runId?: string;
  readonly status: 'accepted' | 'ok' | 'timeout' | 'error' | 'forbidden';
  readonly sessionKey?: string;
  readonly reply?: string;
  readonly error?: string;
  readonly note?: string;
}

/** A run to be put into the outbox, or why there is none. */
export async function newSendRun(
  host: MessagingHost,
  input: SendInput,
  call: SendCall,
): Promise<{ readonly run: RunRecord; readonly row: SessionRow } | SendAnswer> {
  if (input.message.trim() === '')
    return refused('message is empty: write what the other agent needs to know.');
  const found = await host.access.resolve(call, input);
  if (!('row' in found)) return found;
  const { row, requester } = found;
  if (row.key === requester.key)
    return refused('sessions_send cannot target the calling session; use your own reply instead');
  if (row.origin.subagent !== undefined)
    return refused('This is the subagent of a task: it takes no messages and answers whoever started it.');
  if (row.origin.peer !== undefined)
    return refused(
      `This session is only seen through ${row.origin.peer}: it takes no messages. Tell the person if its agent has to know something.`,
    );
  const level = requester.isPerson ? row.level : call.level;
  const denial = host.access.maySend({ level, session: call.session }, row);
  if (denial !== undefined) return { ...denial, sessionKey: row.key };
  const hops = 1 + (await hopsBefore(host, call, requester, row));
  if (hops > MOST_HOPS)
    return refused(
      `This message would be number ${hops} in a chain of messages that lead to one another, and ${MOST_HOPS} is the most. Nothing was sent. Answer with your own reply, or tell the person what is still to be said.`,
    );
  const asked = { row, requester, session: call.session, level, hops, call: call.loop?.callId };
  return { run: runOf(host, input, asked), row };
}

/**
 * How many messages led to this call. What an agent that runs its own loop does with a message nobody sees: if it
 * writes to the one who wrote to it a moment ago, that is taken for an answer.
 */
async function hopsBefore(
  { sessions, now }: MessagingHost,
  { cause, loop, level }: SendCall,
  { isPerson, key }: Requester,
  { key: target }: SessionRow,
): Promise<number> {
  if (cause !== undefined) return cause.hops;
  if (isPerson || loop !== undefined) return 0;
  const since = now() - ANSWER_MS;
  const runs = await sessions.runs({ level });
  const asked = runs.filter(
    ({ run }) => run.requester === target && run.target === key && run.created >= since,
  );
  return Math.max(0, ...asked.map(({ run }) => sendTaskOf(run)?.hops ?? 0));
}

interface Sending {
  readonly row: SessionRow;
  readonly requester: Requester;
  /** The requester's own key, as its door gave it. */
  readonly session: string;
  readonly level: RunRecord['level'];
  readonly hops: number;
  readonly call: string | undefined;
}

function runOf(
  host: MessagingHost,
  input: SendInput,
  { row, requester, session, level, hops, call }: Sending,
): RunRecord {
  const { message, id } = input;
  const from = requester.isPerson ? PERSON : requester.key;
  const maxTurns = maxPingPongTurns(host.settings.get('session.agentToAgent.maxPingPongTurns'));
  const channel = requester.isPerson ? 'internal' : channelOf(requester.key);
  return {
    // Nobody else can come upon it, or find out whether there is one: not another session of the same canonical key, either.
    id: id === undefined ? randomUUID() : derivedId(requester.isPerson ? PERSON : idOf(session), id),
    ...{ kind: 'send', level, created: host.now(), requester: from, target: row.key },
    ...(call !== undefined && { call }),
    request: asSendRequest({
      ...{ message: message.toWellFormed(), session: row.origin.id, channel, maxTurns, hops },
    }),
  };
}

/** Whether a run that is there is the one that is asked for again. */
export function isSameSend(known: RunRecord, asked: RunRecord): boolean {
  const [a, b] = [sendTaskOf(known), sendTaskOf(asked)];
  return a !== undefined && a.message === b?.message && a.session === b.session;
}

/** What the sender is told of a run as it stands. */
export function sendAnswer({ id: runId, target, outcome, kind }: RunRecord, seconds: number): SendAnswer {
  const known = { runId, sessionKey: target };
  if (outcome === undefined)
    return seconds === 0 ? { ...known, ...ACCEPTED } : { ...known, ...late(seconds) };
  const { status, text } = outcome;
  switch (status) {
    case 'ok':
      return { ...known, status: 'ok', reply: text };
    case 'delivered':
      return { ...known, status: 'accepted', note: kind === 'send' ? WAITS : ACCEPTED.note };
    default:
      return { ...known, status: 'error', error: text };
  }
}

const ACCEPTED = {
  status: 'accepted',
  note: 'The message is on its way and cannot get lost: do not send it again. sessions_history shows what is answered; job waits for it by this runId.',
} as const;

const WAITS =
  'This session belongs to an agent that works on its own: the message waits in it, and its agent is told with its next call of one of these tools. No reply comes back by itself.';

function late(seconds: number): SendAnswer {
  return {
    status: 'timeout',
    error: `No answer within ${seconds} s. The message is not lost and the run goes on: do not send it again. Call sessions_history later, or go on waiting with job and this runId.`,
  };
}

export function refused(error: string): SendAnswer {
  return { status: 'error', error };
}

function channelOf(key: string): string {
  return /^(?:agent:[^:]+:)?webchat:/.test(key) ? 'webchat' : 'internal';
}
