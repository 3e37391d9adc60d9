// @ts-check
/** Levels in Korean: what raised a chat, what can be done about it, the log and the page of what is seen. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, newChat } from './harness/chat.mjs';
import { answerDialog, answerNotification, notification, webviewFrame } from './harness/workbench.mjs';
import { showPanel } from './subagents-support.mjs';
import {
  calls,
  chatIsReady,
  command,
  memoryPanel,
  open,
  picture,
  reloadWindow,
  turn,
  writeFiles,
} from './support.mjs';

const PANELS = ['메모리', '할 일', '체크포인트', '서브에이전트', '세션'];
const SECRET = { category: 'knowledge', key: '합병-조건', content: '5월에 사천만 원을 낸다' };
/** Names of levels, tools and settings are the same in every language; sentences of ours would not be. */
const ENGLISH = /\b(?:the|and|of|is|not|no|used|covers|raised|session|chat|file|rule|level)\b/i;

describe('levels in Korean', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {import('./support.mjs').Page} */
  let page;

  beforeAll(async () => {
    run = await open({
      locale: 'ko',
      settings: {
        'chat.useHooks': true,
        'chat.tools.global.autoApprove': true,
        'lodeline.classification.files': { '계약/**': 'CONFIDENTIAL' },
      },
    });
    await writeFiles(run.workspace, { '계약/조건.md': '사천만 원\n' });
    page = await run.editor.openWindow();
    await run.script([{ reply: [{ text: '네.' }] }]);
    await ask(page, '거기 있어?');
    await command(page, 'Lodeline: Copilot 채팅 전체 관찰');
    await answerDialog(page, '파일 쓰기');
    const told = '이 창을 다시 로드하면 이 폴더의 Copilot 채팅을 관찰합니다';
    await notification(page, told).waitFor();
    await picture(page, 'ko-level-reload');
    await reloadWindow(page, () => answerNotification(page, told, '창 다시 로드'));
    await chatIsReady(page);
    await newChat(page);
  }, 300_000);
  afterAll(async () => await run?.close());

  const item = () => page.locator('.statusbar-item[id$="lodeline.level"]');
  /** @param {string} name */
  const alone = async (name) => {
    const others = PANELS.filter((each) => each !== name);
    await showPanel(page, others, name, 300);
  };

  it('say why a chat was raised by what Copilot read', async () => {
    await run.script(turn('기억을 봐 줘', 'memory_recall', { query: '합병' }));
    await ask(page, '기억을 봐 줘');
    const read = { filePath: join(run.workspace, '계약/조건.md'), startLine: 1, endLine: 1 };
    await run.script(calls('조건을 봐 줘', [['read_file', read]], '사천만 원입니다.'));
    await ask(page, '조건을 봐 줘');
    const because = '이유: read_file이(가) 규칙 계약/**에 해당하는 파일을 사용했습니다';
    await page.locator(`.statusbar-item[aria-label*="CONFIDENTIAL"][aria-label*="${because}"]`).waitFor();
    expect(await item().getAttribute('aria-label')).not.toMatch(ENGLISH);
    await item().hover();
    await page.locator('.workbench-hover', { hasText: because }).first().waitFor();
    await picture(page, 'ko-level-why');
    await page.mouse.move(640, 5);
    await page.locator('.workbench-hover:visible').first().waitFor({ state: 'detached' });
  });

  it('stand at sessions and memories, and are filtered by', async () => {
    await run.script(turn('조건을 기억해 줘', 'memory_remember', SECRET));
    await ask(page, '조건을 기억해 줘');
    await alone('세션');
    const sessions = await webviewFrame(page, 'lodeline-sessions');
    await sessions.getByRole('treeitem', { name: /기억을 봐 줘.*CONFIDENTIAL/ }).waitFor();
    await picture(page, 'ko-level-sessions');
    await alone('메모리');
    const memory = await memoryPanel(page);
    await memory.getByRole('option', { name: /^합병-조건.*CONFIDENTIAL/ }).waitFor();
    await memory.getByRole('button', { name: '필터 및 정렬' }).click();
    await memory.getByRole('combobox', { name: '등급' }).waitFor();
    await picture(page, 'ko-level-memory');
  });

  it('are raised from a list that says what a level means', async () => {
    await item().click();
    const rows = page.locator('.quick-input-list .monaco-list-row');
    await rows.filter({ hasText: '이 세션의 등급 올리기' }).waitFor();
    await picture(page, 'ko-level-menu');
    await rows.filter({ hasText: '이 세션의 등급 올리기' }).click();
    await rows.filter({ hasText: 'RESTRICTED' }).waitFor();
    await picture(page, 'ko-level-raise');
    await page.keyboard.press('Escape');
  });

  it('are in the audit log, and the page says what is seen', async () => {
    await command(page, 'Lodeline: 감사 로그 표시');
    const text = page.locator('.editor-group-container .monaco-editor:visible .view-lines').first();
    await expect
      .poll(async () => ((await text.textContent()) ?? '').replaceAll('\u00a0', ' '))
      .toMatch(/PUBLIC → CONFIDENTIAL {2}등급 상승.*read_file이\(가\) 규칙/);
    await picture(page, 'ko-level-audit');
    await command(page, 'Lodeline: Lodeline이 보는 것');
    const preview = await webviewFrame(page, 'h1:has-text("Lodeline이 보는 것")');
    await preview.getByText('(현재 사용 중)').waitFor();
    await picture(page, 'ko-level-seen');
  });
});
