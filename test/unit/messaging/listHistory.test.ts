import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Draft, InterSession } from '../../../src/session/record.ts';
import { idOf } from '../../../src/session/sessionId.ts';
import { answer, draft, START, say, use } from '../session/kit.ts';
import { temporaryFolder } from '../support/folder.ts';
import { A, openWorld, put, spawned, TARGETS } from './worldKit.ts';

const ALL = { 'tools.sessions.visibility': 'all' };
const MAIN = 'agent:main:main';
const MINUTE = 60_000;

interface Message {
  readonly role: string;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

function texts(history: Record<string, unknown>): string[] {
  return (history.messages as readonly Message[]).map(({ role, content }) =>
    [role, ...content.map(({ type, text }) => text ?? type)].join(': '),
  );
}

/** The world with one more session, `s`, in which these things were said. */
function withSession(drafts: readonly Draft[], settings: Record<string, unknown> = {}) {
  const folder = temporaryFolder();
  put(folder, { key: 's', drafts });
  const world = openWorld({ ...ALL, ...settings }, folder);
  return { ...world, read: (input: object = {}) => world.history('s', world.as('a'), input) };
}

describe('sessions_list', () => {
  it('has every field of a row, null where there is no counterpart', async () => {
    const folder = temporaryFolder();
    const usage = { input_tokens: 100, output_tokens: 20, cache_read_tokens: 0, cache_write_tokens: 0 };
    put(folder, {
      key: 's',
      title: 'Fix the login',
      drafts: [
        draft(say('user', 'hello')),
        { ...draft(say('assistant', 'hi'), usage), model: 'm-1', window: 8_000 },
        { type: 'end', end: { reason: 'aborted' } },
      ],
    });
    const world = openWorld(ALL, folder);
    await world.sessions.sessionOverride({ id: idOf('s') }, { sendPolicy: 'deny' }, { level: 'PUBLIC' });
    const { sessions } = await world.list(world.as('s'));
    expect(sessions.find(({ displayName }) => displayName === 'Fix the login')).toEqual({
      ...{ key: 'agent:main:webchat:direct:s', kind: 'other', channel: 'webchat' },
      ...{ displayName: 'Fix the login', updatedAt: START, sessionId: idOf('s'), model: 'm-1' },
      ...{ contextTokens: 8_000, totalTokens: 120, thinkingLevel: null, verboseLevel: null },
      ...{ systemSent: null, abortedLastRun: true, sendPolicy: 'deny', lastChannel: 'webchat', lastTo: null },
      deliveryContext: { channel: 'webchat', to: null, accountId: null },
      transcriptPath: join(folder, 'store', 'sessions', `${idOf('s')}.jsonl`),
      ...{ label: null, agentId: 'main', spawnedBy: null, depth: 0, level: 'PUBLIC', live: false },
      ...{ state: 'idle', isOurs: true, archived: false },
    });
  });

  it.each([
    ['agent:main:telegram:acc1:direct:bob', { channel: 'telegram', to: 'bob', accountId: 'acc1' }],
    ['agent:main:telegram:direct:bob', { channel: 'telegram', to: 'bob', accountId: null }],
    ['agent:main:slack:channel:c1', { channel: 'slack', to: 'c1', accountId: null }],
    ['agent:main:discord:group:42:thread:1', { channel: 'discord', to: '42:thread:1', accountId: null }],
    ['agent:main:webchat:acc1:direct:bob', { channel: 'webchat', to: null, accountId: null }],
    ['agent:main:direct:bob', null],
    ['cron:bob', null],
    ['hook:bob', null],
  ])('says of %s where its answers go: %j', async (key, deliveryContext) => {
    const folder = temporaryFolder();
    put(folder, { key, kind: 'mcp' });
    const { list, as } = openWorld(ALL, folder);
    const { sessions } = await list(as('a'));
    expect(sessions.find((row) => row.key === key)).toMatchObject({
      deliveryContext,
      lastChannel: deliveryContext?.channel ?? null,
      lastTo: deliveryContext?.to ?? null,
    });
  });

  it('takes secrets out of names, which are made of first prompts', async () => {
    const folder = temporaryFolder();
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    put(folder, { key: 's', title: `Log in with ${token}` });
    put(folder, {
      key: 'cut',
      drafts: [draft(say('user', `Please, when you have time, use ${'a '.repeat(8)}${token}`))],
    });
    put(folder, spawned('agent:main:subagent:c9', A, { label: `use ${token}` }));
    const world = openWorld(ALL, folder);
    const listed = await world.ask('sessions_list', {}, world.as('s'));
    const status = await world.ask('session_status', { sessionKey: 'agent:main:subagent:c9' }, world.as('s'));
    expect(JSON.parse(listed)).toMatchObject({ contentRedacted: true });
    expect(listed).toContain('Log in with [redacted: ');
    expect(status).toContain('use [redacted: ');
    expect(listed).toContain('Please, when you have time, use a a a a a a a a …');
    expect(listed + status).not.toContain(token.slice(0, 16));
  });

  it('shows who started what, and calls the own main session main', async () => {
    const world = openWorld();
    const { sessions, count } = await world.list(world.as(MAIN, { door: 'mcp' }));
    expect(count).toBe(sessions.length);
    const row = (key: string) => sessions.find((each) => each.key === key);
    expect(row('main')).toMatchObject({ kind: 'main', channel: 'unknown' });
    expect(row(TARGETS.task)).toMatchObject({
      ...{ spawnedBy: A, depth: 1, sessionId: `${idOf('a')}/0-Look`, state: 'ended', isOurs: false },
    });
    expect(row(TARGETS.child)).toMatchObject({ spawnedBy: A, label: 'worker', isOurs: true });
    expect(row(TARGETS.cron)).toMatchObject({ kind: 'cron', channel: 'internal' });
    expect((await world.history('main', world.as(MAIN, { door: 'mcp' }))).sessionKey).toBe('main');
  });

  it('lists by kind, by when something was said last, and no more rows than asked for', async () => {
    const folder = temporaryFolder();
    const at = (minutes: number) => new Date(START - minutes * MINUTE).toISOString();
    put(folder, { key: 'old', drafts: [{ ...draft(say('user', 'x')), timestamp: at(90) }] });
    const world = openWorld(ALL, folder);
    const keys = async (input: object) =>
      (await world.list(world.as('a'), input)).sessions.map(({ key }) => key);
    expect(await keys({ kinds: ['cron'] })).toEqual([TARGETS.cron]);
    expect((await keys({ kinds: ['cron', 'main'] })).sort()).toEqual([TARGETS.cron, 'main'].sort());
    expect(await keys({ activeMinutes: 80 })).not.toContain('agent:main:webchat:direct:old');
    expect(await keys({ activeMinutes: 100 })).toContain('agent:main:webchat:direct:old');
    expect(await world.list(world.as('a'), { limit: 3 })).toMatchObject({
      ...{ count: 3, truncated: true, omitted: expect.any(Number) },
    });
  });

  it('has last messages only when asked, at most 20, and never those of tools', async () => {
    const said = Array.from({ length: 30 }, (_, at) => draft(say('user', `m${at}`)));
    const world = withSession([...said, draft(say('assistant', use('c'))), draft(say('user', answer('c')))]);
    const row = async (input: object) => {
      const { sessions } = await world.list(world.as('s'), input);
      return sessions.find(({ key }) => key === 'agent:main:webchat:direct:s');
    };
    expect(await row({})).not.toHaveProperty('messages');
    expect(texts((await row({ messageLimit: 2 })) ?? {})).toEqual(['user: m28', 'user: m29']);
    expect((await row({ messageLimit: 100 }))?.messages).toHaveLength(20);
  });

  it('says when settings restrict it, whether or not anything is hidden', async () => {
    const alone = openWorld();
    expect((await alone.list(alone.as('b'))).visibility).toEqual({
      ...{ mode: 'tree', restricted: true, warning: expect.stringMatching(/tree/) },
    });
    expect((await alone.list(alone.as('b', { sandboxed: true }))).visibility?.warning).toMatch(/sandbox/);
    expect((await alone.list(alone.as('b', { actor: 'person' }))).visibility).toBeUndefined();
  });

  it.each<[object | undefined, RegExp | undefined]>([
    [undefined, /started.*tools\.agentToAgent is not enabled/],
    [{ enabled: false, allow: ['*'] }, /tools\.agentToAgent is not enabled/],
    [{ enabled: true, allow: 'main' }, /tools\.agentToAgent is not enabled/],
    [{ enabled: true, allow: ['main', 'oth*'] }, /tools\.agentToAgent names those alone/],
    [{ enabled: true, allow: [''] }, /tools\.agentToAgent names those alone/],
    [{ enabled: true }, undefined],
    [{ enabled: true, allow: ['main', ' * '] }, undefined],
  ])('in the mode all says whether other agents are hidden, with %j', async (agentToAgent, warning) => {
    const world = openWorld({ ...ALL, 'tools.agentToAgent': agentToAgent });
    const { visibility } = await world.list(world.as('b'));
    if (warning === undefined) expect(visibility).toBeUndefined();
    else
      expect(visibility).toEqual({
        mode: 'all',
        restricted: true,
        warning: expect.stringMatching(warning),
      });
  });

  it('keeps to its size, and says what it left out', async () => {
    const folder = temporaryFolder();
    for (let at = 0; at < 30; at++)
      put(folder, {
        key: `k${at}`,
        drafts: Array.from({ length: 9 }, () => draft(say('user', '긴'.repeat(4_000)))),
      });
    const world = openWorld(ALL, folder);
    const listed = await world.list(world.as('a'), { messageLimit: 20 });
    expect(Buffer.byteLength(JSON.stringify(listed))).toBeLessThanOrEqual(80 * 1024);
    expect(listed).toMatchObject({ truncated: true, contentTruncated: true });
    expect(listed.count + (listed.omitted ?? 0)).toBe(39);
  });

  it('leaves out what was put away, and what is reserved', async () => {
    const folder = temporaryFolder();
    for (const key of ['global', 'unknown']) put(folder, { key, kind: 'mcp' });
    const world = openWorld(ALL, folder);
    const keys = async () => (await world.list(world.as('a'))).sessions.map(({ key }) => key);
    expect((await keys()).filter((key) => /global|unknown/.test(key))).toEqual([]);
    world.clock.time += MINUTE;
    await world.sessions.putAway([idOf('b')], true, { level: 'PUBLIC' });
    expect(await keys()).not.toContain(TARGETS.b);
    await world.sessions.putAway([idOf('b')], false, { level: 'PUBLIC' });
    expect(await keys()).toContain(TARGETS.b);
  });

  it('shows the global session as main, where the scope is global', async () => {
    const folder = temporaryFolder();
    put(folder, { key: 'global', kind: 'mcp', drafts: [draft(say('user', 'for everybody'))] });
    const world = openWorld({ ...ALL, 'session.scope': 'global' }, folder);
    const text = JSON.stringify(await world.list(world.as('a')));
    expect(text).not.toMatch(/"global"/);
    expect(texts(await world.history('main', world.as('a')))).toEqual(['user: for everybody']);
    expect(await world.history('global', world.as('a'))).toMatchObject({ status: 'error' });
  });

  it.each([
    ['the scope is global, and a main session of its own is there, too', 'global', ['global']],
    ['one door says main, and another the whole key', 'per-sender', ['main']],
    ['all of that at once', 'global', ['global', 'main']],
  ])('calls no two sessions by one key, and each call finds its own: %s', async (_name, scope, more) => {
    const folder = temporaryFolder();
    for (const key of more) put(folder, { key, kind: 'mcp', drafts: [draft(say('user', `in ${key}`))] });
    put(folder, { key: 'agent:other:main', kind: 'mcp' });
    const settings = { 'session.scope': scope, 'tools.agentToAgent': { enabled: true } };
    const world = openWorld({ ...ALL, ...settings }, folder);
    for (const who of [world.as('a'), world.as('agent:other:main', { door: 'mcp' })]) {
      const { sessions } = await world.list(who, { messageLimit: 1 });
      expect(new Set(sessions.map(({ key }) => key)).size).toBe(sessions.length);
      for (const { key, messages } of sessions) {
        const found = await world.history(key, who, { limit: 1 });
        expect({ key: found.sessionKey, messages: found.messages }).toEqual({ key, messages });
      }
    }
    const called = scope === 'global' ? 'in global' : undefined;
    const [main] = texts(await world.history('main', world.as('a')));
    if (called !== undefined) expect(main).toBe(`user: ${called}`);
  });

  it('means by main what the list calls main, for every agent', async () => {
    const folder = temporaryFolder();
    put(folder, { key: 'global', kind: 'mcp', drafts: [draft(say('user', 'for everybody'))] });
    put(folder, { key: 'agent:other:main', kind: 'mcp', drafts: [draft(say('user', 'for the other'))] });
    const world = openWorld(
      { ...ALL, 'session.scope': 'global', 'tools.agentToAgent': { enabled: true } },
      folder,
    );
    for (const who of [world.as('a'), world.as('agent:other:main', { door: 'mcp' })]) {
      const { sessions } = await world.list(who, { kinds: ['main'], messageLimit: 1 });
      const listed = sessions.filter(({ key }) => key === 'main').map(({ sessionId }) => sessionId);
      const status = JSON.parse(await world.ask('session_status', { sessionKey: 'main' }, who));
      expect(listed).toContain(status.sessionId);
    }
    const other = world.as('agent:other:main', { door: 'mcp' });
    expect(texts(await world.history('main', other))).toEqual(['user: for the other']);
    expect(texts(await world.history(MAIN, other))).toEqual(['user: for everybody']);
  });

  it('lists agents that are at work without a transcript, as far as that tells', async () => {
    const world = openWorld(ALL);
    const at = { branch: 'main', root: world.folder, level: 'PUBLIC' } as const;
    await world.sessions.attend({ ...at, key: 'sess-9', agent: 'claude-code' });
    await world.sessions.attend({ ...at, key: 'window-1', agent: 'vscode' });
    await world.sessions.attend({ ...at, key: 'sess-secret', agent: 'codex', level: 'RESTRICTED' });
    const { sessions } = await world.list(world.as('a'));
    const others = sessions.filter(({ transcriptPath }) => transcriptPath === null);
    expect(others).toMatchObject([
      { ...{ key: 'agent:main:direct:sess-9', sessionId: null, state: 'idle' } },
    ]);
    expect(await world.history('agent:main:direct:sess-9', world.as('a'))).toMatchObject({ messages: [] });
  });

  it('knows the calling session before it has a transcript', async () => {
    const world = openWorld({ 'tools.sessions.visibility': 'self' });
    const fresh = world.as('new', { door: 'mcp' });
    expect((await world.list(fresh)).sessions).toMatchObject([{ key: 'agent:main:direct:new' }]);
    expect(JSON.parse(await world.ask('session_status', {}, fresh))).toMatchObject({ isCaller: true });
  });

  it('lists a session whose last line is damaged, to those who may see every level', async () => {
    const world = openWorld(ALL);
    const file = join(world.folder, 'store', 'sessions', `${idOf('b')}.jsonl`);
    appendFileSync(file, '{"uuid":"x"}\n');
    const keys = async (level: 'PUBLIC' | 'RESTRICTED') =>
      (await world.list(world.as('a', { level }))).sessions.map(({ key }) => key);
    expect(await keys('PUBLIC')).not.toContain(TARGETS.b);
    expect(await keys('RESTRICTED')).toContain(TARGETS.b);
    const history = await world.history(TARGETS.b, world.as('a', { level: 'RESTRICTED' }));
    expect(history).toMatchObject({ damaged: true });
  });
});

describe('sessions_history', () => {
  it('has the latest messages, and pages before them, without a gap or a repetition', async () => {
    const said = Array.from({ length: 25 }, (_, at) => draft(say('user', `m${at}`)));
    const { read } = withSession(said);
    const all: string[] = [];
    for (let before: unknown; before !== null; ) {
      const page = await read({ limit: 4, ...(before !== undefined && { before }) });
      all.unshift(...texts(page));
      before = page.before;
    }
    expect(all).toEqual(said.map((_, at) => `user: m${at}`));
    // Also where a page is cut by its size.
    const long = withSession(
      Array.from({ length: 60 }, (_, at) => draft(say('user', `m${at} ${'x'.repeat(3_900)}`))),
    );
    const found: string[] = [];
    for (let before: unknown; before !== null; ) {
      const page = await long.read({ limit: 50, ...(before !== undefined && { before }) });
      expect(page.bytes).toBeLessThanOrEqual(80 * 1024);
      found.unshift(...texts(page).map((text) => text.split(' ')[1] ?? ''));
      before = page.before;
    }
    expect(found).toEqual(Array.from({ length: 60 }, (_, at) => `m${at}`));
  });

  it('has calls and results only when asked, each result a message of its own', async () => {
    const world = withSession([
      draft(say('user', 'go')),
      draft(
        say(
          'assistant',
          { type: 'thinking', thinking: 'hm', signature: 'sig' },
          'I look',
          use('c1'),
          use('c2'),
        ),
      ),
      draft(say('user', answer('c1', 'one'), answer('c2', 'two'))),
      draft(say('assistant', 'done')),
    ]);
    const plain = await world.read();
    expect(texts(plain)).toEqual(['user: go', 'assistant: I look', 'assistant: done']);
    expect(plain.toolMessages).toBe(1);
    const full = await world.read({ includeTools: true });
    expect(texts(full)).toEqual([
      'user: go',
      'assistant: thinking: I look: tool_use: tool_use',
      'toolResult: one',
      'toolResult: two',
      'assistant: done',
    ]);
    expect(JSON.stringify(full)).not.toContain('sig');
  });

  it('cuts long texts and says so, and says what costs nothing', async () => {
    const usage = { input_tokens: 7, output_tokens: 7, cache_read_tokens: 7, cache_write_tokens: 7 };
    const world = withSession([
      draft(say('assistant', `${'a'.repeat(3_999)}\u{1F600}${'b'.repeat(30_000)}`), usage),
    ]);
    const history = await world.read();
    expect(texts(history)).toEqual([`assistant: ${'a'.repeat(3_999)}\n…(truncated)…`]);
    expect(history).toMatchObject({ truncated: true, contentTruncated: true, droppedMessages: false });
    expect(JSON.stringify(history)).not.toMatch(/input_tokens|usage/);
  });

  it('takes secrets out of every part, also where the cut would hide their end', async () => {
    const secret = `ghp_${'Ab1'.repeat(12)}`;
    const input = {
      type: 'tool_use',
      id: 'c',
      name: 'run',
      input: { command: `curl -H ${secret}` },
    } as const;
    const world = withSession([
      draft(say('user', `${'x '.repeat(1_990)}${secret}`)),
      draft(say('assistant', input)),
      draft(say('user', answer('c', `token=${secret}`))),
    ]);
    const history = await world.read({ includeTools: true });
    expect(JSON.stringify(history)).not.toContain('ghp_Ab1');
    expect(history.contentRedacted).toBe(true);
    expect((await withSession([draft(say('user', 'plain'))]).read()).contentRedacted).toBe(false);
  });

  it('puts a word in the place of one message that is too large', async () => {
    const blocks = Array.from({ length: 40 }, () => '가'.repeat(3_000));
    const history = await withSession([
      draft(say('user', 'first')),
      draft(say('assistant', ...blocks)),
    ]).read();
    expect(texts(history)).toEqual(['assistant: [left out: this message is too large for an answer]']);
    expect(history).toMatchObject({ truncated: true, droppedMessages: true });
  });

  it('takes ids and aliases for keys', async () => {
    const world = openWorld(ALL);
    const key = async (name: string) => (await world.history(name, world.as('a'))).sessionKey;
    expect(await key(idOf('b'))).toBe(TARGETS.b);
    expect(await key(`${idOf('a')}/0-Look`)).toBe(TARGETS.task);
    expect(await key('current')).toBe(A);
    expect(await key('main')).toBe('main');
    expect(await key('b')).toBe(TARGETS.b);
  });

  it('keeps the source of a message that another session sent', async () => {
    const provenance: InterSession = {
      kind: 'inter_session',
      sourceSessionKey: A,
      sourceChannel: 'webchat',
      sourceTool: 'sessions_send',
    };
    const history = await withSession([{ ...draft(say('system', 'hello')), provenance }]).read();
    expect(history.messages).toMatchObject([{ role: 'system', provenance }]);
  });

  it('reads only as much of a transcript as a page needs', async () => {
    const world = withSession(Array.from({ length: 2_000 }, (_, at) => draft(say('user', `m${at}`))));
    const file = join(world.folder, 'store', 'sessions', `${idOf('s')}.jsonl`);
    const lines = readFileSync(file, 'utf8').split('\n');
    // What lies far before the page is never looked at: here it would not verify.
    writeFileSync(
      file,
      lines.map((line, at) => (at > 0 && at < 1_000 ? line.replace('m', 'M') : line)).join('\n'),
    );
    expect(await world.read({ limit: 10 })).toMatchObject({ damaged: false, before: expect.any(Number) });
    expect((await world.read({ limit: 10 })).messages).toHaveLength(10);
  });
});

describe('agents_list', () => {
  it('has the own agent alone, unless the settings allow others', async () => {
    const world = openWorld();
    const agents = async () => JSON.parse(await world.ask('agents_list', {}, world.as('a')));
    expect(await agents()).toEqual({
      ...{ requester: 'main', allowAny: false, agents: [{ id: 'main', configured: false }] },
    });
    world.settings['agents.list'] = [
      { id: 'main', subagents: { allowAgents: ['review', 'later'] } },
      { id: 'review', name: 'Reviewer' },
      { id: 'not an id' },
      'nothing',
    ];
    expect(await agents()).toEqual({
      ...{ requester: 'main', allowAny: false },
      agents: [
        { id: 'review', name: 'Reviewer', configured: true },
        { id: 'later', configured: false },
      ],
    });
    world.settings['agents.list'] = [{ id: 'main', subagents: { allowAgents: ['*'] } }, { id: 'review' }];
    expect(await agents()).toMatchObject({ allowAny: true, agents: [{ id: 'main' }, { id: 'review' }] });
  });
});
