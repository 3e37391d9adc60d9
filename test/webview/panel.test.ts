import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { errorsOf, PanelHarness } from './harness/panel.ts';

let harness: PanelHarness;
beforeAll(async () => {
  harness = await PanelHarness.start();
}, 60_000);
afterEach(() => harness.closePages());
afterAll(() => harness.stop());

const list = (panel: Page) => panel.getByRole('listbox', { name: 'Memory entries' });
const search = (panel: Page) => panel.getByRole('textbox', { name: 'Search memory' });

describe('a change elsewhere', { timeout: 30_000 }, () => {
  it('is shown without moving what the person looks at', async () => {
    const panel = await harness.open({ count: 400 });
    await panel.getByRole('option').first().waitFor();
    await list(panel).focus();
    for (let step = 0; step < 4; step++) await list(panel).press('PageDown');
    await list(panel).press('Space');
    const before = await list(panel).evaluate((element) => element.scrollTop);
    const name = await panel.locator('.line.active').getAttribute('aria-label');
    await panel.evaluate(() => {
      const entry = window.fakeHost.entries.get('e0000300');
      window.fakeHost.entries.delete('e0000300');
      const rest = [...window.fakeHost.entries];
      window.fakeHost.entries.clear();
      window.fakeHost.entries.set('e0000300', { ...entry, updated: Date.now(), key: 'moved-up' });
      for (const [id, other] of rest) window.fakeHost.entries.set(id, other);
      window.fakeHost.changed();
    });
    await panel.waitForTimeout(400);
    expect(await list(panel).evaluate((element) => element.scrollTop)).toBe(before);
    expect(await panel.locator('.line.active').getAttribute('aria-label')).toBe(name);
    expect(await panel.locator('.line.selected').getAttribute('aria-label')).toBe(name);
    expect(await panel.evaluate(() => document.activeElement?.localName)).toBe('lodeline-memory');
    await list(panel).press('Home');
    await panel.getByRole('option', { name: /^moved-up/ }).waitFor();
  });

  it('that moves a line never makes a press on it a click on another', async () => {
    const panel = await harness.open({ count: 3 });
    const first = panel.getByRole('option').first();
    const name = String(await first.getAttribute('aria-label'));
    await first.hover();
    await panel.mouse.down();
    await panel.evaluate(() => {
      const rest = [...window.fakeHost.entries];
      window.fakeHost.entries.clear();
      const [, entry] = rest[0] ?? [];
      window.fakeHost.entries.set('new', { ...entry, id: 'new', updated: Date.now(), key: 'just-come' });
      for (const [id, other] of rest) window.fakeHost.entries.set(id, other);
      window.fakeHost.changed();
    });
    await expect.poll(() => first.getAttribute('aria-label')).toMatch(/^just-come/);
    await panel.mouse.up();
    await panel.getByRole('option', { name }).click();
    await panel.getByRole('heading', { level: 1 }).waitFor();
    expect(name).toContain(await panel.getByRole('heading', { level: 1 }).textContent());
  });

  it('updates the entry that is open', async () => {
    const panel = await harness.open({ count: 3, show: { view: 'entry', id: 'e0000001' } });
    await panel.getByText('Access tokens live').waitFor();
    await panel.evaluate(() => window.fakeHost.write('e0000001', { content: 'Rewritten.' }));
    await panel.getByText('Rewritten.').waitFor();
  });
});

describe('the host', { timeout: 30_000 }, () => {
  it('can lead to an entry, a search and the add form', async () => {
    const panel = await harness.open({ count: 20 });
    await panel.getByRole('option').first().waitFor();
    await panel.evaluate(() => window.fakeHost.show({ view: 'entry', id: 'e0000003' }));
    await panel.getByRole('heading', { level: 1, name: 'date-parsing' }).waitFor();
    await panel.evaluate(() => window.fakeHost.show({ view: 'index', query: 'schema' }));
    await panel.getByText('2 entries').first().waitFor();
    await expect.poll(() => search(panel).inputValue()).toBe('schema');
    await panel.evaluate(() => window.fakeHost.show({ view: 'add', content: 'a b' }));
    await panel.getByRole('textbox', { name: 'Content' }).waitFor();
  });

  it('is asked to open the browser in an editor tab', async () => {
    const panel = await harness.open({ count: 3 });
    await panel.getByRole('button', { name: 'Open in editor' }).click();
    expect(await panel.evaluate(() => window.fakeHost.posted.at(-1))).toEqual({ type: 'openInEditor' });
  });
});

describe('hiding and reloading', { timeout: 30_000 }, () => {
  it('bring back query, filters, place in the list and view', async () => {
    const panel = await harness.open({ count: 2_000 });
    await panel.getByRole('option').first().waitFor();
    await search(panel).fill('tokens');
    await panel.getByRole('button', { name: /^Filter and sort/ }).click();
    await panel.getByText('400 entries').first().waitFor();
    await list(panel).evaluate((element) => element.scrollTo(0, 4_800));
    await panel.waitForTimeout(300);
    await panel.reload();
    await panel.getByText('400 entries').first().waitFor();
    await expect.poll(() => search(panel).inputValue()).toBe('tokens');
    await panel.getByRole('combobox', { name: 'Category' }).waitFor();
    await expect.poll(() => list(panel).evaluate((element) => element.scrollTop)).toBe(4_800);
  });

  it('bring back the place in the list after an entry was read', async () => {
    const panel = await harness.open({ count: 500 });
    await panel.getByRole('option').first().waitFor();
    await list(panel).evaluate((element) => element.scrollTo(0, 2_400));
    await panel.getByRole('option', { name: /-105,/ }).click();
    await panel.getByRole('heading', { level: 1 }).waitFor();
    await panel.waitForTimeout(250);
    await panel.reload();
    await panel.getByRole('heading', { level: 1, name: /-105$/ }).waitFor();
    await panel.keyboard.press('Escape');
    await panel.getByRole('button', { name: 'Back' }).click();
    await expect.poll(() => list(panel).evaluate((element) => element.scrollTop)).toBe(2_400);
  });
});

describe('the page', { timeout: 60_000 }, () => {
  it('keeps to the policy but for the two known styles of the toolkit, and raises no error', async () => {
    const panel = await harness.open({
      count: 30,
      entries: [{ id: 'x', key: 'k', content: 'see [[auth-tokens]]' }],
    });
    await panel.getByRole('button', { name: /^Filter and sort/ }).click();
    await panel.getByRole('option', { name: /^k,/ }).click();
    await panel.getByRole('button', { name: 'Edit', exact: true }).click();
    await panel.getByRole('textbox', { name: 'Content' }).waitFor();
    const violations = await panel.evaluate(() =>
      window.fakeHost.violations.map(({ directive }) => directive),
    );
    expect(violations.filter((directive) => !directive.startsWith('style-src'))).toEqual([]);
    expect(violations.length).toBeLessThanOrEqual(2);
    expect(errorsOf(panel)).toEqual([]);
  });

  it('gives every control a name and no two elements of a tree the same id', async () => {
    const panel = await harness.open({
      count: 30,
      notices: ['x'],
      entries: [{ id: 'x', key: 'k', content: 'c', tags: ['a'], links: ['auth-tokens'], file: 'a.ts' }],
    });
    const steps: readonly (() => Promise<void>)[] = [
      () => panel.getByRole('button', { name: /^Filter and sort/ }).click(),
      () => list(panel).press('Space'),
      () => panel.getByRole('button', { name: 'Tag…' }).click(),
      () => panel.getByRole('option', { name: /^k,/ }).click(),
      () => panel.getByRole('button', { name: 'Edit', exact: true }).click(),
    ];
    for (const step of steps) {
      await step();
      await panel.waitForTimeout(150);
      const session = await panel.context().newCDPSession(panel);
      const { nodes } = await session.send('Accessibility.getFullAXTree');
      const controls = nodes.filter(
        ({ ignored, role }) =>
          !ignored &&
          /^(button|textbox|searchbox|checkbox|combobox|listbox|option|link|alertdialog|toolbar)$/.test(
            String(role?.value),
          ),
      );
      expect(controls.length).toBeGreaterThan(3);
      expect(
        controls
          .filter(({ name }) => !name?.value || name.value === 'Text field' || name.value === 'Text area')
          .map(({ role }) => role?.value),
      ).toEqual([]);
      const doubled = await panel.evaluate(() => {
        const found: string[] = [];
        const walk = (root: Document | ShadowRoot) => {
          const ids = new Set<string>();
          for (const element of root.querySelectorAll('*')) {
            if (element.id !== '' && ids.has(element.id)) found.push(element.id);
            ids.add(element.id);
            if (element.shadowRoot !== null) walk(element.shadowRoot);
          }
        };
        walk(document);
        return found;
      });
      expect(doubled).toEqual([]);
    }
  });

  it.each([300, 900])('never scrolls sideways at %i px', async (width) => {
    const panel = await harness.open(
      {
        count: 30,
        place: width > 700 ? 'editor' : 'sidebar',
        entries: [
          {
            id: 'x',
            key: 'a-very-long-key-'.repeat(12),
            content: 'w'.repeat(3_000),
            tags: ['t'.repeat(200)],
            links: ['l'.repeat(200)],
            file: `${'f'.repeat(300)}.ts`,
            confirmed: false,
          },
        ],
      },
      { width },
    );
    const wide = () =>
      panel.evaluate(() => {
        const found: string[] = [];
        const walk = (root: Document | ShadowRoot) => {
          for (const element of root.querySelectorAll('*')) {
            const box = element.getBoundingClientRect();
            if (box.width > 0 && box.right > innerWidth + 1)
              found.push(`${element.localName}.${element.className}`);
            if (element.shadowRoot !== null) walk(element.shadowRoot);
          }
        };
        walk(document);
        // Text inside a line that ends in an ellipsis is wider than what is shown of it.
        return found.filter((name) => !name.includes('visually-hidden') && name !== 'bdi.');
      });
    await panel.getByRole('option').first().waitFor();
    expect(await wide()).toEqual([]);
    await panel.getByRole('button', { name: /^Filter and sort/ }).click();
    expect(await wide()).toEqual([]);
    await panel.getByRole('option', { name: /a-very-long-key/ }).click();
    await panel.getByRole('heading', { level: 1 }).waitFor();
    expect(await wide()).toEqual([]);
    await panel.getByRole('button', { name: 'Edit', exact: true }).click();
    await panel.getByRole('textbox', { name: 'Content' }).waitFor();
    expect(await wide()).toEqual([]);
  });
});
