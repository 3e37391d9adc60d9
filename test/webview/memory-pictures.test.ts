import type { Page } from 'playwright-core';
import { AILING, CONTRADICTED, DRAFTS } from './harness/ailing.ts';
import { type Scene, takePictures } from './harness/pictures.ts';

const tab = (panel: Page, at: number) => panel.getByRole('tab').nth(at).click();

const SCENES: readonly Scene[] = [
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

takePictures("pictures of the memory browser's other views", SCENES);
