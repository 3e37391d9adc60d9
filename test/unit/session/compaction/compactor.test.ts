/** Turns with the built-in compactor, and models that do not do what they should. */
import { describe, expect, it, vi } from 'vitest';
import {
  type ChatModel,
  ModelError,
  type ModelPart,
  type ModelRequest,
} from '../../../../src/session/chatModel.ts';
import { tokensOfFixed, tokensOfMessages } from '../../../../src/session/compaction/estimate.ts';
import {
  NOT_SUMMARISED,
  newCompactionState,
  SummaryCompactor,
  WINDOW_TOO_SMALL,
} from '../../../../src/session/compaction/summaryCompactor.ts';
import { isSummary } from '../../../../src/session/compaction/summaryText.ts';
import { type Message, NO_USAGE, textOf } from '../../../../src/session/messages.ts';
import { unpaired } from '../kit.ts';
import { MemoryTurns, ok, say, toolsOf, turn, use } from '../turnKit.ts';

const WINDOW = 16_000;
const SUMMARY = '<summary>\n1. Intent: FACT\n</summary>';
const pause = async () => {};

type Answering = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelPart>;

/** Works on and on with long results, and answers as a test wants when it is asked for a summary. */
class Worker implements ChatModel {
  readonly name: string = 'worker';
  readonly maxInputTokens = WINDOW;
  readonly requests: ModelRequest[] = [];
  readonly summaries: ModelRequest[] = [];
  readonly #steps: number;
  readonly #summary: Answering;
  #step = 0;

  constructor(steps: number, summary: Answering) {
    this.#steps = steps;
    this.#summary = summary;
  }

  async *send(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    if (request.tools.length === 0) {
      this.summaries.push(request);
      yield* this.#summary(request, signal);
      return;
    }
    this.requests.push(request);
    if (this.#step++ >= this.#steps) yield say('Done.');
    else yield use('read', `c${this.#step}`, { path: `f${this.#step}` });
  }

  get sizes(): number[] {
    return this.requests.map((request) => tokensOfFixed(request) + tokensOfMessages(request.messages));
  }
}

async function* summarising(): AsyncGenerator<ModelPart> {
  yield say(SUMMARY);
  yield { type: 'usage', usage: { ...NO_USAGE, input_tokens: 1_000, output_tokens: 10 } };
}

const tools = toolsOf({ read: () => ok('word '.repeat(1_500)), write: () => ok('x'.repeat(50)) });

function compactor(state = newCompactionState(), contextWindow = WINDOW) {
  return new SummaryCompactor({ windowOf: () => ({ contextWindow, maxOutputTokens: 4_000 }), state, pause });
}

function work(model: ChatModel, changes: Parameters<typeof turn>[1] = {}, turns = new MemoryTurns()) {
  return turn(model, { tools, compactor: compactor(), maxSteps: 80, prompt: 'Do it', ...changes }, turns);
}

function boundaries({ records }: MemoryTurns) {
  return records.flatMap((record) => (record.type === 'boundary' ? [record.boundary] : []));
}

describe('a long turn', () => {
  it('is summarised on the way by the same model without tools, and never too long', async () => {
    const model = new Worker(60, summarising);
    const { result, turns } = await work(model);
    expect(result).toMatchObject({ reason: 'completed', steps: 61 });
    expect(Math.max(...model.sizes)).toBeLessThanOrEqual(WINDOW - 4_000);
    expect(model.summaries.length).toBeGreaterThan(0);
    for (const { tools: offered, messages, mustCall } of model.summaries) {
      expect(offered).toEqual([]);
      expect(mustCall).toBeUndefined();
      expect(messages.flatMap(({ content }) => content).every(({ type }) => type === 'text')).toBe(true);
    }
    for (const { messages } of model.requests) expect(unpaired(messages)).toEqual([]);
    const last = model.requests.at(-1)?.messages ?? [];
    expect(isSummary(last[0] as Message)).toBe(true);
    expect(textOf(last[0] as Message)).toMatch(/FACT[\s\S]*Do it$/);
    expect(boundaries(turns)[0]).toMatchObject({ trigger: 'auto', keeps_rest: true });
    expect(result.usage.input_tokens).toBe(1_000 * model.summaries.length);
  });

  it('has its old results left out before anything is summarised, in few steps so that the rest is cached', async () => {
    const model = new Worker(24, summarising);
    await work(model, { tools: toolsOf({ read: () => ok('word '.repeat(400)) }) });
    expect(model.summaries).toEqual([]);
    const changed = model.requests.filter(({ messages }, at) => {
      const before = model.requests[at - 1]?.messages ?? [];
      return JSON.stringify(messages.slice(0, before.length)) !== JSON.stringify(before);
    });
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('An older result was left out');
    expect(changed.length).toBeLessThan(8);
  });

  it('asks for no summary while there is room', async () => {
    const model = new Worker(3, summarising);
    const { turns } = await work(model);
    expect(model.summaries).toEqual([]);
    expect(boundaries(turns)).toEqual([]);
    expect(model.requests[3]?.messages).toHaveLength(7);
  });

  it('keeps its skills word for word', async () => {
    let read = 0;
    const skilled = toolsOf({ read: () => ok(read++ === 0 ? 'SKILL RULES' : 'word '.repeat(1_500)) });
    const model = new Worker(40, summarising);
    const { send } = model;
    model.send = async function* (request, signal) {
      if (request.tools.length > 0 && read === 0) {
        yield use('read', 'skill', { path: '/skills/pdf/SKILL.md' });
        return;
      }
      yield* send.call(model, request, signal);
    };
    const { turns } = await work(model, { tools: skilled });
    expect(boundaries(turns).length).toBeGreaterThan(1);
    expect(boundaries(turns).at(-1)?.active_skills).toEqual(['pdf']);
    expect(textOf(model.requests.at(-1)?.messages[0] as Message)).toContain('SKILL RULES');
  });
});

describe('a model that makes no summary', () => {
  it.each<[string, Answering]>([
    [
      'fails',
      async function* () {
        yield* [];
        throw new ModelError('down', { isTransient: true });
      },
    ],
    [
      'finds everything too long',
      async function* () {
        yield* [];
        throw new ModelError('long', { isOverflow: true });
      },
    ],
    [
      'answers something else',
      async function* () {
        yield say('I would rather not.');
      },
    ],
    [
      'calls a tool',
      async function* () {
        yield use('read', 'x');
      },
    ],
    [
      'says nothing',
      async function* () {
        yield* [];
      },
    ],
  ])(
    'that %s costs three summaries; then old rounds are left out, and the person is told once',
    async (_, summary) => {
      const model = new Worker(70, summary);
      const notices = vi.fn();
      // Few of these results may be left out one by one.
      const notable = toolsOf({ read: () => ok(''), write: () => ok('') });
      const talk = { ...notable, call: async () => ok('word '.repeat(280)) };
      const { result, turns } = await work(model, { tools: talk, onNotice: notices });
      expect(result.reason).toBe('completed');
      expect(Math.max(...model.sizes)).toBeLessThanOrEqual(WINDOW - 4_000);
      expect(boundaries(turns)).toEqual([]);
      expect(model.summaries.length).toBeLessThanOrEqual(3 * 4);
      expect(notices.mock.calls).toEqual(model.summaries.length === 0 ? [] : [[NOT_SUMMARISED]]);
      for (const { messages } of model.requests) {
        expect(unpaired(messages)).toEqual([]);
        expect(messages.map(textOf)).toContain('Do it');
      }
    },
  );

  it('that hangs is cancelled with the turn, and nothing is recorded of it', async () => {
    const stop = new AbortController();
    const model = new Worker(60, async function* () {
      yield* [];
      setTimeout(() => stop.abort(new Error('stop')), 20);
      await new Promise(() => {});
    });
    const { result, turns } = await work(model, { signal: stop.signal });
    expect(result.reason).toBe('aborted');
    expect(boundaries(turns)).toEqual([]);
    expect(JSON.stringify(turns.records)).not.toContain('compact_boundary');
    expect(turns.records.at(-1)).toMatchObject({ type: 'end', end: { reason: 'aborted' } });
  });

  it('that succeeds again later is asked again from the beginning', async () => {
    let asked = 0;
    const model = new Worker(200, async function* () {
      if (asked++ % 3 < 2) throw new ModelError('no');
      yield say(SUMMARY);
    });
    const { turns } = await work(model, { maxSteps: 250 });
    expect(boundaries(turns).length).toBeGreaterThan(1);
  });
});

describe('a model that says that a request is too long', () => {
  function refusing(limit: number, summary: Answering = summarising, steps = 8) {
    const model = new Worker(steps, summary);
    const { send } = model;
    let refused = 0;
    model.send = async function* (request, signal) {
      const size = tokensOfFixed(request) + tokensOfMessages(request.messages);
      if (size > limit) {
        if (request.tools.length > 0) refused++;
        throw new ModelError('long', { isOverflow: true });
      }
      yield* send.call(model, request, signal);
    };
    return { model, refused: () => refused };
  }

  it('is asked once more with a summary, and never again with as much', async () => {
    const { model, refused } = refusing(9_000);
    const { result, turns } = await work(model, { compactor: compactor(newCompactionState(), 200_000) });
    expect(result.reason).toBe('completed');
    expect(boundaries(turns)[0]?.trigger).toBe('reactive');
    expect(refused()).toBeLessThan(3);
  });

  it('and makes no summary is asked once more with less', async () => {
    const { model } = refusing(9_000, async function* () {
      yield say('No.');
    });
    const { result, turns } = await work(model, { compactor: compactor(newCompactionState(), 200_000) });
    expect(result.reason).toBe('completed');
    expect(boundaries(turns)).toEqual([]);
  });

  it('whatever it is asked ends the turn, after one more request', async () => {
    const { model, refused } = refusing(0);
    const { result } = await work(model);
    expect(result).toMatchObject({ reason: 'error', detail: 'long' });
    expect(refused()).toBeLessThanOrEqual(2);
  });

  it.each([
    ['nearly all of it', 5_000],
    ['all that it is thought to hold after that', 5_700],
  ])('ends the turn, and says what to do, where instructions and tools fill %s', async (_, fixed) => {
    const { model } = refusing(6_000, summarising, 200);
    const { result } = await work(model, {
      ...{ system: 'rule '.repeat((fixed * 3) / 5), maxSteps: 200 },
      compactor: compactor(newCompactionState(), 200_000),
    });
    expect(result).toMatchObject({ reason: 'error', detail: WINDOW_TOO_SMALL });
    expect(model.requests.length).toBeLessThan(4);
  });

  it('is asked all the same where only what was said does not fit beside them', async () => {
    const { model } = refusing(6_000, summarising, 0);
    const state = { ...newCompactionState(), model: model.name, limit: 5_500 };
    const { result } = await work(model, {
      ...{ system: 'rule '.repeat(3_200), prompt: 'word '.repeat(800) },
      compactor: compactor(state, 200_000),
    });
    expect(result).toMatchObject({ reason: 'completed', text: 'Done.' });
  });

  it('is not asked again without a compactor', async () => {
    const { model, refused } = refusing(0);
    const { result } = await work(model, { compactor: undefined });
    expect(result).toMatchObject({ reason: 'error', detail: 'long' });
    expect(refused()).toBe(1);
  });
});

describe('a window that is full otherwise', () => {
  it('by one message that is longer than all of it', async () => {
    const model = new Worker(3, summarising);
    const huge = toolsOf({ read: () => ok(`HEAD ${'가'.repeat(190_000)} TAIL`) });
    const { result } = await work(model, { tools: huge, prompt: `BEGIN ${'긴 글 '.repeat(60_000)} END` });
    expect(result.reason).toBe('completed');
    expect(Math.max(...model.sizes)).toBeLessThanOrEqual(WINDOW - 4_000);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toMatch(/HEAD.*TAIL/);
    expect(JSON.stringify(model.requests[0]?.messages)).toMatch(/BEGIN.*END/);
  });

  it('by instructions and tools', async () => {
    const model = new Worker(20, summarising);
    const { result } = await work(model, { system: 'rule '.repeat(5_500) });
    expect(result.reason).toBe('completed');
    expect(Math.max(...model.sizes)).toBeLessThanOrEqual(WINDOW - 4_000);
  });

  it('does not ask for one summary after the other where that gains nothing', async () => {
    const model = new Worker(20, summarising);
    await work(model, { system: 'rule '.repeat(6_000) });
    expect(model.summaries.length).toBeLessThan(10);
  });

  it('by a prompt that the model counts as much more than is estimated', async () => {
    const model = new Worker(25, summarising);
    const { send } = model;
    const real = (request: ModelRequest) =>
      1.6 * (tokensOfFixed(request) + tokensOfMessages(request.messages));
    let longest = 0;
    model.send = async function* (request, signal) {
      longest = Math.max(longest, real(request));
      if (real(request) > WINDOW) throw new ModelError('long', { isOverflow: true });
      yield* send.call(model, request, signal);
      yield { type: 'usage', usage: { ...NO_USAGE, input_tokens: Math.round(real(request)) } };
    };
    const { result } = await work(model);
    expect(result.reason).toBe('completed');
    expect(longest).toBeLessThanOrEqual(WINDOW);
  });
});
