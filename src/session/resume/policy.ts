/**
 * What a session may do and how much, as the settings say. A session that was left goes on under the stricter of what
 * was in force then and what the settings say now, until the person agrees to what is looser.
 */
import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '../../journal/record.ts';
import { tightened } from '../../policy/tightened.ts';
import { DEFAULT_VISIBILITY, narrowerMode, parseVisibility } from '../../policy/visibility.ts';
import type { Settings } from '../../ports.ts';
import type { PolicyValues } from '../effects.ts';

/** A setting that permits something. */
interface Rule {
  /** The value as it counts where it is used: what is not valid means the default. */
  counts(value: unknown): JsonValue;
  /** The stricter of two values that count. */
  stricter(then: JsonValue, now: JsonValue): JsonValue;
}

/** @param values the strictest first */
function order(values: readonly JsonValue[], fallback: JsonValue): Rule {
  return {
    counts: (value) => values.find((each) => each === value) ?? fallback,
    stricter: (then, now) => (values.indexOf(then) < values.indexOf(now) ? then : now),
  };
}

/** A number that limits something; `none` stands for no limit at all. */
function limit(fallback: number, least: number, none?: number): Rule {
  const size = (value: JsonValue) => (value === none ? Number.POSITIVE_INFINITY : Number(value));
  return {
    counts: (value) =>
      typeof value === 'number' && Number.isFinite(value) && value >= least ? value : fallback,
    stricter: (then, now) => (size(then) < size(now) ? then : now),
  };
}

/** Names of what needs no question. */
const allowed: Rule = {
  counts: (value) => (Array.isArray(value) ? unique(value.filter((each) => typeof each === 'string')) : []),
  stricter: (then, now) => listIn(now).filter((each) => listIn(then).includes(each)),
};

const visible: Rule = {
  counts: (value) => parseVisibility(value) ?? DEFAULT_VISIBILITY,
  stricter: (then, now) =>
    narrowerMode(parseVisibility(then) ?? DEFAULT_VISIBILITY, parseVisibility(now) ?? DEFAULT_VISIBILITY),
};

const agentToAgent: Rule = {
  counts: (value) => (isObject(value) && value.enabled === true ? value : { enabled: false }),
  stricter: (then, now) => {
    if (!isObject(now) || now.enabled !== true) return now;
    return tightened('tools.agentToAgent', then, now) as JsonValue;
  },
};

interface ToolLists {
  readonly allow?: JsonValue[];
  readonly deny: JsonValue[];
}

interface SendRules {
  readonly rules: JsonValue[];
  readonly default: string;
}

/** `allow` and `deny`; see messaging/childSettings.ts. */
const tools: Rule = {
  counts: (value) => {
    if (value === undefined || value === null) return { deny: [] };
    if (!isObject(value)) return { allow: [], deny: [] };
    const deny = value.deny === undefined ? [] : Array.isArray(value.deny) ? sorted(value.deny) : ['*'];
    return value.allow === undefined ? { deny } : { allow: sorted(listIn(value.allow)), deny };
  },
  stricter: (then, now) => {
    const [before, after] = [then as unknown as ToolLists, now as unknown as ToolLists];
    const deny = sorted([...before.deny, ...after.deny]);
    const { allow: was } = before;
    const { allow: is } = after;
    if (was === undefined && is === undefined) return { deny };
    return { allow: was && is ? is.filter((each) => was.includes(each)) : (was ?? is ?? []), deny };
  },
};

/** See policy/sendPolicy.ts: what is denied is denied; what is allowed counts where the default denies. */
const sending: Rule = {
  counts: (value) => {
    if (value === undefined || value === null) return { rules: [], default: 'allow' };
    // What nobody can read denies everything.
    if (!isObject(value) || !(value.rules === undefined || Array.isArray(value.rules)))
      return { rules: [], default: 'deny' };
    return { rules: unique(listIn(value.rules)), default: denies(value.default) ? 'deny' : 'allow' };
  },
  stricter: (then, now) => {
    const [before, after] = [then as unknown as SendRules, now as unknown as SendRules];
    const denials = [...after.rules, ...before.rules].filter(isDenial);
    const allows = (one: SendRules, other: SendRules) =>
      one.rules.filter((rule) => !isDenial(rule) && (other.default === 'allow' || has(other.rules, rule)));
    const isDenied = before.default === 'deny' || after.default === 'deny';
    const kept = isDenied ? [...allows(after, before), ...allows(before, after)] : [];
    return { rules: unique([...denials, ...kept]), default: isDenied ? 'deny' : 'allow' };
  },
};

const RULES: ReadonlyMap<string, Rule> = new Map([
  ['task.run.mode', order(['never', 'ask'], 'ask')],
  ['task.run.allow', allowed],
  ['task.fetch.mode', order(['never', 'ask'], 'ask')],
  ['task.fetch.allow', allowed],
  ['task.isolation.landing', order(['review', 'auto'], 'auto')],
  ['approval.unattended', order(['deny', 'allow'], 'deny')],
  ['tools.profile', order(['core', 'full'], 'core')],
  ['tools.sessions.visibility', visible],
  ['agents.defaults.sandbox.sessionToolsVisibility', order(['spawned', 'all'], 'spawned')],
  ['tools.agentToAgent', agentToAgent],
  ['tools.subagents.tools', tools],
  ['tools.sessions_spawn.attachments.enabled', order([false, true], true)],
  ['session.sendPolicy', sending],
  ['session.agentToAgent.maxPingPongTurns', limit(5, 0)],
  ['agents.defaults.subagents.maxConcurrent', limit(8, 1)],
  ['agents.defaults.subagents.maxChildrenPerAgent', limit(5, 1)],
  ['agents.maxSteps', limit(200, 1)],
  ['task.maxTokens', limit(0, 0, 0)],
  ['task.maxMinutes', limit(0, 0, 0)],
  ['task.maxRecursionDepth', limit(2, -1, -1)],
  ['task.maxConcurrency', limit(32, 0, 0)],
]);

/** What the settings permit now, by the keys of those that permit something. */
export function policyOf(settings: Pick<Settings, 'get'>): PolicyValues {
  return Object.fromEntries([...RULES].map(([key, { counts }]) => [key, counts(settings.get(key))]));
}

export interface Restored {
  /** What counts for the session. */
  readonly inForce: PolicyValues;
  /** Values of now that are looser and do not count. */
  readonly asked: PolicyValues;
}

/**
 * What counts for a session that was left under `then`. A key that only one of the two has, as after an update, counts
 * as it is.
 * @param accepted looser values that the person has agreed to
 */
export function restored(then: PolicyValues, now: PolicyValues, accepted: PolicyValues): Restored {
  const inForce: Record<string, JsonValue> = {};
  const asked: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(now)) {
    const rule = RULES.get(key);
    const before = then[key];
    const isFree = rule === undefined || before === undefined || isDeepStrictEqual(accepted[key], value);
    const counts = isFree ? value : rule.stricter(rule.counts(before), value);
    inForce[key] = counts;
    if (!isDeepStrictEqual(comparable(counts), comparable(value))) asked[key] = value;
  }
  return { inForce, asked };
}

/** The stricter of two values of a setting; the second where it permits nothing. */
export function stricterOf(key: string, held: JsonValue | undefined, value: unknown): unknown {
  const rule = RULES.get(key);
  return rule === undefined ? value : rule.stricter(rule.counts(held), rule.counts(value));
}

/** A value as whoever wrote it can compare it with another. Hostile settings make it long. */
export function valueText(value: JsonValue | undefined): string {
  const text = JSON.stringify(value ?? null);
  return text.length > 200 ? `${text.slice(0, 200).toWellFormed()}…` : text;
}

/** The order of what is allowed and denied means nothing. */
function comparable(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return sorted(value);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, comparable(each)]));
}

function isDenial(rule: JsonValue): boolean {
  return isObject(rule) && denies(rule.action);
}

/** Where a policy says something else than `allow`, it denies. */
function denies(action: unknown): boolean {
  return action !== undefined && action !== null && String(action).trim().toLowerCase() !== 'allow';
}

function has(list: readonly JsonValue[], value: JsonValue): boolean {
  return list.some((each) => isDeepStrictEqual(each, value));
}

function listIn(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function unique(list: readonly JsonValue[]): JsonValue[] {
  return list.filter((each, at) => list.findIndex((other) => isDeepStrictEqual(other, each)) === at);
}

function sorted(list: readonly JsonValue[]): JsonValue[] {
  return unique(list).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function isObject(value: unknown): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
