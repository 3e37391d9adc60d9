/** Model servers that fail, and what the person is told. */
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ModelError, type ModelPart } from '../../src/session/chatModel.ts';
import { takeModelSettings } from '../../src/terminal.ts';
import { type AskOptions, ask, delta, events, REQUEST, serve, stream } from './endpointServer.ts';

/** The error of one request. */
async function failure(url: string, options: AskOptions = {}): Promise<ModelError> {
  try {
    await ask(url, options);
  } catch (error) {
    if (error instanceof ModelError) return error;
    throw error;
  }
  throw new Error('It answered.');
}

/** What is thrown for one response. */
async function failureOf(answer: (response: ServerResponse) => void): Promise<ModelError> {
  const { url } = await serve(answer);
  return failure(url);
}

function json(status: number, body: unknown, headers: Record<string, string> = {}) {
  return (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

describe('settings', () => {
  it.each([[{ url: undefined }], [{ url: '' }], [{ model: undefined }]])(
    '%o: the three variables are named',
    async (settings) => {
      const { message } = await failure('http://localhost/v1', settings);
      for (const name of ['LODELINE_MODEL_URL', 'LODELINE_MODEL', 'LODELINE_MODEL_KEY'])
        expect(message).toContain(name);
    },
  );

  it.each([
    ['localhost:1234/v1', /no http or https address/],
    ['file:///etc/passwd', /no http or https address/],
    ['http://me:hunter2@localhost/v1', /has a name or password in it/],
  ])('%s is refused', async (url, expected) => {
    const { message } = await failure(url);
    expect(message).toMatch(expected);
    expect(message).not.toContain('hunter2');
  });

  it('a key that no header can hold is refused before anything could quote it', async () => {
    const { message } = await failure('http://localhost/v1', { key: 'sk-äöü\nsecret' });
    expect(message).toMatch(/LODELINE_MODEL_KEY holds/);
    expect(message).not.toContain('secret');
  });

  it('are taken from the environment, and the key out of it', () => {
    const env = { LODELINE_MODEL_URL: 'u', LODELINE_MODEL: 'm', LODELINE_MODEL_KEY: 'k', PATH: 'p' };
    expect(takeModelSettings(env)).toEqual({ url: 'u', model: 'm', key: 'k' });
    expect(env).toEqual({ LODELINE_MODEL_URL: 'u', LODELINE_MODEL: 'm', PATH: 'p' });
  });
});

describe('a server that refuses', () => {
  it.each([
    [400, /refused the request: no good \(400\)/, false],
    [401, /refused the key: no good \(401\)\. Check LODELINE_MODEL_KEY/, false],
    [403, /does not allow this: no good.*LODELINE_MODEL_KEY may use the model test-1/, false],
    [404, /no such model or address: no good.*LODELINE_MODEL \(test-1\).*ends in \/v1/, false],
    [413, /longer than the window of the model .*: no good/, false],
    [429, /asked too often.*no good/, true],
    [500, /failed: no good \(500\)\. Try again later/, true],
    [503, /failed/, true],
  ])('with %i says what to do, and whether to try again', async (status, expected, isTransient) => {
    const error = await failureOf(json(status, { error: { message: 'no good' } }));
    expect(error.message).toMatch(expected);
    expect(error.isTransient).toBe(isTransient);
  });

  it('because the request is too long is told by the server’s name for it, and else by its text', async () => {
    const overflow = async (status: number, error: object) =>
      (await failureOf(json(status, { error }))).isOverflow;
    expect(await overflow(400, { message: 'no good', code: 'context_length_exceeded' })).toBe(true);
    expect(await overflow(400, { message: 'This model’s maximum context length is 9 tokens.' })).toBe(true);
    expect(await overflow(413, { message: 'no good' })).toBe(true);
    expect(await overflow(400, { message: 'file name too long' })).toBe(false);
    expect(await overflow(429, { message: 'maximum context length per minute' })).toBe(false);
  });

  it.each([
    ['an error that is a text', { error: 'no good' }],
    ['a message', { message: 'no good' }],
    ['a detail', { detail: 'no good' }],
    ['anything else', { code: 'no good' }],
  ])('is quoted from %s', async (_, body) => {
    expect((await failureOf(json(400, body))).message).toContain('no good');
  });

  it('is quoted on one short line, and not where it is a page', async () => {
    const long = await failureOf(json(400, { error: { message: `a\n\u001b[31m${'x'.repeat(9_000)}` } }));
    expect(long.message).toMatch(/: a \[31mx+… \(400\)\.$/);
    expect(long.message.length).toBeLessThan(600);
    const page = await failureOf((response) => response.writeHead(502).end('<html><h1>Bad gateway'));
    expect(page.message).toBe('The model server failed (502). Try again later.');
  });

  it('says when to come back', async () => {
    const seconds = await failureOf(json(429, {}, { 'retry-after': '7' }));
    expect(seconds.retryAfterMs).toBe(7000);
    const past = await failureOf(json(503, {}, { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }));
    expect(past.retryAfterMs).toBe(0);
    expect((await failureOf(json(429, {}, { 'retry-after': 'soon' }))).retryAfterMs).toBeUndefined();
  });

  it('does not bring the key into the message, also where it repeats it', async () => {
    const error = await failureOf(json(401, { error: { message: 'Wrong key: sk-test-key' } }));
    expect(error.message).toContain('Wrong key: [key]');
    expect(`${error.stack}${JSON.stringify(error)}${String(error.cause)}`).not.toContain('sk-test-key');
  });

  it('within a stream that began well is a failure all the same', async () => {
    const error = await failureOf((response) =>
      stream(response, events(delta({ content: 'Hel' }), { error: { code: 429, message: 'too fast' } })),
    );
    expect(error).toMatchObject({ isTransient: true, message: expect.stringContaining('too fast') });
  });

  it.each([301, 302, 307, 308])(
    'by pointing elsewhere (%i) gets neither words nor key there',
    async (status) => {
      const elsewhere = await serve((response) => stream(response, events(delta({}, 'stop'))));
      const error = await failureOf((response) =>
        response.writeHead(status, { location: `${elsewhere.url}/x?token=1` }).end(),
      );
      expect(error.message).toContain(`points to ${elsewhere.url}/x, and`);
      expect(elsewhere.asked).toEqual([]);
    },
  );
});

describe('an answer that is not whole', () => {
  it('because it reached the limit of the model: its text comes, its calls do not', async () => {
    const call = { index: 0, id: 'a', function: { name: 'write', arguments: '{}' } };
    const text = events(delta({ content: 'Long' }), delta({ tool_calls: [call] }), delta({}, 'length'));
    const { url } = await serve((response) => stream(response, text));
    const parts: ModelPart[] = [];
    const { endpointModel } = await import('../../src/chatEndpoint.ts');
    const answer = endpointModel({ url, model: 'm', key: undefined }).send(
      REQUEST,
      new AbortController().signal,
    );
    await expect(async () => {
      for await (const part of answer) parts.push(part);
    }).rejects.toMatchObject({ name: 'ModelError', isLimit: true, isTransient: false });
    expect(parts).toEqual([{ type: 'text', text: 'Long' }]);
  });

  it('because a filter stopped it', async () => {
    const error = await failureOf((response) => stream(response, events(delta({}, 'content_filter'))));
    expect(error.message).toMatch(/content filter/);
  });

  it('because the connection ended or broke may be asked for again', async () => {
    const half = `data: ${JSON.stringify(delta({ content: 'Hel' }))}\n\n`;
    const ended = await failureOf((response) => stream(response, half));
    expect(ended).toMatchObject({
      isTransient: true,
      message: expect.stringMatching(/before the answer was whole/),
    });
    const broken = await failureOf((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(half, () => response.destroy());
    });
    expect(broken).toMatchObject({ isTransient: true, message: expect.stringMatching(/cannot be reached/) });
  });

  it.each([
    ['no JSON', 'data: {"choices": [\n\n'],
    ['another shape', 'data: {"choices": "none"}\n\n'],
    ['a number', 'data: 7\n\n'],
  ])('because it is %s', async (_, text) => {
    expect((await failureOf((response) => stream(response, text))).message).toMatch(/no chat completion/);
  });

  it('because a web page answers', async () => {
    const error = await failureOf((response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>'),
    );
    expect(error).toMatchObject({
      message: expect.stringMatching(/closed the connection|no chat completion/),
    });
  });

  it('because the server fell silent, before or within it', async () => {
    const never = await serve(() => {});
    expect((await failure(never.url, { silenceMs: 30 })).message).toMatch(/has said nothing for/);
    const midway = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(delta({ content: 'Hel' }))}\n\n`);
    });
    expect((await failure(midway.url, { silenceMs: 200 })).message).toMatch(/has said nothing for/);
  });
});

it('a server that cannot be reached may be asked again', async () => {
  const error = await failure('http://127.0.0.1:1/v1');
  expect(error).toMatchObject({
    isTransient: true,
    message: expect.stringMatching(/http:\/\/127\.0\.0\.1:1 cannot be reached \(.+\)\. Check that it runs/),
  });
});

it('a person who cancels ends the request, and the reason is theirs', async () => {
  const stop = new AbortController();
  let close = (): void => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const { url } = await serve((response) => {
    response.on('close', close);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify(delta({ content: 'Hel' }))}\n\n`, () => stop.abort('enough'));
  });
  await expect(ask(url, { signal: stop.signal })).rejects.toBe('enough');
  await closed;
});
