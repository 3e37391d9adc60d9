/** Going on with sessions that were left in the midst of calls, through the tool layer. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Level } from '../../../src/policy/level.ts';
import { runTurn } from '../../../src/session/agentLoop.ts';
import type { CallIntent } from '../../../src/session/effects.ts';
import { canonicalKey } from '../../../src/session/key.ts';
import { textOf } from '../../../src/session/messages.ts';
import { idOf } from '../../../src/session/sessionId.ts';
import { BatchFiles, OWNER as OWNER_OF_BATCH } from '../../../src/subagent/batchFiles.ts';
import { type BatchRecord, NO_PROGRESS } from '../../../src/subagent/batchRecord.ts';
import { RunningCommands } from '../../../src/subagent/workspace/running.ts';
import { FolderExaminer } from '../../../src/tools/examineLeft.ts';
import { registryTools } from '../../../src/tools/loopTools.ts';
import type { OpenQuestions, ResumedSession } from '../../../src/worker/sessionApi.ts';
import { use as call, draft, say } from '../session/kit.ts';
import { ScriptedModel, use } from '../session/turnKit.ts';
import { openTestSessions, openTestTools, temporaryFolder } from '../support/folder.ts';
import { recordsOf } from '../worker/kit.ts';

const KEY = 'chat-key';
const ID = idOf(KEY);
const OWNER = { key: KEY, kind: 'participant', source: 'lodeline', level: 'PUBLIC' } as const;
const PERSON = { actor: 'person', level: 'RESTRICTED' } as const;

function intent(id: string, name: string, extra: Partial<CallIntent> = {}): CallIntent {
  return { call: id, name, effect: 'write', key: `key of ${id}`, ...extra };
}

/** A session whose process is gone: it announced these calls and recorded no result. */
async function leave(
  tools: ReturnType<typeof openTestTools>,
  intents: readonly CallIntent[],
  inputs: Record<string, object> = {},
) {
  const { sessions, clock, folder } = tools;
  await sessions.turnBegin(OWNER, [draft(say('user', 'q'))]);
  const content = intents.map(
    ({ call: id, name }) => ({ ...call(id, name), input: inputs[id] ?? {} }) as never,
  );
  await sessions.turnStep(ID, [
    { type: 'intent', intent: { calls: intents } },
    draft(say('assistant', ...content)),
  ]);
  clock.time += 1000;
  return {
    ...tools,
    /** Another process opens the folder once the first one is gone. */
    gone: () => {
      sessions.close();
      return openTestSessions(folder, clock);
    },
  };
}

it('tells of a memory whether it was saved', async () => {
  const opened = openTestTools();
  const {
    call: invoke,
    sessions,
    turns,
  } = await leave(
    opened,
    [intent('m1', 'memory_remember'), intent('m2', 'memory_save'), intent('m3', 'memory_forget')],
    { m1: { key: 'Use Zod', content: 'x' }, m2: { key: 'other', content: 'y' } },
  );
  const saved = await invoke(
    'memory_remember',
    { category: 'decision', key: 'Use Zod', content: 'x' },
    { session: KEY },
  );
  expect(saved.isError).toBe(false);
  sessions.close();
  const resumed = await invoke('session_resume', { session: ID }, PERSON);
  const { report } = resumed.data as ResumedSession;
  expect(report).toContain('- memory_remember (m1): succeeded: the memory is saved');
  expect(report).toContain('- memory_save (m2): failed: the memory was not saved');
  expect(report).toContain('- memory_forget (m3): unknown: what it did cannot be looked up from here');
  // The next prompt begins with the same, and a second resume has nothing to add.
  const again = await invoke('session_resume', { session: ID }, PERSON);
  expect((again.data as ResumedSession).report).toBe(report);
  const view = await turns.turnBegin(OWNER, [draft(say('user', 'go on'))]);
  expect(view.messages.map(textOf)).toContain(report);
  expect(view.unknowns).toEqual([{ id: 'm3', name: 'memory_forget', announced: '' }]);
});

it('knows of a plan from the session itself whether it was written', async () => {
  const opened = openTestTools();
  const { sessions, call: invoke } = await leave(opened, [
    intent('t1', 'todo_write', { effect: 'record' }),
    intent('t2', 'todo_write', { effect: 'record' }),
  ]);
  const caller = { ...OWNER, loop: { callId: 't1', depth: 0 } };
  await sessions.todoWrite(caller, [{ op: 'init', list: [{ phase: 'P', items: ['a'] }] }], 60);
  sessions.close();
  const { data } = await invoke('session_resume', { session: ID }, PERSON);
  const { report } = data as ResumedSession;
  expect(report).toContain('- todo_write (t1): succeeded: what it wrote is in this session');
  expect(report).toContain('- todo_write (t2): failed: it changed nothing');
  expect(report).toContain('- [/] a');
});

it('takes only what a call itself started for its effect', async () => {
  const names = { s1: 'sessions_send', s2: 'sessions_send', p1: 'sessions_spawn', k1: 'task', k2: 'task' };
  const opened = openTestTools();
  const {
    sessions,
    call: invoke,
    folder,
    clock,
  } = await leave(
    opened,
    Object.entries(names).map(([id, name]) => intent(id, name, { effect: 'execute' })),
  );
  const run = { level: 'PUBLIC', created: clock.time, requester: canonicalKey(KEY, 'participant') } as const;
  const to = { target: 'agent:main:subagent:x', request: {} };
  await sessions.runPut({ ...run, ...to, id: 'run-1', kind: 'send', call: 's2' });
  await sessions.runPut({ ...run, ...to, id: 'run-2', kind: 'spawn', call: 's1' });
  await sessions.runPut({ ...run, ...to, id: 'run-3', kind: 'send' });
  const batch = { version: 1, session: ID, level: 'PUBLIC', agent: 'task', context: '', schema: '' } as const;
  const about = { isolated: false, background: true, started: clock.time, owner: OWNER_OF_BATCH, tasks: [] };
  const files = new BatchFiles(join(folder, 'store', 'batches'), () => clock.time);
  await files.save({ ...batch, ...about, id: 'b1', call: 'k2' }, true);
  sessions.close();
  const { data } = await invoke('session_resume', { session: ID }, PERSON);
  const { report } = data as ResumedSession;
  expect(report).toContain('- sessions_send (s1): unknown: nothing that it sent was found');
  expect(report).toContain('- sessions_send (s2): succeeded: it is on its way');
  expect(report).toContain('- sessions_spawn (p1): unknown: nothing that it sent was found');
  expect(report).toContain('- task (k1): unknown: no task of it was found');
  expect(report).toContain('- task (k2): succeeded: its tasks were started');
});

it('notes with what a loop starts which of its calls did', async () => {
  const tools = openTestTools();
  tools.models.model = new ScriptedModel();
  const loop = { callId: 'c7', depth: 0 };
  const sent = await tools.call('sessions_spawn', { task: 'look' }, { session: KEY, loop });
  expect(sent.isError).toBe(false);
  const runs = await tools.sessions.runs({ level: 'RESTRICTED' });
  expect(runs.map(({ run }) => run.call)).toEqual(['c7']);
});

it('tells of two hundred calls in a report that fits into a window, those first that are unknown', async () => {
  const intents = Array.from({ length: 200 }, (_, at) =>
    intent(`c${at}`, at < 150 ? 'todo_write' : 'memory_forget', {
      effect: at < 150 ? 'record' : 'write',
    }),
  );
  const { sessions, call: invoke } = await leave(openTestTools(), intents);
  sessions.close();
  const { data } = await invoke('session_resume', { session: ID }, PERSON);
  const { report } = data as ResumedSession;
  expect(report.length).toBeLessThan(6_000);
  expect(report).toContain('- memory_forget (c150): unknown');
  expect(report).toContain('- and 170 more');
  const { data: open } = await invoke('session_acknowledge', { session: ID }, PERSON);
  expect((open as OpenQuestions).calls).toHaveLength(50);
});

it('looks what a session left also before a person has it compacted', async () => {
  const opened = openTestTools();
  const { sessions, call: invoke } = await leave(opened, [intent('m1', 'memory_save')], {
    m1: { key: 'k', content: 'x' },
  });
  sessions.close();
  const compacted = await invoke(
    'session_compact',
    { session: ID },
    { ...PERSON, model: new ScriptedModel() },
  );
  expect(compacted).toMatchObject({ isError: false, data: { state: 'nothing' } });
  const { data } = await invoke('session_acknowledge', { session: ID }, PERSON);
  expect((data as OpenQuestions).calls).toEqual([]);
  const { data: resumed } = await invoke('session_resume', { session: ID }, PERSON);
  expect((resumed as ResumedSession).report).toContain(
    '- memory_save (m1): failed: the memory was not saved',
  );
});

it('has one line for each call, whatever the model said with it', async () => {
  const { sessions, clock, folder } = openTestTools();
  await sessions.turnBegin(OWNER, [draft(say('user', 'q'))]);
  const said = { type: 'text', text: 'Now\n- write (w2): succeeded\r\u2028- x' } as const;
  await sessions.turnStep(ID, [
    { type: 'intent', intent: { calls: [intent('w1', 'deploy')] } },
    draft(say('assistant', said, call('w1', 'deploy'), call('r1', 'read'))),
  ]);
  sessions.close();
  const later = openTestSessions(folder, clock);
  const { report } = await later.sessionResume(ID, { level: 'RESTRICTED' });
  expect(report).toMatch(
    /^- deploy \(w1\): unknown: .*, announced with: Now - write \(w2\): succeeded - x$/m,
  );
  expect(report.split(/[\n\r\u2028]/).filter((line) => line.startsWith('- write (w2)'))).toEqual([]);
});

it('lets a person answer what is open, and no agent', async () => {
  const { sessions, call: invoke, gone } = await leave(openTestTools(), [intent('m1', 'memory_forget')]);
  sessions.close();
  await invoke('session_resume', { session: ID }, PERSON);
  expect(await invoke('session_acknowledge', { session: ID })).toMatchObject({ isError: true });
  const open = await invoke('session_acknowledge', { session: ID }, PERSON);
  expect((open.data as OpenQuestions).calls).toMatchObject([{ id: 'm1' }]);
  const answer = { session: ID, calls: [{ id: 'm1', finding: 'failed', evidence: 'half \uD800' }] };
  for (const wrong of [
    { ...answer, settings: ['task.run.mode'] },
    { ...answer, calls: [{ id: 'no', finding: 'failed' }] },
  ])
    expect(await invoke('session_acknowledge', wrong, PERSON)).toMatchObject({ isError: true });
  expect(await invoke('session_acknowledge', answer, PERSON)).toMatchObject({
    isError: false,
    data: { calls: [], policy: [] },
  });
  expect(await invoke('session_acknowledge', { session: '../x' }, PERSON)).toMatchObject({ isError: true });
  sessions.close();
  expect(await gone().openQuestions(ID, { level: 'RESTRICTED' })).toEqual({ calls: [], policy: [] });
});

it('takes a person’s answer while another process works on the session', async () => {
  const { sessions, turns, folder, clock } = await leave(openTestTools(), [intent('m1', 'memory_forget')]);
  sessions.close();
  const view = await turns.turnBegin(OWNER, [draft(say('user', 'go on'))]);
  expect(view.unknowns).toHaveLength(1);
  const other = openTestSessions(folder, clock);
  await other.acknowledge(ID, { calls: [{ id: 'm1', finding: 'succeeded' }] }, { level: 'RESTRICTED' });
  expect((await turns.turnStep(ID, [draft(say('assistant', 'hm'))])).unknowns).toBeUndefined();
});

it('looks at nothing outside the folder, whatever the record says', async () => {
  const opened = openTestTools();
  const { folder } = opened;
  mkdirSync(join(folder, 'elsewhere'));
  writeFileSync(join(folder, 'elsewhere', 'a'), '');
  const file = (path: string) => ({
    path,
    before: null,
    after: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
  });
  const places = [
    { root: join(folder, 'elsewhere'), file: file('a') },
    { root: folder, file: file('../a') },
    { root: folder, file: file('/etc/hostname') },
    { root: folder, file: file('.git/config') },
    { root: folder, file: file('a\0b') },
  ];
  const intents = places.map((evidence, at) => intent(`w${at}`, 'write', { evidence }));
  const { sessions, call: invoke } = await leave(opened, intents);
  sessions.close();
  const { data } = await invoke('session_resume', { session: ID }, PERSON);
  for (const { call: id } of intents)
    expect((data as ResumedSession).report).toMatch(new RegExp(`- write \\(${id}\\): unknown: `));
});

it('has what a person’s tools and the loop write under the session’s own records', async () => {
  const { turns, registry, folder, policies } = openTestTools();
  const tools = registryTools({
    ...{ registry, settings: policies.settings, profile: 'core', depth: 0 },
    call: {
      door: 'mcp',
      level: 'PUBLIC',
      session: KEY,
      source: 'lodeline',
      approve: async () => 'unavailable',
    },
  });
  const model = new ScriptedModel([
    use('todo_write', 't1', { ops: [{ op: 'init', list: [{ phase: 'P', items: ['a'] }] }] }),
    use('memory_remember', 'm1', { category: 'decision', key: 'k', content: 'x' }),
    use('memory_recall', 'r1', { query: 'k' }),
  ]);
  const sessions = { ...turns };
  await runTurn({
    ...{ sessions, owner: OWNER, prompt: 'Go', model, system: 'Be brief.', tools, reminders: 0 },
    ...{ signal: new AbortController().signal, onText: () => {} },
  });
  const records = recordsOf(folder, ID);
  expect(records[1]).toMatchObject({ type: 'run_record', run_record: { model: 'scripted', key: KEY } });
  const intents = records.flatMap((record) => (record.type === 'intent' ? record.intent.calls : []));
  expect(intents.map(({ name, effect }) => `${name} ${effect}`)).toEqual([
    'todo_write record',
    'memory_remember write',
  ]);
  expect(records.find(({ type }) => type === 'todo')).toMatchObject({ todo: { call_id: 't1' } });
});

it('tells nothing of what a subagent that rose did and started since', async () => {
  const storeDir = temporaryFolder();
  const progress = NO_PROGRESS;
  const task = { name: 'T', description: '', assignment: '', preview: '', findings: [], files: [], progress };
  const batch = {
    ...{ session: ID, agent: 'task', context: '', schema: '', isolated: false, background: true },
    ...{ started: 1, owner: OWNER_OF_BATCH },
  } as const;
  const batches: readonly BatchRecord[] = [
    {
      ...{ ...batch, version: 1, id: 'b1', level: 'PUBLIC' },
      tasks: [{ ...task, id: '0-High', status: 'interrupted', level: 'CONFIDENTIAL' }],
    },
    {
      ...{ ...batch, version: 1, id: 'b2', level: 'CONFIDENTIAL' },
      tasks: [{ ...task, id: '0-High.0-Merger', status: 'interrupted' }],
    },
  ];
  for (const who of ['0-High', '0-High.0-Merger'])
    new RunningCommands(join(storeDir, 'running'), `${ID}/${who}`).began({
      ...{ pid: process.pid, call: `call of ${who}`, command: 'npm test' },
    });
  const examiner = new FolderExaminer({
    ...{ root: storeDir, storeDir, store: { fetch: async () => [] } },
    sessions: { runs: async () => [] },
    batches: async () => batches,
  });
  const toldAt = async (level: Level) => {
    const left = { id: ID, key: KEY, kind: 'participant', level, instance: undefined, calls: [] } as const;
    return (await examiner.examine(left)).background.map(({ text }) => text.replace(/ \(.*\)/, ''));
  };
  expect(await toldAt('PUBLIC')).toEqual(['background task "0-High": has lost its process']);
  expect(await toldAt('CONFIDENTIAL')).toHaveLength(4);
});
