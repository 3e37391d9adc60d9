import type { RuleMatch } from '../policy/fileRules.ts';
import type { Level } from '../policy/level.ts';
import { TaintError } from '../policy/taint.ts';
import type { Ports, Settings } from '../ports.ts';
import type { Phrase } from '../protocol.ts';
import { fill, PhraseError, phrase } from '../worker/api.ts';
import { TOOLS } from './catalog.ts';
import { Denials } from './denials.ts';
import { Exposure } from './exposure.ts';
import { type FolderSource, folderView } from './folderView.ts';
import { ask, Denial, decide, type Question } from './gate.ts';
import { GateClock } from './gateSpan.ts';
import { isObserved, observe } from './observe.ts';
import { describe, parse } from './parseInput.ts';
import {
  type Approval,
  type Effect,
  type Profile,
  type ToolCall,
  type ToolContext,
  type ToolDefinition,
  ToolError,
  type ToolResult,
} from './tool.ts';
import { unlessAborted } from './unlessAborted.ts';
import { whenFree } from './whenFree.ts';

export interface Outcome extends ToolResult {
  /** The text is an error that says what to do next. */
  readonly isError: boolean;
  /** The same error for the person, where it can be put into their language. */
  readonly phrase?: Phrase | undefined;
}

export interface RegistryParts {
  readonly ports: Ports;
  readonly context: Omit<ToolContext, 'folder'> & FolderSource;
  /** Does something under the settings that count for a session; without it those of the ports do for all. */
  readonly within?: Within | undefined;
}

export type Within = <T>(session: string, work: () => T) => T;

/**
 * Definitions that a profile shows: `core` is part of `full`; `person` and `client` tools are in neither. With settings, only
 * those that are not switched off.
 */
export function toolsOf(profile: 'core' | 'full', settings?: Settings): readonly ToolDefinition[] {
  return TOOLS.filter(
    (tool) =>
      (tool.profile === 'core' || tool.profile === profile) &&
      (settings === undefined || isOn(tool, settings)),
  );
}

function isOn({ setting, unless, enabled }: ToolDefinition, settings: Settings): boolean {
  return (
    (setting === undefined || settings.get(setting) === true) &&
    (unless === undefined || settings.get(unless.setting) !== unless.is) &&
    enabled?.(settings) !== false
  );
}

const LEVEL_UNKNOWN = 'level-unknown';

/** The one way in: every call of an agent, a panel or a command goes through `invoke`. */
export class Registry {
  readonly #ports: Ports;
  readonly #context: ToolContext;
  readonly #tools: ReadonlyMap<string, ToolDefinition> = new Map(TOOLS.map((tool) => [tool.name, tool]));
  readonly #listeners = new Set<(name: string, call: ToolCall) => void>();
  readonly #callListeners = new Set<(call: ToolCall) => void>();
  readonly #denials: Denials;
  /** What raises the sessions that call; loops and doors ask the same one. */
  readonly exposure: Exposure;

  /** See `RegistryParts`. */
  readonly within: Within;

  constructor({ ports, context, within = (_, work) => work() }: RegistryParts) {
    this.within = within;
    this.#ports = ports;
    this.#denials = new Denials(context.audit, ports);
    const { root, workTree, taint } = context;
    this.exposure = new Exposure({ root, workTree, taint, settings: ports.settings, log: ports.log });
    const folder: ToolContext['folder'] = (level) => folderView(context, this.exposure, level);
    this.#context = { ...context, folder };
  }

  /**
   * What the gate would ask the person about this call, for a door that shows the question before it calls.
   * Undefined: nothing, also for a call that will be refused.
   */
  question(name: string, input: unknown, call: Pick<ToolCall, 'actor'>): Approval | undefined {
    const tool = this.#tools.get(name);
    const parsed = tool && parse(tool, input ?? {});
    if (tool === undefined || parsed?.success !== true) return undefined;
    return tool.refuse?.(parsed.data, call) === undefined ? tool.confirm?.(parsed.data) : undefined;
  }

  /** What a call would do beside answering; nothing where it will be refused for its input. */
  effectOf(name: string, input: unknown): Effect {
    const tool = this.#tools.get(name);
    const parsed = tool && parse(tool, input ?? {});
    if (tool === undefined || parsed?.success !== true) return 'read';
    return tool.effectOf?.(parsed.data) ?? tool.effect;
  }

  /** Called after each call that may have changed something. Returns the unsubscribe function. */
  onWrite(listener: (name: string, call: ToolCall) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Called with each call that the gate let through, before it runs. Returns the unsubscribe function. */
  onCall(listener: (call: ToolCall) => void): () => void {
    this.#callListeners.add(listener);
    return () => this.#callListeners.delete(listener);
  }

  /** Validates, asks the gate, runs, records and answers. Never throws: a fault becomes an error text. */
  invoke(name: string, input: unknown, given: ToolCall): Promise<Outcome> {
    const invoke = () => this.#invoke(name, input, given);
    return given.actor === 'person' ? invoke() : this.within(given.session, invoke);
  }

  async #invoke(name: string, input: unknown, given: ToolCall): Promise<Outcome> {
    try {
      const { tool, parsed, call: asked, question, match } = this.#admitted(name, input, given);
      this.#tell(this.#callListeners, name, (listener) => listener(asked));
      if (question !== undefined) await ask(name, question, asked, this.#ports.settings);
      asked.signal.throwIfAborted();
      const call = { ...asked, level: await this.#exposed(name, given, match) };
      const outcome = await this.#run(tool, parsed, call);
      return isObserved(call) && this.#ports.trusted()
        ? await this.#observed(tool, parsed, call, outcome)
        : outcome;
    } catch (error) {
      if (error instanceof Denial) this.#denied(given, name, error.rule);
      return this.#failed(name, error);
    }
  }

  /** The gate, as one span. */
  #admitted(name: string, input: unknown, given: ToolCall) {
    const clock = new GateClock();
    let isDenied = true;
    try {
      const call = { ...given, level: this.#levelOf(given) };
      const tool = this.#permitted(name, call);
      const parsed = clock.validating(() => validated(tool, input));
      const question: Question | undefined = decide(tool, parsed, call, this.#ports);
      const match = given.actor === 'person' ? undefined : this.exposure.match({ tool: name, input: parsed });
      isDenied = false;
      return { tool, parsed, question, call, match };
    } finally {
      clock.end(name, isDenied);
    }
  }

  /** Read anew for each call: something else may have raised the session. The person has no level that rises. */
  #levelOf({ actor, session, level }: ToolCall): Level {
    if (actor === 'person') return level;
    try {
      return this.#context.taint.levelOf({ key: session, start: level });
    } catch (error) {
      throw levelUnknown(error);
    }
  }

  /** The level at which a call runs: what it names counts before it does, and so does whatever came up meanwhile. */
  async #exposed(
    name: string,
    { actor, session, level, source }: ToolCall,
    match: RuleMatch | undefined,
  ): Promise<Level> {
    if (actor === 'person') return level;
    try {
      return await this.exposure.raise({ key: session, start: level, source }, match, name);
    } catch (error) {
      throw levelUnknown(error);
    }
  }

  /** What a person declines of their own is no denial. */
  #denied({ actor, session, source, level: start }: ToolCall, tool: string, rule: string): void {
    if (actor === 'person') return;
    const level =
      rule === LEVEL_UNKNOWN ? 'RESTRICTED' : this.#context.taint.levelOf({ key: session, start });
    this.#denials.record({ actor, level, session, source, tool, rule });
  }

  /** The tool that a call asks for, where it may. */
  #permitted(name: string, call: ToolCall): ToolDefinition {
    const tool = this.#tools.get(name);
    const unknown = `There is no tool "${name}".`;
    if (tool === undefined) throw new ToolError(unknown);
    if (!visibleTo(tool.profile, call)) throw new Denial('person-only', unknown);
    if (!isOn(tool, this.#ports.settings))
      throw new Denial(
        `setting:${tool.setting ?? tool.unless?.setting ?? 'tools'}`,
        tool.setting === undefined
          ? `${name} is switched off by the person's settings.`
          : `${name} is switched off. The person can turn it on with the setting "${tool.setting}": true.`,
      );
    return tool;
  }

  async #run(tool: ToolDefinition, input: Record<string, unknown>, call: ToolCall): Promise<Outcome> {
    try {
      const running = whenFree(() => tool.run(input, call, this.#context), call.signal);
      const reads = (tool.effectOf?.(input) ?? tool.effect) === 'read';
      // Memory that is still being opened, say. A write that has begun is waited for: it may be saved by now.
      const result = await (reads ? unlessAborted(running, call.signal) : running);
      if (!reads) this.#announce(tool.name, call);
      return { ...result, isError: false };
    } catch (error) {
      return this.#failed(tool.name, error);
    }
  }

  /** Records a call that ran; its outcome is the same, with what its agent has to be told. */
  async #observed(
    tool: ToolDefinition,
    input: Record<string, unknown>,
    call: ToolCall,
    outcome: Outcome,
  ): Promise<Outcome> {
    try {
      const { text, isError } = outcome;
      // What it answers may have raised the session.
      const raised = { ...call, level: this.#levelOf(call) };
      const notice = await observe({ tool, input, text, isError }, raised, this.#context);
      return notice === undefined ? outcome : { ...outcome, text: `${text}\n\n${notice}` };
    } catch (error) {
      this.#ports.log.warn(
        `${tool.name} ran, but its session keeps no record of it: ${error instanceof Error ? error.message : error}`,
      );
      return outcome;
    }
  }

  #announce(name: string, call: ToolCall): void {
    this.#tell(this.#listeners, `after ${name}`, (listener) => listener(name, call));
  }

  /** A call goes on, and what is saved is saved, whatever a listener makes of it. */
  #tell<Listener>(listeners: ReadonlySet<Listener>, when: string, tell: (listener: Listener) => void): void {
    for (const listener of listeners) {
      try {
        tell(listener);
      } catch (error) {
        this.#ports.log.error(`${when}: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
      }
    }
  }

  #failed(name: string, error: unknown): Outcome {
    const said = this.#explain(name, error);
    if (typeof said === 'string') return { text: said, isError: true };
    return { text: fill(said), isError: true, phrase: said };
  }

  #explain(name: string, error: unknown): string | Phrase {
    if (error instanceof PhraseError) return error.phrase ?? error.message;
    if (error instanceof Error && error.name === 'AbortError')
      return phrase('{0} was cancelled. Nothing was changed.', name);
    this.#ports.log.error(
      `${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    return phrase(
      '{0} failed: {1}. Try again; if it keeps failing, the Lodeline output channel has the details.',
      name,
      error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error),
    );
  }
}

function validated(tool: ToolDefinition, input: unknown): Record<string, unknown> {
  const parsed = parse(tool, input ?? {});
  if (!parsed.success) throw new ToolError(`${tool.name}: ${describe(parsed.error)}`);
  return parsed.data;
}

function levelUnknown(error: unknown): unknown {
  if (!(error instanceof TaintError)) return error;
  return new Denial(
    LEVEL_UNKNOWN,
    `${error.message} Nothing was read or changed. The person can put that right, or start a new chat.`,
  );
}

function visibleTo(profile: Profile, call: ToolCall): boolean {
  if (profile === 'client' && call.isUnobserved === true) return true;
  return (profile !== 'person' && profile !== 'client') || call.actor === 'person';
}
