/** What a person says about single sessions: other names, and whether anything may be sent to them. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { KeyRing } from '../journal/keys.ts';
import { NONCE_BYTES, seal, unseal } from '../journal/seal.ts';
import { SharedState, type SharedStateOptions } from '../journal/sharedState.ts';
import { canFlowTo, firstOfEach, LEVELS, type Level, parseLevel } from '../policy/level.ts';

/** As many sessions of each level are remembered, the last ones. */
const MOST = 2_000;

export interface SessionOverrides {
  readonly title?: string | undefined;
  readonly label?: string | undefined;
  readonly sendPolicy?: 'allow' | 'deny' | undefined;
}

/** What becomes of it: null takes a value back, what is left out stays. */
export type OverrideChange = {
  readonly [Name in keyof SessionOverrides]?: NonNullable<SessionOverrides[Name]> | null;
};

const NAMES = ['title', 'label', 'sendPolicy'] as const;
type Name = (typeof NAMES)[number];

/** The last word on one thing; without a value it was taken back. */
interface Word {
  /** Unix milliseconds. */
  readonly at: number;
  readonly value?: string | undefined;
  /** Of the session at that moment; what has none is of the lowest. */
  readonly level?: Level | undefined;
  /** Where the session is above the folder's default level: the key, and the sealed value. */
  readonly box?: { readonly key: string; readonly text: string; readonly level: Level } | undefined;
}

/** Keys are a session and a name, `<session>:<name>`. */
type Words = Readonly<Record<string, Word>>;

interface OverridesOptions extends Pick<SharedStateOptions<Words>, 'dir' | 'now' | 'alive'> {
  readonly keys: KeyRing;
  /** What is said of sessions above it is sealed. */
  readonly defaultLevel: Level;
}

export class OverriddenSessions {
  readonly #options: OverridesOptions;
  #state: SharedState<Words>;

  constructor({ dir, now, alive, keys, defaultLevel }: OverridesOptions) {
    this.#options = { dir, now, alive, keys, defaultLevel };
    this.#state = this.#open();
  }

  /** @throws when it cannot be written, or must be sealed and there is no key. */
  put(session: string, level: Level, change: OverrideChange): void {
    const given = NAMES.flatMap((name) => {
      const value = change[name];
      return value === undefined ? [] : [[`${session}:${name}`, value] as const];
    });
    if (given.length === 0) return;
    this.#state.write((own, all) => {
      const words = given.map(([id, value]) => {
        // A clock that was put back must not make the newer word the older one.
        const at = Math.max(this.#options.now(), (all[id]?.at ?? 0) + 1);
        return [id, this.#word(id, at, level, value)] as const;
      });
      return mergeWords(own, Object.fromEntries(words));
    });
  }

  /** Tells what was said of a session. */
  reader(): (session: string) => SessionOverrides {
    const words = this.#read();
    return (session) => {
      const said: Partial<Record<Name, string>> = {};
      for (const name of NAMES) {
        const id = `${session}:${name}`;
        const value = Object.hasOwn(words, id) ? this.#value(id, words[id]) : undefined;
        if (value !== undefined) said[name] = value;
      }
      const { title, label, sendPolicy } = said;
      const isPolicy = sendPolicy === 'allow' || sendPolicy === 'deny';
      return {
        ...(title !== undefined && { title }),
        ...(label !== undefined && { label }),
        ...(isPolicy && { sendPolicy }),
      };
    };
  }

  /** See `SharedState.refit`. */
  refit(): void {
    this.#state.refit();
  }

  /** Removes all of it from disk. */
  erase(): void {
    rmSync(this.#options.dir, { recursive: true, force: true });
    this.#state = this.#open();
  }

  #word(id: string, at: number, level: Level, value: string | null): Word {
    if (value === null) return { at, level };
    if (canFlowTo(level, this.#options.defaultLevel)) return { at, value, level };
    const key = this.#options.keys.sealingKey();
    const text = seal(key.bytes, randomBytes(NONCE_BYTES), fieldsOf(id, at, level), value);
    return { at, level, box: { key: key.id, text, level } };
  }

  #value(id: string, word: Word | undefined): string | undefined {
    if (word?.box === undefined) return word?.value;
    const { key, text, level } = word.box;
    const found = this.#options.keys.find(key);
    return found && unseal(found.bytes, fieldsOf(id, word.at, level), text);
  }

  #open(): SharedState<Words> {
    return new SharedState<Words>({
      ...this.#options,
      ...{ empty: {}, parse: parseWords, merge: mergeWords },
    });
  }

  #read(): Words {
    try {
      return this.#state.read();
    } catch {
      // Better the sessions' own names than no list.
      return {};
    }
  }
}

/** A box opens only as what it was sealed as. */
function fieldsOf(id: string, at: number, level: Level) {
  return { id, stamp: String(at), writer: 'override', level };
}

/** The later word counts; of two at the same moment the one that is greater as text, wherever it is asked. */
function mergeWords(a: Words, b: Words): Words {
  const all = new Map(Object.entries(a));
  for (const [id, word] of Object.entries(b)) {
    const other = all.get(id);
    const isLater = other === undefined || word.at > other.at;
    if (isLater || (word.at === other.at && JSON.stringify(word) > JSON.stringify(other))) all.set(id, word);
  }
  const sorted = [...all].sort(([one, x], [two, y]) => y.at - x.at || (one < two ? -1 : 1));
  return Object.fromEntries(firstOfEach(sorted, ([, { level = LEVELS[0] }]) => level, MOST * NAMES.length));
}

function parseWords(value: unknown): Words | undefined {
  if (!isObject(value)) return undefined;
  const words = Object.entries(value).filter((entry): entry is [string, Word] => isWord(entry[1]));
  return Object.fromEntries(words);
}

function isWord(value: unknown): boolean {
  if (!isObject(value) || !Number.isFinite(value.at)) return false;
  const { value: text, box } = value;
  const isBox = isObject(box) && [box.key, box.text, box.level].every((each) => typeof each === 'string');
  const isLevel = value.level === undefined || parseLevel(String(value.level)) !== undefined;
  return isLevel && (text === undefined || typeof text === 'string') && (box === undefined || isBox);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
