/** What counts for a session that was left under other settings. */
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/journal/record.ts';
import { policyOf, restored } from '../../../src/session/resume/policy.ts';
import { HeldPolicies } from '../../../src/tools/heldPolicy.ts';

type Values = Record<string, JsonValue>;

function policy(values: Values) {
  return policyOf({ get: (key) => values[key] });
}

function counted(key: string, then: JsonValue | undefined, now: JsonValue | undefined) {
  const values = (value: JsonValue | undefined): Values => (value === undefined ? {} : { [key]: value });
  const { inForce, asked } = restored(policy(values(then)), policy(values(now)), {});
  return { counts: inForce[key], isAsked: key in asked };
}

const A2A = 'tools.agentToAgent';
const TOOLS = 'tools.subagents.tools';
const SEND = 'session.sendPolicy';
const ATTACHMENTS = 'tools.sessions_spawn.attachments.enabled';
const deny = (channel: string) => ({ match: { channel }, action: 'deny' });
const allow = (channel: string) => ({ match: { channel }, action: 'allow' });

it.each<[string, JsonValue | undefined, JsonValue | undefined, JsonValue, boolean]>([
  ['task.run.mode', 'never', undefined, 'never', true],
  ['task.run.mode', 'ask', 'never', 'never', false],
  ['task.run.mode', 'ask', 'nonsense', 'ask', false],
  ['task.fetch.allow', ['a'], ['a', 'b'], ['a'], true],
  ['task.fetch.allow', ['b', 'a'], ['a', 'b'], ['a', 'b'], false],
  ['task.fetch.allow', ['a'], { length: 1 }, [], false],
  ['approval.unattended', undefined, 'allow', 'deny', true],
  ['tools.profile', 'core', 'full', 'core', true],
  [ATTACHMENTS, false, undefined, false, true],
  [ATTACHMENTS, undefined, false, false, false],
  [ATTACHMENTS, undefined, true, true, false],
  ['tools.sessions.visibility', 'self', 'all', 'self', true],
  ['tools.sessions.visibility', undefined, 'agent', 'tree', true],
  ['tools.sessions.visibility', 'all', 'tree', 'tree', false],
  ['agents.maxSteps', 10, 200, 10, true],
  ['agents.maxSteps', 10, 5, 5, false],
  ['agents.maxSteps', 10, undefined, 10, true],
  ['task.maxTokens', 1000, 0, 1000, true],
  ['task.maxTokens', 0, 1000, 1000, false],
  ['task.maxMinutes', 5, -3, 5, true],
  ['task.maxRecursionDepth', 1, -1, 1, true],
  ['task.maxConcurrency', 0, 8, 8, false],
  [A2A, undefined, { enabled: true }, { enabled: false }, true],
  [A2A, { enabled: true, allow: ['a'] }, { enabled: true }, { enabled: true, allow: ['a'] }, true],
  [A2A, { enabled: true }, { enabled: true, allow: ['a'] }, { enabled: true, allow: ['a'] }, false],
  [A2A, { enabled: true }, { enabled: false }, { enabled: false }, false],
  [TOOLS, { deny: ['x'] }, undefined, { deny: ['x'] }, true],
  [TOOLS, { deny: ['x'] }, { deny: ['y', 'x'] }, { deny: ['x', 'y'] }, false],
  [TOOLS, { allow: ['a', 'b'] }, { allow: ['b', 'c'] }, { allow: ['b'], deny: [] }, true],
  [TOOLS, { allow: ['a'] }, {}, { allow: ['a'], deny: [] }, true],
  [TOOLS, {}, 7, { allow: [], deny: [] }, false],
  [SEND, { rules: [deny('a')] }, undefined, { rules: [deny('a')], default: 'allow' }, true],
  [SEND, undefined, { rules: [deny('a')] }, { rules: [deny('a')], default: 'allow' }, false],
  [SEND, { default: 'deny', rules: [allow('a')] }, {}, { rules: [allow('a')], default: 'deny' }, true],
  [
    SEND,
    { default: 'deny', rules: [allow('a')] },
    { default: 'deny' },
    { rules: [], default: 'deny' },
    false,
  ],
])('%s: %j then and %j now count as %j', (key, then, now, counts, isAsked) => {
  expect(counted(key, then, now)).toEqual({ counts, isAsked });
});

it('never counts more than either of the two, and asks exactly where that is less than now', () => {
  const values: Record<string, JsonValue[]> = {
    'task.run.mode': ['never', 'ask'],
    'task.isolation.landing': ['review', 'auto'],
    'tools.sessions.visibility': ['self', 'tree', 'agent', 'all'],
    'agents.maxSteps': [1, 10, 200],
    'session.agentToAgent.maxPingPongTurns': [0, 3, 5],
  };
  for (const [key, ordered] of Object.entries(values))
    for (const [i, then] of ordered.entries())
      for (const [j, now] of ordered.entries())
        expect(counted(key, then, now)).toEqual({ counts: ordered[Math.min(i, j)], isAsked: i < j });
});

it('counts what the person agreed to, and nothing looser that comes after it', () => {
  const then = policy({ 'agents.maxSteps': 10 });
  const agreed = { 'agents.maxSteps': 50 };
  expect(restored(then, policy({ 'agents.maxSteps': 50 }), agreed).asked).toEqual({});
  expect(restored(then, policy({ 'agents.maxSteps': 60 }), agreed)).toMatchObject({
    inForce: { 'agents.maxSteps': 10 },
    asked: { 'agents.maxSteps': 60 },
  });
});

describe('settings that are held for a session', () => {
  const policies = new HeldPolicies({ get: (key) => ({ 'agents.maxSteps': 50, other: 1 })[key] });
  policies.hold('a', { 'agents.maxSteps': 10 });
  policies.hold('b', { 'agents.maxSteps': 20 });
  const steps = () => policies.settings.get('agents.maxSteps');

  it('count for it and for all that it starts, and for no other', async () => {
    expect(steps()).toBe(50);
    expect(policies.within('a', steps)).toBe(10);
    expect(policies.within('c', steps)).toBe(50);
    // What a session starts is never freer than the session.
    expect(policies.within('a', () => policies.within('b', steps))).toBe(10);
    expect(policies.within('b', () => policies.within('c', steps))).toBe(20);
    const later = policies.within('a', async () => {
      await Promise.resolve();
      return steps();
    });
    expect(await later).toBe(10);
    expect(policies.within('a', () => policies.settings.get('other'))).toBe(1);
  });
});
