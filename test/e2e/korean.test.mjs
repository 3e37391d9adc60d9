// @ts-check
/** The extension in Korean. The workbench around it stays English: its own pack comes from a marketplace. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answerConfirmation,
  ask,
  confirmationCard,
  newChat,
  sendPrompt,
  waitForAnswer,
} from './harness/chat.mjs';
import {
  answerDialog,
  answerInputBox,
  clearNotifications,
  notification,
  openView,
  resizeSidebar,
  setTheme,
} from './harness/workbench.mjs';
import {
  command,
  memoryCount,
  memoryPanel,
  open,
  overMcp,
  paletteTitles,
  picture,
  turn,
} from './support.mjs';

const COMMANDS = [
  '선택 영역 기억하기',
  '불러오기…',
  '메모리 찾아보기',
  '편집기에서 메모리 열기',
  '고정 또는 고정 해제…',
  '잊기…',
  '메모리 통계',
  '메모리 브리핑',
  '모두 내보내기…',
  '모두 삭제…',
  '둘러보기 열기',
  '로그 표시',
].map((title) => `Lodeline: ${title}`);

/** Sentences of ours that would be left untranslated; names, keys and units are the same in every language. */
const ENGLISH =
  /\b(?:the|and|of|is|not|no|memory|memories|entry|entries|search|save|edit|delete|forget|pin)\b/i;

describe('in Korean', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {import('playwright-core').Page} */
  let page;

  beforeAll(async () => {
    run = await open({ locale: 'ko' });
    await overMcp(run, async (call) => {
      await call('memory_remember', {
        category: 'warning',
        key: '캐시-비우지-않기',
        content: '배포 중에는 캐시를 비우지 않는다. 전시 화면이 1분 동안 비어 있게 된다.',
        file: 'cache.ts:3',
        tags: '캐시;배포',
      });
      await call('memory_remember', {
        category: 'decision',
        key: '레디스-대신-메모리',
        content:
          '전시 장치에 네트워크가 없을 때가 많아서 레디스 대신 프로세스 메모리를 쓴다. [[캐시-비우지-않기]]도 참고한다.',
      });
    });
    page = await run.editor.openWindow();
    await memoryCount(page, 2);
  }, 600_000);
  afterAll(async () => await run?.close());

  it('has every command', async () => {
    expect(await paletteTitles(page, 'Lodeline:')).toEqual(expect.arrayContaining(COMMANDS));
  });

  it('shows what Copilot does with memory', async () => {
    await run.script(turn('배포할 때 주의할 점', 'memory_recall', { query: '배포에서 캐시를' }));
    const answer = await ask(page, '배포할 때 주의할 점 알려줘');
    expect(answer).toContain('배포 중에는 캐시를 비우지 않는다.');
    await page.locator('.interactive-session', { hasText: '메모리에서 “배포에서 캐시를” 검색' }).waitFor();
    await picture(page, 'ko-recall');
  });

  it('asks before an agent forgets', async () => {
    await newChat(page);
    await run.script(turn('그 결정은 잊어', 'memory_forget', { key: '레디스-대신-메모리' }));
    await sendPrompt(page, '그 결정은 잊어');
    await confirmationCard(page).waitFor({ timeout: 60_000 });
    await picture(page, 'ko-confirmation');
    const card = await answerConfirmation(page, 'Skip');
    expect(card).toContain('“레디스-대신-메모리”을(를) 잊으시겠습니까?');
    expect(card).toContain('더 이상 불러오지 않습니다. 메모리 브라우저에서 복원할 수 있습니다.');
    await waitForAnswer(page);
  });

  it('shows the memory browser', async () => {
    await openView(page, 'Lodeline');
    const panel = await memoryPanel(page);
    await panel.getByRole('option', { name: /^캐시-비우지-않기, 경고/ }).waitFor();
    expect(await panel.locator('html').getAttribute('lang')).toBe('ko');
    // The view's title stands in the side bar's while it is the only one, else above the view.
    const titles = page.locator('.part.sidebar .title-label, .part.sidebar .pane-header');
    await titles.filter({ hasText: '메모리' }).first().waitFor();
    expect(await wordsOf(panel)).not.toMatch(ENGLISH);
    await resizeSidebar(page, 300);
    await picture(page, 'ko-index');
    await panel.getByRole('option', { name: /^레디스-대신-메모리/ }).click();
    await panel.getByRole('heading', { name: '레디스-대신-메모리' }).waitFor();
    await panel.getByText('아직 사람이 확인하지 않았습니다').waitFor();
    await picture(page, 'ko-entry');
    expect(await wordsOf(panel)).not.toMatch(ENGLISH);
    await panel.getByRole('button', { name: '편집', exact: true }).click();
    await panel.getByRole('textbox', { name: '내용' }).waitFor();
    await picture(page, 'ko-form');
    expect(await wordsOf(panel)).not.toMatch(ENGLISH);
    await panel.getByRole('button', { name: '취소', exact: true }).click();
    await panel.getByRole('button', { name: '확인', exact: true }).click();
    await panel.getByText('“레디스-대신-메모리”을(를) 확인했습니다.').first().waitFor();
  });

  it('shows the memory browser as an editor tab in the light theme', async () => {
    await command(page, 'Lodeline: 편집기에서 메모리 열기');
    await page.locator('.tab.active', { hasText: 'Lodeline 메모리' }).waitFor();
    await openView(page, 'Explorer');
    const tab = await memoryPanel(page);
    await tab.getByRole('option', { name: /^레디스-대신-메모리/ }).click();
    await tab.getByRole('heading', { name: '레디스-대신-메모리' }).waitFor();
    await setTheme(run.editor, page, 'light');
    await picture(page, 'ko-editor-light');
    await setTheme(run.editor, page, 'dark');
    await command(page, 'View: Close All Editors');
  });

  it('counts, and deletes everything', async () => {
    await command(page, 'Lodeline: 메모리 통계');
    const said = await answerDialog(page, 'OK');
    expect(said).toContain('메모리: 2');
    expect(said.replace(/^OK$/m, '')).not.toMatch(ENGLISH);
    await command(page, 'Lodeline: 모두 삭제…');
    await page.locator('.monaco-dialog-box:visible').waitFor();
    await picture(page, 'ko-delete');
    const asked = await answerDialog(page, '삭제…');
    expect(asked).toContain('“shop”에 대해 기억하는 모든 내용을 삭제하시겠습니까?');
    await answerInputBox(page, 'shop');
    await notification(page, '“shop”의 메모리를 모두 삭제했습니다.').waitFor();
    await memoryCount(page, 0);
    await clearNotifications(page);
  });
});

/** Everything that a panel says, also to screen readers, without the names of its roles. @param {import('playwright-core').Frame} panel */
async function wordsOf(panel) {
  return (await panel.locator('lodeline-memory').ariaSnapshot()).replace(/^\s*- [a-z/]+/gm, '');
}
