import { describe, expect, it } from 'vitest';
import {
  clampedMode,
  matchesAgent,
  narrowerMode,
  VISIBILITY_MODES,
  type VisibilityQuestion,
  visibility,
} from '../../../src/policy/visibility.ts';

const ANY = { enabled: true, allow: [] };
const U1 = 'agent:main:direct:u1';

/** Cases of the reference: the question and its answer. */
const CASES: readonly (readonly [name: string, VisibilityQuestion, string])[] = [
  [
    'O-VI-01: self sees itself',
    { mode: 'self', requester: U1, target: { key: U1 }, agentToAgent: ANY },
    'allow',
  ],
  [
    'O-VI-02: self sees nobody else',
    { mode: 'self', requester: U1, target: { key: 'agent:main:direct:u2' }, agentToAgent: ANY },
    'self_visibility_restricted',
  ],
  [
    'O-VI-04: tree is one level, a grandchild is hidden',
    {
      mode: 'tree',
      requester: U1,
      target: { key: 'agent:main:subagent:2', spawnedBy: 'agent:main:subagent:1' },
      agentToAgent: ANY,
    },
    'tree_visibility_restricted',
  ],
  [
    "O-VI-06: another agent's chat is hidden, whoever it says spawned it",
    {
      mode: 'tree',
      requester: U1,
      target: { key: 'agent:other:direct:z', spawnedBy: U1 },
      agentToAgent: ANY,
    },
    'cross_agent_visibility_restricted',
  ],
  [
    'O-VI-07: agent is one agent alone',
    { mode: 'agent', requester: U1, target: { key: 'agent:other:main' }, agentToAgent: ANY },
    'cross_agent_visibility_restricted',
  ],
  [
    'O-VI-08: all needs agent-to-agent for other agents',
    { mode: 'all', requester: U1, target: { key: 'agent:other:main' }, agentToAgent: { enabled: false } },
    'agent_to_agent_disabled',
  ],
  [
    'O-VI-09: both agents must be allowed',
    {
      mode: 'all',
      requester: U1,
      target: { key: 'agent:other:main' },
      agentToAgent: { enabled: true, allow: ['other'] },
    },
    'agent_to_agent_not_allowed',
  ],
];

describe('cases of the reference', () => {
  it.each(CASES)('%s', (_name, question, expected) => {
    expect(visibility(question)).toBe(expected);
  });
});

describe('the tree of a session', () => {
  const ask = (mode: VisibilityQuestion['mode'], key: string, spawnedBy: string | null, requester = U1) =>
    visibility({ mode, requester, target: { key, spawnedBy }, agentToAgent: { enabled: false } });

  it('is itself and its direct children', () => {
    expect(ask('tree', U1, null)).toBe('allow');
    expect(ask('tree', 'agent:main:subagent:1', U1)).toBe('allow');
    expect(ask('tree', 'agent:main:direct:u2', null)).toBe('tree_visibility_restricted');
    // A sibling, and its parent as a child sees it.
    expect(ask('tree', 'agent:main:subagent:2', U1, 'agent:main:subagent:1')).toBe(
      'tree_visibility_restricted',
    );
    expect(ask('tree', U1, null, 'agent:main:subagent:1')).toBe('tree_visibility_restricted');
  });

  it("has another agent's subagent when this session started it, unless the mode is agent", () => {
    for (const mode of ['tree', 'all'] as const) {
      expect(ask(mode, 'agent:other:subagent:1', U1)).toBe('allow');
    }
    expect(ask('agent', 'agent:other:subagent:1', U1)).toBe('cross_agent_visibility_restricted');
    expect(ask('self', 'agent:other:subagent:1', U1)).toBe('self_visibility_restricted');
  });

  it('is all of its agent for a main session', () => {
    const main = 'agent:main:main';
    expect(ask('tree', 'agent:main:direct:u2', null, main)).toBe('allow');
    expect(ask('tree', 'agent:main:subagent:2', 'agent:main:subagent:1', main)).toBe('allow');
    expect(ask('tree', 'cron:nightly', null, main)).toBe('allow');
    expect(ask('tree', 'agent:other:main', null, main)).toBe('cross_agent_visibility_restricted');
    expect(ask('self', 'agent:main:direct:u2', null, main)).toBe('self_visibility_restricted');
  });
});

describe('the clamp of a sandbox', () => {
  it('takes the narrower mode and never a wider one', () => {
    const clamped = VISIBILITY_MODES.map((mode) => clampedMode({ mode, sandboxed: true }));
    expect(clamped).toEqual(['self', 'tree', 'tree', 'tree']);
    for (const mode of VISIBILITY_MODES) {
      expect(clampedMode({ mode, sandboxed: false })).toBe(mode);
      expect(clampedMode({ mode, sandboxed: true, sandboxMode: 'all' })).toBe(mode);
    }
  });

  it('counts for what is seen', () => {
    const question = { mode: 'all', requester: U1, target: { key: 'agent:main:direct:u2' } } as const;
    expect(visibility({ ...question, agentToAgent: ANY })).toBe('allow');
    expect(visibility({ ...question, agentToAgent: ANY, sandboxed: true })).toBe(
      'tree_visibility_restricted',
    );
  });

  it('knows which of two modes is the narrower', () => {
    expect(narrowerMode('all', 'self')).toBe('self');
    expect(narrowerMode('tree', 'agent')).toBe('tree');
  });
});

it('matches agents by exact name with its case, by pattern without, and nobody by a blank', () => {
  expect(matchesAgent([], 'anything')).toBe(true);
  expect(matchesAgent(['Review'], 'review')).toBe(false);
  expect(matchesAgent(['review'], 'review')).toBe(true);
  expect(matchesAgent(['REV*'], 'review')).toBe(true);
  expect(matchesAgent(['re.*'], 'review')).toBe(false);
  expect(matchesAgent(['*'], 'x')).toBe(true);
  expect(matchesAgent(['', '   '], '')).toBe(false);
  expect(matchesAgent([''], 'review')).toBe(false);
});
