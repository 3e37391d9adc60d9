import { describe, expect, it } from 'vitest';
import { canonicalKey, parseKey } from '../../../src/session/key.ts';

const ID = 'f1e2d3c4b5a69788f1e2d3c4b5a69788';

describe('canonical keys', () => {
  it.each([
    ['agent:main:main', 'mcp', 'agent:main:main'],
    ['agent:x:telegram:group:1', 'mcp', 'agent:x:telegram:group:1'],
    ['cron:nightly', 'spawned', 'cron:nightly'],
    ['hook:1', 'mcp', 'hook:1'],
    ['node-7', 'mcp', 'node-7'],
    ['main', 'mcp', 'agent:main:main'],
    ['global', 'mcp', 'global'],
    ['unknown', 'copilot', 'unknown'],
    ['0b9a', 'copilot', 'agent:main:webchat:direct:0b9a'],
    ['0b9a', 'participant', 'agent:main:webchat:direct:0b9a'],
    ['0b9a', 'mcp', 'agent:main:direct:0b9a'],
    [`${ID}:subagent:0-Fix`, 'subagent', `agent:main:subagent:${ID}.0-Fix`],
    [`${ID}/0-Fix:subagent:1-Look`, 'subagent', `agent:main:subagent:${ID}.1-Look`],
    // Nothing follows the prefix: then it is a name like any other.
    ['cron:', 'mcp', 'agent:main:direct:cron:'],
    ['agent:main:', 'mcp', 'agent:main:direct:agent:main:'],
  ] as const)('%s of kind %s is %s, and stays it', (raw, kind, expected) => {
    expect(canonicalKey(raw, kind)).toBe(expected);
    expect(canonicalKey(expected, kind)).toBe(expected);
  });
});

describe('what a key says', () => {
  it.each([
    ['agent:a:main', { agentId: 'a', kind: 'main', isSubagent: false }],
    ['global', { agentId: 'main', kind: 'main' }],
    ['agent:a:discord:group:9', { kind: 'group', chatType: 'group', channel: 'discord', peer: '9' }],
    ['agent:a:discord:channel:9:thread:1', { kind: 'group', chatType: 'channel', peer: '9:thread:1' }],
    ['agent:a:discord:group:9', { account: undefined }],
    ['agent:a:direct:u1', { kind: 'other', chatType: 'direct', channel: undefined, peer: 'u1' }],
    ['agent:a:webchat:direct:u1', { kind: 'other', chatType: 'direct', channel: 'webchat', peer: 'u1' }],
    [
      'agent:a:telegram:direct:u1',
      { chatType: 'direct', channel: 'telegram', account: undefined, peer: 'u1' },
    ],
    [
      'agent:a:telegram:acc:direct:u1',
      { chatType: 'direct', channel: 'telegram', account: 'acc', peer: 'u1' },
    ],
    ['agent:a:subagent:x', { kind: 'other', isSubagent: true, chatType: undefined }],
    ['cron:j', { agentId: 'main', kind: 'cron' }],
    ['agent:a:cron:j:run:2', { agentId: 'a', kind: 'cron' }],
    ['hook:u', { kind: 'hook' }],
    ['node-1', { kind: 'node' }],
    ['agent:a:anything else', { agentId: 'a', kind: 'other' }],
  ])('%s', (key, expected) => {
    expect(parseKey(key)).toMatchObject(expected);
  });
});
