/** What the panels say of a folder that is encrypted, and of one whose key is not here. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { SealView } from '../../src/protocol.ts';
import { errorsOf, PanelHarness, posted } from './harness/panel.ts';
import { takePictures } from './harness/pictures.ts';

const FILE = '/home/dev/.lodeline/keys/0123abcd.key';
const SEALED: SealView = { state: 'sealed', key: '0123abcd', locked: null };
const LOCKED: SealView = { ...SEALED, locked: { file: FILE, otherGiven: false } };
const PANELS = ['memory', 'todo', 'checkpoint', 'subagents', 'sessions'] as const;

let harness: PanelHarness;
beforeAll(async () => {
  harness = await PanelHarness.start();
}, 60_000);
afterEach(() => harness.closePages());
afterAll(() => harness.stop());

it.each(PANELS)(
  'the %s panel without its key is one page with the next step, and opens again by itself',
  async (panel) => {
    const failing = Object.fromEntries(
      ['memory_browse', 'todo_show', 'checkpoint_show', 'subagents_show', 'sessions_show'].map((tool) => [
        tool,
        'This store is sealed with a key that is not here.',
      ]),
    );
    const page = await harness.open({ panel, seal: LOCKED, failing });
    const title = page.getByRole('heading', { name: 'This folder’s memory is locked' });
    await title.waitFor();
    expect(await page.getByText('Nothing is lost').count()).toBe(1);
    expect(await page.getByText(FILE).count()).toBe(1);
    // What cannot be read is not told of a second time.
    expect(await page.getByText('This store is sealed').count()).toBe(0);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await posted(page, 'enterKey')).toHaveLength(1);
    await page.evaluate(() => {
      for (const tool of Object.keys(window.fakeHost.failing)) delete window.fakeHost.failing[tool];
      window.fakeHost.notices([], null);
    });
    await title.waitFor({ state: 'detached' });
    const there = await page.evaluate(() => window.fakeHost.posted.map(({ tool }) => tool));
    expect(there.filter((tool) => tool === `${panel}_show` || tool === 'memory_browse')).not.toEqual([]);
    await page.waitForTimeout(300);
    expect(await page.getByText('This store is sealed').count()).toBe(0);
    expect(errorsOf(page)).toEqual([]);
  },
);

it('locks a panel that shows something as soon as its key is gone', async () => {
  const page = await harness.open({ count: 3, seal: SEALED });
  await page.getByRole('option').first().waitFor();
  await page.evaluate((seal) => window.fakeHost.notices([], seal), LOCKED);
  await page.getByRole('heading', { name: 'This folder’s memory is locked' }).waitFor();
  expect(await page.getByRole('option').count()).toBe(0);
});

it('says that LODELINE_KEY is another key, and shows no text of a path as anything but text', async () => {
  const locked = { file: '/home/<b>dev</b>\u202e/0123abcd.key', otherGiven: true };
  const page = await harness.open({ seal: { ...SEALED, locked } });
  await page.getByText('LODELINE_KEY is set to another one').waitFor();
  expect(await page.getByText('/home/<b>dev</b>').count()).toBe(1);
  expect(await page.getByText('\u202e').count()).toBe(0);
});

it('asks for no key where nobody can tell which', async () => {
  const page = await harness.open({
    seal: { state: 'sealed', key: '', locked: { file: '', otherGiven: false } },
  });
  await page.getByText('sealing.json').waitFor();
  expect(await page.getByRole('button').count()).toBe(0);
});

it.each([
  ['sealed', 'Encrypted'],
  ['sealing', 'Being encrypted…'],
  ['opening', 'Being decrypted…'],
] as const)('says in one quiet line that a folder is %s', async (state, said) => {
  const page = await harness.open({ count: 3, seal: { ...SEALED, state } });
  const line = page.getByRole('status').filter({ hasText: said });
  await line.waitFor();
  expect(await line.getAttribute('title')).toBe(
    state === 'sealed'
      ? 'Everything Lodeline keeps of this folder is encrypted with the key 0123abcd.'
      : null,
  );
  await page.getByRole('option').first().waitFor();
});

takePictures('pictures of a folder that is encrypted', [
  { name: 'sealed-memory', setup: { count: 40, seal: SEALED } },
  { name: 'sealed-locked', setup: { seal: LOCKED } },
  { name: 'sealed-other-key', setup: { seal: { ...SEALED, locked: { file: FILE, otherGiven: true } } } },
  { name: 'sealed-locked-todo', setup: { panel: 'todo', seal: LOCKED }, height: 300 },
]);
