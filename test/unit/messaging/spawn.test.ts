import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SHOWN_SPAWN } from '../../../src/messaging/spawnInput.ts';
import { tightened } from '../../../src/policy/tightened.ts';
import { idOf } from '../../../src/session/sessionId.ts';
import { bytesUnder } from '../support/files.ts';
import { AnsweringModel, openTalk } from './sendKit.ts';

const A = 'agent:main:webchat:direct:a';
const ASKS_FOR_NOTES = 'Your task has ended.';

/** Does its task with these words, and has no notes. */
const works = (text: string) => (text.includes(ASKS_FOR_NOTES) ? 'Nothing to add.' : 'Report: done.');

/** The chat `a`, which spawns. */
async function openSpawning(
  answer: AnsweringModel['answer'] = works,
  settings: Record<string, unknown> = {},
  folder?: string,
) {
  const talk = await openTalk(answer, settings, folder);
  const AS_A = { session: 'a', source: 'lodeline', door: 'editor', loop: { callId: 'c', depth: 0 } } as const;
  const spawn = async (input: object = {}, as: object = {}) => {
    const outcome = await talk.call('sessions_spawn', { task: 'Look around.', ...input }, { ...AS_A, ...as });
    return (outcome.data ?? { thrown: outcome.text }) as Record<string, string>;
  };
  const job = (input: object) => talk.call('job', input, AS_A);
  /** What was announced in the chat, without the mark of a message. */
  const announced = () =>
    talk
      .said('a')
      .flatMap((line) => (line.startsWith('system: Status:') ? [line.slice('system: '.length)] : []));
  return { ...talk, AS_A, spawn, job, announced };
}

/** An answer that a test gives when it likes. */
function gate() {
  let open = (_text: string): void => {};
  const answer = new Promise<string>((resolve) => {
    open = resolve;
  });
  return { answer, open };
}

describe('a spawned session', () => {
  it('that reads a protected file keeps what it found, and says that it does', async () => {
    const settings = { 'classification.files': { 'secrets/**': 'CONFIDENTIAL' } };
    let step = 0;
    const { spawn, messaging, announced, taint, folder } = await openSpawning((asked) => {
      if (asked.includes(ASKS_FOR_NOTES)) return 'zanzibar notes';
      const read = { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'secrets/plan.md' } } as const;
      return step++ === 0 ? [read] : 'The zanzibar plan.';
    }, settings);
    mkdirSync(join(folder, 'secrets'));
    writeFileSync(join(folder, 'secrets', 'plan.md'), 'zanzibar');
    const { childSessionKey = '' } = await spawn();
    await messaging.idle();
    expect(taint.levelOf({ key: childSessionKey, start: 'PUBLIC' })).toBe('CONFIDENTIAL');
    expect(announced()[0]).toContain('It is at CONFIDENTIAL');
    expect(announced().join()).not.toContain('zanzibar');
    expect(bytesUnder(join(folder, 'store'))).not.toContain('zanzibar');
  });

  it('tells all of it where the one that asked has risen as high meanwhile, at that level', async () => {
    const settings = { 'classification.files': { 'secrets/**': 'CONFIDENTIAL' } };
    let step = 0;
    const { spawn, messaging, announced, events, taint, folder, job, call } = await openSpawning((asked) => {
      if (asked.includes(ASKS_FOR_NOTES)) return 'zanzibar notes';
      const read = { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'secrets/plan.md' } } as const;
      if (step++ === 0) return [read];
      const rise = { reason: 'r', source: 'panel' };
      const raised = taint.raise({ key: 'a', start: 'PUBLIC' }, 'CONFIDENTIAL', rise);
      return raised.then(() => 'The zanzibar plan.');
    }, settings);
    mkdirSync(join(folder, 'secrets'));
    writeFileSync(join(folder, 'secrets', 'plan.md'), 'zanzibar');
    const { runId } = await spawn();
    await messaging.idle();
    expect(announced()[0]).toContain('The zanzibar plan.');
    expect(events).toMatchObject([{ kind: 'announce', level: 'CONFIDENTIAL' }]);
    expect((await job({ action: 'list', ids: runId })).text).toContain('The zanzibar plan.');
    const other = { session: 'b', level: 'PUBLIC' } as const;
    expect((await call('job', { action: 'list', ids: runId }, other)).text).not.toContain('zanzibar');
    expect(bytesUnder(join(folder, 'store'))).not.toContain('zanzibar plan');
  });

  it('gets no attachments that are named like a protected file', async () => {
    const settings = { 'classification.files': { '*.pem': 'CONFIDENTIAL' } };
    const { spawn, taint } = await openSpawning(works, settings);
    const answer = await spawn({ attachments: [{ name: 'key.pem', content: 'x' }] });
    expect(answer).toMatchObject({ status: 'error', error: expect.stringContaining('CONFIDENTIAL') });
    expect(taint.levelOf({ key: 'a', start: 'PUBLIC' })).toBe('CONFIDENTIAL');
  });

  it('is accepted at once, works, and announces exactly once with what it took', async () => {
    const { spawn, messaging, announced, said, events, folder } = await openSpawning();
    const answer = await spawn({ label: 'scout' });
    expect(answer).toMatchObject({ status: 'accepted', mode: 'run', model: 'answering' });
    expect(answer.childSessionKey).toMatch(/^agent:main:subagent:[0-9a-f-]{36}$/);
    expect(Object.keys(answer).sort()).toEqual([
      ...['childSessionKey', 'mode', 'model', 'note', 'runId', 'status'],
    ]);
    await messaging.idle();
    const [text, ...others] = announced();
    expect(others).toEqual([]);
    const id = idOf(answer.childSessionKey as string);
    expect(text).toMatch(
      /^Status: completed successfully \/ Result:\nReport: done\. \/ Notes:\nNothing to add\./,
    );
    expect(text).toMatch(/Stats: runtime \d+\w* • tokens 0 \(in 0 \/ out 0\) • model answering/);
    const transcript = join(folder, 'store', 'sessions', `${id}.jsonl`);
    expect(text).toContain(
      `sessionKey ${answer.childSessionKey} • sessionId ${id} • transcript ${transcript}`,
    );
    expect(readFileSync(transcript, 'utf8')).toContain('"spawn"');
    expect(said(answer.childSessionKey as string)).toHaveLength(2);
    expect(events).toMatchObject([{ kind: 'announce', runId: answer.runId, to: { key: A, raw: 'a' } }]);
  });

  it('is a row below the one that asked, and gone from nobody’s sight', async () => {
    const { spawn, messaging, access } = await openSpawning();
    const { childSessionKey, runId } = await spawn({ label: 'scout' });
    await messaging.idle();
    const { rows } = await access.visible({ door: 'panel', actor: 'person', level: 'PUBLIC', session: '' });
    expect(rows.find(({ key }) => key === childSessionKey)).toMatchObject({
      ...{ spawnedBy: A, depth: 1, label: 'scout', agentId: 'main', isOurs: true },
      ...{ archived: false, level: 'PUBLIC' },
      origin: { kind: 'spawned', mode: 'run', runId },
    });
  });

  it('keeps silent where it says ANNOUNCE_SKIP, and announces without notes where it cannot be asked', async () => {
    const silent = await openSpawning((text) => (text.includes(ASKS_FOR_NOTES) ? ' ANNOUNCE_SKIP\n' : 'x'));
    await silent.spawn();
    await silent.messaging.idle();
    expect(silent.announced()).toEqual([]);
    const broken = await openSpawning((text) => {
      if (text.includes(ASKS_FOR_NOTES)) throw new Error('gone');
      return 'Report.';
    });
    await broken.spawn();
    await broken.messaging.idle();
    expect(broken.announced()[0]).toMatch(/^Status: completed.* \/ Result:\nReport\. \/ Stats:/);
  });

  it('has the latest result of a tool for its result when it says nothing at the end', async () => {
    const { spawn, messaging, announced } = await openSpawning((text) => {
      if (text.includes(ASKS_FOR_NOTES)) return 'ok';
      if (!text.includes('Look around.')) return '';
      return [
        { type: 'text', text: 'I list it.' },
        { type: 'tool_use', id: 't1', name: 'list', input: { path: '.' } },
      ];
    });
    await spawn();
    await messaging.idle();
    expect(announced()[0]).toMatch(/^Status: completed successfully \/ Result:\n(?!I list it)\S/);
  });

  it('keeps to itself what is above the level of the one that asked', async () => {
    const { spawn, messaging, announced, sessions } = await openSpawning(async (text) => {
      if (text.includes(ASKS_FOR_NOTES)) return 'the secret again';
      const [entry] = await messaging.runs({ level: 'PUBLIC' });
      await sessions.observe(
        {
          ...{ key: entry?.run.target ?? '', kind: 'spawned', source: 'x', level: 'CONFIDENTIAL' },
          loop: { callId: 'c', depth: 1 },
        },
        { name: 'read', input: {}, text: 'secret', isError: false },
      );
      return 'the secret';
    });
    await spawn();
    await messaging.idle();
    expect(announced()[0]).toMatch(/It is at CONFIDENTIAL, above this session's PUBLIC/);
    expect(announced()[0]).not.toMatch(/the secret/);
  });

  it('fails with the reason', async () => {
    const { spawn, messaging, announced, events } = await openSpawning(() => {
      throw new Error('out of order');
    });
    await spawn();
    await messaging.idle();
    expect(announced()[0]).toMatch(/^Status: failed: .*out of order/);
    expect(events).toMatchObject([{ kind: 'failed' }]);
  });

  it.each([0.05, 0.0501, 0.0001])(
    'is stopped when its time is over, whatever it does: %d s',
    async (runTimeoutSeconds) => {
      const { spawn, messaging, announced } = await openSpawning(() => gate().answer);
      const { runId = '' } = await spawn({ runTimeoutSeconds });
      await messaging.idle();
      expect(announced()[0]).toMatch(/^Status: timed out: .*runTimeoutSeconds/);
      const [entry] = await messaging.runs({ level: 'PUBLIC' });
      expect(entry).toMatchObject({ run: { id: runId, outcome: { status: 'timeout' } } });
    },
  );

  it('works with other tools than those about sessions, as the person’s setting narrows them', async () => {
    const offered = async (settings: Record<string, unknown>) => {
      const names: string[] = [];
      const { spawn, messaging } = await openSpawning((text, request) => {
        if (!text.includes(ASKS_FOR_NOTES)) names.push(...request.tools.map(({ name }) => name));
        else expect(request.tools).toEqual([]);
        return 'done';
      }, settings);
      await spawn();
      await messaging.idle();
      return names;
    };
    const all = await offered({});
    expect(all).toEqual(expect.arrayContaining(['read', 'write', 'memory_recall']));
    expect(all.filter((name) => /^session|^agents_list$/.test(name))).toEqual([]);
    expect(all).toContain('task');
    expect(await offered({ 'task.maxRecursionDepth': 1 })).not.toContain('task');
    const narrowed = await offered({
      'tools.subagents.tools': { allow: ['read', 'memory_*'], deny: ['memory_forget'] },
    });
    expect(narrowed).toEqual(expect.arrayContaining(['read', 'memory_recall']));
    expect(narrowed.filter((name) => name === 'write' || name === 'memory_forget')).toEqual([]);
    expect(await offered({ 'tools.subagents.tools': 'read' })).toEqual([]);
  });
});

describe('who may spawn, and what', () => {
  it('is asked the policy of sandboxes, depth and agents', async () => {
    const { spawn } = await openSpawning();
    expect(await spawn({}, { sandboxed: true })).toMatchObject({ status: 'forbidden' });
    expect(await spawn({}, { loop: { callId: 'c', depth: 1 } })).toEqual({
      status: 'forbidden',
      error: 'sessions_spawn is not allowed at this depth (current depth: 1, max: 1)',
    });
    expect(await spawn({ agentId: 'research' })).toMatchObject({
      status: 'forbidden',
      error: expect.stringContaining('agentId is not allowed for sessions_spawn (allowed: main)'),
    });
    expect(await spawn({ channel: 'slack' })).toMatchObject({ status: 'error' });
  });

  it('takes the agents that the person allows, with keys that mean nothing else', async () => {
    const settings = {
      'agents.list': [{ id: 'main', subagents: { allowAgents: ['*'] } }, { id: 'research' }],
    };
    const { spawn, messaging } = await openSpawning(works, settings);
    const { childSessionKey } = await spawn({ agentId: 'research' });
    expect(childSessionKey).toMatch(/^agent:research:subagent:/);
    expect(await spawn({ agentId: 'a:subagent:x' })).toMatchObject({ status: 'error' });
    await messaging.idle();
  });

  it.each([[['research']], [[]], ['research']])(
    'always has its own agent when it names none, as with the list %j',
    async (allowAgents) => {
      const settings = { 'agents.list': [{ id: 'main', subagents: { allowAgents } }] };
      const { spawn, messaging } = await openSpawning(works, settings);
      expect((await spawn()).childSessionKey).toMatch(/^agent:main:subagent:/);
      expect(await spawn({ agentId: 'other' })).toMatchObject({
        status: 'forbidden',
        error: expect.stringContaining('without agentId it is your own, main'),
      });
      await messaging.idle();
    },
  );

  it('O-SN-04: stops at five that have not ended, also when all are asked for at once', async () => {
    const { answer, open } = gate();
    const { spawn, messaging } = await openSpawning((text) =>
      text.includes(ASKS_FOR_NOTES) ? 'ok' : answer,
    );
    const answers = await Promise.all(Array.from({ length: 8 }, () => spawn()));
    expect(answers.filter(({ status }) => status === 'accepted')).toHaveLength(5);
    expect(answers.find(({ status }) => status === 'forbidden')?.error).toContain(
      'has reached max active children for this session (5/5)',
    );
    open('done');
    await messaging.idle();
    expect(await spawn()).toMatchObject({ status: 'accepted' });
    await messaging.idle();
  });

  it('lets so many run at once, the others wait', async () => {
    const { answer, open } = gate();
    const settings = { 'agents.defaults.subagents.maxConcurrent': 2 };
    const { spawn, messaging, model, announced } = await openSpawning(
      (text) => (text.includes(ASKS_FOR_NOTES) ? 'ok' : answer),
      settings,
    );
    for (let count = 0; count < 4; count++) await spawn();
    while (model.asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(model.asked).toHaveLength(2);
    open('done');
    await messaging.idle();
    expect(announced()).toHaveLength(4);
  });

  it('uses the model that was asked for, or none', async () => {
    const { spawn, messaging, models, announced, records } = await openSpawning();
    const other = new AnsweringModel(works);
    Object.assign(other, { name: 'other-7' });
    models.named = { other };
    expect(await spawn({ model: 'gone' })).toEqual({
      status: 'error',
      error: 'There is no chat model "gone".',
    });
    const answer = await spawn({ model: 'other' });
    expect(answer).toMatchObject({ model: 'other-7', modelApplied: true });
    await messaging.idle();
    expect(other.asked).toHaveLength(2);
    expect(announced()[0]).toContain('model other-7');
    expect(records(answer.childSessionKey as string).find((record) => 'model' in record)).toMatchObject({
      model: 'other-7',
    });
  });

  it('has the caller’s own model where nothing else is said', async () => {
    const { spawn, messaging } = await openSpawning();
    const own = new AnsweringModel(works);
    Object.assign(own, { name: 'own' });
    expect(await spawn({}, { model: own })).toMatchObject({ model: 'own' });
    await messaging.idle();
    expect(own.asked).toHaveLength(2);
  });

  it('is not for folders that nobody trusts', async () => {
    const { spawn, trust } = await openSpawning();
    trust.trusted = false;
    expect((await spawn()).thrown).toMatch(/not trusted/);
  });

  it('is told without the parameters that are only refused', () => {
    expect(Object.keys(SHOWN_SPAWN.shape)).not.toContain('channel');
  });
});

describe('a person who spawns from a panel', () => {
  it('is told by a notice, since there is no chat for it', async () => {
    const { call, messaging, events, announced } = await openSpawning();
    const outcome = await call(
      'sessions_spawn',
      { task: 't' },
      { actor: 'person', door: 'panel', session: 'window' },
    );
    expect(outcome.data).toMatchObject({ status: 'accepted' });
    await messaging.idle();
    expect(announced()).toEqual([]);
    expect(events).toMatchObject([{ kind: 'announce', from: expect.stringContaining('subagent') }]);
  });
});

describe('attachments of a spawned session', () => {
  const ENABLED = 'tools.sessions_spawn.attachments.enabled';
  const attachments = [{ name: 'a.txt', content: 'alpha' }];

  it('lie where the child is told, and the caller has their receipt', async () => {
    const { spawn, messaging, model, folder } = await openSpawning(works);
    const answer = await spawn({ attachments });
    const receipt = answer.attachments as unknown as { relDir: string; files: object[] };
    expect(receipt).toMatchObject({ count: 1, totalBytes: 5, files: [{ name: 'a.txt', bytes: 5 }] });
    expect(readFileSync(join(folder, receipt.relDir, 'a.txt'), 'utf8')).toBe('alpha');
    await messaging.idle();
    expect(model.asked[0]).toContain(`- ${receipt.relDir}/a.txt (5 bytes)`);
  });

  it.each([
    [undefined, undefined, 'accepted'],
    [true, undefined, 'accepted'],
    [undefined, true, 'accepted'],
    [false, undefined, 'error'],
    // A folder may turn them off, and not on again.
    [undefined, false, 'error'],
    [true, false, 'error'],
    [false, true, 'error'],
  ])('are on unless somebody says false: the person %j, the folder %j', async (own, theirs, status) => {
    const { spawn, messaging } = await openSpawning(works, { [ENABLED]: tightened(ENABLED, own, theirs) });
    expect(await spawn({ attachments })).toMatchObject({ status });
    await messaging.idle();
  });

  it('are refused when they are wrong, and above the level of plain files', async () => {
    const { spawn, messaging } = await openSpawning(works);
    expect(await spawn({ attachments: [{ name: '../x', content: '' }] })).toMatchObject({
      error: expect.stringMatching(/^attachments_invalid_name/),
    });
    expect(await spawn({ attachments }, { level: 'CONFIDENTIAL', session: 'high' })).toMatchObject({
      error: expect.stringContaining('plain files'),
    });
    expect(await messaging.runs({ level: 'RESTRICTED' })).toEqual([]);
  });

  it('go with a child that is to be deleted', async () => {
    const { spawn, messaging, folder, access } = await openSpawning(works);
    const { childSessionKey, attachments: receipt } = await spawn({ attachments, cleanup: 'delete' });
    await messaging.idle();
    const { relDir } = receipt as unknown as { relDir: string };
    expect(existsSync(join(folder, relDir))).toBe(false);
    const { rows } = await access.visible({ door: 'panel', actor: 'person', level: 'PUBLIC', session: '' });
    expect(rows.find(({ key }) => key === childSessionKey)).toMatchObject({ archived: true });
  });
});

describe('a spawned session that lasts', () => {
  it('opens a chat after its first run, and is never archived by itself', async () => {
    const { spawn, messaging, editor, access, clock } = await openSpawning();
    expect(await spawn({ thread: true })).toMatchObject({ status: 'error' });
    const opened: string[] = [];
    editor.openSession = async (id) => {
      opened.push(id);
    };
    const { childSessionKey = '', mode } = await spawn({ thread: true, cleanup: 'delete' });
    const run = await spawn();
    await messaging.idle();
    expect([mode, opened]).toEqual(['session', [idOf(childSessionKey)]]);
    const archived = async () => {
      const { rows } = await access.visible({ door: 'panel', actor: 'person', level: 'PUBLIC', session: '' });
      return [childSessionKey, run.childSessionKey].map(
        (key) => rows.find((row) => row.key === key)?.archived,
      );
    };
    clock.time += 60 * 60_000;
    expect(await archived()).toEqual([false, false]);
    clock.time += 1;
    expect(await archived()).toEqual([false, true]);
  });
});

describe('job', () => {
  it('waits for a run by its id or its session’s key, and tells what came of it', async () => {
    const { answer, open } = gate();
    const { spawn, job } = await openSpawning((text) => (text.includes(ASKS_FOR_NOTES) ? 'ok' : answer));
    const { runId = '', childSessionKey = '' } = await spawn();
    const early = await job({ action: 'wait', ids: runId, timeout: 0.01 });
    expect(early.text).toContain(`1 of 1 still run`);
    const waiting = job({ action: 'wait', ids: [childSessionKey] });
    open('Found it.');
    const { text, data } = await waiting;
    expect(text).toMatch(/^All jobs have ended\.[\s\S]*: ok\n {2}Found it\./);
    expect(data).toMatchObject({ jobs: [], runs: [{ runId, status: 'ok', text: 'Found it.' }] });
  });

  it('cancels a run, which says so itself', async () => {
    const { spawn, job, messaging, announced } = await openSpawning(() => gate().answer);
    const { runId = '' } = await spawn();
    expect((await job({ action: 'cancel', ids: [runId] })).text).toContain(`Stopping ${runId}`);
    await messaging.idle();
    expect(announced()[0]).toMatch(/^Status: failed: The run was stopped\./);
    expect((await job({ action: 'cancel', ids: [runId] })).text).toBe('They have ended already.');
  });

  it('knows nothing of what other sessions started', async () => {
    const { spawn, call, AS_A, messaging } = await openSpawning();
    const { runId, childSessionKey } = await spawn();
    await messaging.idle();
    const other = { ...AS_A, session: 'b' };
    for (const id of [runId, childSessionKey])
      expect((await call('job', { action: 'cancel', ids: id }, other)).text).toMatch(/There is no job/);
    expect((await call('job', { action: 'list' }, other)).text).toMatch(/^No jobs in this chat/);
  });
});
