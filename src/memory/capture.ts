/**
 * What hooks saw agents do, where the person turned capturing on: the newest few hundred actions, each a line
 * without secrets. They are drafts that nobody has looked at, and no memories.
 */
import { createHash } from 'node:crypto';
import type { KeyRing } from '../journal/keys.ts';
import { SharedState } from '../journal/sharedState.ts';
import { canFlowTo, LEVELS, type Level, parseLevel } from '../policy/level.ts';
import { redactSecrets } from '../policy/redact.ts';
import { clip, oneLine } from './line.ts';

/** The person's setting that turns capturing on; off by default. */
export const CAPTURE_SETTING = 'memory.capture.enabled';

/** The bounds of seed 001's reference: 500 actions, 200 characters, and the same action once in five minutes. */
const MAX_CAPTURES = 500;
const SUMMARY_LENGTH = 200;
const SAME_MS = 5 * 60 * 1000;
const MAX_NAME = 200;
/** As much of an input as can matter for a line of 200 characters; more would only be scanned for secrets. */
const SCANNED = 4096;

/** An action of an agent, as a hook tells it. */
export interface Action {
  /** The session's key. */
  readonly session: string;
  readonly agent: string;
  readonly branch: string;
  readonly level: Level;
  readonly tool: string;
  /** The tool's input. */
  readonly input: unknown;
  /** The file it touched, as presence names it; empty when there is none. */
  readonly file: string;
}

/** A captured action. */
export interface Capture extends Omit<Action, 'input'> {
  /** Unix milliseconds. */
  readonly at: number;
  /** First 16 hex digits of the SHA-256 of tool and input: the same action has the same. */
  readonly hash: string;
  /** One line, without secrets. */
  readonly summary: string;
}

export interface CaptureQuery {
  /** The newest so many. */
  readonly limit: number;
  /** Part of the tool's name; empty for all. */
  readonly tool: string;
  /** Part of the file's name; empty for all. */
  readonly file: string;
}

export interface Captures {
  /** Newest first. */
  readonly captures: readonly Capture[];
  /** How many fit the query. */
  readonly total: number;
}

export interface CaptureOptions {
  readonly dir: string;
  /** What sessions above it do is not captured, since it would stand on disk in the clear. */
  readonly defaultLevel: Level;
  /** Unix milliseconds. */
  now(): number;
  readonly alive?: ((pid: number) => boolean) | undefined;
  /** Captures are sealed where the store is; without keys it never is. */
  readonly keys?: KeyRing | undefined;
}

interface State {
  readonly captures: readonly Capture[];
  /** When the captures of a level were cleared; up to then there are none. */
  readonly cleared: Readonly<Partial<Record<Level, number>>>;
}

export class CaptureLog {
  readonly #options: CaptureOptions;
  readonly #state: SharedState<State>;

  constructor(options: CaptureOptions) {
    this.#options = options;
    this.#state = new SharedState<State>({
      ...{ dir: options.dir, now: options.now, alive: options.alive, keys: options.keys },
      empty: { captures: [], cleared: {} },
      parse: parseState,
      merge: mergeStates,
    });
  }

  /** Keeps an action, unless the same one was kept a moment ago. @throws when it cannot be written. */
  async add(action: Action): Promise<void> {
    const { level, tool, input, ...rest } = action;
    if (!canFlowTo(level, this.#options.defaultLevel)) return;
    const capture: Capture = {
      ...{ ...rest, level, at: this.#options.now(), summary: await summaryOf(input) },
      tool: clip(tool, MAX_NAME),
      hash: createHash('sha256')
        .update(`${tool}|${JSON.stringify(input)}`)
        .digest('hex')
        .slice(0, 16),
    };
    this.#state.write((own, all) =>
      withoutRepeats([...all.captures, capture]).includes(capture)
        ? mergeStates(own, { captures: [capture], cleared: {} })
        : own,
    );
  }

  /** See `SharedState.refit`. */
  refit(): void {
    this.#state.refit();
  }

  /** What a reader may see. @throws when the folder cannot be read. */
  list({ limit, tool, file }: CaptureQuery, reader: Level): Captures {
    const fits = (text: string, part: string): boolean =>
      text.normalize('NFC').toLowerCase().includes(part.normalize('NFC').toLowerCase());
    // Two hooks at the same time do not see each other's, so repeats are also left out here.
    const found = withoutRepeats(this.#state.read().captures).filter(
      (each) => canFlowTo(each.level, reader) && fits(each.tool, tool) && fits(each.file, file),
    );
    return { captures: found.slice(0, limit), total: found.length };
  }

  /** Forgets what was captured at these levels, and says how much that was. @throws when it cannot be written. */
  clear(levels: readonly Level[]): number {
    const gone = this.#state.read().captures.filter(({ level }) => levels.includes(level));
    // A clock that was put right since must not bring back what was captured in its future.
    const until = Math.max(this.#options.now(), ...gone.map(({ at }) => at));
    const cleared = Object.fromEntries(levels.map((level) => [level, until]));
    this.#state.write((own) => mergeStates(own, { captures: [], cleared }));
    return gone.length;
  }
}

/** Fields of a tool's input that say what it does, then those with the text that it writes. */
const SAYING = [
  ...['command', 'query', 'pattern', 'url', 'prompt', 'description', 'explanation'],
  ...['new_string', 'newString', 'new_source', 'newCode', 'content', 'patch'],
];

/** What says most about an input, on one line. */
async function summaryOf(input: unknown): Promise<string> {
  const fields = isObject(input) ? input : {};
  const named = SAYING.map((name) => fields[name]).find(
    (value): value is string => typeof value === 'string' && value.trim() !== '',
  );
  const text = named ?? (typeof input === 'string' ? input : (JSON.stringify(input) ?? ''));
  return clip((await redactSecrets(text.slice(0, SCANNED).toWellFormed())).text, SUMMARY_LENGTH);
}

function mergeStates(a: State, b: State): State {
  const cleared: Partial<Record<Level, number>> = {};
  for (const level of LEVELS) {
    const time = Math.max(a.cleared[level] ?? 0, b.cleared[level] ?? 0);
    if (time > 0) cleared[level] = time;
  }
  const captures = new Map<string, Capture>();
  for (const capture of [...a.captures, ...b.captures]) {
    const { hash, at, session, level } = capture;
    if (at > (cleared[level] ?? 0)) captures.set([at, hash, level, session].join(' '), capture);
  }
  const sorted = [...captures].sort(([one, x], [other, y]) => y.at - x.at || compare(one, other));
  // Each level has room of its own: what is done at one does not crowd out what is seen at another.
  const kept = LEVELS.flatMap((level) =>
    sorted.filter(([, capture]) => capture.level === level).slice(0, MAX_CAPTURES),
  );
  return { captures: kept.map(([, capture]) => capture), cleared };
}

/** The newest first; of the same action in one stretch of time only the first. */
function withoutRepeats(captures: readonly Capture[]): Capture[] {
  const kept = new Map<string, number>();
  return captures
    .toSorted((a, b) => a.at - b.at)
    .filter(({ hash, at, session, level }) => {
      const key = `${hash} ${level} ${session}`;
      const isSame = at - (kept.get(key) ?? Number.NEGATIVE_INFINITY) < SAME_MS;
      if (!isSame) kept.set(key, at);
      return !isSame;
    })
    .reverse();
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function parseState(value: unknown): State | undefined {
  if (!isObject(value) || !Array.isArray(value.captures) || !isObject(value.cleared)) return undefined;
  const cleared: Partial<Record<Level, number>> = {};
  for (const level of LEVELS) {
    const time = value.cleared[level];
    if (typeof time === 'number' && Number.isFinite(time)) cleared[level] = time;
  }
  return { captures: value.captures.flatMap(parseCapture), cleared };
}

function parseCapture(value: unknown): Capture[] {
  if (!isObject(value)) return [];
  const { session, agent, branch, tool, file, hash, summary, at } = value;
  const level = parseLevel(String(value.level));
  const texts = [session, agent, branch, tool, file, hash, summary];
  if (!level || !texts.every((text) => typeof text === 'string') || !Number.isFinite(at)) return [];
  const line = (text: unknown): string => oneLine(String(text));
  return [
    {
      ...{ session: String(session), level, at: Number(at), hash: String(hash) },
      ...{ agent: line(agent), branch: line(branch), tool: line(tool), file: line(file) },
      summary: line(summary),
    },
  ];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
