import { maxLevel } from '../policy/level.ts';
import { newCallId, type ToolResultBlock, textMessage, textOf } from '../session/messages.ts';
import type { Draft, TurnEnd } from '../session/record.ts';
import { NOTHING_FOUND } from '../session/resume/findings.ts';
import type { Ledger } from '../session/resume/ledger.ts';
import { type RunBegin, runBegin } from '../session/resume/run.ts';
import { idOf } from '../session/sessionId.ts';
import { stopReminder } from '../todo/reminder.ts';
import { StoreError } from './api.ts';
import type { Held, Turn } from './held.ts';
import type { HeldSessions } from './heldSessions.ts';
import { type Plans, TOLD } from './plans.ts';
import type {
  ObservedCall,
  SessionCaller,
  StopLimits,
  TurnOutcome,
  TurnOwner,
  TurnView,
} from './sessionApi.ts';
import { plainError, turnRuns, WriteFailed } from './sessionErrors.ts';
import { agentPlace, at } from './sessionIds.ts';
import { messagesNotice } from './steps.ts';
import type { UnknownCalls } from './unknownCalls.ts';

/** How often in a turn an agent is told of its open checkpoint: one that does not listen must not go on forever. */
const MAX_WARNINGS = 3;
const CHECKPOINT_OPEN =
  '<system-warning>\nNotice from Lodeline, not a message: a checkpoint is still open. Call rewind now with a report of what you found; then the turn can end.\n</system-warning>';
/** The agent was told of every message that other sessions sent. */
const MESSAGES_TOLD: Draft = { type: 'told', told: {} };
const CANCELLED =
  'The call was cancelled before it answered. It may have taken effect: check that before you repeat it.';

/** The turns of loops of ours, and the calls of loops that are only observed. */
export class Turns {
  readonly #sessions: HeldSessions;
  readonly #plans: Plans;
  readonly #unknown: UnknownCalls;

  constructor(sessions: HeldSessions, plans: Plans, unknown: UnknownCalls) {
    this.#sessions = sessions;
    this.#plans = plans;
    this.#unknown = unknown;
  }

  begin(owner: TurnOwner, drafts: readonly Draft[]): TurnView {
    const { agent, step } = owner;
    const id = agent === undefined ? idOf(owner.key) : agentPlace(agent);
    if (this.#sessions.get(id)?.turn !== undefined) {
      throw turnRuns();
    }
    const begin = (held: Held): TurnView => {
      const { live } = held;
      if (step !== undefined && live.writer.has(step))
        throw new StoreError('This message was delivered before.');
      const level = step === undefined ? owner.level : maxLevel(owner.level, live.writer.level);
      // All that waits is shown to this loop with the rest.
      const told = live.untold.length > 0 ? [MESSAGES_TOLD] : [];
      // What a message leads to must not happen twice: that it came has to last longer than the machine is up.
      const isDurable = step !== undefined;
      // What nobody has looked at by now is unknown.
      this.#unknown.settled(held, NOTHING_FOUND);
      const run = runOf(held, owner);
      const all = [...run.drafts, ...returnTo(held, owner.returnTo), ...told, ...drafts];
      this.#sessions.append(held, at(level, all), isDurable);
      // A checkpoint of the chat's own is not for an agent to end that was asked for something else.
      const warnings = step !== undefined && live.checkpoint.state === 'active' ? MAX_WARNINGS : 0;
      const turn = { level, step, warnings, reminders: 0 };
      held.turn = turn;
      this.#tell(held, turn);
      // What follows is told as what changed since this answer.
      const { view, ledger } = held.live;
      view.changes();
      return { id, keep: 0, messages: [...view.messages()], ...unknownsOf(ledger), policy: run.policy };
    };
    return agent === undefined
      ? this.#sessions.write(owner, begin)
      : begin(this.#sessions.openAgent(owner, agent));
  }

  step(id: string, drafts: readonly Draft[]): TurnView {
    const { held, turn } = this.#open(id);
    this.#record(held, turn, drafts);
    return this.#view(held);
  }

  stop(id: string, drafts: readonly Draft[], limits: StopLimits): TurnView | TurnOutcome {
    return orFailed(() => {
      const { held, turn } = this.#open(id);
      this.#record(held, turn, drafts);
      const reminder = this.#stopText(held, turn, limits, drafts);
      if (reminder === undefined) return this.#end(held, turn, { reason: 'completed' });
      const message = textMessage('system', reminder);
      this.#sessions.append(held, at(turn.level, [{ type: 'message', message }]), false);
      return this.#view(held);
    });
  }

  end(id: string, drafts: readonly Draft[], end: TurnEnd): TurnOutcome {
    return orFailed(() => {
      const { held, turn } = this.#open(id);
      this.#sessions.append(held, at(turn.level, drafts), false);
      return this.#end(held, turn, end);
    });
  }

  drop(id: string): void {
    const held = this.#sessions.get(id);
    if (held !== undefined) held.turn = undefined;
  }

  observe(caller: SessionCaller, { name, input, text, isError }: ObservedCall): string | undefined {
    const id = newCallId();
    const call = { type: 'tool_use', id, name, input } as const;
    const result = {
      type: 'tool_result',
      tool_use_id: id,
      content: [{ type: 'text', text }],
      ...(isError && { is_error: true }),
    } as const;
    try {
      return this.#sessions.write(caller, (held) => {
        const notice = this.#plans.notice(held);
        const messages = messagesNotice(held.live.untold);
        const drafts: Draft[] = [
          { type: 'message', message: { role: 'assistant', content: [call] } },
          { type: 'message', message: { role: 'user', content: [result] } },
          ...(notice === undefined ? [] : [TOLD]),
          ...(messages === undefined ? [] : [MESSAGES_TOLD]),
        ];
        this.#sessions.append(held, at(caller.level, drafts), false);
        const notices = [notice, messages].filter((each) => each !== undefined);
        return notices.length === 0 ? undefined : notices.join('\n\n');
      });
    } catch (error) {
      // The call itself took place, whoever holds the session and whatever the disk says.
      if (plainError(error) instanceof StoreError) return undefined;
      throw error;
    }
  }

  #open(id: string): { held: Held; turn: Turn } {
    const held = this.#sessions.get(id);
    if (held?.turn === undefined) throw new StoreError('This turn is over. Begin another one.');
    return { held, turn: held.turn };
  }

  /** Appends a step; once each of its calls has its result, a rewind that was requested takes effect. */
  #record(held: Held, turn: Turn, drafts: readonly Draft[]): void {
    const { checkpoint, view } = held.live;
    this.#sessions.take(held);
    // An effect must not come before the word that it was to come is on disk.
    const isDurable = drafts.some(announcesEffect);
    this.#sessions.append(held, at(turn.level, drafts), isDurable);
    // Nothing may stand between a call and its result.
    if (view.openCalls().length > 0) return;
    // Messages of other sessions come after what the model said without knowing of them.
    this.#sessions.take(held, true);
    if (held.live.untold.length > 0) this.#sessions.append(held, at(turn.level, [MESSAGES_TOLD]), false);
    if (checkpoint.state === 'pending') this.#sessions.append(held, checkpoint.turnEnd());
    this.#tell(held, turn);
  }

  /** Tells the agent of what a person changed in its list. */
  #tell(held: Held, turn: Turn): void {
    const notice = this.#plans.notice(held);
    if (notice === undefined) return;
    const message = textMessage('system', notice);
    this.#sessions.append(held, at(turn.level, [{ type: 'message', message }, TOLD]), false);
  }

  /** What keeps an agent from stopping, counted in the turn. */
  #stopText({ live }: Held, turn: Turn, limits: StopLimits, drafts: readonly Draft[]): string | undefined {
    if (live.checkpoint.state === 'active')
      return turn.warnings++ < MAX_WARNINGS ? CHECKPOINT_OPEN : undefined;
    const said = drafts.map((draft) => (draft.type === 'message' ? textOf(draft.message) : '')).join('');
    return stopReminder({ phases: live.todo.phases, sent: turn.reminders++, max: limits.reminders, said });
  }

  #end(held: Held, turn: Turn, end: TurnEnd): TurnOutcome {
    const open = held.live.view.openCalls();
    if (open.length > 0) {
      const content = open.map(({ id }) => cancelled(id));
      this.#sessions.append(
        held,
        at(turn.level, [{ type: 'message', message: { role: 'user', content } }]),
        false,
      );
    }
    const outcome = held.live.endTurn(end);
    held.turn = undefined;
    // Nobody but the next turn needs a subagent's session.
    if (outcome.reason === 'writer-failed' || held.live.info?.kind === 'subagent')
      this.#sessions.release(held);
    return outcome;
  }

  #view({ id, live }: Held): TurnView {
    return { id, ...live.view.changes(), ...unknownsOf(live.ledger) };
  }
}

function unknownsOf({ unknown }: Ledger): Pick<TurnView, 'unknowns'> {
  return unknown.length === 0 ? {} : { unknowns: unknown };
}

function announcesEffect(draft: Draft): boolean {
  return draft.type === 'intent' && draft.intent.calls.some(({ effect }) => effect !== 'record');
}

/** What is to be recorded of what this turn is run with, as far as the one who runs it says. */
function runOf({ live }: Held, { run, key, kind, source }: TurnOwner): RunBegin {
  const { instance, roots, policy, model = '', prompt = '', tools = {} } = run ?? {};
  if (instance === undefined || roots === undefined || policy === undefined) return NO_RUN;
  return runBegin(live.ledger, { instance, key, kind, source, roots, model, prompt, tools, policy });
}

const NO_RUN: RunBegin = { drafts: [], policy: undefined };

/** The record that the person went back, if there is something to go back from. */
function returnTo({ live }: Held, back: string | null | undefined): Draft[] {
  const to = back ?? undefined;
  if (back === undefined || !live.view.canReturn(to)) return [];
  return [{ type: 'returned', returned: to === undefined ? {} : { to } }];
}

function cancelled(id: string): ToolResultBlock {
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: [{ type: 'text', text: CANCELLED }],
    is_error: true,
  };
}

function orFailed<T>(action: () => T): T | TurnOutcome {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof WriteFailed)) throw error;
    return { reason: 'writer-failed', detail: error.message };
  }
}
