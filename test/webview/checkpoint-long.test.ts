/** What the checkpoint panel shows of a session that becomes long, or was left in the middle of something. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CheckpointView, ContextLine, FoldLine } from '../../src/planProtocol.ts';
import { panelMessage } from '../../src/protocol.ts';
import { calls, errorsOf, PanelHarness, posted, type Setup } from './harness/panel.ts';

let harness: PanelHarness;
beforeAll(async () => {
  harness = await PanelHarness.start();
}, 60_000);
afterEach(() => harness.closePages());
afterAll(() => harness.stop());

const CONTEXT: ContextLine = {
  ...{ used: 50_000, window: 200_000, next: 169_000 },
  ...{ strategy: 'summary', compactions: 0, canCompact: true },
};

function fold(block: string, changes: Partial<FoldLine> & { readonly original?: string } = {}): FoldLine {
  return {
    ...{ block, tier: 1, topic: `topic ${block}`, summary: `summary of ${block}` },
    ...{ messages: 4, tokens: 12_400, active: true, ...changes },
  };
}

const open = (checkpoint: Partial<CheckpointView> = {}, setup: Setup = {}) =>
  harness.open({ panel: 'checkpoint', checkpoint, ...setup });
const button = (panel: Page, name: string | RegExp) => panel.getByRole('button', { name });
const status = (panel: Page, text: string) => panel.getByRole('status').getByText(text).waitFor();
const change = (panel: Page, to: Partial<CheckpointView>) =>
  panel.evaluate((value) => {
    Object.assign(window.fakeHost.sessions.checkpoint, value);
    window.fakeHost.changed();
  }, to);
const inputs = async (panel: Page, tool: string) => (await calls(panel, tool)).map(({ input }) => input);

describe('the context meter', { timeout: 30_000 }, () => {
  it('tells what is used, of how much, and what happens next, also to those who do not see it', async () => {
    const panel = await open({ context: { ...CONTEXT, compactions: 2 } });
    const meter = panel.getByRole('meter', { name: 'Context' });
    await meter.waitFor();
    const told = await meter.evaluate((element) => [
      element.getAttribute('aria-valuenow'),
      element.getAttribute('aria-valuemax'),
      element.getAttribute('aria-valuetext'),
    ]);
    expect(told).toEqual([
      '50000',
      '200000',
      '50,000 of 200,000 tokens. Above 169,000 the earlier conversation is summarized.',
    ]);
    await panel.getByText('25%').waitFor();
    await panel.getByText('Summarized 2 times so far.').waitFor();
    const marked = await meter.locator('line').getAttribute('x1');
    expect(Number(marked)).toBeCloseTo(84.5);
    await change(panel, { context: { ...CONTEXT, used: 170_000 } });
    await panel.getByText('With the next request the earlier conversation is summarized.').waitFor();
  });

  it('is calm below three quarters, and says that requests will fail only where they will', async () => {
    const off = { ...CONTEXT, strategy: 'off', next: null } as const;
    const panel = await open({ context: { ...off, used: 149_999 } });
    await panel.getByText('Compaction is off.').waitFor();
    expect(await panel.locator('.meter.high').count()).toBe(0);
    await change(panel, { context: { ...off, used: 150_000 } });
    await panel.getByText(/once the window is full, requests fail/).waitFor();
    expect(await panel.locator('.meter.high').count()).toBe(1);
    await change(panel, { context: { ...CONTEXT, used: 10_000_000 } });
    await panel.getByText('100%').waitFor();
    expect(await panel.getByRole('meter').getAttribute('aria-valuenow')).toBe('200000');
  });

  it('draws nothing where nobody says how much fits, and is not there where nobody counted', async () => {
    const panel = await open({ context: { ...CONTEXT, window: null } });
    await panel.getByText('50,000 tokens in use. How many fit is not known.').waitFor();
    expect(await panel.getByRole('meter').count()).toBe(0);
    await change(panel, { context: null });
    await panel.getByText('Context', { exact: true }).waitFor({ state: 'detached' });
    await panel.getByRole('heading', { name: 'No checkpoint is set.' }).waitFor();
  });

  it('has the conversation compacted where that can be, by the editor', async () => {
    const panel = await open({ context: CONTEXT });
    await button(panel, 'Compact Now').press('Enter');
    await expect.poll(() => posted(panel, 'compact')).toEqual([{ type: 'compact', session: 's1' }]);
    expect(panelMessage.safeParse((await posted(panel, 'compact'))[0]).success).toBe(true);
    const folding = { ...CONTEXT, strategy: 'folding', canCompact: false } as const;
    await change(panel, { context: folding });
    await panel.getByText('The agent folds parts that are finished as it fills up.').waitFor();
    expect(await button(panel, 'Compact Now').count()).toBe(0);
    const foreign = await open({ context: CONTEXT }, { trusted: false });
    await foreign.getByRole('meter').waitFor();
    expect(await button(foreign, 'Compact Now').count()).toBe(0);
  });

  it('tells of the managed model only while it is on, and turns it off', async () => {
    const panel = await open({ managed: true });
    await button(panel, 'Turn Off').press('Enter');
    await expect.poll(() => posted(panel, 'turnOffManagedModel')).toEqual([{ type: 'turnOffManagedModel' }]);
    await change(panel, { managed: false });
    await panel.getByText(/managed model/).waitFor({ state: 'detached' });
  });
});

describe('the folded parts', { timeout: 30_000 }, () => {
  it('are listed newest first and unfold by keyboard to summary and original', async () => {
    const original = '# topic b1\n\nuser: a < b & c';
    const panel = await open({ folds: [fold('b1', { original } as never), fold('b2', { tier: 2 })] });
    const heads = panel.locator('lode-folds .head');
    await heads.first().waitFor();
    expect(
      await heads.evaluateAll((all) => all.map((each) => each.textContent?.match(/topic b\d/)?.[0])),
    ).toEqual(['topic b2', 'topic b1']);
    await button(panel, /topic b2.*Tier 2.*12,400 tokens/).waitFor();
    await button(panel, /topic b1/).press('Enter');
    await panel.getByText('b1 · 4 messages · 12,400 tokens').waitFor();
    await panel.getByText('summary of b1').waitFor();
    await button(panel, 'Show original').press('Enter');
    const region = panel.getByRole('region', { name: 'Original' });
    expect(await region.locator('.text').textContent()).toBe(original);
    await panel.keyboard.press('Shift+Tab');
    await region.and(panel.locator(':focus')).waitFor();
    await button(panel, 'Hide original').click();
    await region.waitFor({ state: 'detached' });
    expect(await inputs(panel, 'fold_show')).toEqual([{ session: 's1', block: 'b1' }]);
  });

  it('are reopened after a question, which Escape answers with no', async () => {
    const panel = await open({ folds: [fold('b1')] });
    await button(panel, /topic b1/).press('Enter');
    await button(panel, 'Reopen…').press('Enter');
    await panel
      .getByRole('alertdialog')
      .getByText(/takes up about 12,400 tokens/)
      .waitFor();
    await button(panel, 'Keep it folded').and(panel.locator(':focus-within, :focus')).waitFor();
    await panel.keyboard.press('Escape');
    await button(panel, 'Reopen…').and(panel.locator(':focus')).waitFor();
    expect(await inputs(panel, 'fold_reopen')).toEqual([]);
    await button(panel, 'Reopen…').press('Enter');
    await button(panel, 'Reopen it').click();
    await status(panel, 'Reopened. From its next request on the agent sees this part in full.');
    expect(await inputs(panel, 'fold_reopen')).toEqual([{ session: 's1', block: 'b1' }]);
    await button(panel, /topic b1.*Not in use/)
      .and(panel.locator(':focus'))
      .waitFor();
    await panel.getByText('It was reopened, or folded again together with others.').waitFor();
    expect(await button(panel, 'Reopen…').count()).toBe(0);
  });

  it('say why an original cannot be shown or a part not be reopened, and stay', async () => {
    const failing = { fold_show: 'The file is sealed.', fold_reopen: 'This part is not folded any more.' };
    const panel = await open({ folds: [fold('b1')] }, { failing });
    await button(panel, /topic b1/).click();
    await button(panel, 'Show original').click();
    await panel.getByRole('alert').getByText('The file is sealed.').waitFor();
    await button(panel, 'Reopen…').click();
    await button(panel, 'Reopen it').click();
    await status(panel, 'This part is not folded any more.');
    await button(panel, 'Reopen…').waitFor();
  });

  it('stay unfolded when the panel reloads, and only those of their session', async () => {
    const row = (id: string) => ({ id, title: `chat ${id}`, source: 'lodeline', live: false, lastActive: 1 });
    const panel = await open({ folds: [fold('b1')], sessions: [row('s1'), row('s2')] });
    await button(panel, /topic b1/).click();
    await panel.getByText('summary of b1').waitFor();
    await panel.waitForTimeout(250);
    await panel.reload();
    await panel.getByText('summary of b1').waitFor();
    await panel.getByRole('combobox', { name: 'Session' }).click();
    await panel.getByRole('option', { name: /chat s2/ }).click();
    await button(panel, /topic b1/)
      .and(panel.locator('[aria-expanded=false]'))
      .waitFor();
  });

  it('offer nothing that writes where the folder is not trusted', async () => {
    const panel = await open({ folds: [fold('b1')] }, { trusted: false });
    await button(panel, /topic b1/).click();
    await button(panel, 'Show original').waitFor();
    expect(await button(panel, 'Reopen…').count()).toBe(0);
  });
});

describe('a session that was left in the middle of a call', { timeout: 30_000 }, () => {
  const unknowns = [
    { id: 'call_1', name: 'edit', announced: 'I change the limit.' },
    { id: 'call_2', name: 'run', announced: '' },
  ];

  it('asks about each call, by keyboard, and takes the answer', async () => {
    const panel = await open({ unknowns, context: CONTEXT });
    const edit = panel.getByRole('group', { name: 'It is not known whether “edit” took effect.' });
    await panel.getByText('I change the limit.').waitFor();
    await edit.getByRole('button', { name: 'It succeeded' }).press('Enter');
    await status(panel, 'Noted. The agent is told.');
    await edit.waitFor({ state: 'detached' });
    // The focus goes on to the next one.
    await panel.locator('lode-questions:focus-within').waitFor();
    await button(panel, 'Still unknown').press('Enter');
    await panel.getByText('Left in the middle of a call').waitFor({ state: 'detached' });
    await panel.locator('lode-context:focus-within').waitFor();
    expect(await inputs(panel, 'session_acknowledge')).toEqual([
      { session: 's1', calls: [{ id: 'call_1', finding: 'succeeded' }] },
      { session: 's1', calls: [{ id: 'call_2', finding: 'unknown' }] },
    ]);
  });

  it('keeps the question when the answer is refused', async () => {
    const failing = { session_acknowledge: 'There is no open question about this call any more.' };
    const panel = await open({ unknowns }, { failing });
    await button(panel, 'It did not').first().click();
    await status(panel, 'There is no open question about this call any more.');
    await panel.getByText('It is not known whether “edit” took effect.').waitFor();
  });

  it('names settings that are looser, and lets them count', async () => {
    const looser = [{ key: 'task.run.mode', counts: '"never"', says: '"ask"' }];
    const panel = await open({ looser });
    await panel.getByText('"never" → "ask"').waitFor();
    await button(panel, 'Let the new values count').press('Enter');
    await panel.getByText('task.run.mode').waitFor({ state: 'detached' });
    expect(await inputs(panel, 'session_acknowledge')).toEqual([
      { session: 's1', settings: ['task.run.mode'] },
    ]);
  });

  it('is only shown where the folder is not trusted', async () => {
    const panel = await open(
      { unknowns, looser: [{ key: 'k', counts: '1', says: '2' }] },
      { trusted: false },
    );
    await panel.getByText('It is not known whether “edit” took effect.').waitFor();
    expect(await button(panel, /It succeeded|It did not|Still unknown|Let the/).count()).toBe(0);
  });
});

describe('what agents wrote', { timeout: 30_000 }, () => {
  it.each([
    ['markup', '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>'],
    ['deceiving characters', 'photo\u202egpj.exe \u001b[31mred\u0000'],
    ['half a pair', 'x\ud83dy 👩‍💻'],
    ['a long word', 'w'.repeat(5_000)],
    ['our own tags', '<noa-ref id="m00001" tokens="1"/> <b3>'],
  ])('is shown as text, within its width: %s', async (_, text) => {
    const panel = await open({
      context: CONTEXT,
      folds: [
        fold('b1', { topic: text, summary: text, original: text } as never),
        fold('b2', { topic: ' ' }),
      ],
      unknowns: [{ id: text, name: text, announced: text }],
      looser: [{ key: text, counts: text, says: text }],
    });
    await panel.locator('lode-folds .head').last().click();
    await button(panel, 'Show original').click();
    await panel.getByRole('region', { name: 'Original' }).waitFor();
    const found = await panel.evaluate(() => {
      const foreign: string[] = [];
      const walk = (root: Document | ShadowRoot) => {
        for (const element of root.querySelectorAll('*')) {
          if (/^(img|a|iframe|object|embed|form|b3|noa-ref)$/.test(element.localName))
            foreign.push(element.outerHTML);
          const box = element.getBoundingClientRect();
          if (box.width > 0 && box.right > innerWidth + 1 && element.localName !== 'bdi')
            foreign.push(`${element.localName}.${element.getAttribute('class')}`);
          if (element.shadowRoot !== null) walk(element.shadowRoot);
        }
      };
      walk(document);
      const policy = window.fakeHost.violations.filter(({ directive }) => !directive.startsWith('style-src'));
      return {
        foreign: foreign.filter((name) => !name.includes('visually-hidden')),
        pwned: 'pwned' in window,
        policy,
      };
    });
    expect(found).toEqual({ foreign: [], pwned: false, policy: [] });
    expect(errorsOf(panel)).toEqual([]);
    await button(panel, 'It succeeded').click();
    expect((await inputs(panel, 'session_acknowledge')).length).toBe(1);
  });
});
