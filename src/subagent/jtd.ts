/** JSON Type Definition (RFC 8927): whether a schema is one, and the same as JSON Schema. */
import { quoted } from './text.ts';

export type JsonObject = { [key: string]: unknown };

/** A schema that is not JTD; the message says where and why. */
export class JtdError extends Error {
  override readonly name = 'JtdError';
}

const JSON_TYPES: ReadonlyMap<unknown, string> = new Map([
  ['boolean', 'boolean'],
  ['string', 'string'],
  ['timestamp', 'string'],
  ['float32', 'number'],
  ['float64', 'number'],
  ...['int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32'].map((type) => [type, 'integer'] as const),
]);

/** Keywords that make up each form (RFC 8927 §2.2); a schema has those of one form only. */
const FORMS = {
  ref: ['ref'],
  type: ['type'],
  enum: ['enum'],
  elements: ['elements'],
  properties: ['properties', 'optionalProperties', 'additionalProperties'],
  values: ['values'],
  discriminator: ['discriminator', 'mapping'],
} as const;
type Form = keyof typeof FORMS | 'empty';

export interface Jtd {
  /** A copy without metadata, and with each empty branch of a mapping written out, as the RFC demands. */
  readonly jtd: JsonObject;
  /**
   * The same as JSON Schema (2020-12), to show to a model: it says nothing of the ranges of integers and of the
   * form of timestamps, so it may accept more, never less.
   */
  readonly jsonSchema: JsonObject;
}

/**
 * Reads a schema as JTD. `schema` must be plain JSON of bounded depth.
 * @throws JtdError when it has none of the forms of RFC 8927, or a name without a definition.
 */
export function readJtd(schema: unknown): Jtd {
  const jtd: unknown = structuredClone(schema);
  const root = objectAt(jtd, 'schema');
  const definitions = 'definitions' in root ? objectAt(root.definitions, 'definitions') : {};
  const reader = new Reader(definitions);
  const own = reader.convert(root, '', true);
  const $defs = Object.entries(definitions).map(([name, one]) => [
    name,
    reader.convert(one, `definitions/${name}`),
  ]);
  refuseLoops(root, definitions);
  return { jtd: root, jsonSchema: $defs.length > 0 ? { ...own, $defs: Object.fromEntries($defs) } : own };
}

class Reader {
  readonly #definitions: JsonObject;

  constructor(definitions: JsonObject) {
    this.#definitions = definitions;
  }

  convert(value: unknown, path: string, root = false): JsonObject {
    const schema = objectAt(value, path);
    const form = formOf(schema, path, root);
    const converted = this.#form(form, schema, path);
    const description = schema.metadata && objectAt(schema.metadata, `${path}/metadata`).description;
    delete schema.metadata;
    return {
      ...(schema.nullable === true ? { anyOf: [converted, { type: 'null' }] } : converted),
      ...(typeof description === 'string' ? { description } : {}),
    };
  }

  #form(form: Form, schema: JsonObject, path: string): JsonObject {
    switch (form) {
      case 'empty':
        return {};
      case 'ref':
        return this.#ref(schema.ref, path);
      case 'type':
        return { type: JSON_TYPES.get(schema.type) ?? fail(path, `there is no type ${shown(schema.type)}`) };
      case 'enum':
        return { enum: enumOf(schema.enum, path) };
      case 'elements':
        return { type: 'array', items: this.convert(schema.elements, `${path}/elements`) };
      case 'values':
        return { type: 'object', additionalProperties: this.convert(schema.values, `${path}/values`) };
      case 'properties':
        return this.#properties(schema, path);
      case 'discriminator':
        return this.#discriminator(schema, path);
    }
  }

  #ref(name: unknown, path: string): JsonObject {
    if (typeof name !== 'string' || !Object.hasOwn(this.#definitions, name))
      fail(path, `there is no definition ${shown(name)}`);
    return { $ref: `#/$defs/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}` };
  }

  #properties(schema: JsonObject, path: string): JsonObject {
    const needed = this.#members(schema.properties ?? {}, `${path}/properties`);
    const optional = this.#members(schema.optionalProperties ?? {}, `${path}/optionalProperties`);
    const required = needed.map(([name]) => name);
    const twice = optional.find(([name]) => required.includes(name));
    if (twice) fail(path, `${quoted(twice[0])} is both required and optional`);
    const open = schema.additionalProperties ?? false;
    if (typeof open !== 'boolean') fail(path, 'additionalProperties must be true or false');
    return {
      type: 'object',
      properties: Object.fromEntries([...needed, ...optional]),
      ...(open ? {} : { additionalProperties: false }),
      ...(required.length > 0 ? { required } : {}),
    };
  }

  #members(value: unknown, path: string): [string, JsonObject][] {
    const members = Object.entries(objectAt(value, path));
    return members.map(([name, schema]) => [name, this.convert(schema, `${path}/${name}`)]);
  }

  #discriminator({ discriminator: tag, mapping }: JsonObject, path: string): JsonObject {
    if (typeof tag !== 'string') fail(path, 'discriminator must be a text');
    const branches = objectAt(mapping, `${path}/mapping`);
    const anyOf = Object.entries(branches).map(([name, value]) => {
      const at = `${path}/mapping/${name}`;
      const branch = objectAt(value, at);
      if (Object.keys(branch).length === 0) branch.properties = {};
      if (formOf(branch, at) !== 'properties' || branch.nullable === true)
        fail(at, 'a branch must be properties, and not nullable');
      const { properties, required = [], ...rest } = this.#properties(branch, at);
      if (Object.hasOwn(properties as JsonObject, tag))
        fail(at, `${quoted(tag)} is the discriminator already`);
      return {
        ...rest,
        properties: Object.fromEntries([[tag, { const: name }], ...Object.entries(properties as JsonObject)]),
        required: [tag, ...(required as string[])],
      };
    });
    if (anyOf.length === 0) fail(path, 'mapping has no branches');
    return { anyOf };
  }
}

function formOf(schema: JsonObject, path: string, root = false): Form {
  if (schema.nullable !== undefined && typeof schema.nullable !== 'boolean')
    fail(path, 'nullable must be true or false');
  const shared = ['nullable', 'metadata', ...(root ? ['definitions'] : [])];
  const keywords = Object.keys(schema).filter((keyword) => !shared.includes(keyword));
  if (keywords.length === 0) return 'empty';
  const forms = Object.entries(FORMS) as [keyof typeof FORMS, readonly string[]][];
  for (const [form, known] of forms) {
    // `additionalProperties` alone is no form.
    if (!keywords.some((keyword) => known.includes(keyword) && keyword !== 'additionalProperties')) continue;
    const other = keywords.find((keyword) => !known.includes(keyword));
    if (other !== undefined) fail(path, `${quoted(other)} cannot stand beside ${form}`);
    return form;
  }
  return fail(path, `${quoted(keywords[0] ?? '')} is no keyword of JTD`);
}

function enumOf(value: unknown, path: string): unknown[] {
  if (!Array.isArray(value) || value.length === 0 || !value.every((one) => typeof one === 'string'))
    fail(path, 'enum must be a list of texts');
  if (new Set(value).size < value.length) fail(path, 'enum names a text twice');
  return value;
}

/** Names that only stand for each other describe nothing, and checking against them would never end. */
function refuseLoops(root: JsonObject, definitions: JsonObject): void {
  const ending = new Set<unknown>();
  for (const start of [root, ...Object.values(definitions)]) {
    const seen = new Set<unknown>();
    for (let at = start as JsonObject; typeof at.ref === 'string'; at = definitions[at.ref] as JsonObject) {
      if (seen.has(at)) fail('definitions', `${quoted(at.ref)} stands only for itself`);
      if (ending.has(at)) break;
      seen.add(at);
    }
    for (const one of seen) ending.add(one);
  }
}

function objectAt(value: unknown, path: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) fail(path, 'must be an object');
  return value as JsonObject;
}

function shown(value: unknown): string {
  return quoted(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined'));
}

function fail(path: string, problem: string): never {
  throw new JtdError(
    path === '' || path === 'schema' ? problem : `${quoted(path.replace(/^\//, ''))}: ${problem}`,
  );
}
