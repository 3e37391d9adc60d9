// @ts-check
/** Subagents from end to end: a batch from a chat, its panel, review, background jobs and a reloaded window. */
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, sendPrompt, waitForAnswer } from './harness/chat.mjs';
import { openView, resizeSidebar, webviewFrame } from './harness/workbench.mjs';
import { open, picture, turn } from './support.mjs';

/** @typedef {import('./support.mjs').Page} Page */
/** @typedef {{ name: string, input: object }} Use */

/** What a subagent does, by a word of its assignment: these calls one after the other, then it hands over. */
function worker(/** @type {string} */ word, /** @type {Use[]} */ uses, /** @type {unknown} */ data, { delay = 0 } = {}) {
  const hand = { name: 'yield', input: { result: { data } } };
  return [...uses, hand].map((toolCall, at, all) => ({
    when: { lastUserIncludes: word, ...(at > 0 && { afterToolResult: all[at - 1]?.name }) },
    reply: [{ delay }, { toolCall }],
  }));
}

/** @param {string} path @param {string} old @param {string} text */
const edit = (path, old, text) => ({ name: 'edit', input: { path, old, new: text } });
/** @param {string} path @param {string} content */
const write = (path, content) => ({ name: 'write', input: { path, content } });
/** @param {string} path */
const read = (path) => ({ name: 'read', input: { path } });

/** @param {Record<string, string>} tasks  assignments by name @param {object} [more] */
const batch = (tasks, more = {}) => ({
  agent: 'task',
  tasks: Object.entries(tasks).map(([id, assignment]) => ({ id, description: `About ${id}`, assignment })),
  ...more,
});

describe('subagents', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {Page} */
  let page;
  const panel = async () => await webviewFrame(page, 'lodeline-subagents');
  /** @param {string} name */
  const file = async (name) => await readFile(join(run.workspace, name), 'utf8');

  beforeAll(async () => {
    run = await open();
    page = await run.editor.openWindow();
  });
  afterAll(async () => await run?.close());

  it('work side by side, land in order, and one that is in another’s way is kept', async () => {
    await run.script([
      ...turn('Split the work', 'task', batch({
        Longer: 'WORK-A: a longer ttl', Shorter: 'WORK-B: a shorter ttl', Docs: 'WORK-C: write docs' }, { isolated: true })),
      ...worker('WORK-A', [read('cache.ts'), edit('cache.ts', 'ttl = 60', 'ttl = 90')], 'It is longer now.', { delay: 900 }),
      ...worker('WORK-B', [read('cache.ts'), edit('cache.ts', 'ttl = 60', 'ttl = 30')], 'It is shorter now.', { delay: 900 }),
      ...worker('WORK-C', [write('문서/캐시.md', '# 캐시\n')], { file: '문서/캐시.md' }, { delay: 1500 }),
    ]);
    await openView(page, 'Lodeline');
    const header = page.locator('.pane-header', { hasText: 'Subagents' });
    if ((await header.getAttribute('aria-expanded')) !== 'true') await header.click();
    await resizeSidebar(page, 360);
    await picture(page, 'subagents-empty');
    await sendPrompt(page, 'Split the work');
    await page.waitForTimeout(15000);
    await picture(page, 'subagents-t0');
    await page.waitForTimeout(1500);
    await picture(page, 'subagents-t1');
    const answer = await waitForAnswer(page, {confirm: 'Allow'});
    console.log(answer);
    await picture(page, 'subagents-t2');
    console.log((await run.requests()).at(-1)?.toolResult?.text);
    console.log(execFileSync('git', ['status', '--short'], {cwd: run.workspace, encoding: 'utf8'}), await file('cache.ts'));
  });
});
