import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import { describe, expect, it, vi } from 'vitest';
import { redactSecrets } from '../../../src/policy/redact.ts';
import { asciiViewOf, viewOf } from '../../../src/policy/redactKinds.ts';
import { findWithSecretlint } from '../../../src/policy/redactSecretlint.ts';
import { maySuitSecretlint } from '../../../src/policy/redactTokens.ts';
import { glue, random, SECRETLINT_SAMPLES } from './secretSamples.ts';

const loads = vi.hoisted(() => ({ runs: 0 }));
vi.mock('../../../src/policy/redactSecretlint.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../../src/policy/redactSecretlint.ts')>();
  return {
    findWithSecretlint: (content: string) => {
      loads.runs++;
      return original.findWithSecretlint(content);
    },
  };
});

/** Rules of the preset that we do not run; our own take their place. */
const OURS = ['basicauth', 'database-connection-string', 'gcp'];

const samples = Object.entries(SECRETLINT_SAMPLES).flatMap(([rule, list]) =>
  list.map((sample, i) => ({ rule, i, ...sample })),
);

describe("secretlint's recommended preset", () => {
  it('has a sample here for each of its rules', () => {
    const ids = rules.map((rule) => rule.meta.id.replace('@secretlint/secretlint-rule-', ''));
    expect(ids.filter((id) => id !== 'filter-comments').sort()).toEqual(
      Object.keys(SECRETLINT_SAMPLES).sort(),
    );
  });

  it.each(samples)('catches what $rule catches ($i)', async ({ rule, text, kind, secret }) => {
    const inText = `note:\n${text}\nend`;
    if (!OURS.includes(rule)) {
      // The sample is one for secretlint too, and the cheap test lets it through.
      expect((await findWithSecretlint(inText)).map((span) => span.kind)).toContain(kind);
      expect(maySuitSecretlint(asciiViewOf(viewOf(inText)))).toBe(true);
    }
    const result = await redactSecrets(inText);
    expect(result.found).toContain(kind);
    expect(result.text).not.toContain(secret);
    expect(result.text.startsWith('note:\n') && result.text.endsWith('\nend')).toBe(true);
  });

  it('is not loaded for a text without its markers', async () => {
    loads.runs = 0;
    await redactSecrets(
      'The task list lives in src/disk-usage.ts; password=hunter2; see https://a.dev/x?y=z.',
    );
    expect(loads.runs).toBe(0);
    await redactSecrets(glue('gh', 'p_', random(36)));
    expect(loads.runs).toBeGreaterThan(0);
  });

  it('finds a secret anywhere in a text of megabytes', async () => {
    const token = glue('gh', 'p_', random(36));
    const filler = 'The retry policy lives in src/worker. '.repeat(6_900); // just over one window
    for (const at of [0, 262_130, filler.length]) {
      const text = `${filler.slice(0, at)} ${token} ${filler.slice(at)}`;
      expect((await redactSecrets(text)).text).toBe(
        `${filler.slice(0, at)} [redacted: GitHub token] ${filler.slice(at)}`,
      );
    }
  });
});
