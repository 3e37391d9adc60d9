/** What a subagent must hand over: a JTD (RFC 8927) or JSON Schema that a caller or an agent's file gives. */
import { runInNewContext } from 'node:vm';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv/dist/ajv.js';
import { Ajv as AjvJtd } from 'ajv/dist/jtd.js';
import { messageOf } from '../journal/errors.ts';
import { type JsonObject, JtdError, readJtd } from './jtd.ts';
import { clipped, counted, oneLine, quoted } from './text.ts';

/** A schema has to fit into a prompt, with room to spare. */
const SCHEMA_CHARACTERS = 64 * 1024;
const SCHEMA_DEPTH = 48;
const SCHEMA_NODES = 10_000;
/** Longer patterns are not written by hand. */
const PATTERN_LENGTH = 500;
/**
 * A pattern or a web of references can take for ever on a few characters. Honest checks take a few milliseconds;
 * this stops the others.
 */
const CHECK_MS = 500;
const SHOWN_PROBLEMS = 8;

const COMMON = {
  allErrors: true,
  // A property named like one of Object's own is not there unless the value has it.
  ownProperties: true,
  inlineRefs: false,
  // Done before, and with better words.
  validateSchema: false,
  meta: false,
  logger: false,
} as const;

/** Unknown keywords are mistakes; loose types are a matter of style. */
const STRICT = {
  strict: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  validateFormats: false,
} as const;

const DRAFTS = { '2020-12': Ajv2020, '07': Ajv } as const;
const metas: Partial<Record<keyof typeof DRAFTS, Ajv>> = {};

export interface OutputSchema {
  readonly kind: 'jtd' | 'json-schema';
  /** As it was given, to hand on to subagents that have none of their own. */
  readonly source: JsonObject;
  /** As JSON Schema, to show to a model. */
  readonly jsonSchema: JsonObject;
  /** Where `value`, which is JSON, does not fit: a few lines such as `/n: must be int32`. Empty when it fits. */
  check(value: unknown): readonly string[];
  /** Whether a property of the root is named in the schema. */
  declares(property: string): boolean;
}

/** A schema that cannot be used; the message says why. */
export class OutputSchemaError extends Error {
  override readonly name = 'OutputSchemaError';
}

/** Schemas by who gives them, in the order in which they count (seed 000's reference). */
export interface SchemaSources {
  /** JSON text of the call. */
  readonly call?: string | undefined;
  /** `output` of the agent's file. */
  readonly agent?: unknown;
  /** The one that the parent itself has to fill. */
  readonly parent?: unknown;
}

/**
 * Compiles the schema that counts: the call's, else the agent's, else the parent's; undefined when there is none.
 * @throws OutputSchemaError whose message names the one at fault.
 */
export function chooseOutputSchema({ call, agent, parent }: SchemaSources): OutputSchema | undefined {
  const given: readonly [string, unknown][] = [
    // Models fill an optional field that they do not need with an empty text.
    ['schema', call?.trim() === '' ? undefined : call],
    ["the agent's output schema", agent],
    ['the output schema inherited from the parent', parent],
  ];
  const chosen = given.find(([, source]) => source !== undefined && source !== null);
  if (!chosen) return undefined;
  try {
    return compileOutputSchema(chosen[1]);
  } catch (error) {
    if (!(error instanceof OutputSchemaError)) throw error;
    throw new OutputSchemaError(`${chosen[0]} is not usable: ${error.message}`);
  }
}

/**
 * Compiles a schema given as JSON text or as a value. What is JTD by RFC 8927 is taken as JTD, all else as JSON
 * Schema: draft 2020-12, or draft-06 and -07 when `$schema` says so. `format` is not checked.
 * @throws OutputSchemaError when it is neither, too large, or refers to anything outside itself.
 */
export function compileOutputSchema(source: unknown): OutputSchema {
  const schema = plainJson(source);
  let notJtd: string;
  try {
    const { jtd, jsonSchema } = readJtd(schema);
    // Ajv's JTD lets everything pass where an open object names no property that says something; the other does not.
    const both = [new AjvJtd(COMMON).compile(jtd), new Ajv2020(COMMON).compile(jsonSchema)];
    return outputSchema({ kind: 'jtd', source: schema, jsonSchema }, both);
  } catch (error) {
    if (!(error instanceof JtdError)) throw new OutputSchemaError(reasonOf(error));
    notJtd = error.message;
  }
  try {
    const shown = { kind: 'json-schema', source: schema, jsonSchema: schema } as const;
    return outputSchema(shown, [compileJsonSchema(schema)]);
  } catch (error) {
    throw new OutputSchemaError(`it is no JSON Schema (${reasonOf(error)}) and no JTD (${notJtd})`);
  }
}

function compileJsonSchema({ $schema, ...schema }: JsonObject): ValidateFunction {
  const draft = draftOf($schema);
  // The schema of schemas takes long to compile, so it is done once.
  metas[draft] ??= new DRAFTS[draft]({ logger: false });
  const meta = metas[draft];
  if (!meta.validateSchema(schema)) throw new Error(meta.errorsText(meta.errors, { dataVar: '' }));
  return new DRAFTS[draft]({ ...COMMON, ...STRICT }).compile(schema);
}

function draftOf($schema: unknown): keyof typeof DRAFTS {
  if ($schema === undefined || /^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(String($schema)))
    return '2020-12';
  if (/^https?:\/\/json-schema\.org\/draft-0[67]\/schema#?$/.test(String($schema))) return '07';
  throw new Error(`$schema ${quoted(String($schema))} is not supported, use draft 2020-12 or leave it out`);
}

function outputSchema(
  shown: Pick<OutputSchema, 'kind' | 'source' | 'jsonSchema'>,
  checks: readonly ValidateFunction[],
): OutputSchema {
  return {
    ...shown,
    check(value) {
      try {
        const run = () => checks.find((validate) => !validate(value))?.errors ?? [];
        return describe(runInNewContext('run()', { run }, { timeout: CHECK_MS }));
      } catch (error) {
        if (error instanceof RangeError) return ['it is nested too deeply to be checked'];
        // From the other context: no instance of this one's Error.
        if (Object(error).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
        return ['checking it takes too long: the schema is too complex for it'];
      }
    },
    declares(property) {
      const { properties } = shown.jsonSchema;
      return typeof properties === 'object' && properties !== null && Object.hasOwn(properties, property);
    },
  };
}

function describe(errors: readonly ErrorObject[]): string[] {
  const lines = [...new Set(errors.map(problemOf))];
  const more = lines.length - SHOWN_PROBLEMS;
  return more > 0 ? [...lines.slice(0, SHOWN_PROBLEMS), `and ${counted(more, 'more problem')}`] : lines;
}

function problemOf({ instancePath, message = 'does not fit', params }: ErrorObject): string {
  const { additionalProperty, allowedValues, unevaluatedProperty } = params;
  const extra = additionalProperty ?? unevaluatedProperty;
  const detail =
    typeof extra === 'string'
      ? `: ${quoted(extra)}`
      : Array.isArray(allowedValues)
        ? `: ${clipped(JSON.stringify(allowedValues), 200)}`
        : '';
  return `${oneLine(clipped(instancePath || '(root)', 200))}: ${oneLine(clipped(message, 200))}${detail}`;
}

/** A copy as pure JSON, of bounded size. */
function plainJson(source: unknown): JsonObject {
  if (typeof source === 'string' && source.length > SCHEMA_CHARACTERS) throw tooLarge();
  const value = typeof source === 'string' ? parsed(source) : source;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new OutputSchemaError('it must be a JSON object');
  bound(value);
  const text = JSON.stringify(value);
  if (text.length > SCHEMA_CHARACTERS) throw tooLarge();
  return JSON.parse(text) as JsonObject;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new OutputSchemaError(`it is not valid JSON (${oneLine(messageOf(error))})`);
  }
}

function tooLarge(): OutputSchemaError {
  return new OutputSchemaError(`it is larger than ${SCHEMA_CHARACTERS} characters`);
}

/** Walks with a bound on all visits, as a value read from YAML may hold one part in many places, or in itself. */
function bound(root: object): void {
  let nodes = 0;
  const visit = (value: unknown, depth: number): void => {
    nodes += 1;
    if (nodes > SCHEMA_NODES) throw new OutputSchemaError(`it has more than ${SCHEMA_NODES} parts`);
    if (depth > SCHEMA_DEPTH) throw new OutputSchemaError(`it is nested deeper than ${SCHEMA_DEPTH} levels`);
    if (typeof value !== 'object' || value === null) return;
    for (const [key, part] of Object.entries(value)) {
      if (key === 'pattern' && typeof part === 'string' && part.length > PATTERN_LENGTH)
        throw new OutputSchemaError(`it has a pattern longer than ${PATTERN_LENGTH} characters`);
      visit(part, depth + 1);
    }
  };
  visit(root, 0);
}

function reasonOf(error: unknown): string {
  const text = oneLine(messageOf(error));
  if (error instanceof RangeError) return 'it refers to itself without end';
  const outside = /^can't resolve reference (\S+)/.exec(text);
  return outside
    ? `it refers to ${quoted(outside[1] ?? '')}, which is not in it`
    : clipped(text.replace(/^strict mode: |^schema is invalid: /, ''), 300);
}
