import { describe, expect, it, vi } from 'vitest';
import { maxPingPongTurns, pingPong } from '../../../src/messaging/pingPong.ts';
import type { RunRecord } from '../../../src/session/record.ts';
import { idOf } from '../../../src/session/sessionId.ts';
import { draft, say } from '../session/kit.ts';
import { START } from '../support/folder.ts';
import { inboxOf, PERSON } from '../worker/kit.ts';
import { A, B, openTalk } from './sendKit.ts';

/** An agent that answers the message and keeps out of everything after it. */
const brief = (text: string) =>
  text.includes('2+2') && !text.includes('The request') ? 'Four.' : 'REPLY_SKIP';

describe('a message to a chat of ours', () => {
  it('is answered, and stands in the transcript as nobody’s prompt', async () => {
    const { send, said, records, messaging, model } = await openTalk(brief);
    expect(await send({})).toEqual({
      runId: expect.any(String),
      sessionKey: B,
      status: 'ok',
      reply: 'Four.',
    });
    await messaging.idle();
    expect(said('b').slice(0, 2)).toEqual(['system: What is 2+2?', 'assistant: Four.']);
    expect(model.asked[0]).toMatch(/^\[Inter-session message\] source=\S+:a .*isUser=false/);
    const message = records('b').find((record) => record.type === 'message' && record.begins);
    expect(message).toMatchObject({
      provenance: {
        kind: 'inter_session',
        sourceSessionKey: A,
        sourceChannel: 'webchat',
        sourceTool: 'sessions_send',
      },
    });
  });

  it('is accepted at once without waiting, and can be waited for later', async () => {
    const { send, messaging } = await openTalk(brief);
    const { status, runId = '' } = await send({ timeoutSeconds: 0 });
    expect(status).toBe('accepted');
    const run = await messaging.wait(runId, 10_000, AbortSignal.timeout(20_000));
    expect(run?.outcome).toMatchObject({ status: 'ok', text: 'Four.' });
  });

  it('reaches an agent that is known from its presence alone, with its first call', async () => {
    const { send, sessions, call, folder } = await openTalk(brief);
    const at = { branch: '', root: folder, files: [], level: 'PUBLIC' } as const;
    await sessions.attend({ ...at, key: 'sess-9', agent: 'claude-code' });
    const answer = await send({ sessionKey: 'agent:main:direct:sess-9' });
    expect(answer).toMatchObject({ status: 'accepted' });
    const first = await call('memory_stats', {}, { session: 'sess-9', door: 'mcp', source: 'claude-code' });
    expect(first.text).toContain('What is 2+2?');
  });

  it('finds a label in whichever Unicode form, and with spaces around it', async () => {
    const { send, sessions } = await openTalk(brief);
    await sessions.sessionOverride({ id: idOf('b') }, { label: '작업 봇'.normalize('NFD') }, PERSON);
    const answer = await send({ sessionKey: undefined, label: ' 작업 봇 ' });
    expect(answer).toMatchObject({ status: 'ok', sessionKey: B });
  });

  it('hands on no more of an answer than a message may have, and says so', async () => {
    const { send, messaging, model } = await openTalk((text) =>
      text.includes('The request') ? 'ANNOUNCE_SKIP' : '😀'.repeat(200_000),
    );
    const { reply = '' } = await send({});
    await messaging.idle();
    expect(reply).toMatch(/^😀+…\n\(Cut here; the whole is in the transcript\.\)$/u);
    // Each answer, and the announcement with the request and two answers.
    for (const asked of model.asked) expect(asked.length).toBeLessThan(210_000);
    expect(reply.length).toBeLessThan(100_100);
  });

  it('waits for another process that is just putting the same message into the outbox, and does what comes to nothing', async () => {
    const { send, sessions, said, messaging } = await openTalk(brief);
    // Somebody holds its place and has not written it yet; then they are gone.
    const runPut = vi.spyOn(sessions, 'runPut');
    for (let looks = 0; looks < 3; looks++)
      runPut.mockImplementationOnce(async (run) => ({ run, isNew: false }));
    expect(await send({ id: 'mine' })).toMatchObject({ status: 'ok', reply: 'Four.' });
    await messaging.idle();
    expect(said('b').slice(0, 2)).toEqual(['system: What is 2+2?', 'assistant: Four.']);
    expect(runPut).toHaveBeenCalledTimes(4);
  });

  it('goes on when the wait is over, and the same id takes the wait up again', async () => {
    let open = (_text: string): void => {};
    const gate = new Promise<string>((resolve) => {
      open = resolve;
    });
    const { send, said, messaging } = await openTalk((text) =>
      text.includes('The request') || text.includes('automatic') ? 'REPLY_SKIP' : gate,
    );
    const first = await send({ id: 'mine', timeoutSeconds: 0.05 });
    expect(first).toMatchObject({
      status: 'timeout',
      error: expect.stringMatching(/not lost.*sessions_history/),
    });
    open('Four.');
    expect(await send({ id: 'mine' })).toEqual({
      runId: first.runId,
      sessionKey: B,
      status: 'ok',
      reply: 'Four.',
    });
    await messaging.idle();
    expect(said('b').filter((line) => line === 'system: What is 2+2?')).toHaveLength(1);
    expect(await send({ id: 'mine', message: 'else' })).toMatchObject({
      status: 'error',
      error: expect.stringMatching(/another message/),
    });
  });

  it('fails with the reason where the model does, and where there is none', async () => {
    const { send, models, said } = await openTalk(() => {
      throw new Error('out of order');
    });
    expect(await send({})).toMatchObject({ status: 'error', error: expect.stringMatching(/out of order/) });
    delete models.model;
    expect(await send({})).toMatchObject({ status: 'error', error: 'There is no chat model.' });
    expect(said('b')).toEqual(['system: What is 2+2?']);
  });

  it('waits for a turn that runs', async () => {
    const { send, sessions, said } = await openTalk(brief);
    const owner = { key: 'b', kind: 'participant', source: 'lodeline', level: 'PUBLIC' } as const;
    await sessions.turnBegin(owner, [draft(say('user', 'person'))]);
    const answer = send({});
    await send({ sessionKey: 'none' });
    await sessions.turnEnd(idOf('b'), [draft(say('assistant', 'done'))], { reason: 'completed' });
    expect(await answer).toMatchObject({ status: 'ok' });
    expect(said('b').slice(0, 3)).toEqual(['user: person', 'assistant: done', 'system: What is 2+2?']);
  });

  it('keeps an answer that came from above the level of the one who asked', async () => {
    const { send, sessions, said } = await openTalk(async () => {
      await sessions.observe(
        {
          key: 'b',
          kind: 'participant',
          source: 'x',
          level: 'CONFIDENTIAL',
          loop: { callId: 'c', depth: 0 },
        },
        { name: 'read', input: {}, text: 'secret', isError: false },
      );
      return 'the secret';
    });
    const { status, error } = await send({});
    expect({ status, error }).toMatchObject({
      status: 'error',
      error: expect.stringMatching(/CONFIDENTIAL/),
    });
    expect(error).not.toMatch(/the secret/);
    expect(said('a')).toEqual([]);
  });
});

describe('what a call of sessions_send is told', () => {
  const TO_ITSELF = 'sessions_send cannot target the calling session; use your own reply instead';

  it.each([
    ['O-SE-01: two names', { label: 'l' }, 'Provide either sessionKey or label (not both).'],
    ['no name', { sessionKey: undefined }, 'Either sessionKey or label is required'],
    ['an unknown label', { sessionKey: undefined, label: 'nobody' }, 'No session found with label: nobody'],
    ['O-SE-03: its own key', { sessionKey: A, timeoutSeconds: 30 }, TO_ITSELF],
    ['itself', { sessionKey: 'current' }, TO_ITSELF],
    ['no message', { message: ' ' }, expect.stringMatching(/message is empty/)],
  ])('%s, %j', async (_name, input, error) => {
    const { send } = await openTalk(brief);
    expect(await send(input)).toEqual({ status: 'error', error });
  });

  it('the same of a hidden session and of none', async () => {
    const { send } = await openTalk(brief, { 'tools.sessions.visibility': 'tree' });
    const hidden = await send({});
    expect(hidden).toEqual(await send({ sessionKey: B.replace(':b', ':nobody') }));
    expect(await send({}, { sandboxed: true })).toEqual({
      status: 'error',
      error: 'Session not visible from this sandboxed agent session.',
    });
  });

  it('forbidden where the person’s policy denies it', async () => {
    const policy = { rules: [{ action: 'deny', match: { channel: 'webchat' } }] };
    const { send, said } = await openTalk(brief, { 'session.sendPolicy': policy });
    expect(await send({})).toMatchObject({
      status: 'forbidden',
      error: expect.stringMatching(/send policy/),
    });
    expect(said('b')).toEqual([]);
  });

  it('an error when too many messages have led to it', async () => {
    const { send, messaging } = await openTalk(brief);
    expect(await send({}, { cause: { runId: 'r', hops: 4 } })).toMatchObject({ status: 'ok' });
    await messaging.idle();
    expect(await send({}, { cause: { runId: 'r', hops: 5 } })).toMatchObject({
      status: 'error',
      error: expect.stringMatching(/chain of messages/),
    });
  });
});

it('agents that send to each other for ever come to an end', async () => {
  const { send, messaging, model } = await openTalk((text, { messages }) => {
    if (messages.at(-1)?.content[0]?.type === 'tool_result') return 'NO_REPLY';
    const to = text.includes('source=agent:main:webchat:direct:a') ? A : B;
    const input = { sessionKey: to, message: 'And you?', timeoutSeconds: 0 };
    return [{ type: 'tool_use', id: `c${messages.length}`, name: 'sessions_send', input }];
  });
  await send({ timeoutSeconds: 0 });
  await messaging.idle();
  const runs = await messaging.runs({ level: 'RESTRICTED' });
  expect(runs).toHaveLength(5);
  expect(model.asked.some((text) => /chain of messages/.test(text))).toBe(true);
});

describe('after the answer', () => {
  it('the agents answer each other, the requester first, and the target announces', async () => {
    const { send, said, messaging, events } = await openTalk((text) => {
      if (text.includes('The request:')) return 'It is four, for sure.';
      if (text.includes('turn 1')) return 'Sure?';
      if (text.includes('turn 2')) return 'Sure.';
      return text.includes('turn 3') ? 'REPLY_SKIP' : 'Four.';
    });
    await send({});
    await messaging.idle();
    expect(said('a')).toEqual([
      'system: Four.',
      'assistant: Sure?',
      'system: Sure.',
      'assistant: REPLY_SKIP',
    ]);
    expect(said('b')).toEqual([
      'system: What is 2+2?',
      'assistant: Four.',
      'system: Sure?',
      'assistant: Sure.',
      'system: The request:\nWhat is 2+2? / The first answer:\nFour. / The latest answer:\nSure.',
      'assistant: It is four, for sure.',
    ]);
    expect(events.map(({ kind, text, to }) => [kind, text, to.raw])).toEqual([
      ['reply', 'Four.', 'b'],
      ['announce', 'It is four, for sure.', 'b'],
    ]);
  });

  it('O-SE-04: a skipped turn of the requester ends them, and the target still announces', async () => {
    const { send, said, messaging, events } = await openTalk((text) => {
      if (text.includes('The request:')) return 'Told.';
      return text.includes('turn 1') ? 'REPLY_SKIP' : 'hi from target';
    });
    await send({});
    await messaging.idle();
    expect(said('a')).toEqual(['system: hi from target', 'assistant: REPLY_SKIP']);
    expect(said('b').filter((line) => line.startsWith('assistant'))).toEqual([
      'assistant: hi from target',
      'assistant: Told.',
    ]);
    expect(events.map(({ kind }) => kind)).toEqual(['reply', 'announce']);
  });

  it('nothing is announced that the target keeps to itself', async () => {
    const { send, messaging, events } = await openTalk((text) =>
      text.includes('The request:') ? ' ANNOUNCE_SKIP\n' : brief(text),
    );
    await send({});
    await messaging.idle();
    expect(events.map(({ kind }) => kind)).toEqual(['reply']);
  });

  it.each(['', 'NO_REPLY', 'REPLY_SKIP'])('nothing follows an answer %j', async (silent) => {
    const { send, messaging, said } = await openTalk(() => silent || [{ type: 'text', text: silent }]);
    await send({});
    await messaging.idle();
    expect(said('a')).toEqual([]);
    expect(said('b').length).toBeLessThanOrEqual(2);
  });

  it('there is no loop where turns are switched off, or nobody answers for the requester', async () => {
    const off = await openTalk(() => 'again', { 'session.agentToAgent.maxPingPongTurns': 0 });
    await off.send({});
    await off.messaging.idle();
    expect(off.said('a')).toEqual([]);
    const observed = await openTalk(() => 'again');
    await observed.send({}, { session: 'copilot-chat', loop: undefined });
    await observed.messaging.idle();
    expect(observed.said('b').map((line) => line.slice(0, 12))).toEqual([
      'system: What',
      'assistant: a',
      'system: The ',
      'assistant: a',
    ]);
  });

  it('the policy is asked at every automatic answer', async () => {
    const settings: Record<string, unknown> = {};
    const { send, messaging, said } = await openTalk((text) => {
      if (text.includes('turn 1')) settings['session.sendPolicy'] = { default: 'deny' };
      return 'again';
    }, settings);
    await send({});
    await messaging.idle();
    expect(said('a')).toEqual(['system: again', 'assistant: again']);
    expect(said('b')).toEqual(['system: What is 2+2?', 'assistant: again']);
  });
});

it('a person sends from the panel, whatever agents may see', async () => {
  const { send, said, messaging, model } = await openTalk(brief, { 'tools.sessions.visibility': 'self' });
  const person = {
    actor: 'person',
    door: 'panel',
    level: 'RESTRICTED',
    session: 'panel',
    loop: undefined,
  } as const;
  expect(await send({}, person)).toMatchObject({ status: 'ok', reply: 'Four.' });
  await messaging.idle();
  expect(model.asked[0]).toMatch(/source=person .*isUser=true/);
  expect(said('a')).toEqual([]);
});

describe('a message to an agent that runs its own loop', () => {
  it('waits, and is told once with the agent’s next call', async () => {
    const { send, call, messaging, events, records } = await openTalk(brief);
    const as = { session: 'mcp-1', source: 'claude-code' };
    await call('sessions_list', {}, as);
    const answer = await send({ sessionKey: 'agent:main:direct:mcp-1' });
    expect(answer).toMatchObject({ status: 'accepted', note: expect.stringMatching(/next call/) });
    await messaging.idle();
    const { text } = await call('memory_recall', { query: 'x' }, as);
    expect(text).toMatch(
      /<system-reminder>\n\[Inter-session message\][\s\S]*What is 2\+2\?\n<\/system-reminder>$/,
    );
    expect((await call('memory_recall', { query: 'x' }, as)).text).not.toMatch(/2\+2/);
    expect(events.map(({ kind, to }) => [kind, to.raw])).toEqual([['message', 'mcp-1']]);
    const messages = records('mcp-1').filter((record) => record.type === 'message' && record.provenance);
    expect(messages).toHaveLength(1);
  });

  it('waits also where the session has no transcript yet', async () => {
    const { sessions, folder } = await openTalk(brief);
    const message = say('system', 'hello');
    const provenance = {
      kind: 'inter_session',
      sourceSessionKey: A,
      sourceChannel: 'webchat',
      sourceTool: 't',
    } as const;
    const given = { type: 'message', uuid: 'u1', message, provenance } as const;
    await sessions.give(idOf('new'), given);
    await sessions.give(idOf('new'), given);
    expect(inboxOf(folder, idOf('new')).length).toBeGreaterThan(0);
    const caller = { key: 'new', kind: 'mcp', source: 'x', level: 'PUBLIC' } as const;
    const observed = { name: 'read', input: {}, text: '', isError: false };
    expect(await sessions.observe(caller, observed)).toMatch(/hello/);
    expect(await sessions.observe(caller, observed)).toBeUndefined();
  });
});

it('agents that run their own loops come to an end, too', async () => {
  const { send, call } = await openTalk(brief);
  for (const session of ['x', 'y']) await call('sessions_list', {}, { session });
  const statuses: unknown[] = [];
  for (let n = 0; n < 6; n++) {
    const [from, to] = n % 2 === 0 ? ['x', 'y'] : ['y', 'x'];
    const as = { session: from ?? '', door: 'mcp', loop: undefined } as const;
    statuses.push((await send({ sessionKey: `agent:main:direct:${to}`, message: `m${n}` }, as)).status);
  }
  expect(statuses).toEqual([...Array<string>(5).fill('accepted'), 'error']);
});

describe('what a process left that is gone', () => {
  const run = (id: string, target: string, session: string): RunRecord => ({
    ...{ id, kind: 'send', level: 'PUBLIC', created: START, requester: A, target },
    request: { message: 'What is 2+2?', session: idOf(session), channel: 'webchat', maxTurns: 5, hops: 1 },
  });

  it('is delivered by the next one, and what needs a model by the next one that has it', async () => {
    const { call, sessions, messaging, models, model, said, events } = await openTalk(brief);
    await call('sessions_list', {}, { session: 'mcp-1' });
    for (const left of [run('to-b', B, 'b'), run('to-mcp', 'agent:main:direct:mcp-1', 'mcp-1')]) {
      await sessions.runPut(left);
      await sessions.runRelease(left.id);
    }
    delete models.model;
    await messaging.resume();
    await messaging.idle();
    const states = async () =>
      Object.fromEntries((await messaging.runs(PERSON)).map(({ run }) => [run.id, run.outcome?.status]));
    expect(await states()).toEqual({ 'to-b': undefined, 'to-mcp': 'delivered' });
    models.model = model;
    await messaging.resume();
    await messaging.idle();
    expect(await states()).toEqual({ 'to-b': 'ok', 'to-mcp': 'delivered' });
    expect(said('b').slice(0, 2)).toEqual(['system: What is 2+2?', 'assistant: Four.']);
    expect(events.map(({ kind }) => kind)).toEqual(['message', 'reply']);
    await messaging.resume();
    expect(said('b')).toHaveLength(4);
  });

  it('is told of and not repeated where the turn had begun', async () => {
    const { sessions, messaging, model, events } = await openTalk(brief);
    await sessions.runPut(run('r-1', B, 'b'));
    await sessions.runRelease('r-1');
    const owner = {
      key: 'b',
      kind: 'participant',
      source: 'lodeline',
      level: 'PUBLIC',
      step: 'r-1',
    } as const;
    await sessions.turnBegin(owner, [
      { type: 'message', uuid: 'r-1', message: say('system', 'x'), begins: true },
    ]);
    await sessions.turnEnd(idOf('b'), [], { reason: 'aborted' });
    await messaging.resume();
    await messaging.idle();
    expect((await messaging.runs(PERSON))[0]?.run).toMatchObject({ outcome: { status: 'interrupted' } });
    expect(model.asked).toEqual([]);
    expect(events.map(({ kind }) => kind)).toEqual(['failed']);
  });

  it('waits in a folder that is not trusted', async () => {
    const { sessions, messaging, trust, said } = await openTalk(brief);
    await sessions.runPut(run('r-1', B, 'b'));
    await sessions.runRelease('r-1');
    trust.trusted = false;
    await messaging.resume();
    await messaging.idle();
    expect(said('b')).toEqual([]);
  });

  it('is left by one that ends in the middle of it', async () => {
    const { send, messaging, sessions } = await openTalk(() => new Promise<string>(() => {}));
    const { runId = '' } = await send({ timeoutSeconds: 0 });
    await messaging.close();
    const entry = await sessions.run(runId);
    expect(entry).toMatchObject({ isHeld: false, run: { id: runId } });
    expect(entry?.run.ended).toBeUndefined();
  });
});

it('a run can be stopped, and says so', async () => {
  const { send, messaging, said } = await openTalk(
    (_text, _request, signal) =>
      new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  );
  const answer = send({ id: 'x' });
  while (said('b').length === 0) await new Promise(setImmediate);
  const [entry] = await messaging.runs(PERSON);
  expect(messaging.cancel(entry?.run.id ?? '')).toBe(true);
  expect(await answer).toMatchObject({ status: 'error', error: 'The run was stopped.' });
  await messaging.idle();
  expect(said('a')).toEqual([]);
});

describe('the loop of answers', () => {
  it('O-SE-06: counts turns from 0 to 5, 5 where nothing is set', () => {
    expect([0, 3, 9, null].map(maxPingPongTurns)).toEqual([0, 3, 5, 5]);
  });

  it('counts turns from 0 to 5, 5 where nothing valid is set', () => {
    expect([undefined, -1, 2.7, '2', Number.NaN].map(maxPingPongTurns)).toEqual([5, 0, 2, 5, 5]);
  });

  it('ends with a silent answer, and begins with the requester', async () => {
    const speakers: string[] = [];
    const talk = await pingPong('hi from target', 5, async (_turn, speaker) => {
      speakers.push(speaker);
      return 'REPLY_SKIP';
    });
    expect({ ...talk, speakers }).toEqual({ turns: 1, latest: 'hi from target', speakers: ['requester'] });
  });
});
