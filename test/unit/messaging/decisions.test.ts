/**
 * Who may see and do what: requester × target × visibility × agent-to-agent × sandbox × send policy, through every tool.
 * The expected answers stand here as a table, not as a second implementation.
 */
import { describe, expect, it } from 'vitest';
import { idOf } from '../../../src/session/sessionId.ts';
import type { ToolCall } from '../../../src/tools/tool.ts';
import { openWorld, TARGETS, type Target } from './worldKit.ts';

const SAME_AGENT = ['a', 'b', 'task', 'child', 'grandchild', 'main', 'cron', 'mcp'] as const;
const ALL = [...SAME_AGENT, 'other', 'otherChild'] as const;
type Mode = 'self' | 'tree' | 'agent' | 'all';
const MODES: readonly Mode[] = ['self', 'tree', 'agent', 'all'];

interface Asking {
  readonly who: Partial<ToolCall>;
  /** What is seen in each mode while agents may not talk to each other. */
  readonly sees: Readonly<Record<Mode, readonly Target[]>>;
  /** What is seen beside that in the mode `all` when every agent may. */
  readonly acrossAgents: readonly Target[];
}

const REQUESTERS: Readonly<Record<string, Asking>> = {
  'a chat': {
    who: { session: 'a', door: 'editor' },
    sees: {
      self: ['a'],
      tree: ['a', 'task', 'child', 'otherChild'],
      agent: SAME_AGENT,
      all: [...SAME_AGENT, 'otherChild'],
    },
    acrossAgents: ['other'],
  },
  'a main session': {
    who: { session: TARGETS.main, door: 'mcp' },
    sees: { self: ['main'], tree: SAME_AGENT, agent: SAME_AGENT, all: SAME_AGENT },
    acrossAgents: ['other', 'otherChild'],
  },
  'an MCP connection': {
    who: { session: 'tool-1', door: 'mcp' },
    sees: { self: ['mcp'], tree: ['mcp'], agent: SAME_AGENT, all: SAME_AGENT },
    acrossAgents: ['other', 'otherChild'],
  },
  'a spawned session': {
    who: { session: TARGETS.child, door: 'editor', loop: { callId: 'c', depth: 1 } },
    sees: { self: ['child'], tree: ['child', 'grandchild'], agent: SAME_AGENT, all: SAME_AGENT },
    acrossAgents: ['other', 'otherChild'],
  },
  "a task's subagent": {
    who: { session: `${idOf('a')}:subagent:0-Look`, door: 'editor', loop: { callId: 'c', depth: 1 } },
    sees: { self: ['task'], tree: ['task'], agent: SAME_AGENT, all: SAME_AGENT },
    acrossAgents: ['other', 'otherChild'],
  },
  'a schedule': {
    who: { session: TARGETS.cron, door: 'editor', loop: { callId: 'c', depth: 0 } },
    sees: { self: ['cron'], tree: ['cron'], agent: SAME_AGENT, all: SAME_AGENT },
    acrossAgents: ['other', 'otherChild'],
  },
  'a chat of another agent': {
    who: { session: TARGETS.other, door: 'mcp' },
    sees: {
      self: ['other'],
      tree: ['other'],
      agent: ['other', 'otherChild'],
      all: ['other', 'otherChild'],
    },
    acrossAgents: SAME_AGENT,
  },
};

const AGENTS = {
  off: undefined,
  'on for all': { enabled: true, allow: [] },
  'on for one of them': { enabled: true, allow: ['main'] },
  'on for both': { enabled: true, allow: ['OTH*', 'main'] },
};
const SANDBOXES = {
  none: {},
  clamped: { sandboxed: true },
  'as others': { sandboxed: true, mode: 'all' },
};
const UNKNOWN = 'agent:main:direct:nobody';
const DENY = { default: 'deny' };
/** Send policies beside the one that denies all, and whom each lets nobody write to. */
const POLICIES: readonly { readonly policy: unknown; readonly closed: readonly Target[] }[] = [
  { policy: undefined, closed: [] },
  { policy: { rules: [{ action: 'deny', match: { channel: 'webchat' } }] }, closed: ['a', 'b'] },
  {
    policy: { default: 'deny', rules: [{ match: { keyPrefix: 'subagent:' } }] },
    closed: ['a', 'b', 'main', 'cron', 'mcp', 'other'],
  },
];

function expected({ sees, acrossAgents }: Asking, mode: Mode, agents: string, sandbox: string): Set<Target> {
  const clamped = sandbox === 'clamped' && mode !== 'self' ? 'tree' : mode;
  const both = agents === 'on for all' || agents === 'on for both';
  return new Set([...sees[clamped], ...(clamped === 'all' && both ? acrossAgents : [])]);
}

describe.each(Object.entries(REQUESTERS))('%s', (_name, asking) => {
  const { who } = asking;
  it.each(MODES)('in the mode %s gets one answer from every tool', async (mode) => {
    const world = openWorld({ 'tools.sessions.visibility': mode, 'session.sendPolicy': DENY });
    for (const [agents, value] of Object.entries(AGENTS)) {
      // Lists of agents count in the widest mode alone.
      if (mode !== 'all' && agents.startsWith('on for') && agents !== 'on for all') continue;
      for (const [sandbox, { sandboxed = false, mode: sandboxMode = 'spawned' }] of Object.entries<{
        sandboxed?: boolean;
        mode?: string;
      }>(SANDBOXES)) {
        world.settings['tools.agentToAgent'] = value;
        world.settings['agents.defaults.sandbox.sessionToolsVisibility'] = sandboxMode;
        const call = { ...who, isUnobserved: true, sandboxed };
        const seen = expected(asking, mode, agents, sandbox);
        const where = `${mode}, agents ${agents}, sandbox ${sandbox}`;

        const { sessions } = await world.list(call);
        const names = sessions.map(({ key }) => (key === 'main' ? TARGETS.main : key)).sort();
        expect(names, where).toEqual([...seen].map((target) => TARGETS[target]).sort());

        const hidden = {
          history: await world.ask('sessions_history', { sessionKey: UNKNOWN }, call),
          status: await world.ask('session_status', { sessionKey: UNKNOWN }, call),
          send: await world.ask('sessions_send', { sessionKey: UNKNOWN, message: 'm' }, call),
        };
        for (const target of ALL) {
          const sessionKey = TARGETS[target];
          const history = await world.ask('sessions_history', { sessionKey }, call);
          const status = await world.ask('session_status', { sessionKey }, call);
          const send = await world.ask(
            'sessions_send',
            { sessionKey, message: 'm', timeoutSeconds: 0 },
            call,
          );
          const about = `${where}: ${target}`;
          if (!seen.has(target)) {
            // A hidden session is not told from one that is not there, by a single byte.
            expect({ history, status, send }, about).toEqual(hidden);
            continue;
          }
          expect(JSON.parse(history), about).toMatchObject({
            messages: expect.any(Array),
            bytes: expect.any(Number),
          });
          expect(JSON.parse(status), about).toMatchObject({ maySend: false });
          for (const { policy, closed } of POLICIES) {
            world.settings['session.sendPolicy'] = policy;
            const asked = await world.ask('session_status', { sessionKey }, call);
            const maySend = !closed.includes(target);
            expect(JSON.parse(asked), `${about}, ${JSON.stringify(policy)}`).toMatchObject({ maySend });
          }
          world.settings['session.sendPolicy'] = DENY;
          expect(JSON.parse(send).status, about).toMatch(/^(forbidden|error)$/);
          expect(send, about).not.toBe(hidden.send);
        }
      }
    }
  });
});

describe('what is hidden', () => {
  it('answers like what is not there also by id, by the key of its door, by label, and above the level', async () => {
    const world = openWorld();
    const call = world.as('b');
    const answers = (ref: object) =>
      Promise.all([
        world.ask('sessions_history', ref, call),
        world.ask('session_status', ref, call),
        world.ask('sessions_send', { ...ref, message: 'm' }, call),
      ]);
    const unknown = await answers({ sessionKey: UNKNOWN });
    for (const sessionKey of [
      TARGETS.a,
      'a',
      idOf('a'),
      `${idOf('a')}/0-Look`,
      'secret',
      idOf('secret'),
      'unknown',
      'global',
    ])
      expect(await answers({ sessionKey }), sessionKey).toEqual(unknown);

    const labelled = (label: string) => world.ask('sessions_send', { label, message: 'm' }, call);
    expect(await labelled('worker')).toBe((await labelled('nobody')).replace('nobody', 'worker'));
    expect(JSON.parse(await labelled('worker'))).toEqual({
      status: 'error',
      error: 'No session found with label: worker',
    });
  });

  it('is named to nobody: the answer says no more than what the requester may see', async () => {
    const world = openWorld();
    expect(await world.history(TARGETS.a, world.as('b'))).toEqual({
      status: 'error',
      error: expect.stringMatching(/tools\.sessions\.visibility: tree/),
    });
    expect(await world.history(TARGETS.b, world.as('a', { sandboxed: true }))).toEqual({
      status: 'error',
      error: 'Session not visible from this sandboxed agent session.',
    });
  });

  it('is what a person sees as well: everything, whatever the settings', async () => {
    const world = openWorld({ 'tools.sessions.visibility': 'self' });
    const person = world.as('panel', { actor: 'person', level: 'RESTRICTED', door: 'panel' });
    const { sessions, visibility } = await world.list(person);
    expect(sessions).toHaveLength(ALL.length + 1);
    expect(visibility).toBeUndefined();
    expect(await world.history('secret', person)).toMatchObject({ messages: [{}, {}] });
  });
});

describe('sending', () => {
  it('asks the send policy of the target, and its own setting first', async () => {
    const world = openWorld({
      'tools.sessions.visibility': 'all',
      'session.sendPolicy': { rules: [{ action: 'deny', match: { keyPrefix: 'cron:' } }] },
    });
    const send = async (sessionKey: string) =>
      JSON.parse(
        await world.ask('sessions_send', { sessionKey, message: 'm', timeoutSeconds: 0 }, world.as('a')),
      );
    expect(await send(TARGETS.cron)).toMatchObject({ status: 'forbidden' });
    await world.sessions.sessionOverride(
      { id: idOf(TARGETS.cron) },
      { sendPolicy: 'allow' },
      { level: 'PUBLIC' },
    );
    await world.sessions.sessionOverride({ id: idOf('tool-1') }, { sendPolicy: 'deny' }, { level: 'PUBLIC' });
    expect(await send(TARGETS.cron)).toMatchObject({ status: 'accepted' });
    expect(await send(TARGETS.mcp)).toMatchObject({ status: 'forbidden' });
  });

  it('never goes down a level', async () => {
    const world = openWorld({ 'tools.sessions.visibility': 'all' });
    const call = world.as('secret', { level: 'CONFIDENTIAL' });
    const text = await world.ask('sessions_send', { sessionKey: TARGETS.b, message: 'm' }, call);
    expect(JSON.parse(text)).toMatchObject({
      status: 'forbidden',
      error: expect.stringMatching(/CONFIDENTIAL/),
    });
  });
});

describe('spawning', () => {
  const spawn = async (who: Partial<ToolCall>, input: object = {}, settings = {}) => {
    const world = openWorld(settings);
    return JSON.parse(
      await world.ask('sessions_spawn', { task: 't', ...input }, { ...who, isUnobserved: true }),
    ) as { status: string; error?: string };
  };

  it('is for sessions at the top that are in no sandbox', async () => {
    for (const [name, { who }] of Object.entries(REQUESTERS)) {
      const isSubagent = (who.loop?.depth ?? 0) > 0;
      const { status, error = '' } = await spawn(who, { agentId: 'nobody' });
      expect([status, name]).toEqual(['forbidden', name]);
      expect(error).toMatch(
        isSubagent ? /not allowed at this depth \(current depth: 1, max: 1\)/ : /agentId is not allowed/,
      );
      expect(await spawn({ ...who, sandboxed: true })).toMatchObject({ status: 'forbidden' });
    }
  });

  it('is under the own agent, or one that the settings allow', async () => {
    const who = { session: 'a', door: 'editor' } as const;
    const list = (allowAgents: readonly string[]) => ({
      'agents.list': [{ id: 'main', subagents: { allowAgents } }, { id: 'review' }],
    });
    expect(await spawn(who, { agentId: 'review' })).toMatchObject({
      status: 'forbidden',
      error: expect.stringMatching(/allowed: main/),
    });
    expect(await spawn(who, { agentId: 'main' }, list(['review']))).toMatchObject({ status: 'forbidden' });
  });
});
