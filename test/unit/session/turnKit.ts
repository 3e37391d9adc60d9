/** A model that says what a test wrote down, tools that do what it wants, and turns without a disk. */
import type { JsonValue } from '../../../src/journal/record.ts';
import { runTurn, type TurnOptions, type TurnResult } from '../../../src/session/agentLoop.ts';
import type { ChatModel, ModelPart, ModelRequest } from '../../../src/session/chatModel.ts';
import type { Message } from '../../../src/session/messages.ts';
import type { Draft, SessionRecord, TurnEnd } from '../../../src/session/record.ts';
import type { LoopResult, LoopTools } from '../../../src/session/turnCalls.ts';
import { RequestView } from '../../../src/session/view.ts';
import type { TurnOutcome, TurnView } from '../../../src/worker/sessionApi.ts';

export const OWNER = { key: 'chat', kind: 'participant', source: 'test', level: 'PUBLIC' } as const;

/** One answer: its parts, with errors where it fails and functions where the test does something in between. */
type Scripted = readonly (ModelPart | Error | (() => unknown))[];

/** Says one answer after the other, and keeps what it was asked. */
export class ScriptedModel implements ChatModel {
  readonly name = 'scripted';
  readonly requests: ModelRequest[] = [];
  readonly #answers: Scripted[];

  constructor(...answers: Scripted[]) {
    this.#answers = answers;
  }

  async *send(request: ModelRequest): AsyncGenerator<ModelPart> {
    this.requests.push(request);
    for (const part of this.#answers.shift() ?? [say('Done.')]) {
      if (part instanceof Error) throw part;
      if (typeof part === 'function') await part();
      else yield part;
    }
  }

  /** The messages of one request, as roles and blocks. */
  seen(request: number): readonly Message[] {
    return this.requests[request]?.messages ?? [];
  }
}

export function say(text: string): ModelPart {
  return { type: 'text', text };
}

export function use(name: string, id: string, input: JsonValue = {}): ModelPart {
  return { type: 'tool_use', id, name, input };
}

type Tool = (input: JsonValue, signal: AbortSignal) => LoopResult | Promise<LoopResult>;

/** Tools by name; those whose name ends in `!` run one after another. */
export function toolsOf(tools: Record<string, Tool>): LoopTools {
  return {
    specs: () =>
      Object.keys(tools).map((name) => ({ name, description: name, inputSchema: { type: 'object' } })),
    isExclusive: (name) => name.endsWith('!'),
    effectOf: () => 'read',
    call: async ({ name, input }, signal) => (tools[name] as Tool)(input, signal),
  };
}

export function ok(text: string): LoopResult {
  return { text, isError: false };
}

/** The turns of one session in memory. Its agent may stop at once, unless a test gives it reasons to go on. */
export class MemoryTurns {
  readonly records: SessionRecord[] = [];
  /** Told one by one when the agent wants to stop. */
  reasonsToGoOn: string[] = [];
  readonly #view = new RequestView();

  async turnBegin(_owner: unknown, drafts: readonly Draft[]): Promise<TurnView> {
    return this.turnStep('s', drafts);
  }

  async turnStep(id: string, drafts: readonly Draft[]): Promise<TurnView> {
    for (const draft of drafts) this.#append(draft);
    return { id, ...this.#view.changes() };
  }

  async turnStop(id: string, drafts: readonly Draft[]): Promise<TurnView | TurnOutcome> {
    const reason = this.reasonsToGoOn.shift();
    if (reason === undefined) return this.turnEnd(id, drafts, { reason: 'completed' });
    const message = { role: 'system', content: [{ type: 'text', text: reason }] } as const;
    return this.turnStep(id, [...drafts, { type: 'message', message }]);
  }

  async turnEnd(_id: string, drafts: readonly Draft[], end: TurnEnd): Promise<TurnOutcome> {
    for (const draft of [...drafts, { type: 'end', end } as const]) this.#append(draft);
    return end;
  }

  /** What the session's messages say, one line each: the role, then texts, calls and results. */
  get said(): string[] {
    return this.records.flatMap((record) => (record.type === 'message' ? [brief(record.message)] : []));
  }

  #append(draft: Draft): void {
    const seq = this.records.length;
    const record: SessionRecord = {
      uuid: `u${seq}`,
      session_id: 's',
      timestamp: '2026-07-12T09:00:00.000Z',
      level: 'PUBLIC',
      seq,
      ...structuredClone(draft),
    };
    this.records.push(record);
    this.#view.fold(record);
  }
}

/** A message on one line. */
export function brief({ role, content }: Message): string {
  const parts = content.map((block) => {
    if (block.type === 'text') return block.text;
    if (block.type === 'thinking') return `(${block.thinking})`;
    if (block.type === 'tool_use') return `${block.name}#${block.id}`;
    if (block.type === 'tool_result') {
      const [first] = block.content;
      return `#${block.tool_use_id}${block.is_error ? '!' : ''}=${first?.type === 'text' ? first.text : ''}`;
    }
    return block.type;
  });
  return `${role}: ${parts.join(' | ')}`;
}

/** Runs a turn of a session in memory. */
export async function turn(
  model: ChatModel,
  changes: Partial<TurnOptions> = {},
  turns = new MemoryTurns(),
): Promise<{ result: TurnResult; turns: MemoryTurns }> {
  const result = await runTurn({
    sessions: turns,
    owner: OWNER,
    prompt: 'Go',
    model,
    system: 'Be brief.',
    tools: toolsOf({}),
    signal: new AbortController().signal,
    reminders: 3,
    onText: () => {},
    ...changes,
  });
  return { result, turns };
}
