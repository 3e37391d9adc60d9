/**
 * A person acts on every level at once. What becomes of each must not depend on what is above it, or whoever works
 * there would see that there is something.
 */
import { describe, expect, test } from 'vitest';
import { DAY, openTestTools } from '../support/folder.ts';

type Tools = ReturnType<typeof openTestTools>;

const person = {
  actor: 'person',
  door: 'palette',
  level: 'RESTRICTED',
  approve: async () => 'approved' as const,
} as const;
const high = { level: 'CONFIDENTIAL', session: 'high' } as const;

/** What sessions of the lowest level see of two folders, one of them with something above it, after the same acts. */
async function seen(
  below: (tools: Tools) => Promise<unknown>,
  above: (tools: Tools) => Promise<unknown>,
  act: (tools: Tools) => Promise<unknown>,
) {
  const looks = [true, false].map(async (isAbove) => {
    const tools = openTestTools();
    await below(tools);
    if (isAbove) await above(tools);
    await act(tools);
    const entries = await tools.store.exportAll({ level: 'PUBLIC' });
    return entries.map(({ key, status, reason, content, tags }) => ({ key, status, reason, content, tags }));
  });
  return Promise.all(looks);
}

const saving =
  (texts: Readonly<Record<string, string>>, as: object = {}) =>
  async ({ call, clock }: Tools) => {
    for (const [key, content] of Object.entries(texts)) {
      clock.time += 1_000;
      const { isError, text } = await call('memory_remember', { category: 'knowledge', key, content }, as);
      expect(isError, text).toBeFalsy();
    }
  };
const drafts =
  (texts: Readonly<Record<string, string>>, level: 'PUBLIC' | 'CONFIDENTIAL' = 'PUBLIC') =>
  async ({ store }: Tools) => {
    for (const [key, content] of Object.entries(texts))
      await store.remember(
        { category: 'knowledge', key, content, draft: { confidence: level === 'PUBLIC' ? 0.8 : 0.9 } },
        { actor: 'agent', level, source: 'copilot', session: `s-${level}`, branch: 'main' },
      );
  };
const doing =
  (tool: string, input: object = {}) =>
  async ({ call, clock }: Tools) => {
    clock.time += tool === 'memory_archive' ? 60 * DAY : 0;
    const { isError, text } = await call(tool, input, person);
    expect(isError, text).toBeFalsy();
  };
const zod = { 'zod-one': 'Use Zod at every boundary', 'zod-two': 'Use Zod at every boundary' };
const react = { 'react-18': 'React 18 renders the page', 'react-19': 'React 19 renders the page' };

describe.each([
  ['archiving', saving({ old: 'an old word', new: 'a new word' }), doing('memory_archive')],
  ['merging what is identical', saving(zod), doing('memory_consolidate', { mode: 'identical' })],
  ['merging what is similar', saving(zod), doing('memory_consolidate', { mode: 'similar', dryRun: false })],
  ['retiring versions', saving(react), doing('memory_consolidate', { mode: 'versions', dryRun: false })],
  [
    'archiving what is poor',
    saving(zod),
    doing('memory_consolidate', { mode: 'low-quality', minQuality: 1, dryRun: false }),
  ],
  ['promoting drafts', drafts({ 'zod-one': 'Use Zod' }), doing('memory_promote', { dryRun: false })],
  [
    'merging sessions',
    drafts({ 'zod-one': 'Use Zod at every boundary' }),
    doing('memory_merge_sessions', { promote: true }),
  ],
] as const)('%s', (_, below, act) => {
  const shadows = saving(
    { old: 'hidden', 'zod-one': 'hidden', 'zod-two': 'secret', 'react-18': 'quiet', 'react-19': 'still' },
    high,
  );

  test('does to an entry what it would do if none above shadowed it', async () => {
    const [one, other] = await seen(below, shadows, act);
    expect(one).toEqual(other);
  });

  test('goes by no entry above', async () => {
    const likeIt = saving(
      { ...zod, newest: 'Use Zod at every boundary', 'react-20': 'React 20 renders the page' },
      high,
    );
    const [one, other] = await seen(below, likeIt, act);
    expect(one).toEqual(other);
  });

  test('makes no room for what is above', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 120 }, (_each, at) => [`d-${at}`, `word${at} other${at}`]),
    );
    const [one, other] = await seen(below, drafts(many, 'CONFIDENTIAL'), act);
    expect(one).toEqual(other);
  });
});
