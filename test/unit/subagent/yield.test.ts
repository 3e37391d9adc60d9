import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/journal/record.ts';
import type { Finding } from '../../../src/subagent/findings.ts';
import { compileOutputSchema } from '../../../src/subagent/outputSchema.ts';
import { YieldMachine, yieldSpec } from '../../../src/subagent/yield.ts';

const NUMBER = compileOutputSchema({ properties: { n: { type: 'int32' } } });
const WRONG: JsonValue = { result: { data: { n: 'x' } } };
const WARNING = 'SYSTEM WARNING: Subagent exited without calling yield tool after 3 reminders.';

const end = (text: string, exitCode = 0) => ({ text, exitCode });

describe('a call of yield', () => {
  test('with data ends the subagent, and is its output', () => {
    const machine = new YieldMachine();
    expect(machine.call({ result: { data: { ok: true } } })).toEqual({
      text: 'Result submitted.',
      isError: false,
      ends: true,
    });
    expect(machine.finish(end('ignored', 1))).toMatchObject({
      status: 'completed',
      output: '{\n  "ok": true\n}',
      exitCode: 0,
      stderr: '',
    });
  });

  test('with an error gives up, which is no failure of the machinery', () => {
    const machine = new YieldMachine(NUMBER);
    expect(machine.call({ result: { error: 'no such file' } })).toEqual({
      text: 'Task aborted: no such file',
      isError: false,
      ends: true,
    });
    const outcome = machine.finish(end(''));
    expect(outcome).toMatchObject({ status: 'aborted', exitCode: 0, stderr: 'no such file' });
    expect(JSON.parse(outcome.output)).toEqual({ aborted: true, error: 'no such file' });
  });

  test.each<[JsonValue | undefined, string]>([
    [{ result: { data: 1, error: 'e' } }, 'cannot contain both'],
    [{ result: {} }, 'must contain either `data` or `error`'],
    [{ result: { error: null } }, 'must contain either `data` or `error`'],
    [{ result: 'x' }, 'must be an object'],
    [{ result: [] }, 'must be an object'],
    [{ data: 1 }, 'must be an object'],
    ['x', 'must be an object'],
    [undefined, 'must be an object'],
    [{ result: { data: null } }, 'must not be null'],
    [{ result: { error: ' ' } }, 'must be a text'],
    [{ result: { error: {} } }, 'must be a text'],
  ])('%j is refused', (input, text) => {
    const machine = new YieldMachine();
    expect(machine.call(input)).toEqual({ text: expect.stringContaining(text), isError: true, ends: false });
    expect(machine.call({ result: { data: 1 } }).isError).toBe(false);
  });

  test('may fill the field that it does not mean with null', () => {
    expect(new YieldMachine().call({ result: { data: 1, error: null } }).text).toBe('Result submitted.');
    expect(new YieldMachine().call({ result: { data: null, error: 'e' } }).text).toBe('Task aborted: e');
  });

  test('may be null where the schema says so', () => {
    const machine = new YieldMachine(compileOutputSchema({ type: 'string', nullable: true }));
    expect(machine.call({ result: { data: null } }).isError).toBe(false);
    expect(machine.finish(end('')).output).toBe('null');
  });

  test('that does not fit the schema is refused once, with the places, then accepted and flagged', () => {
    const machine = new YieldMachine(NUMBER);
    expect(machine.call(WRONG)).toEqual({
      text: 'Output does not match schema: /n: must be int32',
      isError: true,
      ends: false,
    });
    expect(machine.call(WRONG)).toEqual({
      text: 'Result submitted (schema validation overridden after 2 failed attempt(s)).',
      isError: false,
      ends: true,
    });
    expect(machine.finish(end(''))).toMatchObject({
      status: 'completed',
      exitCode: 0,
      data: { n: 'x' },
      mismatch: '/n: must be int32',
    });
  });

  test('that fits at the second attempt is not flagged', () => {
    const machine = new YieldMachine(NUMBER);
    machine.call(WRONG);
    expect(machine.call({ result: { data: { n: 1 } } }).text).toBe('Result submitted.');
    expect(machine.finish(end('')).mismatch).toBeUndefined();
  });

  test('does not count as a mismatch when it is malformed', () => {
    const machine = new YieldMachine(NUMBER);
    machine.call({ result: 'x' });
    expect(machine.call(WRONG).isError).toBe(true);
  });

  test('that is malformed again and again ends the subagent', () => {
    const machine = new YieldMachine();
    const answers = Array.from({ length: 6 }, () => machine.call({}));
    expect(answers.map(({ ends }) => ends)).toEqual([false, false, false, false, false, true]);
    expect(machine.finish(end(''))).toMatchObject({
      status: 'failed',
      exitCode: 1,
      stderr: expect.stringContaining('must be an object'),
    });
  });

  test('counts when it is the last of several, and a later refused one does not undo it', () => {
    const machine = new YieldMachine();
    machine.call({ result: { data: 1 } });
    machine.call({ result: { data: 2 } });
    machine.call({ result: {} });
    expect(machine.finish(end('')).data).toBe(2);
  });

  test('counts although the loop was cancelled after it', () => {
    const machine = new YieldMachine();
    machine.call({ result: { data: 1 } });
    expect(machine.finish({ text: '', exitCode: 1, cancelled: true }).status).toBe('completed');
  });
});

describe('a subagent that stops without yield', () => {
  test('is reminded three times, the last time with no choice', () => {
    const machine = new YieldMachine();
    const answers = Array.from({ length: 4 }, () => machine.stopped());
    expect(answers).toEqual([
      { kind: 'remind', text: expect.stringContaining('1 of 3'), mustCall: undefined },
      { kind: 'remind', text: expect.stringContaining('2 of 3'), mustCall: undefined },
      { kind: 'remind', text: expect.stringContaining('3 of 3'), mustCall: 'yield' },
      { kind: 'finish' },
    ]);
  });

  test('is not reminded after it has yielded', () => {
    const machine = new YieldMachine();
    machine.call({ result: { data: 1 } });
    expect(machine.stopped()).toEqual({ kind: 'finish' });
  });

  test('fails with a warning when there is a schema and no JSON', () => {
    const machine = new YieldMachine(compileOutputSchema({ properties: { ok: { type: 'boolean' } } }));
    expect(machine.finish(end(''))).toMatchObject({ status: 'failed', output: WARNING, exitCode: 1 });
    expect(machine.finish(end('notes')).output).toBe(`${WARNING}\n\nnotes`);
    expect(machine.finish(end('{"ok":1}')).exitCode).toBe(1);
  });

  test.each([
    ['{"data":{"ok":true}}'],
    ['{"ok":true}'],
    ['```json\n{"ok":true}\n```'],
    ['```\n{"data":{"ok":true}}\n```\n'],
  ])('has handed over when its last text is %j, which fits the schema', (text) => {
    const schema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] };
    const outcome = new YieldMachine(compileOutputSchema(schema)).finish(end(text));
    expect(outcome).toMatchObject({ output: '{\n  "ok": true\n}', exitCode: 0, data: { ok: true } });
  });

  test('has its data unwrapped unless the schema itself names data', () => {
    const open = new YieldMachine(compileOutputSchema({ type: 'object' }));
    expect(open.finish(end('{"data":{"a":1}}')).data).toEqual({ a: 1 });
    const named = new YieldMachine(compileOutputSchema({ properties: { data: { values: {} } } }));
    expect(named.finish(end('{"data":{"a":1}}')).data).toEqual({ data: { a: 1 } });
  });

  test('has handed over any text when there is no schema, and nothing with none', () => {
    expect(new YieldMachine().finish(end('plain text notes'))).toMatchObject({
      output: 'plain text notes',
      exitCode: 0,
      status: 'completed',
    });
    expect(new YieldMachine().finish(end(' \n'))).toMatchObject({ output: WARNING, exitCode: 1 });
  });

  test('has not handed over what it said before it broke off', () => {
    const failed = new YieldMachine().finish({ text: 'so far', exitCode: 1, error: 'no answer' });
    expect(failed).toMatchObject({ status: 'failed', exitCode: 1, stderr: 'no answer', output: 'so far' });
    const cancelled = new YieldMachine().finish({ text: 'so far', exitCode: 0, cancelled: true });
    expect(cancelled).toMatchObject({ status: 'aborted', exitCode: 1, stderr: 'Cancelled' });
  });

  test('leaves no halves of characters', () => {
    expect(new YieldMachine().finish(end('a\uD800')).output).toBe('a\uFFFD');
  });
});

test('whatever a model calls and however often it stops, its subagent comes to an end', () => {
  const part = fc.oneof(fc.jsonValue(), fc.constantFrom(null, { n: 1 }, { n: 'x' }, 'e'));
  const result = fc.oneof(fc.jsonValue(), fc.record({ data: part, error: part }, { requiredKeys: [] }));
  const turn = fc.oneof(fc.constant('stop' as const), fc.record({ result }), fc.jsonValue());
  fc.assert(
    fc.property(fc.infiniteStream(turn), fc.boolean(), fc.string(), (turns, typed, text) => {
      const machine = new YieldMachine(typed ? NUMBER : undefined);
      let taken = 0;
      for (const one of turns) {
        taken += 1;
        if (one === 'stop' ? machine.stopped().kind === 'finish' : machine.call(one as JsonValue).ends) break;
      }
      // Three reminders and the stop after them, and five calls that fail.
      expect(taken).toBeLessThanOrEqual(9);
      const { status, exitCode, output, stderr } = machine.finish(end(text));
      expect(exitCode === 0).toBe(status !== 'failed');
      expect(stderr === '').toBe(status === 'completed');
      expect(output).not.toBe('');
    }),
    { numRuns: 50 },
  );
});

describe('the findings of a reviewer', () => {
  const finding: Finding = {
    title: 't',
    body: 'b',
    priority: 'P1',
    confidence: 0.5,
    file_path: 'a.ts',
    line_start: 1,
    line_end: 2,
  };
  const open = compileOutputSchema({
    properties: { verdict: { type: 'string' } },
    optionalProperties: { findings: { elements: {} } },
  });
  const data = { verdict: 'ok' };

  function finish(
    schema: typeof open | undefined,
    value: JsonValue,
    findings: readonly Finding[],
  ): JsonValue {
    const machine = new YieldMachine(schema);
    machine.call({ result: { data: value } });
    return machine.finish(end(''), findings).data ?? null;
  }

  test('come into an output that names them', () => {
    expect(finish(open, data, [finding])).toEqual({ ...data, findings: [finding] });
    expect(finish(open, data, [])).toEqual(data);
  });

  test('do not break an output that does not', () => {
    const closed = compileOutputSchema({ properties: { verdict: { type: 'string' } } });
    expect(finish(closed, data, [finding])).toEqual(data);
    expect(finish(undefined, data, [finding])).toEqual(data);
    const other = compileOutputSchema({ optionalProperties: { findings: { type: 'string' } } });
    expect(finish(other, {}, [finding])).toEqual({});
  });

  test('come also into an output that does not fit for other reasons', () => {
    const machine = new YieldMachine(open);
    machine.call({ result: { data: { verdict: 1 } } });
    machine.call({ result: { data: { verdict: 1 } } });
    expect(machine.finish(end(''), [finding]).data).toEqual({ verdict: 1, findings: [finding] });
  });

  test('are told once each, the last time they are told, beside those in the output', () => {
    const later = { ...finding, body: 'better' };
    const another = { ...finding, line_start: 5 };
    const own = { ...finding, title: 'mine' };
    const whole = { ...data, findings: [own, { ...finding, body: 'again' }] };
    expect(finish(open, whole, [finding, another, later])).toEqual({
      ...data,
      findings: [own, later, another],
    });
  });
});

describe('the tool yield', () => {
  const dataOf = (spec: ReturnType<typeof yieldSpec>) =>
    (spec.inputSchema as { properties: { result: { properties: { data: unknown } } } }).properties.result
      .properties.data;

  test('shows the schema as that of result.data', () => {
    expect(dataOf(yieldSpec())).toEqual({});
    expect(dataOf(yieldSpec(NUMBER))).toEqual(NUMBER.jsonSchema);
  });

  test('describes a schema that refers to itself, and needs no definitions outside it', () => {
    const tree = { definitions: { n: { elements: { ref: 'n' } } }, ref: 'n' };
    const spec = yieldSpec(compileOutputSchema(tree));
    expect(dataOf(spec)).toEqual({});
    expect(spec.description).toContain('"$ref":"#/$defs/n"');
  });
});
