import type { Page } from 'playwright-core';
import { AILING, CONTRADICTED, DRAFTS } from './harness/ailing.ts';
import type { Setup } from './harness/panel.ts';
import { type Scene, takePictures } from './harness/pictures.ts';

const tab = (panel: Page, at: number) => panel.getByRole('tab').nth(at).click();

const SERVER: NonNullable<Setup['backend']> = {
  kind: 'hindsight',
  server: { url: 'https://memory.example.com', state: 'reachable' },
  banks: [
    { id: 'lodeline', scope: 'tagged', tag: 'project:tidewatch' },
    { id: 'lodeline', scope: 'global' },
  ],
  mentalModels: [
    {
      id: 'a',
      name: 'Project Conventions',
      ours: true,
      text: 'Validate with Zod.\nErrors are never cached.',
    },
    { id: 'b', name: 'Project Decisions', ours: true },
    { id: 'c', name: 'How we review', ours: false, text: 'Two people look at each change.' },
  ],
};
const DOWN: NonNullable<Setup['backend']> = {
  ...SERVER,
  server: {
    ...{ url: 'https://memory.example.com', state: 'unreachable' },
    error: { text: 'connect ECONNREFUSED 10.0.0.7:443', values: [] },
  },
  queue: {
    ...{ waiting: 14, refused: 2, oldest: Date.now() - 600_000, nextTry: Date.now() + 90_000 },
    error: { text: '422: content is too long', values: [] },
  },
};
const unfold = (panel: Page) => panel.locator('lode-backend .fold').click();

const SCENES: readonly Scene[] = [
  { name: 'backend-local', setup: { count: 40 } },
  { name: 'backend-server', setup: { count: 40, backend: SERVER } },
  { name: 'backend-down', setup: { count: 40, backend: DOWN } },
  {
    name: 'backend-open',
    setup: { count: 40, backend: DOWN },
    act: async (panel) => {
      await unfold(panel);
      await panel.locator('lode-backend .model').first().click();
    },
  },
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
