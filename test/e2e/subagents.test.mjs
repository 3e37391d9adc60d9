// @ts-check
/** Subagents from end to end: a batch from a chat, its panel, review, background jobs and a reloaded window. */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answerConfirmation,
  ask,
  confirmationCard,
  newChat,
  sendPrompt,
  waitForAnswer,
} from './harness/chat.mjs';
import { resizeSidebar, setTheme } from './harness/workbench.mjs';
import {
  batch,
  command,
  edit,
  endless,
  showPanel,
  subagentsPanel,
  worker,
  write,
} from './subagents-support.mjs';
import { open, picture, reloadWindow, shownThemes, turn, writeFiles } from './support.mjs';

/**
 * @typedef {import('./support.mjs').Page} Page
 * @typedef {import('./support.mjs').Run} Run
 */

/** @param {Run} run @param {Page} page */
function helpers(run, page) {
  return {
    ...subagentsPanel(page),
    /** @param {string} name */
    file: async (name) => await readFile(join(run.workspace, name), 'utf8'),
    /** @param {string[]} args */
    git: (...args) => execFileSync('git', args, { cwd: run.workspace, encoding: 'utf8' }),
    /** The newest tool result that the chat's model was shown. */
    result: async () => (await run.requests()).at(-1)?.toolResult?.text ?? '',
  };
}

describe('subagents', () => {
  /** @type {Run} */
  let run;
  /** @type {Page} */
  let page;
  /** @type {ReturnType<typeof helpers>} */
  let at;

  beforeAll(async () => {
    run = await open();
    await writeFiles(run.workspace, { 'old.ts': 'export const old = true;\n' });
    page = await run.editor.openWindow();
    at = helpers(run, page);
    at.git('add', 'old.ts');
    await showPanel(page, ['Memory', 'Todo'], 'Subagents');
  });
  afterAll(async () => await run?.close());

  it('work side by side, land in order, and one that is in another’s way is kept', async () => {
    const tasks = {
      Longer: 'WORK-A: a longer ttl',
      Shorter: 'WORK-B: a shorter ttl',
      Docs: 'WORK-C: write docs',
    };
    await run.script([
      ...turn('Split the work', 'task', batch(tasks, { isolated: true })),
      ...worker('WORK-A', edit('cache.ts', 'ttl = 60', 'ttl = 90'), 'It is longer now.', { delay: 900 }),
      ...worker('WORK-B', edit('cache.ts', 'ttl = 60', 'ttl = 30'), 'It is shorter now.', { delay: 900 }),
      ...worker('WORK-C', [write('문서/캐시.md', '# 캐시\n')], 'They are written.', { delay: 900 }),
    ]);
    await (await at.text('No subagents have run yet.')).waitFor();
    await picture(page, 'subagents-empty');
    await sendPrompt(page, 'Split the work');
    await (await at.row(/Longer, running/)).waitFor({ timeout: 60_000 });
    await (await at.text(/tokens · /)).waitFor();
    await picture(page, 'subagents-running');
    await waitForAnswer(page);
    await (await at.row(/Longer, applied/)).waitFor();
    await (await at.row(/Docs, applied/)).waitFor();
    await picture(page, 'subagents-list');
    await (await at.row(/Shorter, not applied/)).click();
    await (await at.text("Your files and the task's differ in the same places: cache.ts.")).waitFor();
    const [, recovery = ''] =
      /kept as (refs\/lodeline\/recovery\/1-Shorter-\w+)/.exec(await at.result()) ?? [];
    await (await at.text(recovery)).waitFor();
    await picture(page, 'subagents-conflict');
    expect(at.git('show', `${recovery}:cache.ts`)).toContain('ttl = 30');
    expect(await at.file('cache.ts')).toContain('ttl = 90');
    expect(await at.file('문서/캐시.md')).toBe('# 캐시\n');
    expect(await at.result()).toContain('2/3 succeeded');
    await at.press('Back to the list');
  });

  it('ask in the chat before each command, also after one was allowed', async () => {
    await run.script([
      ...turn('Run two', 'task', batch({ Yes: 'RUN-A', No: 'RUN-B' })),
      ...worker('RUN-A', [command('echo "it is `date`" > said.txt')], 'Ran.'),
      ...worker('RUN-B', [command('echo no > not.txt')], 'Did not run.', { delay: 1_500 }),
    ]);
    await sendPrompt(page, 'Run two');
    await confirmationCard(page).waitFor();
    await picture(page, 'subagents-ask');
    expect(await decide('Allow$')).toContain('echo "it is `date`" > said.txt');
    expect(await decide('Skip$')).toContain('echo no > not.txt');
    await waitForAnswer(page);
    expect(await at.file('said.txt')).toContain('it is ');
    await expect(at.file('not.txt')).rejects.toThrow();
    const told = (await run.requests()).find(
      ({ lastUser, toolResult }) => lastUser === 'RUN-B' && toolResult,
    );
    expect(told?.toolResult?.text).toContain('The person declined this command.');
  });

  it('are looked at before their work is applied, in review', async () => {
    await run.editor.settings.update({ 'lodeline.task.isolation.landing': 'review' });
    await run.script([
      ...turn('Let me review', 'task', batch({ Change: 'WORK-D', Other: 'WORK-E' }, { isolated: true })),
      ...worker(
        'WORK-D',
        [
          ...edit('cache.ts', 'ttl = 90', 'ttl = 45'),
          write('설명서.md', '처음\n'),
          command("rm old.ts && printf '\\0\\1' > blob.bin"),
        ],
        'Four files.',
      ),
      ...worker('WORK-E', [write('other.md', 'other\n')], 'One file.'),
    ]);
    await sendPrompt(page, 'Let me review');
    await answerConfirmation(page, 'Allow$');
    await waitForAnswer(page);
    expect(await at.result()).toContain("4 files changed, waiting for the person's review");
    await (await at.row(/Change, to review/)).click();
    await (await at.text('Waiting for your review.')).waitFor();
    await (await at.panel()).getByRole('button', { name: /^cache\.ts, modified/ }).click();
    await (await at.text('ttl = 45;')).waitFor();
    await picture(page, 'subagents-review');
    expect(await at.file('cache.ts')).toContain('ttl = 90');
  });

  it('show their changes in the editor’s own diff', async () => {
    await at.press('Open in the editor');
    await tab('cache.ts (Change)');
    await line('export const ttl = 90;').waitFor();
    await line('export const ttl = 45;').waitFor();
    await at.press('Open changes');
    await tab('Changes of Change');
    await line('처음').waitFor();
    await line('export const old = true;').waitFor();
    await picture(page, 'subagents-changes');
    await (await at.panel()).getByRole('button', { name: /^blob\.bin/ }).click();
    await at.press('Open in the editor');
    await tab('blob.bin (Change)');
    await picture(page, 'subagents-binary');
    await at.press('Open output');
    await tab('Change.md');
    await line('"Four files."').waitFor();
    const opened = page.context().waitForEvent('page');
    await at.press('Open worktree');
    const other = await opened;
    expect(decodeURIComponent(other.url())).toMatch(/folder=.*\.git\/lodeline\/worktrees\//);
    await other.close();
  });

  it('land, are taken back and are put aside from the panel', async () => {
    await at.press('Apply');
    const question = (await at.panel()).getByRole('alertdialog');
    await question.getByText('4 files').waitFor();
    await picture(page, 'subagents-apply');
    await question.getByRole('button', { name: 'Apply' }).click();
    await (await at.text('Changed 4 of your files.')).waitFor();
    expect(await at.file('cache.ts')).toContain('ttl = 45');
    expect(await at.file('설명서.md')).toBe('처음\n');
    await expect(at.file('old.ts')).rejects.toThrow();
    await picture(page, 'subagents-applied');
    await at.press('Undo');
    await (await at.text('Its changes were taken out of your folder again.')).waitFor();
    expect(await at.file('cache.ts')).toContain('ttl = 90');
    expect(await at.file('old.ts')).toContain('old = true');
    await at.press('Back to the list');
    await (await at.row(/Other, to review/)).click();
    await at.press('Discard');
    await (await at.panel()).getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
    await (await at.text('Its work was discarded.')).waitFor();
    await expect(at.file('other.md')).rejects.toThrow();
    await at.press('Back to the list');
    await run.editor.settings.update({ 'lodeline.task.isolation.landing': null });
  });

  it('run in the background, are looked after with job, and cancelled', async () => {
    await run.editor.settings.update({ 'lodeline.async.enabled': true });
    await run.script([
      ...turn('In the background', 'task', batch({ Quick: 'BACK-A', Slow: 'BACK-B' })),
      ...worker('BACK-A', [], 'Done.', { delay: 500 }),
      ...endless('BACK-B', []),
      ...turn('Wait a second', 'job', { action: 'wait', timeout: 2 }),
      ...turn('Stop the slow one', 'job', { action: 'cancel', ids: 'Slow' }),
    ]);
    expect(await ask(page, 'In the background')).toContain('Started 2 background task job(s)');
    await ask(page, 'Wait a second');
    expect(await at.result()).toMatch(/1 of \d+ still run/);
    await (await at.row(/Slow, running/)).waitFor();
    await picture(page, 'subagents-background');
    await ask(page, 'Stop the slow one');
    await (await at.row(/Slow, cancelled/)).waitFor();
    await run.script([{ when: { lastUserIncludes: 'BACK-B' }, reply: [{ text: 'Once more.' }] }]);
    await (await at.row(/Slow, cancelled/)).click();
    await at.press('Retry');
    await (await at.text('Started again.')).waitFor();
    await at.press('Back to the list');
    await run.editor.settings.update({ 'lodeline.async.enabled': null });
  });

  it('also work for @lodeline', async () => {
    await newChat(page);
    await run.script([
      ...turn('One more', 'task', batch({ Notes: 'WORK-F' }, { isolated: true })),
      ...worker('WORK-F', [write('notes.md', 'notes\n'), command('echo ours > ours.txt')], 'Noted.'),
    ]);
    await sendPrompt(page, '@lodeline One more');
    expect(await decide('Allow$')).toContain('echo ours > ours.txt');
    await waitForAnswer(page);
    expect(await at.result()).toContain('0-Notes: applied, 2 files changed');
    expect(await at.file('notes.md')).toBe('notes\n');
    await picture(page, 'subagents-participant');
  });

  it('whose window was reloaded are interrupted, and their work can be applied', async () => {
    await run.script([
      ...turn('Start and stop', 'task', batch({ Half: 'WORK-G' }, { isolated: true })),
      ...endless('WORK-G', [write('half.md', 'half\n')]),
    ]);
    await sendPrompt(page, 'Start and stop');
    await (await at.row(/Half, running/)).waitFor();
    await (await at.row(/Half, running/)).click();
    await (await at.text('Still at it.')).waitFor();
    await picture(page, 'subagents-live');
    const { window: host } = /** @type {import('./support.mjs').ModelRequest} */ (
      (await run.requests()).at(-1)
    );
    process.kill(host, 'SIGKILL');
    await reloadWindow(page);
    await (await at.text('Half')).waitFor();
    await picture(page, 'subagents-interrupted');
    await at.press('Apply');
    await (await at.panel()).getByRole('alertdialog').getByRole('button', { name: 'Apply' }).click();
    await (await at.text('interrupted · applied')).waitFor();
    await (await at.text('Changed 1 of your files.')).waitFor();
    expect(await at.file('half.md')).toBe('half\n');
  });

  it('look right in every theme, narrow and wide', async () => {
    await at.press('Back to the list');
    for (const theme of shownThemes(/** @type {const} */ (['light', 'high-contrast', 'dark']))) {
      await setTheme(run.editor, page, theme);
      await picture(page, `subagents-${theme}`);
    }
    await resizeSidebar(page, 300);
    await picture(page, 'subagents-narrow');
    await page.setViewportSize({ width: 1600, height: 900 });
    await resizeSidebar(page, 820);
    await (await at.row(/Half, /)).click();
    await (await at.text('half.md')).waitFor();
    await (await at.row(/Half, /)).waitFor();
    await picture(page, 'subagents-wide');
  });

  /** Answers the card in the chat, and says what it showed. @param {string} answer */
  const decide = async (answer) => (await answerConfirmation(page, answer)).replaceAll('\u00a0', ' ');
  /** Waits for an editor tab. @param {string} name */
  const tab = async (name) => await page.locator('.tab', { hasText: name }).first().waitFor();
  /** A line of text in an editor. @param {string} text */
  const line = (text) =>
    page.locator('.editor-instance .view-line', { hasText: text.replaceAll(' ', '\u00a0') }).first();
});
