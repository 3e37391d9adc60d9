/** Random inputs for tools, from the schemas that they check them with. */
import { z } from 'zod';
import { entryIds } from '../../../src/memory/operation.ts';
import { LEVELS, type Level } from '../../../src/policy/level.ts';
import { idOf } from '../../../src/session/sessionId.ts';
import type { ToolDefinition } from '../../../src/tools/tool.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/** Chance with a seed: the same seed, the same choices. */
export class Dice {
  #state: number;
  /** Whom calls may name. */
  sessions: readonly string[] = SESSIONS;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 ≤ x < 1; mulberry32, which is in the public domain. */
  roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(share: number): boolean {
    return this.roll() < share;
  }

  /** A whole number from 0 to `below` − 1. */
  below(below: number): number {
    return Math.floor(this.roll() * below);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  some<T>(from: readonly T[], most: number): T[] {
    return Array.from({ length: this.below(most + 1) }, () => this.pick(from));
  }
}

/** Few keys, so that sessions of different levels meet under them. */
export const KEYS = [
  ...[
    'use-zod',
    'cache-redis',
    'rejected-redis',
    'react 18',
    'react 19',
    'login-bug',
    '한글-열쇠',
    'port-3000',
  ],
  ...['no-secrets', 'retry-rule', 'deploy', 'types', 'plan-b', 'ids', 'twin', 'only-here'],
];
const ENTRY_IDS = LEVELS.flatMap((level) => KEYS.map((key) => entryIds(level, key).short));
const WORDS =
  'redis cache zod schema login retry timeout deploy react 18 19 never always use validation types pool zanzibar merger 캐시 검증 rejected `useZod`'.split(
    ' ',
  );
const FILES = ['src/a.ts', 'src/a.ts:3', 'src\\deep\\b.ts', 'docs/é.md', 'src/gone.ts', ''];
/** By each level, a folder whose files a rule gives that level. */
export const FOLDERS: Readonly<Partial<Record<Level, string>>> = {
  ...{ INTERNAL: 'inner', CONFIDENTIAL: 'secrets', RESTRICTED: 'vault' },
};
/** Sessions that may be there, by the first part of their name: chats with our loop and others. */
const SESSIONS = ['low', ...LEVELS].flatMap((name) =>
  [0, 1, 2].flatMap((at) => [`${name}-${at}`, `chat-${name}-${at}`]),
);
/** A person who acts on a session of a lower level is seen there to have done so. */
const ABOVE = SESSIONS.filter((name) => !name.includes('low-'));
const SCOPES = ['src', 'src/', '**/*.ts', 'docs', '', '*.md'];
const DATES = ['24h', '7d', '2026-07-12', '2026-07-13', '2026-08-01', '2026-06-01', '', 'soon'];
const TTLS = ['1h', '2d', '30d', '2026-08-01', '', 'never'];
const TAGS = ['redis', 'cache', 'alpha', 'rejected', 'é', 'confirmed'];
const ARTIFACTS = ['0-Login', '1-Login', '0-Cache', 'Login', 'Cache', '2-Twin'];

/** Words in the manner of memories, some with a link. */
function sentence(dice: Dice): string {
  const words = Array.from({ length: 1 + dice.below(9) }, () => dice.pick(WORDS)).join(' ');
  return dice.chance(0.25) ? `${words} [[${dice.pick(KEYS)}]]` : words;
}

/** By a field's name: what may be meant by a text in it. */
const TEXTS: readonly (readonly [RegExp, (dice: Dice) => string])[] = [
  [
    /^(key|target|new_key|id|ids|from|to|links|unlink|path)$/i,
    (dice) => dice.pick(dice.chance(0.8) ? KEYS : ENTRY_IDS),
  ],
  // By its id, as panels name it, or its key, as agents do.
  [/^sessions?$/, (dice) => idOf(dice.pick(dice.sessions))],
  [/^sessionKey$/, (dice) => dice.pick([dice.pick(dice.sessions), 'main'])],
  [/^block$/, (dice) => dice.pick(['b1', 'b2'])],
  [/file/i, (dice) => dice.pick(FILES)],
  [/scope/i, (dice) => dice.pick(SCOPES)],
  [/date|since|until|as_of|before|after/i, (dice) => dice.pick(DATES)],
  [/ttl/i, (dice) => dice.pick(TTLS)],
  [/tags?$/i, (dice) => dice.some(TAGS, 2).join(';')],
  [/address/, (dice) => `agent://${dice.pick(ARTIFACTS)}${dice.pick(['', '', '?q=.', '/seen'])}`],
  [/^agent$/, (dice) => dice.pick(['task', 'explore', 'quick_task', 'nobody'])],
  [/^gist_id$/, (dice) => dice.pick(['a1b2c3d4e5f60718293a', 'no gist'])],
  [/^(task|phase|items)$/, (dice) => dice.pick(['Write', 'Test', 'Ship', sentence(dice)])],
];

function text(name: string, dice: Dice): string {
  const known = TEXTS.find(([field]) => field.test(name));
  return known === undefined ? sentence(dice) : known[1](dice);
}

/** A value that mostly fits a schema; `name`: of the field that it is for. */
function valueFor(schema: Schema | boolean | undefined, name: string, dice: Dice): unknown {
  if (schema === undefined || typeof schema === 'boolean') return text(name, dice);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return dice.pick(schema.enum);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return valueFor(dice.pick(alternatives), name, dice);
  switch (schema.type) {
    case 'object':
      return objectFor(schema, dice);
    case 'array': {
      const { minItems = 0, items } = schema;
      const item = Array.isArray(items) ? items[0] : items;
      return Array.from({ length: minItems + dice.below(3) }, () => valueFor(item, name, dice));
    }
    case 'integer':
    case 'number':
      return numberFor(schema, dice);
    case 'boolean':
      return dice.chance(0.5);
    case 'null':
      return null;
    default:
      return text(name, dice);
  }
}

function numberFor({ type, minimum = 0, maximum = 100 }: Schema, dice: Dice): number {
  const most = Math.min(maximum, minimum + dice.pick([1, 5, 60, 1000]));
  const value = minimum + dice.roll() * (most - minimum);
  return type === 'integer' ? Math.round(value) : Math.round(value * 20) / 20;
}

function objectFor({ properties = {}, required = [] }: Schema, dice: Dice): Record<string, unknown> {
  // Most calls that agents make give few of the optional fields.
  const share = dice.pick([0.15, 0.4, 0.7]);
  const given = Object.entries(properties).filter(
    ([name]) => required.includes(name) || TEXTS[0]?.[0].test(name) || dice.chance(share),
  );
  return Object.fromEntries(given.map(([name, schema]) => [name, valueFor(schema, name, dice)]));
}

const schemas = new Map<string, Schema>();

/** An input for a tool. @param isAbove whether the caller is above those who must not notice */
export function inputFor(tool: ToolDefinition, dice: Dice, isAbove: boolean): Record<string, unknown> {
  dice.sessions = isAbove ? ABOVE : SESSIONS;
  const known = schemas.get(tool.name);
  const schema = known ?? (z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' }) as Schema);
  schemas.set(tool.name, schema);
  const input = objectFor(schema, dice);
  // Nobody waits: there is nothing to wait for.
  for (const name of ['timeout', 'timeoutSeconds']) if (name in input) input[name] = 0;
  return input;
}
