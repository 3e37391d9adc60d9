/** Takes pictures of the memory browser's other views for a person to look at: LODELINE_PICTURES names the folder. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { AILING, CONTRADICTED, DRAFTS } from './harness/ailing.ts';
import { PanelHarness, type Setup } from './harness/panel.ts';
import type { Theme } from './harness/themes.ts';

const folder = process.env.LODELINE_PICTURES ?? '';

const tab = (panel: Page, at: number) => panel.getByRole('tab').nth(at).click();

const SCENES: readonly { name: string; setup: Setup; act(panel: Page): Promise<unknown> }[] = [
  { name: 'health', setup: { count: 40, ...AILING }, act: (panel) => tab(panel, 2) },
  { name: 'healthy', setup: { count: 40 }, act: (panel) => tab(panel, 2) },
  {
    name: 'health-preview',
    setup: { count: 40, ...AILING },
    act: async (panel) => {
      await tab(panel, 2);
      await panel
        .getByRole('button', { name: /^(Merge…|병합…):/ })
        .first()
        .click();
    },
  },
  { name: 'drafts', setup: { count: 40, care: { drafts: DRAFTS } }, act: (panel) => tab(panel, 3) },
  {
    name: 'drafts-edit',
    setup: { count: 40, care: { drafts: DRAFTS } },
    act: async (panel) => {
      await tab(panel, 3);
      await panel.getByRole('button', { name: /^(Preview promotion|승격 미리 보기)$/ }).click();
      await panel
        .getByRole('button', { name: /^(Edit…|편집…):/ })
        .nth(1)
        .click();
    },
  },
  {
    name: 'archive',
    setup: { count: 240 },
    act: async (panel) => {
      await tab(panel, 4);
      await panel.getByRole('button', { name: /^(Archive old entries…|오래된 항목 보관…)$/ }).click();
    },
  },
  {
    name: 'conflicts',
    setup: { count: 12, entries: CONTRADICTED },
    act: async (panel) => {
      await tab(panel, 2);
      await panel.getByRole('button', { name: /^(Review|검토)$/ }).click();
      await panel
        .getByRole('button', { name: /^(Merge…|병합…)$/ })
        .first()
        .click();
    },
  },
  {
    name: 'revisions',
    setup: { count: 12, entries: CONTRADICTED, show: { view: 'entry', id: 'retry' } },
    act: async (panel) => {
      await panel
        .getByRole('button', { name: /^(Compare|.*비교)/ })
        .first()
        .click();
      await panel.locator('summary').click();
      await panel
        .getByRole('button', { name: /^(Compare|.*비교)/ })
        .nth(1)
        .click();
    },
  },
  {
    name: 'merge',
    setup: { count: 12 },
    act: async (panel) => {
      const list = panel.getByRole('listbox', { name: /Memory entries|메모리/ });
      await list.focus();
      for (const key of ['Space', 'ArrowDown', 'Space']) await list.press(key);
      await panel.getByRole('button', { name: /^(Merge…|병합…)$/ }).click();
    },
  },
];

describe.skipIf(folder === '')('pictures of the other views', () => {
  let harness: PanelHarness;
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    harness = await PanelHarness.start();
  }, 60_000);
  afterAll(() => harness.stop());

  const strings = JSON.parse(
    readFileSync(new URL('../../l10n/bundle.l10n.ko.json', import.meta.url), 'utf8'),
  );
  const runs: readonly { theme: Theme; width: number; locale: string }[] = [
    { theme: 'dark', width: 300, locale: 'en' },
    { theme: 'light', width: 900, locale: 'en' },
    { theme: 'hc', width: 300, locale: 'en' },
    { theme: 'light', width: 300, locale: 'ko' },
    { theme: 'dark', width: 900, locale: 'ko' },
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
        await panel.waitForTimeout(200);
        await act(panel);
        await panel.waitForTimeout(350);
        await panel.screenshot({ path: join(folder, `${theme}-${width}-${locale}-${name}.png`) });
        await harness.closePages();
      }
    },
    120_000,
  );
});
