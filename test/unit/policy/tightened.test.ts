import { describe, expect, it } from 'vitest';
import { childToolFilter, maxChildren, maxConcurrent } from '../../../src/messaging/childSettings.ts';
import { maxPingPongTurns } from '../../../src/messaging/pingPong.ts';
import { sessionPolicy } from '../../../src/messaging/sessionPolicy.ts';
import { tightened } from '../../../src/policy/tightened.ts';
import { matchesAgent } from '../../../src/policy/visibility.ts';
import type { Settings } from '../../../src/ports.ts';

const CASES: readonly (readonly [key: string, own: unknown, theirs: unknown, expected: unknown])[] = [
  // Visibility narrows and never widens, from the default too.
  ['tools.sessions.visibility', 'all', 'self', 'self'],
  ['tools.sessions.visibility', 'tree', 'all', 'tree'],
  ['tools.sessions.visibility', undefined, 'agent', 'tree'],
  ['tools.sessions.visibility', 'agent', 'everything', 'agent'],
  ['agents.defaults.sandbox.sessionToolsVisibility', 'spawned', 'all', 'spawned'],
  ['agents.defaults.sandbox.sessionToolsVisibility', 'all', 'spawned', 'spawned'],
  // A folder does not make memory of its own files, or files of memory.
  ['memory.files', false, true, false],
  ['memory.files', undefined, true, undefined],
  ['memory.files', true, false, false],
  ['memory.files', true, 'yes', true],
  // Less goes before a prompt, and never more; what is no number means three.
  ['memory.autoInject', 3, 0, 0],
  ['memory.autoInject', 0, 5, 0],
  ['memory.autoInject', 1, 'all', 1],
  ['memory.autoInject', undefined, 5, undefined],
  // A folder keeps memories as near as the person does, or nearer.
  ['memory.backend', 'hindsight', 'local', 'local'],
  ['memory.backend', 'hindsight', 'off', 'off'],
  ['memory.backend', 'local', 'hindsight', 'local'],
  ['memory.backend', undefined, 'hindsight', undefined],
  ['memory.backend', undefined, 'off', 'off'],
  ['memory.backend', 'off', 'local', 'off'],
  ['memory.backend', 'hindsight', 'elsewhere', 'hindsight'],
  // It neither says where they go to nor that they go without being asked.
  ...['apiUrl', 'apiToken', 'bankId', 'bankIdPrefix', 'scoping', 'identity', 'maxLevel', 'bankMission'].map(
    (name) => [`hindsight.${name}`, 'mine', 'theirs', 'mine'] as const,
  ),
  ['hindsight.apiUrl', undefined, 'https://elsewhere.example', undefined],
  ['hindsight.autoRecall', false, true, false],
  ['hindsight.autoRecall', true, false, false],
  ['hindsight.autoRetain', undefined, true, undefined],
  ['hindsight.mentalModelAutoSeed', true, false, false],
  // Rules for levels are added and raised, and never lowered; what is no level counts as the highest.
  [
    'classification.files',
    { 'a/**': 'CONFIDENTIAL', 'b/**': 'PUBLIC', 'c/**': 'secret' },
    { 'a/**': 'PUBLIC', 'b/**': 'INTERNAL', 'c/**': 'PUBLIC', 'd/**': 'RESTRICTED' },
    { 'a/**': 'CONFIDENTIAL', 'b/**': 'INTERNAL', 'c/**': 'secret', 'd/**': 'RESTRICTED' },
  ],
  ['classification.files', undefined, { 'd/**': 'INTERNAL' }, { 'd/**': 'INTERNAL' }],
  ['classification.tools', { web: 'INTERNAL' }, { web: 'nothing' }, { web: 'nothing' }],
  ['classification.tools', { web: 'INTERNAL' }, {}, { web: 'INTERNAL' }],
  ['classification.tools', { web: 'INTERNAL' }, 'PUBLIC', { web: 'INTERNAL' }],
  ['classification.files', 'unreadable', { 'd/**': 'INTERNAL' }, 'unreadable'],
  // A folder's saves may become drafts, or no longer be asked for, and never the other way.
  ['memory.proactive', 'save', 'draft', 'draft'],
  ['memory.proactive', undefined, 'off', 'off'],
  ['memory.proactive', 'draft', 'save', 'draft'],
  ['memory.proactive', 'draft', 'off', 'draft'],
  ['memory.proactive', 'off', 'save', 'off'],
  ['memory.proactive', 'save', 'everything', 'save'],
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
  ['tools.sessions_spawn.attachments.enabled', undefined, false, false],
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

/** What a setting comes to in the end: the number that counts, or the names that are allowed. */
const NAMES = ['a', 'b', 'run', 'read'];
const MEANINGS: Readonly<Record<string, (settings: Settings) => number | readonly string[]>> = {
  'agents.defaults.subagents.maxConcurrent': maxConcurrent,
  'agents.defaults.subagents.maxChildrenPerAgent': maxChildren,
  'session.agentToAgent.maxPingPongTurns': ({ get }) =>
    maxPingPongTurns(get('session.agentToAgent.maxPingPongTurns')),
  'tools.subagents.tools': (settings) => NAMES.filter(childToolFilter(settings)),
  'tools.agentToAgent': (settings) => {
    const { agentToAgent } = sessionPolicy(settings);
    return NAMES.filter((name) => agentToAgent.enabled && matchesAgent(agentToAgent.allow ?? [], name));
  },
};
const NUMBERS = [undefined, null, -3, 0, 0.5, 1, 1.5, 2, 2.7, 4, 9, 1e300, '1', [], {}];
const LISTS = [undefined, null, [], ['a'], ['run', 'a'], ['*'], [5], [''], 'run', 7, {}];

describe('however strange both values are, what counts in the end is never more', () => {
  const settingsOf = (key: string, value: unknown): Settings => ({
    get: (asked: string) => (asked === key ? value : undefined),
  });
  it.each(Object.entries(MEANINGS))('%s', (key, meaning) => {
    const isNumber = /max/.test(key);
    const objects = LISTS.flatMap((allow) => [
      allow,
      ...[true, undefined, 'yes'].map((enabled) => ({ enabled, allow })),
      ...LISTS.map((deny) => ({ allow, deny })),
    ]);
    const values = isNumber ? NUMBERS : objects;
    const wider = values.flatMap((own) =>
      values.flatMap((theirs) => {
        const before = meaning(settingsOf(key, own));
        const after = meaning(settingsOf(key, tightened(key, own, theirs)));
        const isMore =
          typeof before === 'number' || typeof after === 'number'
            ? after > before
            : after.some((name) => !before.includes(name));
        return isMore ? [{ own, theirs, before, after }] : [];
      }),
    );
    expect(wider).toEqual([]);
  });
});
