/**
 * Who may see, read, send to and spawn which sessions: every tool asks here, and nowhere else is it decided.
 *
 * A session that is hidden and one that is not there get the same answer, which names no more than what the one who
 * asks may see anyway.
 */
import { canFlowTo, type Level } from '../policy/level.ts';
import { sendPolicy } from '../policy/sendPolicy.ts';
import { mainKey } from '../policy/sessionKey.ts';
import type { Taint } from '../policy/taint.ts';
import { type AcrossAgents, acrossAgentsOf, type VisibilityRule, visibility } from '../policy/visibility.ts';
import type { Settings } from '../ports.ts';
import { GLOBAL_KEY, parseKey } from '../session/key.ts';
import type { SessionApi } from '../worker/sessionApi.ts';
import type { SessionFacts } from '../worker/sessionLookApi.ts';
import { allowedAgents } from './agentList.ts';
import { ownFacts, ownRow, type Requester, requesterOf, type SessionCall } from './requester.ts';
import type { SessionRow } from './row.ts';
import { rowsOf } from './rows.ts';
import { type SessionPolicy, sessionPolicy } from './sessionPolicy.ts';

/** How a call names a session. */
export interface SessionRef {
  /** Canonical key, the door's own key, a session's id, `main` or `current`. */
  readonly sessionKey?: string | undefined;
  readonly label?: string | undefined;
  /** With a label: only sessions of this agent. */
  readonly agentId?: string | undefined;
}

export interface Refusal {
  readonly status: 'error' | 'forbidden';
  readonly error: string;
}

export interface VisibleSessions {
  readonly requester: Requester;
  /** Last active first. */
  readonly rows: readonly SessionRow[];
  /** The settings hide sessions from this one, whether or not there are any. */
  readonly restricted: boolean;
  /** Of other agents' sessions: all are shown, those of the agents that the person names, or none but what it started. */
  readonly acrossAgents: AcrossAgents;
}

export type SendRule = 'send_policy_denied' | 'level_would_fall';

/** A denial, for an audit log: agents are never told the rule. */
export interface Denial {
  /** Key of the session that asked, as its door gave it. */
  readonly session: string;
  /** Canonical key. */
  readonly target: string;
  /** The agent that asked, as it names itself. */
  readonly source: string;
  readonly rule: VisibilityRule | SendRule;
  readonly level: Level;
}

export interface AccessHost {
  readonly sessions: Pick<SessionApi, 'sessionFacts'>;
  /** What sessions rose to since their last record. */
  readonly taint: Pick<Taint, 'levelsOf'>;
  readonly settings: Settings;
  /** Unix milliseconds. */
  now(): number;
  /** Told of each denial; must not throw. */
  denied?(denial: Denial): void;
}

/** A call's view of all sessions that its level lets it know of. */
interface Look {
  readonly call: SessionCall;
  readonly requester: Requester;
  readonly policy: SessionPolicy;
  readonly rows: readonly SessionRow[];
}

export class SessionAccess {
  readonly #host: AccessHost;

  constructor(host: AccessHost) {
    this.#host = host;
  }

  /** The session that a call belongs to. */
  async requester(call: SessionCall): Promise<Requester> {
    return (await this.#look(call)).requester;
  }

  /** Every session that the caller may see. */
  async visible(call: SessionCall): Promise<VisibleSessions> {
    const { requester, policy, rows } = await this.#look(call);
    const acrossAgents = acrossAgentsOf(policy.agentToAgent);
    return {
      requester,
      rows: rows.filter((row) => ruleOf(requester, policy, row) === 'allow'),
      restricted: !requester.isPerson && (requester.mode !== 'all' || acrossAgents !== 'all'),
      acrossAgents,
    };
  }

  /** The session that a call names, if the caller may see it. */
  async resolve(
    call: SessionCall,
    ref: SessionRef,
  ): Promise<{ row: SessionRow; requester: Requester } | Refusal> {
    const { sessionKey, label, agentId } = ref;
    if (sessionKey !== undefined && label !== undefined)
      return { status: 'error', error: 'Provide either sessionKey or label (not both).' };
    const look = await this.#look(call);
    if (label !== undefined) return this.#labelled(look, label, agentId);
    if (sessionKey === undefined) return { status: 'error', error: 'Either sessionKey or label is required' };
    const row = named(look, sessionKey);
    if (row === undefined || !this.#sees(look, row)) return hidden(look.requester);
    return { row, requester: look.requester };
  }

  /**
   * Why the caller may not send to a session that it sees, or one session's agent not answer into another's; undefined
   * when it may.
   * @param call who sends, and at which level
   */
  maySend(call: Pick<SessionCall, 'level' | 'session' | 'source'>, row: SessionRow): Refusal | undefined {
    const rule = this.sendRule(call, row);
    if (rule === undefined) return undefined;
    this.#denied(call, row, rule);
    const error =
      rule === 'level_would_fall'
        ? `Nothing may be sent from a session at ${call.level} to one at ${row.level}: what it knows would become readable at a lower level.`
        : `The person's send policy does not allow messages to this session (${row.sendPolicy === 'deny' ? 'set for this session' : 'setting "session.sendPolicy"'}). Do not try again unless they change it.`;
    return { status: 'forbidden', error };
  }

  /** The rule that keeps the caller from sending to a session, if one does. Only asks: nothing was denied. */
  sendRule({ level }: Pick<SessionCall, 'level'>, row: SessionRow): SendRule | undefined {
    if (!canFlowTo(level, row.level)) return 'level_would_fall';
    const { sendPolicy: policy } = sessionPolicy(this.#host.settings);
    const { chatType } = parseKey(row.key);
    return sendPolicy(policy, { ...row, chatType }) === 'allow' ? undefined : 'send_policy_denied';
  }

  /**
   * Under which agent the caller's new session would run.
   * @param agentId the agent that it asks for; its own when not given
   */
  async maySpawn(
    call: SessionCall,
    agentId?: string,
  ): Promise<{ agentId: string; requester: Requester } | Refusal> {
    const { requester } = await this.#look(call);
    if (!requester.isPerson && requester.depth >= MAX_SPAWN_DEPTH)
      return {
        status: 'forbidden',
        error: `sessions_spawn is not allowed at this depth (current depth: ${requester.depth}, max: ${MAX_SPAWN_DEPTH})`,
      };
    if (requester.sandboxed)
      return {
        status: 'forbidden',
        error:
          'Sandboxed sessions cannot spawn unsandboxed ones, and a spawned session works in the folder itself. Do the work yourself.',
      };
    const wanted = agentId ?? requester.agentId;
    const { allowAny, agents } = allowedAgents(this.#host.settings, requester.agentId);
    // The list says which agents may be named; whoever names none asks for its own (seed 003).
    if (requester.isPerson || agentId === undefined || allowAny || agents.some(({ id }) => id === wanted))
      return { agentId: wanted, requester };
    const allowed = agents.map(({ id }) => id).join(', ') || 'none';
    return {
      status: 'forbidden',
      error: `agentId is not allowed for sessions_spawn (allowed: ${allowed}). agents_list shows them; without agentId it is your own, ${requester.agentId}.`,
    };
  }

  async #look(call: SessionCall): Promise<Look> {
    const { settings, now } = this.#host;
    const policy = sessionPolicy(settings);
    const facts = await this.#facts(call.level);
    // A session is written down after its first call, and one that rose above this call is not told of.
    const isKnown = call.actor === 'person' || facts.some(({ key }) => key === call.session);
    const all = isKnown ? facts : [ownFacts(call, now()), ...facts];
    const rows = rowsOf(all, { ...policy, now: now() });
    return { call, requester: requesterOf(call, rows, policy), policy, rows };
  }

  /** A transcript tells the level of what was said; its session may have risen above that since. */
  async #facts(reader: Level): Promise<SessionFacts[]> {
    const { sessions, taint } = this.#host;
    const facts = await sessions.sessionFacts({ level: reader });
    const levels = taint.levelsOf(facts.map(({ key, level }) => ({ key, start: level })));
    return facts
      .map((each, at) => ({ ...each, level: levels[at] ?? 'RESTRICTED' }))
      .filter(({ level }) => canFlowTo(level, reader));
  }

  #labelled(look: Look, label: string, agentId: string | undefined): ReturnType<typeof one> {
    const found = look.rows.filter(
      (row) =>
        row.label !== null &&
        asLabel(row.label) === asLabel(label) &&
        (agentId === undefined || row.agentId === agentId) &&
        this.#sees(look, row),
    );
    const listed = found.filter(({ archived }) => !archived);
    return one(listed.length > 0 ? listed : found, label, look.requester);
  }

  #sees({ call, requester, policy }: Look, row: SessionRow): boolean {
    const rule = ruleOf(requester, policy, row);
    if (rule !== 'allow') this.#denied(call, row, rule);
    return rule === 'allow';
  }

  #denied(call: Pick<SessionCall, 'level' | 'session' | 'source'>, row: SessionRow, rule: Denial['rule']) {
    const { level, session, source = '' } = call;
    this.#host.denied?.({ session, source, target: row.key, rule, level });
  }
}

/** Subagents start no sessions (seed 003). */
const MAX_SPAWN_DEPTH = 1;

/** Labels are typed by hand and by models: neither the spaces around one nor its Unicode form tells it from another. */
function asLabel(text: string): string {
  return text.trim().normalize('NFC');
}

/** What hidden and unknown sessions have in common. */
function hidden({ sandboxed, mode, isPerson }: Requester): Refusal {
  if (isPerson) return { status: 'error', error: 'There is no such session.' };
  if (sandboxed) return { status: 'error', error: 'Session not visible from this sandboxed agent session.' };
  return {
    status: 'error',
    error: `There is no such session among those that this one may see (tools.sessions.visibility: ${mode}). sessions_list shows them.`,
  };
}

function one(
  found: readonly SessionRow[],
  label: string,
  requester: Requester,
): { row: SessionRow; requester: Requester } | Refusal {
  const [row, ...others] = found;
  if (row === undefined) return { status: 'error', error: `No session found with label: ${label}` };
  if (others.length === 0) return { row, requester };
  const keys = found.slice(0, 10).map(({ key }) => key);
  return {
    status: 'error',
    error: `Several sessions have the label "${label}". Name one by its sessionKey: ${keys.join(', ')}`,
  };
}

function ruleOf(requester: Requester, policy: SessionPolicy, row: SessionRow): 'allow' | VisibilityRule {
  if (requester.isPerson) return 'allow';
  const { agentToAgent, sandboxMode } = policy;
  const { key, sandboxed } = requester;
  return visibility({ mode: policy.mode, requester: key, target: row, agentToAgent, sandboxed, sandboxMode });
}

/** The session that a text names: by alias, key, the door's own key, or id. */
function named({ call, requester, rows }: Look, ref: string): SessionRow | undefined {
  const name = ref.trim();
  if (name === 'current') return ownRow(rows, call.session);
  const key = name === 'main' ? mainKey(requester.agentId) : name;
  return (
    rows.find((row) => row.key === key && !row.origin.isNamesake) ??
    rows.find((row) => row.sessionId === name) ??
    rows.find(({ origin }) => origin.key === name && name !== GLOBAL_KEY)
  );
}
