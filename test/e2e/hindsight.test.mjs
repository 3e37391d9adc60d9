// @ts-check
/** A memory server from end to end: chosen in the panel, down and up again, and what never leaves the machine. */
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHindsight } from '../contract/hindsight/server.ts';
import { filesUnder } from '../unit/support/files.ts';
import { ask, newChat } from './harness/chat.mjs';
import {
  answerDialog,
  answerInputBox,
  clearNotifications,
  notification,
  openView,
  resizeSidebar,
  setTheme,
} from './harness/workbench.mjs';
import { command, memoryPanel, open, overMcp, picture, turn } from './support.mjs';

/** @typedef {import('../contract/hindsight/server.ts').HindsightServer} HindsightServer */

const TOKEN = 'tkn-4f1c9ab27de0';
const BANK = 'lodeline';
const FACTS = ['The cache is cleared at night.', 'Deploys happen on Fridays only.'];
const items = FACTS.map((content) => ({ content, context: 'the shop' }));

describe('a memory server', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {import('playwright-core').Page} */
  let page;
  /** @type {HindsightServer} */
  let server;

  beforeAll(async () => {
    server = await startHindsight();
    run = await open();
    page = await run.editor.openWindow();
    await overMcp(run, async (call) => {
      const keep = async (/** @type {string} */ key, /** @type {string} */ content) =>
        await call('memory_remember', { category: 'decision', key, content });
      await keep('port', 'The server listens on 8080 behind the proxy.');
      await keep('retries', 'At most five retries with jitter.');
    });
    await openView(page, 'Lodeline');
    await resizeSidebar(page, 420);
  }, 600_000);
  afterAll(async () => {
    await run?.close();
    await server?.stop();
  });

  const line = async () => {
    const panel = await memoryPanel(page);
    return panel.getByRole('region', { name: 'Where memories are kept' });
  };

  it('is offered quietly, and shows what would leave the machine before anything does', async () => {
    await (await line()).getByText('Kept in this folder').waitFor();
    await picture(page, 'server-local');
    await (await line()).getByRole('button', { name: 'Use a Server…' }).click();
    await answerInputBox(page, server.url);
    await page.locator('.monaco-dialog-box:visible').waitFor();
    await picture(page, 'server-preview');
    const said = await answerDialog(page, 'Cancel');
    expect(said).toContain('2 of them can be copied there.');
    expect(said).toContain('Only what is at most PUBLIC leaves this machine.');
    await (await line()).getByText('Kept in this folder').waitFor();
    expect(server.requests).toEqual([]);
  });

  it('is used when the person says so', async () => {
    await server.set('down');
    await (await line()).getByRole('button', { name: 'Use a Server…' }).click();
    await answerInputBox(page, server.url);
    await answerDialog(page, 'Use the Server');
    await notification(page, 'What agents keep with retain goes to').waitFor();
    await clearNotifications(page);
    await (await line()).getByText('The memory server does not answer').waitFor();
  });

  it('is down: what an agent keeps is seen waiting', async () => {
    await run.script(turn('Keep how we deploy', 'retain', { items }));
    expect(await ask(page, 'Keep how we deploy')).toContain('2 memories queued.');
    await (await line()).getByText('2 waiting').waitFor();
    await notification(page, 'Memory retention failed for').waitFor();
    await picture(page, 'server-warning');
    await clearNotifications(page);
    await (await line()).getByRole('button', { expanded: false }).click();
    const panel = await memoryPanel(page);
    await panel.getByText(/2 wait to be sent/).waitFor();
    await picture(page, 'server-down-dark');
    await setTheme(run.editor, page, 'light');
    await picture(page, 'server-down-light');
    await setTheme(run.editor, page, 'high-contrast');
    await picture(page, 'server-down-high-contrast');
    await setTheme(run.editor, page, 'dark');
    await resizeSidebar(page, 300);
    await picture(page, 'server-down-300');
    await resizeSidebar(page, 420);
  });

  it('still has it waiting after the editor was killed', async () => {
    await page.close();
    await run.restart();
    page = await run.editor.openWindow();
    await openView(page, 'Lodeline');
    await (await line()).getByText('2 waiting').waitFor({ timeout: 60_000 });
  });

  it('refuses without a token: what waits goes on waiting', async () => {
    await server.set('refusing', {
      ...{ status: 401, detail: 'no token' },
      when: ({ headers }) => headers.authorization !== `Bearer ${TOKEN}`,
    });
    await (await line()).getByRole('button', { name: 'Retry Now' }).click();
    await (await line()).getByText('The memory server refuses').waitFor();
    await (await line()).getByRole('button', { expanded: false }).click();
    await (await memoryPanel(page)).getByText('no token').first().waitFor();
    await picture(page, 'server-refusing');
    expect(server.arrivals).toEqual([]);
  });

  it('takes what waited once the person gives the token: once each, in order', async () => {
    await command(page, 'Lodeline: Set the Hindsight Token…');
    await answerInputBox(page, TOKEN);
    await notification(page, 'The token was set.').waitFor();
    await clearNotifications(page);
    await (await line()).getByText(`Shared on ${new URL(server.url).host}`).waitFor();
    await (await line()).getByText('waiting').waitFor({ state: 'detached' });
    expect(server.arrivals.map(({ content }) => content)).toEqual(FACTS);
    expect(server.documents(BANK)).toHaveLength(2);
    expect(server.documents(BANK)[0]?.tags).toEqual(['project:shop']);
    await picture(page, 'server-up');
  });

  it('shows its mental models as text', async () => {
    server.addMentalModel(BANK, { id: 'review', name: 'How we review', content: '<b>Two</b> people look.' });
    await command(page, 'Lodeline: Send Waiting Memories Now');
    const panel = await memoryPanel(page);
    await panel.getByRole('button', { name: /^How we review/ }).click();
    await panel.getByText('<b>Two</b> people look.').waitFor();
    await picture(page, 'server-models');
    await panel.getByRole('button', { name: /^How we review/ }).click();
    await clearNotifications(page);
  });

  it('gets the memories of the folder when the person copies them, once however often', async () => {
    for (let time = 0; time < 2; time++) {
      await command(page, 'Lodeline: Copy Memories to the Memory Server…');
      expect(await answerDialog(page, 'Copy')).toContain('Copy 2 memories of this folder to');
      await notification(page, 'Copied 2 memories.').waitFor();
      await notification(page, 'Copying memories').waitFor({ state: 'hidden' });
      await clearNotifications(page);
    }
    expect(server.documents(BANK)).toHaveLength(4);
    expect(server.documents(BANK).map(({ content }) => content)).toContain(
      'port\n\nThe server listens on 8080 behind the proxy.',
    );
  });

  it('gives the folder what it lacks', async () => {
    await command(page, 'Lodeline: Copy Memories from the Server to This Folder…');
    await answerDialog(page, 'Copy');
    await notification(page, '2 of 4 memories were new here.').waitFor();
    await notification(page, 'Copying memories').waitFor({ state: 'hidden' });
    const panel = await memoryPanel(page);
    await panel.getByRole('option', { name: /^The cache is cleared at night/ }).waitFor();
    await clearNotifications(page);
  });

  it('is asked before the first prompt of a chat where the person wants that, and the model reads it', async () => {
    await run.editor.settings.update({ 'lodeline.hindsight.autoRecall': true });
    server.hits = [
      { id: 'm1', text: 'Deploys wait for low tide.', type: 'world', mentioned_at: '2026-01-01' },
    ];
    // Until Copilot has started anew a chat takes the names of participants for words.
    await run.script([{ reply: [{ text: 'I am.' }] }]);
    await ask(page, 'Are you there?');
    await newChat(page);
    await run.script([{ when: { lastUserIncludes: 'When do we deploy' }, reply: [{ text: 'On Fridays.' }] }]);
    expect(await ask(page, '@lodeline When do we deploy?')).toContain('On Fridays.');
    const shown =
      (await run.requests())
        .at(-1)
        ?.messages.map(({ text }) => text)
        .join('\n') ?? '';
    expect(shown).toContain('Deploys wait for low tide.');
    expect(server.requests.map(({ path }) => path)).toContain(`/v1/default/banks/${BANK}/memories/recall`);
    await picture(page, 'server-recalled');
  });

  it('leaves the token in no log, no setting, no store and no request of a model', async () => {
    const home = dirname(run.workspace);
    const files = [join(home, 'data'), join(home, 'home'), run.workspace].flatMap(filesUnder);
    const found = files.filter(({ bytes }) => bytes.includes(TOKEN)).map(({ path }) => path);
    expect(found.filter((file) => !/state\.vscdb|secret/i.test(file))).toEqual([]);
    expect(JSON.stringify(await run.requests())).not.toContain(TOKEN);
  });
});

describe('a memory server in Korean', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {HindsightServer} */
  let server;

  beforeAll(async () => {
    server = await startHindsight();
    run = await open({
      locale: 'ko',
      settings: { 'lodeline.memory.backend': 'hindsight', 'lodeline.hindsight.apiUrl': server.url },
    });
    await overMcp(run, async (call) => {
      await call('memory_remember', {
        ...{ category: 'decision', key: '배포-요일', content: '배포는 금요일에만 한다.' },
      });
    });
  }, 600_000);
  afterAll(async () => {
    await run?.close();
    await server?.stop();
  });

  it('says how it is, what waits and what can be done', async () => {
    const page = await run.editor.openWindow();
    await openView(page, 'Lodeline');
    await resizeSidebar(page, 300);
    const panel = await memoryPanel(page);
    const line = panel.getByRole('region', { name: '메모리 보관 위치' });
    await line.getByText(`${new URL(server.url).host}에서 공유 중`).waitFor();
    await server.set('down');
    await run.script(
      turn('배포 요일을 기억해', 'retain', { items: [{ content: '배포는 금요일에만 한다.' }] }),
    );
    await ask(page, '배포 요일을 기억해');
    await line.getByText('메모리 서버가 응답하지 않습니다').waitFor({ timeout: 60_000 });
    await clearNotifications(page);
    await line.getByRole('button', { expanded: false }).click();
    await panel.getByText('전송을 기다립니다').waitFor();
    await picture(page, 'server-ko-300');
    const words = (await panel.locator('lode-backend').allInnerTexts()).join('\n');
    expect(words).not.toMatch(/\b(?:the|and|of|is|not|memory|memories|server|waiting|retry|copy)\b/i);
    await command(page, 'Lodeline: 메모리 백엔드 선택…');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: '이 폴더' }).first().waitFor();
    await picture(page, 'server-ko-choice');
    await page.keyboard.press('Escape');
    await server.set('ok');
    await line.getByRole('button', { name: '지금 다시 시도' }).click();
    await line.getByText(`${new URL(server.url).host}에서 공유 중`).waitFor();
    expect(server.arrivals).toHaveLength(1);
  });
});
