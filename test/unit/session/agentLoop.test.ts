import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../src/session/chatModel.ts';
import { NO_USAGE } from '../../../src/session/messages.ts';
import type { LoopResult } from '../../../src/session/turnCalls.ts';
import { brief, MemoryTurns, ok, ScriptedModel, say, toolsOf, turn, use } from './turnKit.ts';

const usage = { ...NO_USAGE, input_tokens: 10, output_tokens: 2 };

describe('a turn', () => {
  it('ends when the model answers without a call, with what it said and used', async () => {
    const texts: string[] = [];
    const model = new ScriptedModel([say('Hel'), say('lo'), { type: 'usage', usage }]);
    const { result, turns } = await turn(model, { onText: (text) => texts.push(text) });
    expect(result).toEqual({ reason: 'completed', usage, text: 'Hello', steps: 1 });
    expect(texts).toEqual(['Hel', 'lo']);
    expect(turns.said).toEqual(['user: Go', 'assistant: Hello']);
    expect(turns.records).toMatchObject([{}, { usage }, { type: 'end', end: { reason: 'completed' } }]);
    expect(model.requests[0]).toMatchObject({ system: 'Be brief.', mustCall: undefined });
  });

  it('runs the calls and shows the model their results, until it has nothing more to do', async () => {
    const model = new ScriptedModel(
      [say('Look'), use('read', 'a'), { type: 'usage', usage }],
      [use('read', 'b'), { type: 'usage', usage }],
      [say('Found'), { type: 'usage', usage }],
    );
    const { result, turns } = await turn(model, { tools: toolsOf({ read: () => ok('text') }) });
    expect(result).toMatchObject({ reason: 'completed', text: 'Found', steps: 3 });
    expect(result.usage).toEqual({ ...usage, input_tokens: 30, output_tokens: 6 });
    expect(model.seen(2).map(brief)).toEqual([
      'user: Go',
      'assistant: Look | read#a',
      'user: #a=text',
      'assistant: read#b',
      'user: #b=text',
    ]);
    expect(turns.said.at(-1)).toBe('assistant: Found');
  });

  it('shows messages that were shown before as the same objects', async () => {
    const model = new ScriptedModel([use('read', 'a')], [use('read', 'b')]);
    await turn(model, { tools: toolsOf({ read: () => ok('x'.repeat(300_000)) }) });
    const last = model.seen(2);
    expect(last).toHaveLength(5);
    for (const [at, message] of model.seen(1).entries()) expect(last[at]).toBe(message);
  });

  it('goes on when it is told why at its end', async () => {
    const turns = new MemoryTurns();
    turns.reasonsToGoOn = ['One task is open.'];
    const model = new ScriptedModel([say('Enough')], [say('Now all is done')]);
    const { result } = await turn(model, {}, turns);
    expect(turns.said).toEqual([
      'user: Go',
      'assistant: Enough',
      'system: One task is open.',
      'assistant: Now all is done',
    ]);
    expect(result.steps).toBe(2);
  });

  it('ends at its limit of steps and says so, with every call answered', async () => {
    const endless = Array.from({ length: 9 }, (_, at) => [use('read', `c${at}`)]);
    const { result, turns } = await turn(new ScriptedModel(...endless), {
      tools: toolsOf({ read: () => ok('x') }),
      maxSteps: 3,
    });
    expect(result).toMatchObject({ reason: 'limit', steps: 3, detail: expect.stringContaining('3 steps') });
    expect(turns.said.at(-1)).toBe('user: #c2=x');
  });

  it('counts what it does after a reminder as steps, too', async () => {
    const turns = new MemoryTurns();
    turns.reasonsToGoOn = Array.from({ length: 9 }, () => 'Go on');
    const { result } = await turn(new ScriptedModel(), { maxSteps: 2 }, turns);
    expect(result).toMatchObject({ reason: 'limit', steps: 2 });
  });

  it('is over when a tool says so', async () => {
    const done = { text: 'Handed in.', isError: false, endsTurn: true };
    const model = new ScriptedModel([use('hand_in', 'a')]);
    const { result, turns } = await turn(model, { tools: toolsOf({ hand_in: () => done }) });
    expect(result).toMatchObject({ reason: 'completed', steps: 1 });
    expect(turns.said.at(-1)).toBe('user: #a=Handed in.');
  });

  it('makes the model call a tool first where it must, and only first', async () => {
    const model = new ScriptedModel([use('read', 'a')]);
    await turn(model, { tools: toolsOf({ read: () => ok('') }), forced: 'read' });
    expect(model.requests.map(({ mustCall }) => mustCall)).toEqual(['read', undefined]);
  });

  it('records thinking with its signature, apart from texts', async () => {
    const model = new ScriptedModel([
      { type: 'thinking', thinking: 'one ' },
      { type: 'thinking', thinking: 'two', signature: 's' },
      { type: 'thinking', thinking: 'three' },
      say('So'),
    ]);
    const thoughts: string[] = [];
    const { result, turns } = await turn(model, { onThinking: (text) => thoughts.push(text) });
    expect(result.text).toBe('So');
    expect(thoughts).toEqual(['one ', 'two', 'three']);
    expect(turns.records[1]).toMatchObject({
      message: {
        content: [
          { type: 'thinking', thinking: 'one two', signature: 's' },
          { type: 'thinking', thinking: 'three' },
          { type: 'text', text: 'So' },
        ],
      },
    });
  });
});

describe('calls of a turn', () => {
  it('run side by side, and exclusive ones one after another in the order of writing', async () => {
    const log: string[] = [];
    const slow = (name: string) => async (): Promise<LoopResult> => {
      log.push(`+${name}`);
      for (let tick = 0; tick < 10; tick++) await Promise.resolve();
      log.push(`-${name}`);
      return ok(name);
    };
    const calls = [use('plan!', 'a'), use('x', 'b'), use('mark!', 'c'), use('x', 'd'), use('plan!', 'e')];
    const { turns } = await turn(new ScriptedModel(calls), {
      tools: toolsOf({ 'plan!': slow('plan'), x: slow('x'), 'mark!': slow('mark') }),
    });
    expect(log.indexOf('-x')).toBeGreaterThan(log.lastIndexOf('+x'));
    const exclusive = log.filter((entry) => !entry.endsWith('x'));
    expect(exclusive).toEqual(['+plan', '-plan', '+mark', '-mark', '+plan', '-plan']);
    expect(turns.said[2]).toBe('user: #a=plan | #b=x | #c=mark | #d=x | #e=plan');
  });

  it('are recorded before they run', async () => {
    const turns = new MemoryTurns();
    let recorded: string[] = [];
    const read = () => {
      recorded = turns.said;
      return ok('');
    };
    await turn(new ScriptedModel([use('read', 'a')]), { tools: toolsOf({ read }) }, turns);
    expect(recorded).toEqual(['user: Go', 'assistant: read#a']);
  });

  it.each([
    ['a tool that is not there', use('raed', 'a'), /There is no tool "raed"\. There are: read, fail\./],
    ['a tool that fails', use('fail', 'a'), /fail failed: on fire\. It may have taken effect/],
    ['a list of arguments', use('read', 'a', ['x']), /must be one JSON object\..*You wrote: \["x"\]/],
    [
      'arguments that are no JSON',
      { type: 'tool_use', id: 'a', name: 'read', input: undefined, raw: '{"file": ' } as const,
      /Call it again with valid JSON\. You wrote: \{"file": $/,
    ],
  ])('%s: the model is told, and what to do', async (_, call, expected) => {
    let isRead = false;
    const tools = toolsOf({
      read: () => {
        isRead = true;
        return ok('');
      },
      fail: () => {
        throw new Error('on fire');
      },
    });
    const model = new ScriptedModel([call]);
    const { result } = await turn(model, { tools });
    expect(result.reason).toBe('completed');
    expect(isRead).toBe(false);
    const [block] = model.seen(1).at(-1)?.content ?? [];
    expect(block).toMatchObject({ type: 'tool_result', is_error: true });
    expect(brief(model.seen(1).at(-1) as never)).toMatch(expected);
  });

  it('have arguments even where the model wrote null', async () => {
    const inputs: unknown[] = [];
    const read = (input: unknown) => {
      inputs.push(input);
      return ok('');
    };
    await turn(new ScriptedModel([use('read', 'a', null)]), { tools: toolsOf({ read }) });
    expect(inputs).toEqual([{}]);
  });

  it('keep their own results where a server gives all of them the same id', async () => {
    let count = 0;
    const tools = toolsOf({ read: () => ok(`result ${++count}`) });
    const model = new ScriptedModel([use('read', 'call_0'), use('read', 'call_0')], [use('read', 'call_0')]);
    await turn(model, { tools });
    const blocks = model.seen(2).flatMap(({ content }) => content);
    const ids = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    expect(new Set(ids).size).toBe(3);
    expect(blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []))).toEqual(ids);
  });

  it.each(['', 'read a file', 'read\ud800', 'functions.read', '읽기', 'r'.repeat(65)])(
    'with the name %j, which servers refuse, do not run and do not spoil the next request',
    async (name) => {
      let isRead = false;
      const read = () => {
        isRead = true;
        return ok('');
      };
      const model = new ScriptedModel([use(name, 'a', { x: 1 })]);
      await turn(model, { tools: toolsOf({ read, read_a_file: read, functions_read: read, read_: read }) });
      expect(isRead).toBe(false);
      const [call, result] = model.seen(1).slice(-2);
      const [block] = call?.content ?? [];
      expect(block?.type === 'tool_use' && block.name).toMatch(/^[\w-]{1,64}$/);
      expect(result?.content[0]).toMatchObject({ type: 'tool_result', is_error: true });
    },
  );

  it.each(['', 'c1\n- write (c2): succeeded', '콜', 'c'.repeat(1_000), 'a b'])(
    'without an id of their own that can be told in a line, such as %j, get one that every server takes',
    async (id) => {
      const model = new ScriptedModel([use('none', id)]);
      await turn(model);
      const [block] = model.seen(1).at(-2)?.content ?? [];
      expect(block?.type === 'tool_use' && block.id).toMatch(/^[\w-]{1,40}$/);
    },
  );

  it('tell their listener of each call and result', async () => {
    const log: string[] = [];
    await turn(new ScriptedModel([use('read', 'a'), use('none', 'b')]), {
      tools: toolsOf({ read: () => ok('text') }),
      onCall: ({ id, name }) => log.push(`${name}#${id}`),
      onResult: ({ id }, { isError }) => log.push(`#${id} ${isError}`),
    });
    expect(log.sort()).toEqual(['#a false', '#b true', 'none#b', 'read#a']);
  });

  it('with a huge result: recorded whole, shown by its head and tail without a torn character', async () => {
    // Odd positions: a cut at a round number would tear a pair.
    const huge = `a${'😀'.repeat(5_000_000)}b\uD800`;
    const model = new ScriptedModel([use('read', 'a')]);
    const { turns } = await turn(model, { tools: toolsOf({ read: () => ok(huge) }) });
    const recorded = turns.records.find(({ seq }) => seq === 2);
    expect(recorded).toMatchObject({ message: { content: [{ content: [{ text: huge }] }] } });
    const [block] = model.seen(1)[2]?.content ?? [];
    const [shown] = block?.type === 'tool_result' ? block.content : [];
    const text = shown?.type === 'text' ? shown.text : '';
    expect(text.length).toBeLessThan(200_000);
    expect(text).toMatch(/^a😀+\n\n\[9,80\d,\d{3} characters are left out here.*\]\n\n😀+b\uD800$/u);
  });
});

describe('a model that fails', () => {
  const busy = () => new ModelError('busy', { isTransient: true, retryAfterMs: 0 });

  it('ends the turn with its message, and what it said is kept', async () => {
    const model = new ScriptedModel([say('I will'), use('write', 'a'), new ModelError('Your plan ended.')]);
    let isWritten = false;
    const write = () => {
      isWritten = true;
      return ok('');
    };
    const { result, turns } = await turn(model, { tools: toolsOf({ write }) });
    expect(result).toMatchObject({ reason: 'error', detail: 'Your plan ended.', text: 'I will' });
    expect(isWritten).toBe(false);
    expect(turns.said.slice(1)).toEqual([
      'assistant: I will | write#a',
      'user: #a!=Not run, because the answer broke off. Nothing was changed.',
    ]);
  });

  it('is asked again at most twice when that may help', async () => {
    const twice = new ScriptedModel([busy()], [busy()], [say('Here')]);
    expect((await turn(twice)).result).toMatchObject({ reason: 'completed', text: 'Here', steps: 1 });
    const thrice = new ScriptedModel([busy()], [busy()], [busy()]);
    const { result, turns } = await turn(thrice);
    expect(result).toMatchObject({ reason: 'error', detail: 'busy', steps: 0 });
    expect(turns.said).toEqual(['user: Go']);
  });

  it.each([
    ['part of the answer was shown', [say('He'), busy()]],
    ['it will not help', [new ModelError('no key')]],
    ['the wait is too long', [new ModelError('later', { isTransient: true, retryAfterMs: 3_600_000 })]],
  ])('is not asked again when %s', async (_, answer) => {
    const model = new ScriptedModel(answer);
    expect((await turn(model)).result.reason).toBe('error');
    expect(model.requests).toHaveLength(1);
  });

  it('waits no longer when the person cancels', async () => {
    const stop = new AbortController();
    const model = new ScriptedModel([
      () => setImmediate(() => stop.abort()),
      new ModelError('busy', { isTransient: true, retryAfterMs: 59_000 }),
    ]);
    const { result } = await turn(model, { signal: stop.signal });
    expect(result.reason).toBe('aborted');
  });

  it.each([
    ['nothing', []],
    ['blanks', [say(' \n')]],
    ['thinking alone', [{ type: 'thinking', thinking: 'hm' } as const]],
  ])('that answers %s is asked once more', async (_, nothing) => {
    const once = await turn(new ScriptedModel(nothing, [say('Here')]));
    expect(once.result).toMatchObject({ reason: 'completed', text: 'Here' });
    expect(once.turns.said).toEqual(['user: Go', 'assistant: Here']);
    const twice = await turn(new ScriptedModel(nothing, nothing));
    expect(twice.result).toMatchObject({ reason: 'error', detail: expect.stringMatching(/nothing, twice/) });
  });

  it('at its own limit ends the turn as a limit', async () => {
    const model = new ScriptedModel([say('Long'), new ModelError('cut', { isLimit: true })]);
    expect((await turn(model)).result).toMatchObject({ reason: 'limit', detail: 'cut', text: 'Long' });
  });

  it('before it streams is a failure like any other', async () => {
    const send = () => {
      throw new ModelError('not there');
    };
    expect((await turn({ name: 'x', send })).result).toMatchObject({ reason: 'error', detail: 'not there' });
  });
});

describe('a turn that is cancelled', () => {
  it('before it began asks no model', async () => {
    const model = new ScriptedModel();
    const { result, turns } = await turn(model, { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ reason: 'aborted', steps: 0 });
    expect(model.requests).toEqual([]);
    expect(turns.said).toEqual(['user: Go']);
  });

  it('while the model speaks keeps what it said; its calls do not run', async () => {
    const stop = new AbortController();
    const model = new ScriptedModel([
      say('I was about'),
      use('write', 'a'),
      () => stop.abort(),
      // A model that does not heed the signal, and hangs.
      () => new Promise(() => {}),
    ]);
    let isWritten = false;
    const write = () => {
      isWritten = true;
      return ok('');
    };
    const { result, turns } = await turn(model, { tools: toolsOf({ write }), signal: stop.signal });
    expect(result).toMatchObject({ reason: 'aborted', text: 'I was about' });
    expect(isWritten).toBe(false);
    expect(turns.said.slice(1)).toEqual([
      'assistant: I was about | write#a',
      'user: #a!=Cancelled before it ran. Nothing was changed.',
    ]);
  });

  it('while tools run gives every call a result: its own, or that it may have taken effect', async () => {
    const stop = new AbortController();
    let running = 0;
    const start = () => {
      if (++running === 3) stop.abort();
    };
    const tools = toolsOf({
      quick: () => ok('finished'),
      polite: (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ text: 'stopped halfway', isError: true }));
          start();
        }),
      throwing: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          start();
        }),
      'deaf!': () => {
        start();
        return new Promise(() => {});
      },
      'next!': () => ok('must not run'),
    });
    const names = ['quick', 'polite', 'throwing', 'deaf!', 'next!'];
    const model = new ScriptedModel(names.map((name) => use(name, name)));
    const { result, turns } = await turn(model, { tools, signal: stop.signal });
    expect(result.reason).toBe('aborted');
    expect(model.requests).toHaveLength(1);
    expect(turns.said.at(-1)?.split(' | ')).toEqual([
      'user: #quick=finished',
      '#polite!=stopped halfway',
      expect.stringMatching(/^#throwing!=throwing was cancelled while it ran\. It may have taken effect/),
      expect.stringMatching(/^#deaf!!=deaf! was cancelled while it ran\. It may have taken effect/),
      '#next!!=Cancelled before next! ran. Nothing was changed.',
    ]);
  });
});

describe('a session that cannot be saved', () => {
  it('says so at the beginning as an error', async () => {
    const turns = new MemoryTurns();
    turns.turnBegin = () => Promise.reject(new Error('in use'));
    await expect(turn(new ScriptedModel(), {}, turns)).rejects.toThrow('in use');
  });

  it('ends the turn, and lets the session go', async () => {
    const turns = new MemoryTurns();
    turns.turnStep = () => Promise.reject(new Error('disk full'));
    turns.turnBegin = async () => ({ id: 's', keep: 0, messages: [] });
    let isRun = false;
    const tools = toolsOf({
      read: () => {
        isRun = true;
        return ok('');
      },
    });
    const { result } = await turn(new ScriptedModel([use('read', 'a')]), { tools }, turns);
    expect(result).toMatchObject({ reason: 'error', detail: 'disk full' });
    expect(isRun).toBe(false);
    expect(turns.records).toMatchObject([{ type: 'end', end: { reason: 'error', detail: 'disk full' } }]);
    turns.turnEnd = () => Promise.reject(new Error('still full'));
    const again = await turn(new ScriptedModel([use('read', 'a')]), { tools }, turns);
    expect(again.result).toMatchObject({ reason: 'writer-failed', detail: 'disk full' });
  });
});
