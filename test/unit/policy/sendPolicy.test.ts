import { describe, expect, it } from 'vitest';
import { sendPolicy } from '../../../src/policy/sendPolicy.ts';

/** Cases of the reference: policy, session, answer. */
const CASES: readonly (readonly [string, unknown, Parameters<typeof sendPolicy>[1], 'allow' | 'deny'])[] = [
  ['O-SP-01: no policy allows', null, {}, 'allow'],
  [
    'O-SP-02: a rule for a channel and a kind of chat',
    { rules: [{ action: 'deny', match: { channel: 'discord', chatType: 'group' } }] },
    { channel: 'discord', chatType: 'group' },
    'deny',
  ],
  [
    'O-SP-03: what denies wins over what allows before it',
    {
      rules: [
        { action: 'allow', match: { channel: 'discord' } },
        { action: 'deny', match: { channel: 'discord' } },
      ],
    },
    { channel: 'discord' },
    'deny',
  ],
  [
    'O-SP-04: a prefix is tried on the key, and without its agent',
    { default: 'deny', rules: [{ action: 'allow', match: { keyPrefix: 'cron:' } }] },
    { key: 'agent:main:cron:j1' },
    'allow',
  ],
  ["O-SP-07: the session's own setting wins", { default: 'deny' }, { sendPolicy: 'allow' }, 'allow'],
];

describe('cases of the reference', () => {
  it.each(CASES)('%s', (_name, policy, session, expected) => {
    expect(sendPolicy(policy, session)).toBe(expected);
  });
});

it('asks for all of a rule, whatever the case', () => {
  const policy = { rules: [{ action: 'DENY', match: { channel: 'Discord', chatType: 'group' } }] };
  expect(sendPolicy(policy, { channel: 'discord', chatType: 'direct' })).toBe('allow');
  expect(sendPolicy(policy, { channel: 'DISCORD', chatType: 'Group' })).toBe('deny');
  expect(sendPolicy(policy, { channel: 'discord' })).toBe('allow');
});

it('takes a raw prefix for the whole key alone', () => {
  const policy = { rules: [{ action: 'deny', match: { rawKeyPrefix: 'cron:' } }] };
  expect(sendPolicy(policy, { key: 'agent:main:cron:j1' })).toBe('allow');
  expect(sendPolicy(policy, { key: 'CRON:j1' })).toBe('deny');
});

it('an empty match is every session, and a rule without an action allows', () => {
  expect(sendPolicy({ rules: [{ action: 'deny', match: {} }] }, { key: 'x' })).toBe('deny');
  expect(sendPolicy({ rules: [{ action: 'deny' }] }, {})).toBe('deny');
  expect(sendPolicy({ default: 'deny', rules: [{ match: {} }] }, {})).toBe('allow');
});

it('a deny of a session wins over a policy that allows', () => {
  expect(sendPolicy({ default: 'allow' }, { sendPolicy: 'deny' })).toBe('deny');
});

it.each([['deny'], [true], [{ rules: 'none' }], [{ default: 'no' }], [{ rules: [{ action: 'block' }] }]])(
  'a policy that says something else than it can denies: %j',
  (policy) => {
    expect(sendPolicy(policy, { key: 'agent:main:main' })).toBe('deny');
  },
);
