import type { Page } from 'playwright-core';
import { linkedEntries } from './harness/linked.ts';
import type { Setup } from './harness/panel.ts';
import { type Scene, takePictures } from './harness/pictures.ts';

const GRAPH: Setup = { count: 0, entries: linkedEntries(60, 30) };
const canvas = (panel: Page) => panel.locator('lode-graph-canvas');

const SCENES: readonly Scene[] = [
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

function inGraph({ act, ...scene }: Scene): Scene {
  return {
    ...scene,
    act: async (panel) => {
      await panel.getByRole('tab', { name: /Graph|그래프/ }).click();
      // Until it lies still.
      await panel.waitForTimeout(scene.name === 'large' ? 4_000 : 900);
      await act?.(panel);
    },
  };
}

takePictures('pictures of the graph', SCENES.map(inGraph), { widths: [300, 1000], reducedMotion: true });
