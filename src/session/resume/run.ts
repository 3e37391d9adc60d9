/** With what a session is run, compared with what it was run with when it was left. */
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ChatModel, ToolSpec } from '../chatModel.ts';
import type { PolicyValues, RunState } from '../effects.ts';
import type { Draft } from '../record.ts';
import type { Ledger } from './ledger.ts';
import { restored, valueText } from './policy.ts';

/** So many names are told of one difference. */
const NAMED = 20;

/** What a loop itself knows of its run. */
export type LoopRun = Pick<RunState, 'model' | 'prompt' | 'tools'>;
/** What the app adds: which process, where, and under which settings. */
export type HostRun = Pick<RunState, 'instance' | 'roots' | 'policy'>;

const hashes = new WeakMap<ToolSpec, string>();

export function loopRun(model: ChatModel, system: string, specs: readonly ToolSpec[]): LoopRun {
  const tools = Object.fromEntries(specs.map((spec) => [spec.name, specHash(spec)]));
  return { model: model.name, prompt: hash('sha256', system), tools };
}

/** Made once for a spec, since most stay the same objects from turn to turn. */
function specHash(spec: ToolSpec): string {
  const known = hashes.get(spec);
  if (known !== undefined) return known;
  const made = hash('sha256', JSON.stringify([spec.description, spec.inputSchema])).slice(0, 16);
  hashes.set(spec, made);
  return made;
}

export interface RunBegin {
  readonly drafts: readonly Draft[];
  /** Values that count instead of what the settings say; undefined when there are none. */
  readonly policy: PolicyValues | undefined;
}

/**
 * What is to be recorded where a turn begins: nothing when it is run as the one before. Where another process ran that
 * one, it is a resume, and the model is told of each difference.
 * @param now as it would be without what was before
 */
export function runBegin(ledger: Ledger, now: RunState): RunBegin {
  const { run: before } = ledger;
  if (before === undefined) return { drafts: [{ type: 'run_record', run_record: now }], policy: undefined };
  const { inForce, asked } =
    before.instance === now.instance
      ? restored({ ...before.policy, ...within(now.policy, before) }, now.policy, ledger.accepted)
      : restored(before.policy, now.policy, ledger.accepted);
  const held = Object.keys(asked);
  const policy =
    held.length === 0 ? undefined : Object.fromEntries(held.map((key) => [key, inForce[key] ?? null]));
  const { asked: _, ...rest } = now;
  const after: RunState = {
    ...rest,
    policy: inForce,
    ...(Object.keys(asked).length > 0 && { asked }),
  };
  if (isDeepStrictEqual(before, after)) return { drafts: [], policy };
  const drafts: Draft[] = [];
  if (before.instance !== now.instance) {
    const report = differences(before, after).join('\n');
    if (report !== '') drafts.push({ type: 'reconciled', reconciled: { calls: [], report } });
  }
  drafts.push({ type: 'run_record', run_record: after });
  return { drafts, policy };
}

/** Within one life of the app what the person changes counts at once, except what waits for their word. */
function within(now: PolicyValues, { asked = {} }: RunState): PolicyValues {
  return Object.fromEntries(Object.entries(now).filter(([key]) => asked[key] === undefined));
}

function differences(before: RunState, after: RunState): string[] {
  const lines: string[] = [];
  const differ = (what: string, then: string, now: string) => {
    if (then !== now) lines.push(`- ${what}: ${valueText(then)} then, ${valueText(now)} now`);
  };
  differ('the folder', before.roots.folder, after.roots.folder);
  differ('the store', before.roots.store, after.roots.store);
  differ('who runs it', before.source, after.source);
  differ('the kind of session', before.kind, after.kind);
  differ('the model', before.model, after.model);
  if (before.prompt !== after.prompt) lines.push('- the system prompt is another');
  const then = Object.keys(before.tools);
  const now = Object.keys(after.tools);
  const gone = then.filter((name) => !now.includes(name));
  const others = now.filter((name) => then.includes(name) && before.tools[name] !== after.tools[name]);
  if (gone.length > 0)
    lines.push(`- tools that are gone (a server of theirs may not be running): ${listed(gone)}`);
  const added = now.filter((name) => !then.includes(name));
  if (added.length > 0) lines.push(`- tools that are new: ${listed(added)}`);
  if (others.length > 0) lines.push(`- tools that are described in another way: ${listed(others)}`);
  const { asked = {} } = after;
  for (const [key, value] of Object.entries(after.policy)) {
    if (before.policy[key] !== undefined && !isDeepStrictEqual(before.policy[key], value))
      lines.push(`- ${key}: ${valueText(before.policy[key])} then, ${valueText(value)} counts now`);
    const loose = asked[key];
    if (loose !== undefined && !isDeepStrictEqual(before.asked?.[key], loose))
      lines.push(
        `- ${key}: the settings now say ${valueText(loose)}, which is looser; ${valueText(value)} counts until the person agrees`,
      );
  }
  return lines.length === 0 ? [] : ['Changed since this session was left:', ...lines];
}

function listed(names: readonly string[]): string {
  const rest = names.length - NAMED;
  return `${names.slice(0, NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
