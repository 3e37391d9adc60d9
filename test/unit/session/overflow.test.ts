import { describe, expect, it } from 'vitest';
import { isOverflow } from '../../../src/session/overflow.ts';

describe('a request that is longer than the window is told', () => {
  it.each([
    [{ status: 400, names: ['context_length_exceeded'], text: 'x' }],
    [{ status: 400, names: [null, 'model_max_prompt_tokens_exceeded'], text: '' }],
    [{ status: 413, text: 'Payload Too Large' }],
    [{ text: 'This model’s maximum context length is 128000 tokens.' }],
    [
      {
        status: 400,
        names: ['invalid_request_error'],
        text: 'prompt is too long: 210000 tokens > 200000 maximum',
      },
    ],
    [{ text: 'prompt token count of 139202 exceeds the limit of 128000' }],
    [{ text: 'Input tokens exceed the configured limit of 272000 tokens.' }],
    [{ text: 'the request exceeds the available context size (8192 tokens)' }],
    [{ status: 500, text: 'Please reduce the length of the messages or completion.' }],
    [{ text: 'input is too long for requested model' }],
  ])('by %j', (failure) => {
    expect(isOverflow(failure)).toBe(true);
  });
});

describe('other failures are not', () => {
  it.each([
    [{ text: 'ENAMETOOLONG: file name too long' }],
    [{ text: 'context deadline exceeded' }],
    [{ text: 'the URL is too long' }],
    [{ text: 'It took too long to answer.' }],
    [
      {
        status: 429,
        text: 'Request too large for gpt-5 on tokens per min (TPM): Limit 30000, Requested 50000',
      },
    ],
    [{ status: 400, names: ['rate_limit_exceeded'], text: 'maximum context length' }],
    [{ text: 'Limit 10000 input tokens per minute exceeded' }],
    [{ status: 401, text: 'maximum context length' }],
    [{ text: 'max_tokens exceeds the maximum output tokens of this model' }],
    [{ text: '' }],
    [{ names: [7, {}, undefined], text: 'no' }],
  ])('such as %j', (failure) => {
    expect(isOverflow(failure)).toBe(false);
  });

  it('however long a server’s text is', () => {
    for (const text of ['exceed '.repeat(10_000), 'context length '.repeat(5_000), 'maximum '.repeat(10_000)])
      expect(typeof isOverflow({ text })).toBe('boolean');
  });
});
