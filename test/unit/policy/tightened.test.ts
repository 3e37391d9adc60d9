import { describe, expect, it } from 'vitest';
import { tightened } from '../../../src/policy/tightened.ts';

const CASES: readonly (readonly [key: string, own: unknown, theirs: unknown, expected: unknown])[] = [
  // Visibility narrows and never widens, from the default too.
  ['tools.sessions.visibility', 'all', 'self', 'self'],
  ['tools.sessions.visibility', 'tree', 'all', 'tree'],
  ['tools.sessions.visibility', undefined, 'agent', 'tree'],
  ['tools.sessions.visibility', 'agent', 'everything', 'agent'],
  ['agents.defaults.sandbox.sessionToolsVisibility', 'spawned', 'all', 'spawned'],
  ['agents.defaults.sandbox.sessionToolsVisibility', 'all', 'spawned', 'spawned'],
  // Agent-to-agent: off stays off, and lists only become shorter.
  ['tools.agentToAgent', undefined, { enabled: true }, undefined],
  ['tools.agentToAgent', { enabled: false }, { enabled: true, allow: [] }, { enabled: false }],
  ['tools.agentToAgent', { enabled: true, allow: [] }, { enabled: false }, { enabled: false, allow: [] }],
  [
    'tools.agentToAgent',
    { enabled: true, allow: ['a', 'b-*'] },
    { allow: ['a', 'b-1', '*', 'c'] },
    { enabled: true, allow: ['a', 'b-1'] },
  ],
  ['tools.agentToAgent', { enabled: true, allow: ['a'] }, { allow: ['z'] }, { enabled: true, allow: [''] }],
  ['tools.agentToAgent', { enabled: true, allow: ['a'] }, { allow: [] }, { enabled: true, allow: ['a'] }],
  // The send policy gets rules that deny, and none that allow.
  [
    'session.sendPolicy',
    { rules: [{ action: 'allow', match: { channel: 'webchat' } }], default: 'deny' },
    { rules: [{ action: 'allow' }, { action: 'deny', match: { keyPrefix: 'cron:' } }], default: 'allow' },
    {
      rules: [
        { action: 'allow', match: { channel: 'webchat' } },
        { action: 'deny', match: { keyPrefix: 'cron:' } },
      ],
      default: 'deny',
    },
  ],
  ['session.sendPolicy', undefined, { default: 'deny' }, { rules: [], default: 'deny' }],
  ['session.sendPolicy', 'deny', { default: 'allow' }, 'deny'],
  ['session.agentToAgent.maxPingPongTurns', undefined, 9, undefined],
  ['session.agentToAgent.maxPingPongTurns', 5, 0, 0],
  ['session.agentToAgent.maxPingPongTurns', 1, 4, 1],
  ['agents.defaults.subagents.maxConcurrent', undefined, 100, undefined],
  ['tools.subagents.tools', { deny: ['run'] }, { deny: ['fetch'] }, { deny: ['run', 'fetch'] }],
  [
    'tools.subagents.tools',
    { allow: ['read', 'run'] },
    { allow: ['run', 'sessions_send'] },
    { allow: ['run'], deny: [] },
  ],
  ['tools.sessions_spawn.attachments.enabled', false, true, false],
  ['tools.sessions_spawn.attachments.enabled', true, false, false],
  ['agents.list', [], [{ id: 'x', subagents: { allowAgents: ['*'] } }], []],
  ['cron.jobs', [], [{ id: 'x', every: '1m', message: 'do it' }], []],
  ['session.scope', 'per-sender', 'global', 'per-sender'],
  // What is no policy is as the folder has it.
  ['task.simple', 'default', 'brief', 'brief'],
  ['task.simple', 'default', undefined, 'default'],
];

describe('a folder tightens what the person allows and never loosens it', () => {
  it.each(CASES)('%s: %j with %j', (key, own, theirs, expected) => {
    expect(tightened(key, own, theirs)).toEqual(expected);
  });
});
