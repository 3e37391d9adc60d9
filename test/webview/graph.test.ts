import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { GraphCanvas } from '../../webview/memory/graph/graph-canvas.ts';
import { linkedEntries } from './harness/linked.ts';
import { calls, errorsOf, type OpenOptions, PanelHarness, type Setup } from './harness/panel.ts';

let harness: PanelHarness;
beforeAll(async () => {
  harness = await PanelHarness.start();
}, 60_000);
afterEach(() => harness.closePages());
afterAll(() => harness.stop());

const STAR: NonNullable<Setup['entries']> = [
  { id: 'm', key: 'middle', category: 'decision', links: [] },
  { id: 'a', key: 'arrow-keys', category: 'bug', links: ['middle'] },
  { id: 'b', key: 'build-cache', category: 'warning', content: 'See [[middle]].' },
  { id: 'c', key: 'cache-size', category: 'bug', links: ['build-cache'] },
];

const picture = (panel: Page) => panel.getByRole('application', { name: 'Graph of memory' });
const search = (panel: Page) => panel.getByRole('textbox', { name: 'Search the graph' });
const besides = (panel: Page) => panel.getByRole('region', { name: 'Linked entries' }).getByRole('listitem');
const heard = (panel: Page, text: string | RegExp) =>
  panel.getByRole('status').filter({ hasText: text }).first().waitFor({ state: 'attached' });

async function open(setup: Setup, options: OpenOptions = {}): Promise<Page> {
  const panel = await harness.open(setup, { reducedMotion: true, ...options });
  await panel.getByRole('tab', { name: 'Graph' }).click();
  return panel;
}

/** What the picture knows of itself. */
const inspect = (panel: Page) =>
  picture(panel).evaluate((element) => {
    const canvas = element as unknown as GraphCanvas;
    const { x, y, settled } = canvas.layout;
    return { settled, camera: canvas.camera, done: { ...canvas.done }, x: [...x], y: [...y] };
  });

async function settle(panel: Page) {
  await picture(panel).waitFor();
  await expect.poll(async () => (await inspect(panel)).settled, { timeout: 20_000 }).toBe(true);
  return inspect(panel);
}

/** Where a node is on the screen. */
async function whereIs(panel: Page, node: number): Promise<{ x: number; y: number }> {
  const box = await picture(panel).boundingBox();
  const at = await picture(panel).evaluate((element, place) => {
    const canvas = element as unknown as GraphCanvas;
    const { x, y } = canvas.layout;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    // Everything is in view and the few nodes are never shrunk or blown up by more than the camera says.
    const [left, right, top, bottom] = [Math.min(...x), Math.max(...x), Math.min(...y), Math.max(...y)];
    const room = (length: number) => Math.max(length - 56, length / 2, 1);
    const scale = Math.min(
      1.5,
      room(width) / Math.max(right - left, 1),
      room(height) / Math.max(bottom - top, 1),
    );
    return {
      x: ((x[place] as number) - (left + right) / 2) * scale + width / 2,
      y: ((y[place] as number) - (top + bottom) / 2) * scale + height / 2,
    };
  }, node);
  return { x: (box?.x ?? 0) + at.x, y: (box?.y ?? 0) + at.y };
}

describe('the graph', { timeout: 60_000 }, () => {
  it('shows what is linked, and what is not on request', async () => {
    const panel = await open({ count: 3, entries: STAR });
    await panel.getByText('4 entries · 3 links').waitFor();
    await panel.getByText('3 without links').waitFor();
    await panel.getByRole('button', { name: 'Show them' }).click();
    await panel.getByText('7 entries · 3 links').waitFor();
    await panel.getByRole('button', { name: 'Hide them' }).click();
    await panel.getByText('4 entries · 3 links').waitFor();
    expect((await calls(panel, 'memory_map')).map(({ input }) => input)).toEqual([{}, { loners: true }, {}]);
  });

  it('lies still once it is laid out, and paints nothing before that where motion is unwanted', async () => {
    const panel = await open({ count: 0, entries: linkedEntries(300, 0) });
    const { done } = await settle(panel);
    expect(done.frames).toBeGreaterThan(done.paints);
    expect(done.paints).toBeLessThan(8);
    await panel.waitForTimeout(300);
    expect((await inspect(panel)).done.frames).toBe(done.frames);
  });

  it('comes to rest in frames of bounded work where motion is wanted', async () => {
    const panel = await open({ count: 0, entries: linkedEntries(1_000, 0) }, { reducedMotion: false });
    const { done } = await settle(panel);
    expect(done.mostWork).toBeLessThan(150_000);
    expect(done.frames).toBeGreaterThan(60);
    await panel.waitForTimeout(200);
    const { frames } = (await inspect(panel)).done;
    await panel.waitForTimeout(300);
    expect((await inspect(panel)).done.frames).toBe(frames);
  });

  it('is walked through with arrow keys, the Tab key and aloud', async () => {
    const panel = await open({ count: 0, entries: STAR });
    await settle(panel);
    await picture(panel).focus();
    await panel.keyboard.press('Home');
    await heard(panel, /^(middle, decision, linked with (arrow-keys|build-cache), |build-cache, warning, )/);
    await search(panel).fill('middle');
    await search(panel).press('Enter');
    await heard(panel, /^middle, decision, linked with .*arrow-keys/);
    expect((await besides(panel).allTextContents()).map((text) => text.trim()).sort()).toEqual([
      'arrow-keys',
      'build-cache',
    ]);
    await besides(panel).filter({ hasText: 'build-cache' }).getByRole('button').press('Enter');
    await heard(panel, /^build-cache, warning, linked with middle, cache-size/);
    expect(await picture(panel).evaluate((element) => element.matches(':focus'))).toBe(true);
    const reached = new Set<string>();
    for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']) {
      await search(panel).fill('build-cache');
      await search(panel).press('Enter');
      await picture(panel).focus();
      await panel.keyboard.press(key);
      reached.add(
        (
          await panel.getByRole('region', { name: 'Linked entries' }).getByRole('heading').textContent()
        )?.trim() ?? '',
      );
    }
    expect([...reached].sort()).toEqual(['build-cache', 'cache-size', 'middle']);
    await panel.keyboard.press('Escape');
    expect(await besides(panel).count()).toBe(0);
  });

  it('opens an entry beside it, or below it in the side bar, which follows', async () => {
    for (const options of [{ width: 300 }, { width: 1000 }]) {
      const panel = await open(
        { count: 0, entries: STAR, place: options.width > 700 ? 'editor' : 'sidebar' },
        options,
      );
      await settle(panel);
      await search(panel).fill('cache-size');
      await search(panel).press('Enter');
      await picture(panel).focus();
      await panel.keyboard.press('Enter');
      await panel.getByRole('heading', { level: 1, name: 'cache-size' }).waitFor();
      expect(await picture(panel).isVisible()).toBe(true);
      await search(panel).fill('arrow');
      await search(panel).press('Enter');
      await panel.getByRole('heading', { level: 1, name: 'arrow-keys' }).waitFor();
      await panel.getByRole('button', { name: 'Back', exact: true }).click();
      await panel.getByRole('heading', { level: 1 }).waitFor({ state: 'detached' });
      expect(await picture(panel).isVisible()).toBe(true);
    }
  });

  it('opens what is clicked and leaves the keyboard in the picture', async () => {
    const panel = await open({ count: 0, entries: STAR });
    await settle(panel);
    const map = await panel.evaluate(() => window.fakeHost.calls('memory_map').length);
    expect(map).toBe(1);
    const { x, y } = await whereIs(panel, 2);
    await panel.mouse.click(x, y);
    await panel.getByRole('heading', { level: 1 }).waitFor();
    expect(await calls(panel, 'memory_open')).toHaveLength(1);
    expect(await picture(panel).evaluate((element) => element.matches(':focus'))).toBe(true);
  });

  it('is moved by dragging and arrows, and zoomed by wheel, keys and buttons', async () => {
    const panel = await open({ count: 0, entries: STAR });
    await settle(panel);
    const camera = async () => (await inspect(panel)).camera;
    expect(await camera()).toBeNull();
    const box = await picture(panel).boundingBox();
    const [x, y] = [(box?.x ?? 0) + 10, (box?.y ?? 0) + 10];
    await panel.mouse.move(x, y);
    await panel.mouse.down();
    await panel.mouse.move(x + 40, y, { steps: 4 });
    await panel.mouse.up();
    const dragged = await camera();
    expect(dragged).not.toBeNull();
    expect(await calls(panel, 'memory_open')).toEqual([]);
    await picture(panel).focus();
    await panel.keyboard.press('ArrowRight');
    expect((await camera())?.x).toBeGreaterThan(dragged?.x ?? 0);
    const { scale = 0 } = dragged ?? {};
    await panel.keyboard.press('+');
    expect((await camera())?.scale).toBeGreaterThan(scale);
    await panel.keyboard.press('-');
    expect((await camera())?.scale).toBeCloseTo(scale);
    await panel.mouse.move(x, y);
    await panel.mouse.wheel(0, -100);
    await expect.poll(async () => (await camera())?.scale).toBeGreaterThan(scale);
    await panel.getByRole('button', { name: 'Zoom out' }).click();
    await panel.getByRole('button', { name: 'Show everything' }).click();
    expect(await camera()).toBeNull();
  });

  it('keeps its place, its node and its layout when memory changes, and over a reload', async () => {
    const panel = await open({ count: 0, entries: STAR });
    const before = await settle(panel);
    await picture(panel).focus();
    for (const key of ['+', 'Home']) await panel.keyboard.press(key);
    await panel.waitForTimeout(300);
    const { camera } = await inspect(panel);
    await panel.evaluate(() => window.fakeHost.write('a', { key: 'arrow-key' }));
    await expect.poll(async () => (await calls(panel, 'memory_map')).length).toBe(2);
    await panel.waitForTimeout(200);
    expect(await inspect(panel)).toMatchObject({ camera, settled: true });
    const spread = (xs: readonly number[]) => [...xs].sort((a, b) => a - b).map(Math.round);
    expect(spread((await inspect(panel)).x)).toEqual(spread(before.x));
    const node = await panel
      .getByRole('region', { name: 'Linked entries' })
      .getByRole('heading')
      .textContent();
    await panel.evaluate(() => window.fakeHost.write('c', { links: ['middle'] }));
    await expect.poll(async () => (await calls(panel, 'memory_map')).length).toBe(3);
    expect((await settle(panel)).camera).toEqual(camera);
    await panel.reload();
    await settle(panel);
    expect((await inspect(panel)).camera).toEqual(camera);
    expect(
      await panel.getByRole('region', { name: 'Linked entries' }).getByRole('heading').textContent(),
    ).toBe(node);
  });

  it('reads a burst of changes a few times only, one reading at a time', async () => {
    const panel = await open({ count: 0, entries: STAR, delay: 150 });
    await settle(panel);
    for (let n = 0; n < 12; n++) {
      await panel.evaluate(() => window.fakeHost.changed());
      await panel.waitForTimeout(90);
    }
    await panel.waitForTimeout(900);
    const reads = (await calls(panel, 'memory_map')).length;
    expect(reads).toBeGreaterThan(1);
    expect(reads).toBeLessThan(7);
  });

  it('highlights while typing, goes from match to match, and asks all of memory on request', async () => {
    const panel = await open({ count: 2, entries: STAR });
    await settle(panel);
    await search(panel).fill('cache');
    await panel.getByText('2', { exact: true }).waitFor();
    await search(panel).press('Enter');
    await panel.getByText('1/2').waitFor();
    await search(panel).press('Enter');
    await panel.getByText('2/2').waitFor();
    await search(panel).press('Shift+Enter');
    await panel.getByText('1/2').waitFor();
    expect(await calls(panel, 'memory_map')).toHaveLength(1);
    await search(panel).fill('fifteen');
    await panel.getByText('No key in the graph matches.').first().waitFor();
    await panel.getByRole('button', { name: 'Search all of memory' }).click();
    await panel.getByText('1 entry · 0 links').waitFor();
    expect((await calls(panel, 'memory_map')).at(-1)?.input).toEqual({ query: 'fifteen' });
    await search(panel).fill('nothing like it');
    await panel.getByRole('heading', { name: 'Nothing matches.' }).waitFor();
    await panel.getByRole('button', { name: 'Clear search and filters' }).click();
    await panel.getByText('4 entries · 3 links').waitFor();
  });

  it('narrows to a category and what is linked with it', async () => {
    const panel = await open({ count: 0, entries: STAR });
    await settle(panel);
    await panel.getByRole('button', { name: 'decision' }).click();
    await panel.getByText('3 entries · 2 links').waitFor();
    expect(await panel.getByRole('button', { name: 'decision', pressed: true }).count()).toBe(1);
    await panel.getByRole('button', { name: 'pattern' }).click();
    await panel.getByRole('heading', { name: 'Nothing matches.' }).waitFor();
    await panel.getByRole('button', { name: 'pattern' }).click();
    await panel.getByText('4 entries · 3 links').waitFor();
  });

  it('says when it does not show everything, and how to see the rest', async () => {
    const panel = await open({ count: 0, entries: linkedEntries(2_100, 0) });
    await panel.getByText('The 2,000 of 2,100 entries with the most links are shown.').waitFor();
    await panel.getByText(/^2,000 entries · /).waitFor();
  });

  it('says what links are for while there are none', async () => {
    const panel = await open({ count: 4 });
    await panel.getByRole('heading', { name: 'No entries are linked yet.' }).waitFor();
    await panel.getByText('whoever recalls one finds the other').waitFor();
    await panel.getByRole('button', { name: 'Go to the entries' }).click();
    await panel.getByRole('listbox', { name: 'Memory entries' }).waitFor();
    const empty = await open({ count: 0 });
    await empty.getByRole('heading', { name: 'Nothing is remembered yet.' }).waitFor();
  });

  it('shows a failure with its reason, tries again, and keeps the picture it has', async () => {
    const panel = await open({ count: 0, entries: STAR, failing: { memory_map: 'The disk is full.' } });
    await panel.getByRole('alert').getByText('The disk is full.').waitFor();
    await panel.evaluate(() => delete (window.fakeHost.failing as Record<string, string>).memory_map);
    await panel.getByRole('button', { name: 'Retry' }).click();
    await settle(panel);
    await panel.evaluate(() => {
      window.fakeHost.failing.memory_map = 'Busy.';
      window.fakeHost.changed();
    });
    await panel.getByRole('alert').getByText('Busy.').waitFor();
    expect(await picture(panel).isVisible()).toBe(true);
  });

  it('is drawn from untrusted text that stays text', async () => {
    const hostile = [
      '<img src=x onerror=pwned=1>',
      '"><script>pwned=1</script>',
      '{{7*7}} &lt;b&gt;',
      'a\u202eb\u0007',
    ];
    const panel = await open({
      count: 0,
      entries: hostile.map((key, at) => ({ id: `h${at}`, key, links: [hostile[(at + 1) % 4] ?? ''] })),
    });
    await settle(panel);
    await picture(panel).focus();
    for (const key of ['Home', 'PageDown', 'PageDown', 'PageDown']) await panel.keyboard.press(key);
    await panel.getByRole('region', { name: 'Linked entries' }).getByText('a[U+202E]b␇').first().waitFor();
    await heard(panel, /^a\[U\+202E\]b␇, /);
    const page = await panel.evaluate(() => ({
      pwned: 'pwned' in window,
      images: document
        .querySelector('lodeline-memory')
        ?.shadowRoot?.querySelector('memory-graph')
        ?.shadowRoot?.querySelectorAll('img, script').length,
      violations: window.fakeHost.violations.filter(({ directive }) => !directive.startsWith('style-src')),
    }));
    expect(page).toEqual({ pwned: false, images: 0, violations: [] });
    expect(errorsOf(panel)).toEqual([]);
  });
});
