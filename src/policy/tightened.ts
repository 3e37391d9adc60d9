/**
 * Which value of a setting counts where a folder has one beside the person's own. A folder's files come with a
 * repository and so from anybody: they never loosen who may see and do what, but they may tighten it.
 */
import { canFlowTo, type Level, parseLevel } from './level.ts';
import { matchesAgent, narrowerMode, parseVisibility } from './visibility.ts';

type Tighten = (own: unknown, theirs: unknown) => unknown;

const ownAlone: Tighten = (own) => own;
/** The folder's value counts where it is this one, which is the tightest. */
const only =
  (tightest: unknown): Tighten =>
  (own, theirs) =>
    theirs === tightest ? theirs : own;
/** @param counts what a value means where it is used: there what is not valid means the default */
const smaller =
  (counts: (value: unknown) => number): Tighten =>
  (own, theirs) =>
    counts(theirs) < counts(own) ? theirs : own;

const RULES: readonly (readonly [key: string | RegExp, Tighten])[] = [
  [/^classification\.(?:files|tools)$/, moreRules],
  // A higher level writes more strictly and reads more: neither value is the tighter one.
  [/^classification\./, ownAlone],
  // What runs and is fetched without a question is the person's to say; a folder may only switch it off.
  [/^task\.(run|fetch)\./, only('never')],
  ['approval.unattended', (own, theirs) => (theirs === 'allow' ? own : (theirs ?? own))],
  ['memory.capture.enabled', only(false)],
  // Files that come with a repository would become memory, and memory would go to where git takes it from.
  ['memory.files', only(false)],
  ['memory.autoInject', smaller(injected)],
  // Neither of the others is the tighter one: without the advice an agent still saves what it is asked to.
  [
    'memory.proactive',
    (own, theirs) =>
      own === 'draft' || own === 'off' ? own : theirs === 'draft' || theirs === 'off' ? theirs : own,
  ],
  ['memory.backend', nearer],
  [/^hindsight\.(?:auto|mentalModel)/, only(false)],
  // Where memories go to, and which ones are found there.
  [/^hindsight\./, ownAlone],
  ['tools.sessions_spawn.attachments.enabled', only(false)],
  // Neither scope is the tighter one; agents and schedules say what may be started.
  ['session.scope', ownAlone],
  ['agents.list', ownAlone],
  ['cron.jobs', ownAlone],
  ['tools.sessions.visibility', narrower],
  ['agents.defaults.sandbox.sessionToolsVisibility', only('spawned')],
  ['tools.agentToAgent', fewerAgents],
  ['session.sendPolicy', moreDenials],
  ['tools.subagents.tools', fewerTools],
  ['session.agentToAgent.maxPingPongTurns', smaller(turns)],
  ['agents.defaults.subagents.maxConcurrent', smaller(countOr(8))],
  ['agents.defaults.subagents.maxChildrenPerAgent', smaller(countOr(5))],
];

/**
 * The value of a setting.
 * @param own the person's, or the default
 * @param theirs the folder's; undefined where it has none
 */
export function tightened(key: string, own: unknown, theirs: unknown): unknown {
  if (theirs === undefined || theirs === null) return own;
  const rule = RULES.find(([name]) => (typeof name === 'string' ? name === key : name.test(key)));
  return rule === undefined ? theirs : rule[1](own, theirs);
}

/** From what keeps nothing to what lets memories leave the machine; `local` by default. */
const BACKENDS = ['off', 'local', 'hindsight'];

/** A folder's memories stay as near as the person has them, or nearer. */
function nearer(own: unknown, theirs: unknown): unknown {
  const mine = BACKENDS.indexOf(BACKENDS.includes(String(own)) ? String(own) : 'local');
  const wanted = BACKENDS.indexOf(String(theirs));
  return wanted !== -1 && wanted < mine ? theirs : own;
}

function narrower(own: unknown, theirs: unknown): unknown {
  const mode = parseVisibility(theirs);
  return mode === undefined ? own : narrowerMode(parseVisibility(own) ?? 'tree', mode);
}

/** Agents may talk only where both say so, and only those that both name. */
function fewerAgents(own: unknown, theirs: unknown): unknown {
  if (!isObject(own) || own.enabled !== true || !isObject(theirs)) return own;
  if (theirs.enabled !== undefined && theirs.enabled !== true) return { ...own, enabled: false };
  // What the person wrote and nobody can read allows nobody.
  if (theirs.allow === undefined || !Array.isArray(own.allow ?? [])) return own;
  const mine = listIn(own.allow).map((name) => (typeof name === 'string' ? name : ''));
  // A pattern of theirs could name more than the person's list does.
  const both = textsIn(theirs.allow).filter(
    (name) => mine.length === 0 || mine.includes(name) || (!name.includes('*') && matchesAgent(mine, name)),
  );
  if (textsIn(theirs.allow).length === 0 && Array.isArray(theirs.allow)) return own;
  // An empty list would allow everybody; a blank name is nobody's.
  return { ...own, allow: both.length > 0 ? both : [''] };
}

/**
 * The folder adds rules, and raises what the person's rules say; it lowers none. What is no level counts as the
 * highest (see fileRules.ts), in either list.
 */
function moreRules(own: unknown, theirs: unknown): unknown {
  const rules = own ?? {};
  // What the person wrote and nobody can read is told them, and stays.
  if (!isObject(theirs) || !isObject(rules)) return own;
  const merged = new Map(Object.entries(rules));
  for (const [pattern, level] of Object.entries(theirs)) {
    const before = merged.get(pattern);
    if (before === undefined || !canFlowTo(levelOr(level), levelOr(before))) merged.set(pattern, level);
  }
  return Object.fromEntries(merged);
}

function levelOr(value: unknown): Level {
  return parseLevel(String(value)) ?? 'RESTRICTED';
}

/** The folder adds what is denied. */
function moreDenials(own: unknown, theirs: unknown): unknown {
  const policy = own ?? {};
  // What the person wrote and nobody can read denies everything.
  if (!isObject(theirs) || !isObject(policy) || !Array.isArray(policy.rules ?? [])) return own;
  const denials = listIn(theirs.rules).filter((rule) => isObject(rule) && rule.action === 'deny');
  const rules = [...listIn(policy.rules), ...denials];
  return { ...policy, rules, ...(theirs.default === 'deny' && { default: 'deny' }) };
}

/** The folder adds what is denied, and may name fewer of what is allowed. */
function fewerTools(own: unknown, theirs: unknown): unknown {
  const mine = own ?? {};
  // What the person wrote and nobody can read allows nothing.
  if (!isObject(theirs) || !isObject(mine) || ![mine.allow, mine.deny].every(isListOrNone)) return own;
  const deny = [...listIn(mine.deny), ...textsIn(theirs.deny)];
  const allowed = Array.isArray(mine.allow) ? textsIn(mine.allow) : undefined;
  const wanted = Array.isArray(theirs.allow) ? textsIn(theirs.allow) : undefined;
  const allow = wanted?.filter((name) => allowed === undefined || allowed.includes(name)) ?? mine.allow;
  return { ...mine, deny, ...(allow !== undefined && { allow }) };
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isListOrNone(value: unknown): boolean {
  return value === undefined || Array.isArray(value);
}

function textsIn(value: unknown): readonly string[] {
  return listIn(value).filter((each) => typeof each === 'string');
}

/** At least one (see messaging/childSettings.ts). */
function countOr(otherwise: number): (value: unknown) => number {
  return (value) => (Number.isSafeInteger(value) && Number(value) >= 1 ? Number(value) : otherwise);
}

/** 0 to 5 (see messaging/pingPong.ts). */
function turns(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value)
    ? Math.min(5, Math.max(0, Math.floor(value)))
    : 5;
}

/** 0 to 10, three by default (see tools/memory/inject.ts). */
function injected(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= 10 ? value : 3;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
