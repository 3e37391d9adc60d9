// @ts-check
/** Applying files and single changes of a subagent's work, and deciding on work that was left behind. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendPrompt, waitForAnswer } from './harness/chat.mjs';
import { batch, showPanel, subagentsPanel, worker, write } from './subagents-support.mjs';
import { open, picture, turn, writeFiles } from './support.mjs';

/** @param {Record<number, string>} changed  lines by their number */
const text = (changed) =>
  Array.from({ length: 30 }, (_, at) => `${changed[at + 1] ?? `line ${at + 1}`}\n`).join('');

describe('parts of a subagent’s work', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {import('./support.mjs').Page} */
  let page;
  /** @type {ReturnType<typeof subagentsPanel>} */
  let at;

  beforeAll(async () => {
    run = await open({ settings: { 'lodeline.task.isolation.landing': 'review' } });
    await writeFiles(run.workspace, { 'long.txt': text({}) });
    git('add', 'long.txt');
    git('-c', 'user.name=T', '-c', 'user.email=t@localhost', 'commit', '-qm', 'Long');
    page = await run.editor.openWindow();
    at = subagentsPanel(page);
    await showPanel(page, ['Memory', 'Todo'], 'Subagents');
  });
  afterAll(async () => await run?.close());

  it('are applied one change at a time, conflict one at a time, and are taken back', async () => {
    await run.script([
      ...turn('Let me choose', 'task', batch({ Change: 'WORK-H' }, { isolated: true })),
      ...worker(
        'WORK-H',
        [
          { name: 'read', input: { path: 'long.txt' } },
          write('long.txt', text({ 3: 'three', 25: 'twenty-five' })),
          write('설명서.md', '처음\n'),
        ],
        'Two files.',
      ),
    ]);
    await sendPrompt(page, 'Let me choose');
    await waitForAnswer(page);
    await (await at.row(/Change, to review/)).click();
    await (await at.panel()).getByRole('button', { name: /^long\.txt, modified/ }).click();
    await writeFiles(run.workspace, { 'long.txt': text({ 3: 'mine' }) });
    await at.press('Apply change 2 (A)');
    await (await at.group(/^Change 2 of 2.*, applied$/)).waitFor();
    expect(await file('long.txt')).toBe(text({ 3: 'mine', 25: 'twenty-five' }));
    await at.press('Apply change 1 (A)');
    await (await at.text('Not applied: Your files and the task')).waitFor();
    expect(await file('long.txt')).toBe(text({ 3: 'mine', 25: 'twenty-five' }));
    await picture(page, 'subagents-parts');
    await at.press('Revert change 2');
    await (await at.group(/^Change 2 of 2, line \d+$/)).waitFor();
    expect(await file('long.txt')).toBe(text({ 3: 'mine' }));
    await at.press('Apply 설명서.md');
    await (await at.panel()).getByRole('button', { name: /^설명서\.md.*, applied$/ }).waitFor();
    expect(await file('설명서.md')).toBe('처음\n');
    await at.press('Undo');
    await (await at.panel()).getByRole('button', { name: 'Apply 설명서.md', exact: true }).waitFor();
    await expect.poll(() => existsSync(join(run.workspace, '설명서.md'))).toBe(false);
    await at.press('Apply 설명서.md');
    await (await at.panel()).getByRole('button', { name: /^설명서\.md.*, applied$/ }).waitFor();
    expect(await file('설명서.md')).toBe('처음\n');
    await at.press('Back to the list');
  });

  it('of a batch that is gone are left behind: looked at, applied, taken back and discarded', async () => {
    await writeFiles(run.workspace, { 'long.txt': text({}) });
    const batches = join(run.workspace, '.git', 'lodeline', 'batches');
    for (const name of await readdir(batches)) await rm(join(batches, name));
    expect(git('for-each-ref', '--format=%(refname)', 'refs/lodeline/recovery').trim()).toMatch(
      /^refs\/lodeline\/recovery\/0-Change-\w+$/,
    );
    await page.reload();
    await (await at.text('0-Change')).waitFor();
    await picture(page, 'subagents-left');
    await at.press('Open changes: 0-Change');
    await page.locator('.tab', { hasText: 'Changes of 0-Change' }).first().waitFor();
    await at.press('Apply: 0-Change');
    const question = (await at.panel()).getByRole('alertdialog');
    await question.getByText('2 files').waitFor();
    await picture(page, 'subagents-left-question');
    await question.getByRole('button', { name: 'Apply' }).click();
    await (await at.text('Changed 1 of your files.')).waitFor();
    expect(await file('long.txt')).toBe(text({ 3: 'three', 25: 'twenty-five' }));
    await at.press('Undo');
    await (await at.text('It is as it was.')).waitFor();
    expect(await file('long.txt')).toBe(text({}));
    await at.press('Discard: 0-Change');
    await question.getByRole('button', { name: 'Discard' }).click();
    await (await at.text('Left behind')).waitFor({ state: 'detached' });
    expect(git('for-each-ref', '--format=%(refname)', 'refs/lodeline')).toBe('');
  });

  /** @param {string[]} args */
  const git = (...args) => execFileSync('git', args, { cwd: run.workspace, encoding: 'utf8' });
  /** @param {string} name */
  const file = async (name) => await readFile(join(run.workspace, name), 'utf8');
});
