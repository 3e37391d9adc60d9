/** Pictures of a panel for a person to look at: LODELINE_PICTURES names the folder; without it nothing is taken. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { PanelHarness, type Setup } from './panel.ts';
import type { Theme } from './themes.ts';

export interface Scene {
  readonly name: string;
  readonly setup: Setup;
  /** Of the panel, pixels. */
  readonly height?: number;
  /** What a person does before the picture is taken. */
  act?(panel: Page): Promise<unknown>;
}

export interface PictureOptions {
  /** Of a side bar and of an editor tab, pixels. */
  readonly widths?: readonly [number, number];
  /** Of a scene that says nothing else, pixels. */
  readonly height?: number;
  readonly reducedMotion?: boolean;
}

const folder = process.env.LODELINE_PICTURES ?? '';
const THEMES: readonly Theme[] = ['dark', 'light', 'hc'];
const TAB = 700;
const TIMEOUT_MS = 240_000;

/** Every scene in three themes, two widths and two languages. */
export function takePictures(title: string, scenes: readonly Scene[], options: PictureOptions = {}): void {
  const { widths = [300, 900], ...page } = options;
  describe.skipIf(folder === '')(title, () => {
    let harness: PanelHarness;
    beforeAll(async () => {
      mkdirSync(folder, { recursive: true });
      harness = await PanelHarness.start();
    }, 60_000);
    afterAll(() => harness.stop());

    const korean = JSON.parse(
      readFileSync(new URL('../../../l10n/bundle.l10n.ko.json', import.meta.url), 'utf8'),
    );
    const runs = THEMES.flatMap((theme) =>
      widths.flatMap((width) => ['en', 'ko'].map((locale) => ({ theme, width, locale }))),
    );
    it.each(runs)(
      '$theme $width $locale',
      async ({ theme, width, locale }) => {
        for (const { name, setup, height, act } of scenes) {
          const strings = locale === 'ko' ? korean : {};
          const place = width >= TAB ? 'editor' : 'sidebar';
          const panel = await harness.open(
            { ...setup, locale, strings, place },
            {
              ...{ theme, width, ...page },
              ...(height !== undefined && { height }),
            },
          );
          await panel.waitForTimeout(300);
          await act?.(panel);
          await panel.waitForTimeout(500);
          await panel.screenshot({ path: join(folder, `${name}-${theme}-${width}-${locale}.png`) });
          await harness.closePages();
        }
      },
      TIMEOUT_MS,
    );
  });
}
