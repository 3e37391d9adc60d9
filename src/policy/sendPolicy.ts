/** Whether anything may be sent to a session (seed 003, `session.sendPolicy`): a pure decision. */
import { splitKey } from './sessionKey.ts';

export type SendDecision = 'allow' | 'deny';

/** What a rule can ask about a session. */
export interface SendTarget {
  /** Canonical key. */
  readonly key?: string | undefined;
  readonly channel?: string | null | undefined;
  readonly chatType?: string | null | undefined;
  /** What a person set for this very session. */
  readonly sendPolicy?: SendDecision | null | undefined;
}

/**
 * The session's own setting comes first; then a rule that denies, then one that allows, in whichever order they
 * stand; then the default. A policy is a person's words in a settings file: where it says something else than
 * `allow`, it denies.
 */
export function sendPolicy(policy: unknown, session: SendTarget): SendDecision {
  if (session.sendPolicy === 'allow' || session.sendPolicy === 'deny') return session.sendPolicy;
  if (policy === undefined || policy === null) return 'allow';
  if (!isObject(policy)) return 'deny';
  const { rules = [] } = policy;
  if (!Array.isArray(rules)) return 'deny';
  const actions = rules.filter((rule) => matches(rule, session)).map(actionOf);
  if (actions.includes('deny')) return 'deny';
  return actions.length > 0 ? 'allow' : decisionOf(policy.default);
}

function matches(rule: unknown, { key = '', channel, chatType }: SendTarget): boolean {
  if (!isObject(rule)) return false;
  const { match } = rule;
  if (match === undefined || match === null) return true;
  if (!isObject(match)) return false;
  const [raw, wanted] = [folded(key), folded(match.keyPrefix)];
  const stripped = folded(splitKey(key).rest);
  return (
    (match.channel === undefined || folded(match.channel) === folded(channel)) &&
    (match.chatType === undefined || typeOf(match.chatType) === typeOf(chatType)) &&
    (match.keyPrefix === undefined || raw.startsWith(wanted) || stripped.startsWith(wanted)) &&
    (match.rawKeyPrefix === undefined || raw.startsWith(folded(match.rawKeyPrefix)))
  );
}

function actionOf(rule: Record<string, unknown>): SendDecision {
  return decisionOf(rule.action);
}

function decisionOf(value: unknown): SendDecision {
  return value === undefined || value === null || folded(value) === 'allow' ? 'allow' : 'deny';
}

function typeOf(value: unknown): string {
  const type = folded(value);
  return type === 'dm' ? 'direct' : type;
}

function folded(value: unknown): string {
  return typeof value === 'string' ? value.trim().toLowerCase() : '';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
