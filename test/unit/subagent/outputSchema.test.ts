import { describe, expect, test } from 'vitest';
import {
  chooseOutputSchema,
  compileOutputSchema,
  OutputSchemaError,
} from '../../../src/subagent/outputSchema.ts';

const fits = (schema: unknown, value: unknown) => compileOutputSchema(schema).check(value).length === 0;

describe('an output schema', () => {
  test.each([
    ['nullable', { type: 'string', nullable: true }, [null, 'x'], [1]],
    [
      'additionalProperties',
      { properties: { a: { type: 'string' } }, additionalProperties: true },
      [{ a: 'x', b: 1 }],
      [{ b: 1 }],
    ],
    [
      'open objects without properties',
      { properties: {}, additionalProperties: true },
      [{}, { a: 1 }],
      [null, 1, []],
    ],
    ['properties that may be anything', { properties: { a: {} } }, [{ a: null }], [{}, null]],
    [
      'properties of open objects that may be anything',
      { properties: { a: {} }, additionalProperties: true },
      [{ a: 1, b: 2 }],
      [{ b: 2 }, 1],
    ],
    ['ranges', { type: 'uint8' }, [0, 255], [256, -1, 1.5]],
    ['timestamps', { type: 'timestamp' }, ['2026-07-12T09:00:00Z'], ['yesterday', 1]],
    [
      'discriminators',
      { discriminator: 'k', mapping: { a: { properties: { x: { type: 'string' } } }, b: {} } },
      [{ k: 'a', x: '1' }, { k: 'b' }],
      [{ k: 'c' }, { k: 'a' }, { k: 'b', x: 1 }, {}],
    ],
    [
      'JSON Schema without a type at its root',
      { properties: { f: { type: 'array', items: { type: 'string' } } }, required: ['f'] },
      [{ f: ['x'] }],
      [{ f: [1] }, {}],
    ],
    [
      'definitions that name themselves below',
      { definitions: { n: { properties: { next: { ref: 'n', nullable: true } } } }, ref: 'n' },
      [{ next: { next: null } }],
      [{ next: {} }],
    ],
    [
      'draft-07 when it says so',
      { $schema: 'http://json-schema.org/draft-07/schema#', type: 'array', items: [{ type: 'string' }] },
      [['x']],
      [[1]],
    ],
    [
      'references into itself',
      { $defs: { s: { type: 'string' } }, type: 'object', properties: { a: { $ref: '#/$defs/s' } } },
      [{ a: 'x' }],
      [{ a: 1 }],
    ],
    ["Object's own names", { type: 'object', required: ['constructor'] }, [{ constructor: 1 }], [{}]],
  ])('honours %s', (_, schema, accepted, refused) => {
    for (const value of accepted) expect([value, fits(schema, value)]).toEqual([value, true]);
    for (const value of refused) expect([value, fits(schema, value)]).toEqual([value, false]);
  });

  test('is read from JSON text', () => {
    expect(compileOutputSchema('{"properties":{"ok":{"type":"boolean"}}}').kind).toBe('jtd');
    expect(compileOutputSchema('{"type":"object"}').kind).toBe('json-schema');
  });

  test.each([
    ['no JSON', '{', /not valid JSON/],
    ['an array', '[]', /object/],
    ['a boolean', false, /object/],
    ['a typing mistake', { type: 'object', proprties: {} }, /proprties/],
    ['an unknown type', { type: 'text' }, /no type "text"/],
    ['types of both kinds', { type: 'object', properties: { n: { type: 'int32' } } }, /JTD/],
    [
      'an address elsewhere',
      { type: 'object', properties: { a: { $ref: 'https://example.org/s' } } },
      /example\.org/,
    ],
    ['a name without a definition', { type: 'array', items: { $ref: '#/$defs/no' } }, /not in it/],
    [
      'a name that stands for itself',
      { $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
      /without end/,
    ],
    [
      'an unknown draft',
      { $schema: 'https://json-schema.org/draft/2019-09/schema', type: 'array' },
      /2020-12/,
    ],
    ['a pattern that is none', { type: 'string', pattern: '(' }, /regular expression|pattern/i],
    ['a pattern that is too long', { type: 'string', pattern: 'a'.repeat(501) }, /500/],
    ['too much text', JSON.stringify({ enum: ['x'.repeat(70_000)] }), /larger/],
    ['too much text as a value', { enum: ['x'.repeat(70_000)] }, /larger/],
    ['too many levels', nested(60), /deeper/],
    ['parts that multiply', multiplied(), /parts/],
    ['itself as a part', circular(), /deeper/],
  ])('is refused with %s', (_, schema, problem) => {
    expect(() => compileOutputSchema(schema)).toThrow(OutputSchemaError);
    expect(() => compileOutputSchema(schema)).toThrow(problem);
  });

  test('says where a value does not fit, in few lines', () => {
    const jtd = compileOutputSchema({ properties: { n: { type: 'int32' }, k: { enum: ['a'] } } });
    expect(jtd.check({ n: 'x', k: 'b', 'evil\n<x>': 1 })).toEqual([
      '/n: must be int32',
      '/k: must be equal to one of the allowed values: ["a"]',
      '/evil <x>: must NOT have additional properties: "evil\\n<x>"',
    ]);
    const many = compileOutputSchema({ elements: { type: 'string' } }).check(
      Array.from({ length: 100 }, () => 1),
    );
    expect(many).toHaveLength(9);
    expect(many.at(-1)).toBe('and 92 more problems');
  });

  test.each([
    ['a pattern that backtracks', { type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`, /too long/],
    ['references that multiply', doubling(40), {}, /too long/],
    [
      'references to themselves',
      { $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' },
      1,
      /too deeply/,
    ],
  ])('stops a check with %s', (_, schema, value, problem) => {
    expect(compileOutputSchema(schema).check(value)).toEqual([expect.stringMatching(problem)]);
  });

  test('of the call comes before that of the agent, and that before the inherited one', () => {
    const [call, agent, parent] = ['a', 'b', 'c'].map((name) => ({ enum: [name] }));
    const text = JSON.stringify(call);
    expect(chooseOutputSchema({ call: text, agent, parent })?.jsonSchema).toEqual(call);
    expect(chooseOutputSchema({ agent, parent })?.jsonSchema).toEqual(agent);
    expect(chooseOutputSchema({ call: '  ', agent: null, parent })?.jsonSchema).toEqual(parent);
    expect(chooseOutputSchema({ call: text, agent })?.source).toEqual(call);
    expect(chooseOutputSchema({})).toBeUndefined();
    expect(() => chooseOutputSchema({ call: text, agent: 'x' })).not.toThrow();
    expect(() => chooseOutputSchema({ agent: 'x', parent })).toThrow(/the agent's output schema/);
  });

  test('knows the properties that it names, not those of every object', () => {
    const schema = compileOutputSchema({ optionalProperties: { findings: {} } });
    expect([schema.declares('findings'), schema.declares('constructor')]).toEqual([true, false]);
    expect(compileOutputSchema({ type: 'array' }).declares('findings')).toBe(false);
  });
});

function nested(levels: number): unknown {
  return levels === 0 ? { type: 'string' } : { elements: nested(levels - 1) };
}

/** Small in memory, as one part stands in many places; without end as text. */
function multiplied(): unknown {
  let part: object = { type: 'string' };
  for (let level = 0; level < 20; level += 1) part = { properties: { a: part, b: part } };
  return part;
}

function circular(): unknown {
  const part: Record<string, unknown> = {};
  part.elements = part;
  return part;
}

function doubling(levels: number): unknown {
  const $defs = Object.fromEntries(
    Array.from({ length: levels }, (_, level) => {
      const next = { $ref: `#/$defs/d${level + 1}` };
      return [`d${level}`, { anyOf: [next, next] }];
    }),
  );
  return { $defs: { ...$defs, [`d${levels}`]: { type: 'string' } }, $ref: '#/$defs/d0' };
}
