/** Takes pictures of the graph for a person to look at: LODELINE_LOOKS names the folder; else nothing runs. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { linkedEntries } from './harness/linked.ts';
import { PanelHarness, type Setup } from './harness/panel.ts';
import type { Theme } from './harness/themes.ts';

const folder = process.env.LODELINE_LOOKS ?? '';

const GRAPH: Setup = { count: 0, entries: linkedEntries(60, 30) };
const canvas = (panel: Page) => panel.locator('lode-graph-canvas');

const SCENES: readonly { name: string; setup: Setup; act?(panel: Page): Promise<void> }[] = [
  { name: 'graph', setup: GRAPH },
  {
    name: 'node',
    setup: GRAPH,
    act: async (panel) => {
      await canvas(panel).focus();
      await panel.keyboard.press('Home');
    },
  },
  {
    name: 'open',
    setup: GRAPH,
    act: async (panel) => {
      await canvas(panel).focus();
      for (const key of ['Home', 'Enter']) await panel.keyboard.press(key);
    },
  },
  {
    name: 'search',
    setup: GRAPH,
    act: async (panel) => {
      await panel.getByRole('textbox', { name: /graph|그래프/ }).fill('cache');
      await panel.keyboard.press('Enter');
    },
  },
  {
    name: 'missed',
    setup: GRAPH,
    act: (panel) => panel.getByRole('textbox', { name: /graph|그래프/ }).fill('nothing like it'),
  },
  { name: 'large', setup: { count: 0, entries: linkedEntries(2_400, 0) } },
  { name: 'unlinked', setup: { count: 12 } },
];

describe.skipIf(folder === '')('pictures of the graph', () => {
  let harness: PanelHarness;
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    harness = await PanelHarness.start();
  }, 60_000);
  afterAll(() => harness.stop());

  const strings = JSON.parse(readFileSync(new URL('../../webview/strings.ko.json', import.meta.url), 'utf8'));
  const runs: readonly { theme: Theme; width: number; locale: string }[] = (
    ['dark', 'light', 'hc'] as const
  ).flatMap((theme) =>
    [300, 1000].flatMap((width) => ['en', 'ko'].map((locale) => ({ theme, width, locale }))),
  );
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
          { theme, width, reducedMotion: true },
        );
        await panel.getByRole('tab', { name: /Graph|그래프/ }).click();
        await panel.waitForTimeout(name === 'large' ? 4_000 : 900);
        await act?.(panel);
        await panel.waitForTimeout(500);
        await panel.screenshot({ path: join(folder, `${theme}-${width}-${locale}-${name}.png`) });
        await harness.closePages();
      }
    },
    180_000,
  );
});
