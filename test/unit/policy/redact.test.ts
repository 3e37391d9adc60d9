// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of other languages are the cases
import { describe, expect, it } from 'vitest';
import { redactFields, redactSecrets } from '../../../src/policy/redact.ts';
import { glue, jwt, pem, random, TOKEN_SAMPLES } from './secretSamples.ts';

async function redacted(text: string): Promise<string> {
  return (await redactSecrets(text)).text;
}

describe('redactSecrets', () => {
  it('replaces a secret by its kind and names the kind', async () => {
    expect(await redactSecrets('login with password=hunter2 on staging')).toEqual({
      text: 'login with password=[redacted: password] on staging',
      found: ['password'],
    });
  });

  it('names each kind once, in the order of the text', async () => {
    const stripe = glue('sk', '_live_', random(24));
    const text = `token=abc123def ${stripe} token=ghj456klm password=hunter2`;
    expect((await redactSecrets(text)).found).toEqual(['token', 'Stripe key', 'password']);
  });

  it('prefers the most telling kind where rules overlap', async () => {
    const github = glue('gh', 'p_', random(36));
    expect(await redactSecrets(`token=${github}`)).toEqual({
      text: 'token=[redacted: GitHub token]',
      found: ['GitHub token'],
    });
  });

  describe('tokens known by their form', () => {
    it.each(TOKEN_SAMPLES)('$kind', async ({ text, kind, secret }) => {
      const result = await redactSecrets(`use ${text} here`);
      expect(result.text).toBe(`use [redacted: ${kind}] here`);
      expect(result.text).not.toContain(secret);
    });

    it('finds one at the very start, at the end, and several in a line', async () => {
      const [a, b] = [glue('glp', 'at-', random(20)), glue('AI', 'za', random(35))];
      expect(await redacted(a)).toBe('[redacted: GitLab token]');
      expect(await redacted(`${a},${b};${a}`)).toBe(
        '[redacted: GitLab token],[redacted: Google API key];[redacted: GitLab token]',
      );
    });

    it('finds one in Markdown, in quotes, after an escaped line break, and touching Korean text', async () => {
      const token = glue('gh', 'p_', random(36));
      for (const [before, after] of [
        ['`', '`'],
        ['"', '"'],
        ['**', '**'],
        ['[x](https://a.b/?t=', ')'],
        ['{"log":"first\\n', '\\nlast"}'],
        ['토큰은', '입니다'],
        ['\ud800', '\udc00'],
        ['\0', '\0'],
      ] as const) {
        expect(await redacted(before + token + after)).toBe(`${before}[redacted: GitHub token]${after}`);
      }
    });

    it('finds a private key in JSON, with escapes of escapes, with headers, and cut off', async () => {
      const escaped = pem('RSA PRIVATE KEY', '\\n');
      expect(await redacted(`{"key":"${escaped}\\n","id":1}`)).toBe(
        '{"key":"[redacted: private key]\\n","id":1}',
      );
      expect(await redacted(pem('PRIVATE KEY', '\\\\n'))).toBe('[redacted: private key]');
      const withHeader = pem('RSA PRIVATE KEY', '\n').replace('\n', '\nProc-Type: 4,ENCRYPTED\n\n');
      expect(await redacted(`${withHeader}\nrest`)).toBe('[redacted: private key]\nrest');
      const [head = '', ...lines] = pem('PRIVATE KEY', '\n').split('\n');
      expect(await redacted([head, ...lines.slice(0, 3)].join('\n'))).toBe('[redacted: private key]');
    });

    it('leaves what only resembles one', async () => {
      for (const text of [
        'sk-learn-something-with-a-long-name',
        'the risk-assessment-for-the-next-release is done',
        glue('glp', 'at-', 'x'.repeat(20)),
        glue('gh', 'p_', 'x'.repeat(36)),
        glue('AK', 'IA', 'IOSFODNN7EXAMPLE'),
        jwt({ typ: 'no algorithm' }),
        '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
        'a file that starts with -----BEGIN PRIVATE KEY----- is a key',
      ]) {
        expect(await redactSecrets(text)).toEqual({ text, found: [] });
      }
    });
  });

  describe('authorization', () => {
    it.each([
      ['Authorization: Bearer abc123def', 'Authorization: Bearer [redacted: bearer token]'],
      [`-H "authorization: bearer ${random(30)}"`, '-H "authorization: bearer [redacted: bearer token]"'],
      [`use Bearer ${random(30)}.`, 'use Bearer [redacted: bearer token].'],
      [`Authorization: Bearer ${jwt({ alg: 'HS256' })}`, 'Authorization: Bearer [redacted: JWT]'],
      [
        `Authorization: Basic ${Buffer.from('nobody:hunter2').toString('base64')}`,
        'Authorization: Basic [redacted: basic credentials]',
      ],
    ])('%s', async (text, expected) => {
      expect(await redacted(text)).toBe(expected);
    });

    it.each([
      'Bearer authentication is used',
      'bearer tokens expire after an hour',
      'Authorization: Bearer <token>',
      'Authorization: Bearer ${TOKEN}',
      'Authorization: Bearer $TOKEN',
      'Basic authentication is off',
      'basic understanding of OAuth2',
    ])('leaves %s', async (text) => {
      expect(await redacted(text)).toBe(text);
    });
  });

  describe('passwords in URLs', () => {
    const url = (scheme: string, user: string, password: string, rest: string) =>
      glue(scheme, '://', user, ':', password, '@', rest);

    it('takes the password only', async () => {
      expect(await redacted(url('postgres', 'app', 'hunter2', 'db:5432/app'))).toBe(
        url('postgres', 'app', '[redacted: URL password]', 'db:5432/app'),
      );
      expect(await redacted(url('redis', '', 'hunter2', 'cache:6379'))).toBe(
        url('redis', '', '[redacted: URL password]', 'cache:6379'),
      );
      expect(await redacted(url('amqp', 'a', 'p@ss@w', 'mq'))).toBe(
        url('amqp', 'a', '[redacted: URL password]', 'mq'),
      );
    });

    it('takes the user where it is the token, and the token of npm', async () => {
      expect(await redacted(url('https', random(20), 'x-oauth-basic', 'github.com/'))).toBe(
        url('https', '[redacted: token]', 'x-oauth-basic', 'github.com/'),
      );
      expect(await redacted(`//registry.example/:_authToken=${random(36)}`)).toBe(
        '//registry.example/:_authToken=[redacted: npm token]',
      );
    });

    it.each([
      url('scheme', 'user', 'pass', 'host'),
      url('postgres', 'user', 'password', 'localhost/db'),
      url('postgres', '$USER', '${PASSWORD}', 'db'),
      url('mysql', 'root', '<password>', 'db'),
      url('https', 'me', '***', 'example.com'),
      'http://localhost:3000/@scope/name',
      'http://localhost:8080?email=a@b.c',
      'https://example.com/path:with@signs',
    ])('leaves %s', async (text) => {
      expect(await redacted(text)).toBe(text);
    });
  });

  it('takes the secrets of connection strings and keeps the rest', async () => {
    expect(await redacted('Server=db;User Id=sa;Password=Abc!23;Database=x')).toBe(
      'Server=db;User Id=sa;Password=[redacted: password];Database=x',
    );
    expect(await redacted(`AccountName=a;AccountKey=${random(40)}==;EndpointSuffix=x.net`)).toBe(
      'AccountName=a;AccountKey=[redacted: access key];EndpointSuffix=x.net',
    );
  });

  it.each([
    '3f786850e387550fdab836ed7e6dc881de23001b',
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '550e8400-e29b-41d4-a716-446655440000',
    'v1.2.3-beta.1+build.5',
    'src/policy/redact.ts:12',
    'C:\\new\\token\\readme.md',
    'sha512-9y6hH6VvV4eVZgQ5nQd0w0ZkYQdS5Q==',
  ])('leaves identifiers alone: %s', async (text) => {
    expect(await redactSecrets(`see ${text} for it`)).toEqual({ text: `see ${text} for it`, found: [] });
  });

  it('does not let a text switch it off', async () => {
    const token = glue('gh', 'p_', random(36));
    expect(await redacted(`secretlint-disable\n${token}`)).toBe(
      'secretlint-disable\n[redacted: GitHub token]',
    );
    expect(await redacted(`[redacted: ${token}]`)).toBe('[redacted: [redacted: GitHub token]]');
  });
});

describe('redactFields', () => {
  it('redacts strings and arrays of strings and keeps everything else', async () => {
    const pinned = { at: 1 };
    const input = {
      key: 'deploy',
      content: 'password=hunter2',
      tags: ['ops', 'token=abc123def'],
      mixed: [1, 'pwd=hunter2'],
      pinned,
      count: 3,
      missing: undefined,
    };
    const result = await redactFields(input);
    expect(result.fields).toEqual({
      ...input,
      content: 'password=[redacted: password]',
      tags: ['ops', 'token=[redacted: token]'],
      mixed: [1, 'pwd=[redacted: password]'],
    });
    expect(result.fields.pinned).toBe(pinned);
    expect(result.found).toEqual(['password', 'token']);
    expect(input.content).toBe('password=hunter2');
  });
});
