// @ts-check
/** Memories of other tools come in: what is offered when a folder is opened, the palette, and a project's vocabulary. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from './harness/chat.mjs';
import {
  answerInputBox,
  answerNotification,
  clearNotifications,
  notification,
  openView,
} from './harness/workbench.mjs';
import {
  command,
  memoryCount,
  memoryPanel,
  open,
  picture,
  reloadWindow,
  turn,
  writeFiles,
} from './support.mjs';

/** As toon-memory writes it, and one line that a person has broken. */
const TOON = `version: 1
entries[4|]{id|category|key|content|file|tags|date|ttl|accessed|links|quality|confidence|lastAccessed|pinned}:
  5d406310|warning|한글-경고|레디스 풀을 0으로 두지 마세요||types|2026-06-29||0||0.40|1||0||agent|active|||
  9b3fc09b|bug|redis-timeout|Redis \\| pool\\nexhausted on \`cache.ts\` <b>at night</b>|cache.ts:3|redis|2026-06-29||0|use-zod|0.70|1||1|src/**.ts|human|active||critical|
  9b7e8b43|pattern|use-zod|Zod v4 checks what comes in.|src/types.ts|validation;types|2026-06-29||0||0.50|1||0||agent|active|||unverified
  0badc0de|bug

summaries:
  cache.ts: Where the cache is.\\nSixty seconds.
`;

const files = {
  '.toon-memory/memory/data.toon': TOON,
  'package.json': JSON.stringify({ name: 'shop', dependencies: { '@scope/tide-tables': '1', fastify: '5' } }),
};

/** @param {string} workspace */
const vocabulary = async (workspace) =>
  JSON.parse(await readFile(join(workspace, '.lodeline', 'config.json'), 'utf8'));

describe('a folder with memories of toon-memory', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {import('playwright-core').Page} */
  let page;

  beforeAll(async () => {
    run = await open();
    await writeFiles(run.workspace, files);
    page = await run.editor.openWindow();
  }, 600_000);
  afterAll(async () => await run?.close());

  it('offers them when it is opened, again until the person has decided, and brings them', async () => {
    const offer = '“shop” holds memories of toon-memory. Import them into Lodeline?';
    await notification(page, offer).waitFor({ timeout: 60_000 });
    await picture(page, 'import-offer');
    await answerNotification(page, offer, 'Not Now');
    await reloadWindow(page);
    await notification(page, offer).waitFor({ timeout: 60_000 });
    await answerNotification(page, offer, 'Import');
    const said = 'Imported memory: 3 new, 0 updated, 0 unchanged. Left out, since it could not be read: 1.';
    await notification(page, said).waitFor({ timeout: 60_000 });
    await picture(page, 'import-done');
    await memoryCount(page, 3);
    await answerNotification(page, said, 'Show Details');
    await page.locator('.part.panel .view-line', { hasText: 'line 6: has 2 of at least 3 fields' }).waitFor();
    await picture(page, 'import-details');
    await command(page, 'View: Hide Panel');
    await reloadWindow(page);
    await memoryCount(page, 3);
    expect(await notification(page, offer).count()).toBe(0);
  });

  it('shows them in the panel, as what nobody has confirmed yet', async () => {
    await openView(page, 'Lodeline');
    const panel = await memoryPanel(page);
    await panel.getByRole('option', { name: /^한글-경고/ }).waitFor();
    await panel.getByRole('option', { name: /^redis-timeout/ }).click();
    await panel.getByRole('heading', { name: 'redis-timeout' }).waitFor();
    await panel.getByText('<b>at night</b>').first().waitFor();
    await panel.getByText('import:toon').first().waitFor();
    await picture(page, 'import-panel');
  });

  it('has them recalled in a chat', async () => {
    await run.script(turn('What about the pool', 'memory_recall', { query: 'redis pool' }));
    const answer = await ask(page, 'What about the pool?');
    expect(answer).toContain('redis-timeout');
    expect(answer).toContain('레디스 풀을 0으로 두지 마세요');
    await picture(page, 'import-recall');
  });

  it('brings the memory files of Copilot from where this editor keeps them', async () => {
    await writeFiles(join(run.editor.userDataDir, 'User', 'globalStorage', 'github.copilot-chat'), {
      'memory-tool/memories/preferences.md': '# Style\n\nTabs, never spaces.\n\n# Reviews\n\nSmall ones.\n',
    });
    await clearNotifications(page);
    await command(page, 'Lodeline: Import Memory…');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'GitHub Copilot' }).waitFor();
    await picture(page, 'import-kinds');
    // Written, not clicked: what the mouse rests on shows a hover over the rows below.
    await answerInputBox(page, 'GitHub Copilot');
    await page
      .locator('.quick-input-list .monaco-list-row', { hasText: 'From where it keeps them' })
      .waitFor();
    await picture(page, 'import-place');
    await answerInputBox(page, 'From where it keeps them');
    await notification(page, 'Imported memory: 2 new, 0 updated, 0 unchanged.').waitFor({ timeout: 60_000 });
    await memoryCount(page, 5);
    const panel = await memoryPanel(page);
    await panel.getByRole('button', { name: 'Back', exact: true }).click();
    await panel.getByRole('option', { name: /^copilot\/preferences#Style/ }).waitFor();
    await picture(page, 'import-copilot');
  });

  it('gets the vocabulary of its project from the palette, twice the same', async () => {
    const said = 'Tags of the project vocabulary from package.json: 3.';
    await command(page, 'Lodeline: Initialize Project Vocabulary');
    await notification(page, said).waitFor({ timeout: 60_000 });
    await picture(page, 'import-vocabulary');
    const first = await vocabulary(run.workspace);
    expect(Object.keys(first.vocab).sort()).toEqual(['fastify', 'scope-tide-tables', 'shop']);
    await clearNotifications(page);
    await command(page, 'Lodeline: Initialize Project Vocabulary');
    await answerNotification(page, said, 'Open');
    await page.locator('.tab.active', { hasText: 'config.json' }).waitFor();
    expect(await vocabulary(run.workspace)).toEqual(first);
    await memoryCount(page, 5);
  });
});

describe('in Korean', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {import('playwright-core').Page} */
  let page;

  beforeAll(async () => {
    run = await open({ locale: 'ko' });
    await writeFiles(run.workspace, files);
    page = await run.editor.openWindow();
  }, 600_000);
  afterAll(async () => await run?.close());

  it('the offer, the import and the vocabulary speak the language', async () => {
    const offer = '“shop” 폴더에 toon-memory의 메모리가 있습니다.';
    await notification(page, offer).waitFor({ timeout: 60_000 });
    await picture(page, 'ko-import-offer');
    await answerNotification(page, offer, '가져오기');
    await notification(page, '메모리를 가져왔습니다').waitFor({ timeout: 60_000 });
    await memoryCount(page, 3);
    await openView(page, 'Lodeline');
    const panel = await memoryPanel(page);
    await panel.getByRole('option', { name: /^한글-경고/ }).click();
    await panel.getByRole('heading', { name: '한글-경고' }).waitFor();
    await picture(page, 'ko-import-done');
    await clearNotifications(page);
    await command(page, 'Lodeline: 메모리 가져오기…');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Claude Code' }).waitFor();
    await picture(page, 'ko-import-kinds');
    await answerInputBox(page, 'Claude Code');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: '도구가 메모리를' }).waitFor();
    await answerInputBox(page, '도구가 메모리를');
    await notification(page, '파일 없음: Claude Code의 메모리를 찾을 수 없습니다.').waitFor({
      timeout: 60_000,
    });
    await clearNotifications(page);
    await command(page, 'Lodeline: 프로젝트 어휘');
    await notification(page, 'package.json에서 얻은 프로젝트 어휘의 태그: 3개.').waitFor({ timeout: 60_000 });
    await picture(page, 'ko-import-vocabulary');
  });
});
