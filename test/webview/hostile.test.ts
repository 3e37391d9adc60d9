import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { errorsOf, PanelHarness } from './harness/panel.ts';

let harness: PanelHarness;
beforeAll(async () => {
  harness = await PanelHarness.start();
}, 60_000);
afterEach(() => harness.closePages());
afterAll(() => harness.stop());

const HOSTILE: readonly (readonly [string, string])[] = [
  ['markup', '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>'],
  ['a command link', '[run](command:workbench.action.terminal.new) ](command:x) <a href="command:x">x</a>'],
  ['ANSI', '\u001b[31mred\u001b[0m\u0000'],
  ['a reversed line', 'photo\u202egpj.exe'],
  ['emoji', '👩‍💻 🏴‍☠️'],
  ['half a pair', 'x\ud83dy'],
  ['decomposed Hangul', '한글 메모'.normalize('NFD')],
  ['a template', '{{window.pwned=1}} </div>'],
];

describe('text from agents', { timeout: 30_000 }, () => {
  it.each(HOSTILE)('is shown as text: %s', async (_, text) => {
    const panel = await harness.open({
      count: 2,
      entries: [
        {
          id: 'x',
          key: text,
          content: `${text} [[${text.replace(/[[\]]/g, '')}]]`,
          tags: [text],
          links: [text],
          file: text,
          source: text,
          reason: text,
          status: 'active',
          revisions: [{ text, at: 0, actor: 'agent', source: text, addition: true }],
        },
      ],
      notices: [text],
    });
    await panel.getByRole('option').nth(0).waitFor();
    await panel.getByRole('option').nth(0).click();
    await panel.getByRole('heading', { level: 1 }).waitFor();
    await panel.getByRole('button', { name: 'Forget', exact: true }).click();
    await panel.getByRole('button', { name: 'Undo' }).click();
    await panel.getByRole('button', { name: 'Edit', exact: true }).click();
    await panel.getByRole('textbox', { name: 'Content' }).waitFor();
    const page = await panel.evaluate(() => {
      const foreign: string[] = [];
      const walk = (root: Document | ShadowRoot | Element) => {
        for (const element of root.querySelectorAll('*')) {
          if (/^(img|a|iframe|object|embed|form|video|audio)$/.test(element.localName))
            foreign.push(element.outerHTML);
          if (element.localName === 'script' && element.getRootNode() !== document)
            foreign.push(element.outerHTML);
          if (element.shadowRoot !== null) walk(element.shadowRoot);
        }
      };
      walk(document);
      return {
        foreign,
        pwned: 'pwned' in window,
        violations: window.fakeHost.violations.filter(({ directive }) => !directive.startsWith('style-src')),
      };
    });
    expect(page).toEqual({ foreign: [], pwned: false, violations: [] });
    expect(errorsOf(panel)).toEqual([]);
  });

  it('shows deceiving characters for what they are', async () => {
    const panel = await harness.open({
      count: 0,
      entries: [{ id: 'x', key: 'photo\u202egpj.exe', content: '\u001b[31mred' }],
    });
    await panel.getByRole('option', { name: /photo\[U\+202E\]gpj\.exe/ }).click();
    await panel.getByText('␛[31mred').waitFor();
  });

  it('keeps what it cannot show as it is when something else is edited', async () => {
    const content = 'x\ud83dy\u001b\u202e';
    const panel = await harness.open({ count: 0, entries: [{ id: 'x', key: 'k', content }] });
    await panel.getByRole('option').first().click();
    await panel.getByRole('button', { name: 'Edit', exact: true }).click();
    await panel.getByRole('textbox', { name: 'File' }).fill('a.ts');
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.getByRole('status').getByText('Saved.').waitFor();
    expect(await panel.evaluate(() => window.fakeHost.calls('memory_edit').at(-1)?.input)).toEqual({
      key: 'x',
      file: 'a.ts',
    });
  });

  it('is shown by its first 20,000 characters until all is asked for', async () => {
    const panel = await harness.open({
      count: 0,
      entries: [{ id: 'x', key: 'k', content: `${'0123456789'.repeat(10_000)}END` }],
    });
    await panel.getByRole('option').first().click();
    const text = panel.locator('lode-text .text');
    await text.waitFor();
    expect((await text.textContent())?.length).toBe(20_000);
    await panel.getByRole('button', { name: 'Show all (100,003 characters)' }).click();
    await panel.waitForFunction(() =>
      document
        .querySelector('lodeline-memory')
        ?.shadowRoot?.querySelector('lode-entry')
        ?.shadowRoot?.querySelector('lode-text')
        ?.shadowRoot?.textContent?.includes('END'),
    );
    await panel.getByRole('button', { name: 'Edit', exact: true }).click();
    expect((await panel.getByRole('textbox', { name: 'Content' }).inputValue()).length).toBe(100_003);
  });
});
