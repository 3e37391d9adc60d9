import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JtdError, readJtd } from '../../../src/subagent/jtd.ts';
import { compileOutputSchema } from '../../../src/subagent/outputSchema.ts';

const fits = (schema: unknown, value: unknown) => compileOutputSchema(schema).check(value).length === 0;

describe('a JTD schema as JSON Schema', () => {
  test('closes objects and requires properties', () => {
    const jtd = { properties: { n: { type: 'int32' } }, optionalProperties: { s: { type: 'string' } } };
    expect(readJtd(jtd).jsonSchema).toEqual({
      type: 'object',
      properties: { n: { type: 'integer' }, s: { type: 'string' } },
      additionalProperties: false,
      required: ['n'],
    });
  });

  test.each([
    [{ elements: { type: 'float32' } }, { type: 'array', items: { type: 'number' } }],
    [{ values: { type: 'boolean' } }, { type: 'object', additionalProperties: { type: 'boolean' } }],
    [{ enum: ['a', 'b'] }, { enum: ['a', 'b'] }],
    [{ type: 'timestamp' }, { type: 'string' }],
    [{}, {}],
    [{ type: 'string', nullable: true }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    [
      { type: 'string', metadata: { description: 'why' } },
      { type: 'string', description: 'why' },
    ],
    [
      { properties: {}, additionalProperties: true },
      { type: 'object', properties: {} },
    ],
    [
      { definitions: { 'a/b~%': { type: 'string' } }, ref: 'a/b~%' },
      { $ref: '#/$defs/a~1b~0%25', $defs: { 'a/b~%': { type: 'string' } } },
    ],
  ])('is what %j says', (jtd, jsonSchema) => {
    expect(readJtd(jtd).jsonSchema).toEqual(jsonSchema);
  });

  test('takes properties that are named like keywords for properties', () => {
    const names = ['ref', 'elements', 'values', 'type', 'enum', 'properties', 'definitions', '__proto__'];
    const jtd = { properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) };
    const { properties } = readJtd(jtd).jsonSchema;
    expect(Object.entries(properties as object)).toEqual(names.map((name) => [name, { type: 'string' }]));
    expect(fits({ properties: { ref: { type: 'string' } } }, { ref: 'a.ts' })).toBe(true);
    expect(fits({ properties: { ref: { type: 'string' } } }, { ref: 1 })).toBe(false);
  });

  test.each([
    [{ type: 'int64' }, /no type/],
    [{ type: 'object' }, /no type/],
    [{ type: 'string', enum: ['a'] }, /beside/],
    [{ properties: {}, required: [] }, /beside/],
    [{ additionalProperties: true }, /no keyword/],
    [{ nullable: 'yes' }, /nullable/],
    [{ enum: [] }, /enum/],
    [{ enum: ['a', 'a'] }, /twice/],
    [{ ref: 'a' }, /no definition/],
    [{ definitions: {}, ref: 'constructor' }, /no definition/],
    [{ elements: { definitions: {} } }, /no keyword/],
    [{ elements: [] }, /object/],
    [{ properties: { a: {} }, optionalProperties: { a: {} } }, /both/],
    [{ discriminator: 'k', mapping: {} }, /no branches/],
    [{ discriminator: 'k', mapping: { a: { type: 'string' } } }, /branch/],
    [{ discriminator: 'k', mapping: { a: { properties: {}, nullable: true } } }, /branch/],
    [{ discriminator: 'k', mapping: { a: { properties: { k: {} } } } }, /already/],
    [{ definitions: { a: { ref: 'b' }, b: { ref: 'a' } } }, /only for itself/],
    [{ metadata: 'x' }, /object/],
  ])('is refused for %j', (jtd, problem) => {
    expect(() => readJtd(jtd)).toThrow(JtdError);
    expect(() => readJtd(jtd)).toThrow(problem);
  });

  const tree = fc.letrec((tie) => ({
    jtd: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom({}, { type: 'string' }, { type: 'boolean' }, { type: 'uint8' }, { type: 'float64' }),
      fc.constant({ enum: ['a', 'b'] }),
      fc.record({ elements: tie('jtd') }),
      fc.record({ values: tie('jtd'), nullable: fc.boolean() }),
      fc.record({ properties: fc.dictionary(fc.constantFrom('a', 'ref', 'b c'), tie('jtd')) }),
      fc.record({
        optionalProperties: fc.dictionary(fc.constantFrom('a', 'type'), tie('jtd')),
        additionalProperties: fc.boolean(),
      }),
    ),
  })).jtd;
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, true, 'a', 'z', 0, 255, -1, 0.5),
      fc.array(tie('any'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', 'ref', 'b c', 'type'), tie('any'), { maxKeys: 3 }),
    ),
  })).any;

  test('accepts whatever the JTD accepts, and the JTD what the RFC says', () => {
    fc.assert(
      fc.property(tree, fc.array(value, { minLength: 1, maxLength: 6 }), (jtd, values) => {
        const schema = compileOutputSchema(jtd);
        expect(schema.kind).toBe('jtd');
        const $schema = 'https://json-schema.org/draft/2020-12/schema';
        const shown = compileOutputSchema({ $schema, ...schema.jsonSchema });
        for (const one of values) {
          const valid = isValid(jtd as Jtd, one);
          expect(schema.check(one).length === 0).toBe(valid);
          if (valid) expect(shown.check(one)).toEqual([]);
        }
      }),
      { numRuns: 40 },
    );
  });
});

interface Jtd {
  type?: string;
  enum?: string[];
  nullable?: boolean;
  elements?: Jtd;
  values?: Jtd;
  properties?: Record<string, Jtd>;
  optionalProperties?: Record<string, Jtd>;
  additionalProperties?: boolean;
}

/** RFC 8927 §3.3 for the forms that the generator above makes. */
function isValid(jtd: Jtd, value: unknown): boolean {
  if (value === null && jtd.nullable) return true;
  if (jtd.type === 'uint8') return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
  if (jtd.type !== undefined) return typeof value === (jtd.type === 'float64' ? 'number' : jtd.type);
  if (jtd.enum) return jtd.enum.some((one) => one === value);
  if (jtd.elements) return Array.isArray(value) && value.every((one) => isValid(jtd.elements ?? {}, one));
  if (!jtd.values && !jtd.properties && !jtd.optionalProperties) return true;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const needed = Object.keys(jtd.properties ?? {});
  const named = { ...jtd.properties, ...jtd.optionalProperties };
  return (
    needed.every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, one]) => {
      if (jtd.values) return isValid(jtd.values, one);
      const own = Object.hasOwn(named, name) ? named[name] : undefined;
      return own ? isValid(own, one) : jtd.additionalProperties === true;
    })
  );
}
