import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactSecrets } from '../../../src/policy/redact.ts';
import { ALL_SAMPLES, glue, random } from './secretSamples.ts';

/** Arbitrary UTF-16: NUL, lone surrogates and all. */
const utf16 = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
  .map((units) => String.fromCharCode(...units));

const fragment = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ALL_SAMPLES.map(({ text }) => text)) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...[
        'password',
        'token: ',
        'api_key=',
        'Bearer ',
        '비밀번호',
        'secret="',
        'hunter2',
        'abc123def',
        '://u:',
        '@h',
      ],
      ...[
        '[redacted: ',
        'password]',
        '[redacted: token]',
        '=',
        ':',
        '"',
        "'",
        '`',
        '\\',
        '\\n',
        '\\"',
        ' ',
        '\n',
      ],
      ...[
        '-----BEGIN PRIVATE KEY-----',
        '-----END PRIVATE KEY-----',
        glue('eyJhbGciOi', 'JIUzI1NiJ9'),
        '.',
        '-',
        '_',
      ],
    ),
  },
  { weight: 1, arbitrary: utf16 },
  { weight: 1, arbitrary: fc.string() },
);
const mixture = fc.array(fragment, { maxLength: 14 }).map((parts) => parts.join(''));

describe('redactSecrets', () => {
  it('never throws and leaves its own result alone, whatever the text', async () => {
    await fc.assert(
      fc.asyncProperty(mixture, async (text) => {
        const once = await redactSecrets(text);
        expect(await redactSecrets(once.text)).toEqual({ text: once.text, found: [] });
        if (once.found.length === 0) expect(once.text).toBe(text);
      }),
      { numRuns: 1500, seed: 7 },
    );
  });

  it('takes a secret out of any surroundings that do not touch it', async () => {
    await fc.assert(
      fc.asyncProperty(
        utf16,
        fc.constantFrom(...ALL_SAMPLES),
        utf16,
        async (before, { text, secret }, after) => {
          expect((await redactSecrets(`${before}\n${text}\n${after}`)).text).not.toContain(secret);
        },
      ),
      { numRuns: 500, seed: 7 },
    );
  });

  it('keeps a text without markers as it is', async () => {
    const word = fc.stringMatching(/^[a-zA-Z가-힣]{1,12}[.,;!?]?$/);
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 60 }), async (words) => {
        const text = words.join(' ');
        expect(await redactSecrets(text)).toEqual({ text, found: [] });
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  it('takes a secret of megabytes as a whole', async () => {
    const long = random(1 << 20).repeat(4);
    for (const [before, kind] of [
      ['token=', 'token'],
      ['password: ', 'password'],
      ['Bearer ', 'bearer token'],
      [glue('glp', 'at-'), 'GitLab token'],
    ] as const) {
      const { text } = await redactSecrets(`${before}${long} end`);
      expect(text).toBe(`${kind === 'GitLab token' ? '' : before}[redacted: ${kind}] end`);
    }
  });

  describe('takes time in proportion to the text', () => {
    const hostile: Readonly<Record<string, string>> = {
      prose: 'The retry policy lives in src/worker/sync.ts: three attempts, then the outbox. ',
      'one letter': 'a',
      blanks: ' ',
      backslashes: '\\',
      'escaped tabs': '\\t',
      quotes: 'token="',
      'quotes in quotes': 'token=\'x"',
      heads: 'token=',
      'separated heads': 'password: ',
      secrets: 'password=hunter2 ',
      'npm heads': '_authToken=',
      ampersands: 'token=a&',
      'URL starts': '://a:',
      'URLs inside URLs': '://a:://a:b@',
      'PEM starts': '-----BEGIN PRIVATE KEY-----',
      'PEM starts with a line': `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(64)}\n`,
      'JWT starts': 'eyJ',
      'JWT parts': glue('eyJhbGciOi', '.'),
      bearers: 'bearer ',
      dots: '.',
      Korean: '비밀번호',
      redactions: '[redacted: ',
      'GitLab prefixes': 'glpat-',
      'GitHub prefixes': glue('gh', 'p_'),
      'Slack prefixes': 'xoxb-',
      'Anthropic prefixes': glue('sk-ant-', 'api03-'),
      'SendGrid shapes': `${glue('S', 'G.')}${'a'.repeat(128)}.${'b'.repeat(300)}-`,
      '1Password prefixes': glue('ops', '_eyA'),
    };

    it.each(Object.entries(hostile))(
      '%s',
      async (_name, unit) => {
        const short = await cpuTime(unit, 20_000);
        const long = await cpuTime(unit, 200_000);
        // Ten times the text: linear is about 10, quadratic 100. A floor keeps tiny times from dividing.
        expect(long / Math.max(short, 4)).toBeLessThan(40);
      },
      30_000,
    );

    /** Milliseconds of processor time, the better of two. */
    async function cpuTime(unit: string, length: number): Promise<number> {
      const text = `password ${unit.repeat(Math.ceil(length / unit.length))}!x`;
      let best = Number.POSITIVE_INFINITY;
      for (let run = 0; run < 2; run++) {
        const start = process.cpuUsage();
        await redactSecrets(text);
        const { user, system } = process.cpuUsage(start);
        best = Math.min(best, (user + system) / 1000);
      }
      return best;
    }
  });
});
