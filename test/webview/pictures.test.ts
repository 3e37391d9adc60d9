/** Takes pictures of the panel for a person to look at: LODELINE_PICTURES names the folder; else nothing runs. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { PanelHarness, type Setup } from './harness/panel.ts';
import type { Theme } from './harness/themes.ts';

const folder = process.env.LODELINE_PICTURES ?? '';

const LONG = {
  id: 'long',
  key: 'retry-policy-for-payments',
  category: 'decision',
  content:
    'Retries use exponential backoff with jitter, at most five times; the payment provider bans clients that hammer it.\n\nSee [[auth-tokens]] for what happens when a token runs out in between, and [[no-such-key]].\n\n  const delay = Math.min(30_000, 200 * 2 ** attempt) * (0.5 + random());',
  confirmed: false,
  pinned: true,
  level: 'CONFIDENTIAL',
  tags: ['payments', 'network', 'resilience'],
  links: ['error-codes'],
  file: 'src/payments/retry.ts:42',
  expires: Date.now() + 86_400_000 * 30,
  revisions: [
    {
      text: 'The provider raised the limit to ten requests a second.',
      at: Date.now() - 3_600_000,
      actor: 'agent',
      source: 'claude-code',
      addition: true,
    },
    {
      text: 'Retries: three times, one second apart.',
      at: Date.now() - 86_400_000 * 9,
      actor: 'person',
      source: 'panel',
      addition: false,
    },
  ],
};

const SCENES: readonly { name: string; setup: Setup; act?(panel: Page): Promise<void> }[] = [
  { name: 'index', setup: { count: 40 } },
  {
    name: 'search',
    setup: { count: 40 },
    act: async (panel) => {
      await panel.getByRole('textbox', { name: /Search|검색/ }).fill('re');
      await panel.getByRole('button', { name: /Filter and sort|필터/ }).click();
    },
  },
  { name: 'empty', setup: { count: 0 } },
  { name: 'error', setup: { failing: { memory_browse: 'The memory worker stopped: out of memory.' } } },
  { name: 'detail', setup: { count: 40, entries: [LONG], show: { view: 'entry', id: 'long' } } },
  {
    name: 'edit',
    setup: { count: 40, entries: [LONG], show: { view: 'entry', id: 'long' } },
    act: async (panel) => panel.getByRole('button', { name: /^(Edit|편집)$/ }).click(),
  },
  {
    name: 'select',
    setup: { count: 40, trusted: true, notices: ['One damaged record was set aside in memory/quarantine.'] },
    act: async (panel) => {
      const list = panel.getByRole('listbox', { name: /Memory|메모리/ });
      await list.focus();
      for (const key of ['Space', 'ArrowDown', 'ArrowDown', 'Space']) await list.press(key);
      await panel.getByRole('button', { name: /^(Pin|고정)$/ }).click();
    },
  },
];

describe.skipIf(folder === '')('pictures', () => {
  let harness: PanelHarness;
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    harness = await PanelHarness.start();
  }, 60_000);
  afterAll(() => harness.stop());

  const strings = JSON.parse(readFileSync(new URL('../../webview/strings.ko.json', import.meta.url), 'utf8'));
  const runs: readonly { theme: Theme; width: number; locale: string }[] = [
    { theme: 'dark', width: 300, locale: 'en' },
    { theme: 'dark', width: 900, locale: 'en' },
    { theme: 'light', width: 300, locale: 'en' },
    { theme: 'light', width: 900, locale: 'en' },
    { theme: 'hc', width: 300, locale: 'en' },
    { theme: 'hc', width: 900, locale: 'en' },
    { theme: 'dark', width: 300, locale: 'ko' },
    { theme: 'light', width: 900, locale: 'ko' },
  ];
  it.each(runs)(
    '$theme $width $locale',
    async ({ theme, width, locale }) => {
      for (const { name, setup, act } of SCENES) {
        const panel = await harness.open(
          {
            ...setup,
            locale,
            strings: locale === 'ko' ? strings : {},
            place: width >= 700 ? 'editor' : 'sidebar',
          },
          { theme, width },
        );
        await panel.waitForTimeout(300);
        await act?.(panel);
        await panel.waitForTimeout(350);
        await panel.screenshot({ path: join(folder, `${theme}-${width}-${locale}-${name}.png`) });
        await harness.closePages();
      }
    },
    90_000,
  );
});
