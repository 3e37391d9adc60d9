// @ts-check
/** The subagents panel in Korean, light and narrow. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendPrompt, waitForAnswer } from './harness/chat.mjs';
import { edit, showPanel, subagentsPanel, worker, write } from './subagents-support.mjs';
import { open, picture, turn } from './support.mjs';

/** Sentences of ours that would be left untranslated; names, keys and units are the same in every language. */
const ENGLISH = /\b(?:the|and|of|is|not|no|your|its|applied|done|running|files?|changes?)\b/i;

const TASKS = [
  { id: 'Longer', description: '만료 시간을 늘린다', assignment: '작업-가: 만료 시간을 늘려라' },
  { id: 'Shorter', description: '만료 시간을 줄인다', assignment: '작업-나: 만료 시간을 줄여라' },
  { id: 'Docs', description: '캐시 설명서를 쓴다', assignment: '작업-다: 설명서를 써라' },
];

describe('subagents in Korean', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {import('./support.mjs').Page} */
  let page;
  /** @type {ReturnType<typeof subagentsPanel>} */
  let at;

  beforeAll(async () => {
    run = await open({ locale: 'ko', settings: { 'workbench.colorTheme': 'Light Modern' } });
    page = await run.editor.openWindow();
    await showPanel(page, ['메모리', '할 일'], '서브에이전트', 300);
    at = subagentsPanel(page);
  });
  afterAll(async () => await run?.close());

  it('are told of while they run and when they have ended', async () => {
    await (await at.text('아직 실행된 서브에이전트가 없습니다.')).waitFor();
    expect(await words()).not.toMatch(ENGLISH);
    await picture(page, 'ko-subagents-empty');
    await run.script([
      ...turn('일을 나눠', 'task', { agent: 'task', tasks: TASKS, isolated: true }),
      ...worker('작업-가', edit('cache.ts', 'ttl = 60', 'ttl = 90'), '늘렸다.', { delay: 900 }),
      ...worker('작업-나', edit('cache.ts', 'ttl = 60', 'ttl = 30'), '줄였다.', { delay: 900 }),
      ...worker('작업-다', [write('문서/캐시.md', '# 캐시\n')], '썼다.', { delay: 900 }),
    ]);
    await sendPrompt(page, '일을 나눠');
    await (await at.row(/^Longer, 실행 중/)).waitFor({ timeout: 60_000 });
    await (await at.text(/토큰 .+개 · /)).waitFor();
    await picture(page, 'ko-subagents-running');
    await waitForAnswer(page);
    await (await at.row(/^Longer, 적용됨/)).waitFor();
    await (await at.row(/^Docs, 적용됨/)).waitFor();
    expect(await words()).not.toMatch(ENGLISH);
    await picture(page, 'ko-subagents-list');
  });

  it('say what is in the way of one', async () => {
    await (await at.row(/^Shorter, 적용 안 됨/)).click();
    await (await at.text('내 파일과 작업의 파일이 같은 곳에서 서로 다릅니다: cache.ts')).waitFor();
    expect(await words()).not.toMatch(ENGLISH);
    await picture(page, 'ko-subagents-conflict');
    await at.press('적용');
    await (await at.panel()).getByRole('alertdialog').waitFor();
    expect(await words()).not.toMatch(ENGLISH);
    await picture(page, 'ko-subagents-question');
  });

  /** Everything that the panel says, also to screen readers, without the names of its roles. */
  const words = async () =>
    (await (await at.panel()).locator('lodeline-subagents').ariaSnapshot()).replace(/^\s*- [a-z/]+/gm, '');
});
