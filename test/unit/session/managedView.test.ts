import { describe, expect, it, vi } from 'vitest';
import type { ChatModel, ModelPart, ModelRequest } from '../../../src/session/chatModel.ts';
import { ModelError } from '../../../src/session/chatModel.ts';
import { tokensOfMessages } from '../../../src/session/compaction/estimate.ts';
import { thresholds } from '../../../src/session/compaction/thresholds.ts';
import { ManagedView } from '../../../src/session/managedView.ts';
import { type Block, type Message, textOf } from '../../../src/session/messages.ts';
import { answer, say, unpaired, use } from './kit.ts';

const WINDOW = { contextWindow: 8_000, maxOutputTokens: 1_000 };
const LIMITS = thresholds(WINDOW);

/** A model that summarises, or fails as a test says. */
function summariser(fails?: () => Error | undefined): ChatModel & { asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  return {
    name: 'Fake',
    asked,
    async *send(request): AsyncGenerator<ModelPart> {
      asked.push(request);
      const failure = fails?.();
      if (failure) throw failure;
      yield { type: 'text', text: `<summary>Summary number ${asked.length}.</summary>` };
    },
  };
}

const OPENING = [say('system', 'You are Copilot.'), say('user', 'This is the workspace.')];
/** A turn that takes up some 600 tokens. */
const turn = (n: number): Message[] => [
  say('user', `Prompt ${n}`),
  say('assistant', `Looking for ${n}.`, use(`c${n}`, 'ask_oracle')),
  say('user', answer(`c${n}`, `answer ${n} `.repeat(150))),
  say('assistant', `Found ${n}.`),
];
const turns = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => turn(from + n)).flat();
const request = (messages: readonly Message[], model: ChatModel, signal = new AbortController().signal) => ({
  ...{ messages, model, signal, tools: [], window: WINDOW },
});
const all = (messages: readonly Message[]) => messages.map(textOf).join('\n');

describe('a chat that fits', () => {
  it('is shown as it is, the same messages', async () => {
    const model = summariser();
    const messages = [...OPENING, ...turns(0, 3)];
    const shown = await new ManagedView().before(request(messages, model));
    expect(shown.every((message, index) => message === messages[index])).toBe(true);
    expect(shown).toHaveLength(messages.length);
    expect(model.asked).toEqual([]);
  });

  it('is only pruned where nothing may be summarised', async () => {
    const model = summariser();
    const messages = [...OPENING, ...turns(0, 30)];
    const view = new ManagedView();
    expect(await view.before({ ...request(messages, model), window: undefined })).toBe(messages);
    expect(await view.overflow({ ...request(messages, model), window: undefined })).toBeUndefined();
  });
});

describe('a chat that is too long', () => {
  it('begins with its instructions and a summary, fits, and splits no call from its result', async () => {
    const model = summariser();
    const shown = await new ManagedView().before(request([...OPENING, ...turns(0, 14)], model));
    expect(model.asked).toHaveLength(1);
    expect(shown.slice(0, 2)).toEqual(OPENING);
    expect(textOf(shown[2] as Message)).toContain('Summary number 1.');
    expect(all(shown)).toContain('Prompt 13');
    expect(all(shown)).not.toContain('Prompt 1\n');
    expect(unpaired(shown)).toEqual([]);
    expect(tokensOfMessages(shown)).toBeLessThan(LIMITS.autoThreshold);
    // The instructions are not told to the summariser.
    expect(model.asked[0]?.messages.map(textOf).join()).not.toContain('You are Copilot.');
  });

  it('is shown the same bytes again while it goes on, without another summary', async () => {
    const model = summariser();
    const view = new ManagedView();
    const messages = [...OPENING, ...turns(0, 14)];
    const first = await view.before(request(messages, model));
    // The host makes new objects for each request.
    const again = structuredClone([...messages, ...turn(14)]);
    const second = await view.before(request(again, model));
    expect(second.slice(0, first.length)).toEqual(first);
    expect(second.slice(first.length)).toEqual(turn(14));
    expect(model.asked).toHaveLength(1);
  });

  it('is summarised again with the earlier summary once it has grown again', async () => {
    const model = summariser();
    const view = new ManagedView();
    for (let n = 1; n <= 60; n++) {
      const shown = await view.before(request([...OPENING, ...turns(0, n)], model));
      expect(tokensOfMessages(shown)).toBeLessThan(LIMITS.effectiveWindow);
      expect(all(shown)).toContain(`Prompt ${n - 1}`);
    }
    expect(model.asked.length).toBeGreaterThan(2);
    expect(model.asked.length).toBeLessThan(20);
    expect(model.asked.at(-1)?.messages.map(textOf).join()).toContain(
      `Summary number ${model.asked.length - 1}.`,
    );
  });

  it('keeps the last message of the person word for word, however many steps came after it', async () => {
    const model = summariser();
    const steps = turns(0, 14).filter((message) => !textOf(message).startsWith('Prompt'));
    const prompt = say('user', `Do it exactly so: ${'x'.repeat(9_000)}`);
    const shown = await new ManagedView().before(request([...turns(0, 1), prompt, ...steps], model));
    expect(model.asked).toHaveLength(1);
    expect(shown.filter((message) => message === prompt)).toHaveLength(1);
    expect(all(shown).split('Do it exactly so')).toHaveLength(2);
  });

  it('keeps each chat’s own summary', async () => {
    const model = summariser();
    const view = new ManagedView();
    const [one, two] = ['one', 'two'].map((name) => [
      ...OPENING,
      ...turn(0),
      say('user', `This is chat ${name}`),
      ...turns(1, 14),
    ]);
    const shown = [
      await view.before(request(one ?? [], model)),
      await view.before(request(two ?? [], model)),
    ];
    expect(shown.map((messages) => /number \d/.exec(all(messages))?.[0])).toEqual(['number 1', 'number 2']);
    expect(await view.before(request(structuredClone(one ?? []), model))).toEqual(shown[0]);
    expect(model.asked).toHaveLength(2);
  });

  it('shows both of two requests at once the same summary', async () => {
    const model = summariser();
    const view = new ManagedView();
    const messages = [...OPENING, ...turns(0, 14)];
    const [one, two] = await Promise.all([
      view.before(request(messages, model)),
      view.before(request(structuredClone(messages), model)),
    ]);
    expect(two).toEqual(one);
  });

  it('first loses old results of tools that can be called again, several at a time', async () => {
    const model = summariser();
    const view = new ManagedView();
    const reads = (count: number) =>
      Array.from({ length: count }, (_, n) => [
        say('assistant', use(`r${n}`)),
        say('user', answer(`r${n}`, `line ${n} `.repeat(90))),
      ]).flat();
    const shownFor = async (count: number) =>
      await view.before(request([say('user', 'Go'), ...reads(count)], model));
    const [before, after, later] = [await shownFor(16), await shownFor(19), await shownFor(20)];
    const left = (messages: readonly Message[]) =>
      messages.flatMap(({ content }) => content).filter((block) => result(block).includes('left out here'))
        .length;
    expect([left(before), left(after), left(later)]).toEqual([10, 10, 10]);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(model.asked).toEqual([]);
  });
});

function result(block: Block): string {
  return block.type === 'tool_result' ? textOf({ role: 'user', content: block.content }) : '';
}

describe('what is remembered', () => {
  it('is never told in a chat that only looks alike', async () => {
    const chat = (secret: string, ...more: Message[]) => [
      ...OPENING,
      say('user', 'Hello'),
      say('assistant', secret),
      ...turns(1, 14),
      ...more,
    ];
    const view = new ManagedView();
    const telling: ChatModel = {
      name: 'Fake',
      async *send({ messages }) {
        const secret = /secret-\w+/.exec(all(messages))?.[0];
        yield { type: 'text', text: `<summary>It was ${secret}.</summary>` };
      },
    };
    // Texts that end and begin elsewhere, and one that is the beginning of another.
    const chats = ['secret-a', 'secret-b', 'secret-ab'].map((secret) => chat(secret));
    for (let round = 0; round < 2; round++) {
      for (const [at, secret] of ['secret-a', 'secret-b', 'secret-ab'].entries()) {
        const shown = all(await view.before(request(structuredClone(chats[at] ?? []), telling)));
        expect(shown.match(/secret-\w+/g)).toEqual([secret]);
      }
    }
  });

  it('is not without bound: a chat of long ago is summarised anew', async () => {
    const model = summariser();
    const view = new ManagedView();
    const chat = (n: number) => [...OPENING, say('user', `Chat ${n}`), ...turns(0, 14).slice(1)];
    for (let n = 0; n < 60; n++) await view.before(request(chat(n), model));
    expect(model.asked).toHaveLength(60);
    await view.before(request(chat(59), model));
    expect(model.asked).toHaveLength(60);
    await view.before(request(chat(0), model));
    expect(model.asked).toHaveLength(61);
  });
});

describe('a summary that is not made', () => {
  const messages = [...OPENING, ...turns(0, 14)];

  it('leaves the chat as it is and says why; after three failures it is not asked for again', async () => {
    const model = summariser(() => new ModelError('no quota'));
    const onFailure = vi.fn();
    const view = new ManagedView({ onFailure });
    for (let n = 0; n < 5; n++) expect(await view.before(request(messages, model))).toEqual(messages);
    expect(model.asked).toHaveLength(3);
    expect(onFailure.mock.calls).toEqual([['no quota'], ['no quota'], ['no quota']]);
  });

  it('is asked for in another chat all the same', async () => {
    const model = summariser(() => new ModelError('no quota'));
    const view = new ManagedView();
    for (let n = 0; n < 5; n++) await view.before(request(messages, model));
    const other = [...OPENING, say('user', 'Another chat'), ...turns(0, 14).slice(1)];
    const working = summariser();
    expect(all(await view.before(request(other, working)))).toContain('Summary number 1.');
    // It is remembered which chat failed, not which was asked last.
    await view.before(request(messages, working));
    expect(working.asked).toHaveLength(1);
  });

  it('is cancelled with the request, and the next one makes it', async () => {
    const controller = new AbortController();
    const onSummary = vi.fn();
    const view = new ManagedView({ onSummary });
    const stopped = summariser(() => {
      controller.abort(new Error('stop'));
      return undefined;
    });
    await expect(view.before(request(messages, stopped, controller.signal))).rejects.toThrow('stop');
    expect(onSummary.mock.calls).toEqual([[true], [false]]);
    const shown = await view.before(request(messages, summariser()));
    expect(all(shown)).toContain('Summary number 1.');
  });
});

describe('a request that the model refuses as too long', () => {
  it('is tried again with more of it summarised', async () => {
    const model = summariser();
    const view = new ManagedView();
    const messages = [...OPENING, ...turns(0, 6)];
    expect(await view.before(request(messages, model))).toHaveLength(messages.length);
    const shorter = (await view.overflow(request(messages, model))) ?? [];
    expect(tokensOfMessages(shorter)).toBeLessThan(tokensOfMessages(messages) / 2);
    expect(await view.before(request(structuredClone(messages), model))).toEqual(shorter);
  });

  it('fails where there is nothing to summarise', async () => {
    const messages = [...OPENING, say('user', 'x'.repeat(90_000))];
    expect(await new ManagedView().overflow(request(messages, summariser()))).toBeUndefined();
  });
});
