/** What our texts tell a model to do can be done: the tools, addresses and payloads that they name are there. */
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/journal/record.ts';
import { textOf } from '../../../src/session/messages.ts';
import { viewOf } from '../../../src/session/view.ts';
import { BUNDLED_AGENTS } from '../../../src/subagent/bundled/agents.ts';
import { compileOutputSchema } from '../../../src/subagent/outputSchema.ts';
import { systemPrompt } from '../../../src/subagent/prompt.ts';
import { YieldMachine, yieldSpec } from '../../../src/subagent/yield.ts';
import { applyOps } from '../../../src/todo/list.ts';
import { stopReminder } from '../../../src/todo/reminder.ts';
import { TOOLS } from '../../../src/tools/catalog.ts';
import { inputSchemaOf } from '../../../src/tools/inputSchema.ts';
import { draft, records, say } from '../session/kit.ts';
import { hand, named, openTasks } from './kit.ts';

/** Addresses that a tool or a client reads. */
const SCHEMES = ['agent', 'local', 'toon', 'ui', 'http', 'https'];
const HANDOVER = { context: '', conversation: '', tree: '', isolated: false };

/** Words that are written like a tool's name. */
const namesIn = (text: string) => text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [];
const schemesIn = (text: string) => [...text.matchAll(/\b([a-z]+):\/\//g)].map(([, scheme]) => scheme);

/** Names of the fields and values of a schema, at any depth. */
function fieldsOf(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(fieldsOf);
  if (typeof schema === 'string') return [schema];
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => [key, ...fieldsOf(value)]);
}

describe('what a model is told of', () => {
  const agents = TOOLS.filter(({ profile }) => profile !== 'person');
  const known = new Set([...agents, ...BUNDLED_AGENTS].map(({ name }) => name));

  it.each(agents.map((tool) => [tool.name, tool] as const))('by %s is there', (_name, tool) => {
    const schema = inputSchemaOf(tool);
    const own = new Set(fieldsOf(schema).filter((field) => /^[a-z_]+$/.test(field)));
    const text = JSON.stringify([tool.description, schema]);
    const others = new Set(agents.flatMap((other) => fieldsOf(inputSchemaOf(other))));
    const missing = namesIn(text).filter((name) => !known.has(name) && !own.has(name) && !others.has(name));
    expect(missing).toEqual([]);
    expect(schemesIn(text).filter((scheme) => !SCHEMES.includes(scheme ?? ''))).toEqual([]);
  });

  it.each(BUNDLED_AGENTS.map((agent) => [agent.name, agent] as const))(
    'by the agent %s is there',
    (_name, agent) => {
      const text = systemPrompt(agent, HANDOVER);
      const fields = new Set([...fieldsOf(agent.output), 'file_path', 'line_start', 'line_end']);
      const tools = agent.tools ?? [...known];
      expect(namesIn(text).filter((name) => !tools.includes(name) && !fields.has(name))).toEqual([]);
      expect(schemesIn(text).filter((scheme) => !SCHEMES.includes(scheme ?? ''))).toEqual([]);
      expect(agent.tools ?? ['yield']).toContain('yield');
    },
  );
});

describe('the form of what is handed over', () => {
  it('is that of the schema, in the same spelling wherever an agent writes of it', () => {
    for (const { name, prompt, output } of BUNDLED_AGENTS) {
      const values = [...JSON.stringify(output ?? {}).matchAll(/"enum":(\[[^\]]*\])/g)].flatMap(
        ([, list = '[]']) => JSON.parse(list) as string[],
      );
      for (const value of values) {
        const spelled = prompt.match(new RegExp(`\\b${value}\\b`, 'gi')) ?? [];
        expect([name, spelled.filter((word) => word !== value)]).toEqual([name, []]);
      }
    }
  });

  it('is told to be that of the call where it differs from that of the agent', async () => {
    const { call, model } = openTasks(() => [hand({ verdict: 'PASS' })]);
    const schema = JSON.stringify({ properties: { verdict: { enum: ['PASS', 'FAIL'] } } });
    const { text } = await call('task', { agent: 'reviewer', tasks: named('R'), schema });
    expect(text).toContain('1/1 succeeded');
    const [{ system, tools } = { system: '', tools: [] }] = model.requests;
    expect(system).toContain(
      'has the form that yield describes, also where your instructions name other fields',
    );
    const spec = JSON.stringify(tools.find(({ name }) => name === 'yield'));
    expect(spec).toContain('"PASS"');
    expect(spec).not.toContain('overall_correctness');
  });

  it('is told again, with what is allowed, when a value is spelled differently', () => {
    const machine = new YieldMachine(
      compileOutputSchema({ properties: { v: { enum: ['correct', 'incorrect'] } } }),
    );
    expect(machine.call({ result: { data: { v: 'Correct' } } }).text).toMatch(/"correct","incorrect"/);
  });
});

describe('payloads that we show', () => {
  const shown = (text: string) =>
    [...text.matchAll(/\{"result": \{.*?\}\}/g)].map(
      ([json]) => JSON.parse(json.replace('…', '1')) as JsonValue,
    );

  it('by yield and its reminders are taken', () => {
    const reminder = new YieldMachine().stopped();
    const texts = [yieldSpec().description, reminder.kind === 'remind' ? reminder.text : ''];
    for (const text of texts) {
      expect(shown(text)).toHaveLength(2);
      for (const payload of shown(text)) expect(new YieldMachine().call(payload).isError).toBe(false);
    }
  });

  it('by the reminder of open tasks are operations that there are', () => {
    const phases = applyOps([], [{ op: 'append', phase: 'P', items: ['open'] }]).phases;
    const text = stopReminder({ phases, sent: 0, max: 1 }) ?? '';
    for (const op of ['done', 'drop']) {
      expect(text).toContain(op);
      expect(applyOps(phases, [{ op, task: 'open' }]).errors).toEqual([]);
    }
    expect(TOOLS.map(({ name }) => name)).toContain('todo_write');
  });
});

describe('waiting for jobs', () => {
  it('that takes too long is no failure, stops nothing, and is told once they have ended, once', async () => {
    const { call, model } = openTasks(() => [hand('the result')], { settings: { 'async.enabled': true } });
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    model.before = () => gate;
    await call('task', { agent: 'task', tasks: named('A') });
    const early = await call('job', { action: 'wait', timeout: 0 });
    expect(early).toMatchObject({ isError: false, text: expect.stringContaining('1 of 1 still run') });
    expect(early.text).not.toMatch(/fail|error/i);
    open();
    expect((await call('job', { action: 'wait', timeout: 60 })).text).toContain('0-A (task): completed');
    const list = [{ phase: 'P', items: ['x'] }];
    expect((await call('todo_write', { ops: [{ op: 'init', list }] })).text).not.toContain('0-A');
  });
});

it('an agent that asks the person is not told to go on instead', () => {
  const phases = applyOps([], [{ op: 'append', phase: 'P', items: ['open'] }]).phases;
  const told = (said: string) => stopReminder({ phases, sent: 0, max: 3, said });
  for (const said of ['Which one?', '어느 쪽인가요?', 'どちらですか？\n', '**Shall I go on?**', '(or not?)'])
    expect(told(said)).toBeUndefined();
  for (const said of ['Done.', 'Why? Because.', '']) expect(told(said)).toContain('1 open task');
});

it('a report says that the person has read what was said meanwhile', () => {
  const checkpoint = { event: 'created', goal: 'g' } as const;
  const report = { checkpoint: 'c', goal: 'g', report: 'found', started_at: 't' };
  const view = viewOf(
    records(
      draft(say('user', 'q')),
      { type: 'checkpoint', uuid: 'c', checkpoint },
      draft(say('assistant', 'It is the cache.')),
      { type: 'rewind_report', rewind_report: report },
    ),
  );
  const [, shown] = view.messages();
  expect(shown && textOf(shown)).toMatch(/The person has seen what you told them meanwhile.*\n\nfound$/s);
});
