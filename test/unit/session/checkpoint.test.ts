import { expect, it } from 'vitest';
import { CheckpointMachine } from '../../../src/session/checkpoint.ts';
import type { Draft, TodoPhase } from '../../../src/session/record.ts';
import { TodoFold } from '../../../src/session/todoState.ts';
import { answer, draft, folder, options, resume, say, start, use } from './kit.ts';

const usage = (input_tokens: number) => ({
  input_tokens,
  output_tokens: 10,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
});
const phases = (content: string): TodoPhase[] => [{ name: 'p', tasks: [{ content, status: 'in_progress' }] }];

it('answers as the tools do, and tells a person what has happened since', () => {
  const session = start(options(folder()));
  session.append([draft(say('user', 'q')), draft(say('assistant', use('c', 'checkpoint')), usage(100))]);
  const made = session.checkpoint.create('why is it slow?', { depth: 0, callId: 'c' });
  if (!made.ok) return expect.unreachable();
  expect(made.text).toMatch(/^Checkpoint created\.\nGoal: why is it slow\?\n.*call rewind/);
  session.append(made.drafts);
  session.append([draft(say('user', answer('c')))]);
  expect(session.checkpoint.active).toMatchObject({
    goal: 'why is it slow?',
    since: { messages: 0, tools: 0, tokens: 0 },
    report: undefined,
  });
  session.append([draft(say('assistant', 'x'.repeat(400), use('a'), use('b')))]);
  expect(session.checkpoint.active?.since).toMatchObject({ messages: 1, tools: 2, tokens: 105 });
  session.append([draft(say('user', answer('a'), answer('b'))), draft(say('assistant', 'so'), usage(700))]);
  expect(session.checkpoint.active?.since).toEqual({ messages: 3, tools: 2, tokens: 600 });
  session.append(session.checkpoint.cancel());
  expect(session.checkpoint.state).toBe('none');
  expect(session.checkpoint.rewind('r', { depth: 0 })).toMatchObject({
    error: 'No active checkpoint. Create one with checkpoint first.',
  });
  expect(session.checkpoint.cancel()).toEqual([]);
  expect(session.checkpoint.ended).toMatchObject([
    { goal: 'why is it slow?', report: undefined, since: { messages: 3, tools: 2, tokens: 600 } },
  ]);
});

it('keeps what became of earlier checkpoints, takes the last report, and outlives a resume in between', () => {
  const at = options(folder());
  let session = start(at);
  for (const goal of ['one', 'two']) {
    const run = (answer: ReturnType<CheckpointMachine['create']>) =>
      answer.ok && session.append(answer.drafts);
    run(session.checkpoint.create(goal, { depth: 0 }));
    session.append([draft(say('user', `dead end of ${goal}`))]);
    run(session.checkpoint.rewind('draft', { depth: 0 }));
    run(session.checkpoint.rewind(`report of ${goal}`, { depth: 0 }));
    expect(session.endTurn({ reason: 'completed' })).toMatchObject({ reason: 'completed' });
    session.close();
    session = resume(at).session;
    expect(session.view.messages()).toHaveLength(goal === 'one' ? 1 : 2);
  }
  expect(session.checkpoint.ended).toMatchObject([
    { goal: 'one', report: 'report of one' },
    { goal: 'two', report: 'report of two' },
  ]);
});

it('is not available in subagents, which is said before anything else', () => {
  const machine = new CheckpointMachine();
  expect(machine.rewind('', { depth: 1 })).toMatchObject({ error: 'Checkpoint not available in subagents.' });
});

it('carries a rewind out when the turn breaks off after it was requested', () => {
  const at = options(folder());
  const session = start(at);
  const run = (answer: ReturnType<CheckpointMachine['create']>) => answer.ok && session.append(answer.drafts);
  session.append([draft(say('user', 'q'))]);
  run(session.checkpoint.create('g', { depth: 0 }));
  session.append([draft(say('assistant', 'hm', use('w', 'rewind'), use('x', 'deploy')))]);
  run(session.checkpoint.rewind('found', { depth: 0, callId: 'w' }));
  session.close();
  const resumed = resume(at);
  expect(resumed.session.checkpoint.state).toBe('none');
  expect(resumed.report).toMatch(/- deploy \(x\): unknown, announced with: hm/);
  expect(JSON.stringify(resumed.session.view.messages()).split('found')).toHaveLength(2);
  resumed.session.close();
  const again = resume(at);
  expect(again.report).toBeUndefined();
  expect(again.session.view.messages()).toEqual(resumed.session.view.messages());
});

it('takes the todo list back with a rewind, but not what a person did to it', () => {
  const fold = (...drafts: Draft[]) => {
    const session = start(options(folder()));
    session.append(drafts);
    return session.todo.phases;
  };
  const created: Draft = { type: 'checkpoint', uuid: 'cp', checkpoint: { event: 'created', goal: 'g' } };
  const rewound: Draft = {
    type: 'rewind_report',
    rewind_report: { checkpoint: 'cp', goal: 'g', report: 'r', started_at: 't' },
  };
  const agent = (content: string): Draft => ({ type: 'todo', todo: { phases: phases(content) } });
  const person: Draft = { type: 'todo_edit', todo_edit: { by: 'person', phases: phases('by hand') } };
  expect(new TodoFold().phases).toEqual([]);
  expect(fold(agent('a'), created, agent('b'))).toEqual(phases('b'));
  expect(fold(agent('a'), created, agent('b'), rewound)).toEqual(phases('a'));
  expect(fold(agent('a'), created, agent('b'), person, agent('c'), rewound)).toEqual(phases('by hand'));
});
