import { describe, expect, it } from 'vitest';
import type { HistoryPage, SessionsView } from '../../../src/sessionProtocol.ts';
import type { ToolCall } from '../../../src/tools/tool.ts';
import { A, B, openTalk } from '../messaging/sendKit.ts';
import { openWorld, put, TARGETS } from '../messaging/worldKit.ts';
import { answer, draft, say, use } from '../session/kit.ts';
import { temporaryFolder } from '../support/folder.ts';

const PERSON: Partial<ToolCall> = {
  ...{ actor: 'person', door: 'panel', level: 'RESTRICTED', session: 'window', source: 'panel' },
};

type Call = (
  tool: string,
  input: object,
  who: Partial<ToolCall>,
) => Promise<{ data?: unknown; isError: boolean }>;

function panelOf({ call }: { readonly call: Call }) {
  const data = async (tool: string, input: object) => (await call(tool, input, PERSON)).data;
  return {
    show: async () => (await data('sessions_show', {})) as SessionsView,
    read: async (session: string, input: object = {}) =>
      (await data('sessions_read', { session, ...input })) as HistoryPage,
    change: async (session: string, input: object) => call('sessions_change', { session, ...input }, PERSON),
  };
}

describe('the person’s view of sessions', () => {
  it('shows every session of every level, with who started it', async () => {
    const { sessions, agents } = await panelOf(openWorld({ 'agents.list': [{ id: 'scout' }] })).show();
    const line = (key: string) => sessions.find((each) => each.key === key);
    expect(line(TARGETS.a)).toMatchObject({
      kind: 'copilot',
      title: 'Chat A',
      answers: false,
      canResume: false,
    });
    expect(line(TARGETS.b)).toMatchObject({
      kind: 'chat',
      answers: true,
      canResume: true,
      maySend: true,
      run: null,
    });
    expect(line(TARGETS.child)).toMatchObject({ kind: 'spawned', label: 'worker', parent: A });
    expect(line(TARGETS.task)).toMatchObject({ kind: 'subagent', parent: A });
    expect(line(TARGETS.cron)).toMatchObject({ kind: 'cron' });
    expect(line(TARGETS.mcp)).toMatchObject({ kind: 'mcp', source: 'claude-code' });
    expect(line('agent:main:webchat:direct:secret')).toMatchObject({ level: 'CONFIDENTIAL' });
    expect(agents).toEqual(['main', 'scout']);
  });

  it('is no tool of an agent’s', async () => {
    const world = openWorld();
    for (const tool of ['sessions_show', 'sessions_read', 'sessions_change', 'sessions_stop'])
      expect((await world.call(tool, { session: TARGETS.b }, { actor: 'agent' })).isError).toBe(true);
  });

  it('renames, sets and takes back what the person says of a session', async () => {
    const { show, change } = panelOf(openWorld());
    const b = async () => (await show()).sessions.find(({ key }) => key === TARGETS.b);
    const before = (await b())?.title;
    await change(TARGETS.b, { title: ' Another ', sendPolicy: 'deny', archived: true });
    expect(await b()).toMatchObject({ title: 'Another', sendPolicy: 'deny', maySend: false, archived: true });
    await change(TARGETS.b, { title: '', sendPolicy: null, archived: false });
    expect(await b()).toMatchObject({ title: before, sendPolicy: null, maySend: true, archived: false });
  });

  it('says what it cannot do', async () => {
    const world = openWorld();
    const { change } = panelOf(world);
    expect(await change('agent:main:nobody', { archived: true })).toMatchObject({ isError: true });
    expect(await change(TARGETS.task, { archived: true })).toMatchObject({ isError: true });
    expect(await world.call('sessions_stop', { session: TARGETS.b }, PERSON)).toMatchObject({
      isError: true,
      text: 'Nothing runs in it that could be stopped.',
    });
  });
});

describe('a history for the person', () => {
  const open = (drafts: Parameters<typeof put>[1]['drafts']) => {
    const folder = temporaryFolder();
    put(folder, { key: 's', ...(drafts && { drafts }) });
    return panelOf(openWorld({}, folder));
  };

  it('is read in pages back to its beginning, each message once', async () => {
    const { read } = open(Array.from({ length: 25 }, (_, at) => draft(say('user', `line ${at}`))));
    const texts: string[] = [];
    let before: number | null | undefined;
    while (before !== null) {
      const page = await read('s', { limit: 10, ...(before !== undefined && { before }) });
      texts.unshift(...page.messages.map(({ text }) => text));
      before = page.older;
    }
    expect(texts).toEqual(Array.from({ length: 25 }, (_, at) => `line ${at}`));
  });

  it('reaches back to a message that is asked for', async () => {
    const { read } = open(Array.from({ length: 60 }, (_, at) => draft(say('user', `line ${at}`))));
    const last = await read('s', { limit: 60 });
    const wanted = last.messages[20];
    const page = await read('s', { limit: 10, reach: wanted?.uuid });
    expect(page.messages.some(({ uuid }) => uuid === wanted?.uuid)).toBe(true);
    expect(page.messages.at(-1)?.text).toBe('line 59');
    expect(page.messages.length).toBeLessThan(60);
  });

  it('folds a call and its result into the message that made it', async () => {
    const { read } = open([
      draft(say('user', 'go')),
      draft(say('assistant', use('c1', 'read'))),
      draft(say('user', answer('c1', 'the file'))),
    ]);
    const { messages } = await read('s');
    expect(messages).toHaveLength(2);
    expect(messages[1]).toMatchObject({
      role: 'assistant',
      calls: [{ name: 'read', result: 'the file', isError: false }],
    });
  });

  it('shows no secrets', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const { read } = open([draft(say('user', `token ${secret}`))]);
    expect((await read('s')).messages[0]?.text).not.toContain(secret);
  });

  it('shows no beginning of a secret where a call is cut', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const text = `${'x '.repeat(990)}${secret} ${'y '.repeat(2_000)}`;
    const { read } = open([
      draft(say('user', 'go')),
      draft(say('assistant', use('c'))),
      draft(say('user', answer('c', text))),
    ]);
    const [call] = (await read('s')).messages.flatMap(({ calls }) => calls);
    expect(call?.result).toContain('x x');
    expect(call?.result).not.toContain('ghp_');
    expect(call?.result.length).toBeLessThanOrEqual(2_000);
  });
});

describe('messages between sessions', () => {
  it('stand in the timeline newest first, and in the history with the one who sent them', async () => {
    const talk = await openTalk((text) => (text.includes('2+2') ? '4' : 'REPLY_SKIP'), {
      'session.agentToAgent.maxPingPongTurns': 0,
    });
    expect(await talk.send({ timeoutSeconds: 20 })).toMatchObject({ status: 'ok', reply: '4' });
    await talk.messaging.idle();
    const { show, read } = panelOf(talk);
    const { timeline } = await show();
    expect(timeline.map(({ event, from, to, text }) => [event, from?.key, to?.key, text])).toEqual([
      ['replied', B, A, '4'],
      ['sent', A, B, 'What is 2+2?'],
    ]);
    const asked = (await read(B)).messages.find(({ from }) => from !== null);
    expect(asked).toMatchObject({ from: { key: A, name: 'hello a' }, text: 'What is 2+2?' });
  });

  it('tell no secrets in the timeline, nor the beginning of one where a text is cut', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const talk = await openTalk(() => `It is ${secret}`, { 'session.agentToAgent.maxPingPongTurns': 0 });
    await talk.send({ message: `${'x '.repeat(140)}${secret} please`, timeoutSeconds: 20 });
    await talk.messaging.idle();
    const texts = (await panelOf(talk).show()).timeline.map(({ text }) => text);
    expect(texts).toHaveLength(2);
    expect(texts.join()).not.toContain('ghp_');
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(300);
  });

  it('of the person are the person’s', async () => {
    const talk = await openTalk(() => 'Yes.', { 'session.agentToAgent.maxPingPongTurns': 0 });
    await talk.send({ message: 'Are you there?', timeoutSeconds: 20 }, PERSON);
    await talk.messaging.idle();
    const { show, read } = panelOf(talk);
    const [replied, sent] = (await show()).timeline;
    expect(sent).toMatchObject({ event: 'sent', from: null, to: { key: B } });
    expect(replied).toMatchObject({ event: 'replied', from: { key: B }, to: null });
    const said = (await read(B)).messages.find(({ text }) => text === 'Are you there?');
    expect(said).toMatchObject({ role: 'user', from: null });
  });
});
