// @ts-check
/** Pictures of the Sessions and Subagents panels for the README, on the demo project. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, newChat } from './harness/chat.mjs';
import { clearNotifications, notification, webviewFrame } from './harness/workbench.mjs';
import { edit, showPanel, subagentsPanel, worker, write } from './subagents-support.mjs';
import { open, readmePicture } from './support.mjs';

const WIDTH = 420;
const FOUND =
  'Every miss asks the provider again, even while the same question is still on its way: eleven identical requests in one second after a restart.';

describe('the panels that the README shows', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {import('./support.mjs').Page} */
  let page;

  beforeAll(async () => {
    run = await open({ demo: true });
    page = await run.editor.openWindow();
    // Until Copilot has started there is no model, and a chat takes the names of participants for words.
    await run.script([{ reply: [{ text: 'I am.' }] }]);
    await ask(page, 'Are you there?');
    await newChat(page);
  });
  afterAll(async () => await run?.close());

  /** Rules for one turn: on this prompt call a tool, then say this. @param {string} prompt @param {string} name @param {object} input @param {string} text */
  const turn = (prompt, name, input, text) => [
    { when: { lastUserIncludes: prompt }, reply: [{ toolCall: { name, input } }] },
    { when: { lastUserIncludes: prompt, afterToolResult: name }, reply: [{ text }] },
  ];

  it('sessions: a scout that a chat has spawned, and what they said to each other', async () => {
    const task = 'Find out why forecasts are slow right after a restart.';
    await run.script([
      { when: { lastNoteIncludes: 'Your task has ended' }, reply: [{ text: 'Nothing is doubtful.' }] },
      { when: { lastNoteIncludes: task }, reply: [{ text: FOUND }] },
      ...turn(
        'slow after a restart',
        'sessions_spawn',
        { task, label: 'scout' },
        'A session of its own looks into it; I go on meanwhile.',
      ),
    ]);
    await ask(page, '@lodeline Why are forecasts slow after a restart? Send a scout.');
    await notification(page, '“scout” announces').waitFor({ timeout: 60_000 });
    await clearNotifications(page);
    await run.script([
      ...turn(
        'And the display',
        'sessions_send',
        { label: 'scout', message: 'Does the display ask as well?', timeoutSeconds: 60 },
        'It does, once a minute; the scout says that one shared request would serve both.',
      ),
      {
        when: { lastNoteIncludes: 'Does the display ask as well?' },
        reply: [{ text: 'Yes, once a minute. One shared request would serve both.' }],
      },
      {
        when: { lastNoteIncludes: 'answer exactly REPLY_SKIP' },
        reply: [{ text: 'REPLY_SKIP' }],
        repeat: true,
      },
      { when: { lastNoteIncludes: 'ANNOUNCE_SKIP' }, reply: [{ text: 'ANNOUNCE_SKIP' }], repeat: true },
    ]);
    expect(await ask(page, '@lodeline And the display?')).toContain('the scout says');
    await showPanel(page, ['Memory', 'Todo', 'Checkpoint', 'Subagents'], 'Sessions', WIDTH);
    const sessions = await webviewFrame(page, 'lodeline-sessions');
    await sessions.getByRole('button', { name: /^Messages/ }).click();
    await sessions
      .getByRole('button', { name: /^replied, from scout/ })
      .first()
      .waitFor();
    // Both have ended what they did.
    await sessions.getByRole('treeitem', { name: /^Why are forecasts slow.*idle, chat/ }).waitFor();
    await readmePicture(page, 'sessions');
  });

  it('subagents: a batch whose work has landed, one change opened', async () => {
    const tasks = [
      ['SharedRequest', 'WORK-A', 'Ask the provider once for the same question'],
      ['Names', 'WORK-B', 'Give the limits of the cache a name'],
      ['Notes', 'WORK-C', 'Write down what was decided'],
    ].map(([id, word, description]) => ({ id, description, assignment: `${word}: ${description}` }));
    const limits = 'private readonly capacity = 500,';
    await newChat(page);
    await run.script([
      ...turn(
        'Split it',
        'task',
        { agent: 'task', isolated: true, tasks },
        'All three are done; look at the change in the panel.',
      ),
      ...worker('WORK-A', [write('src/shared.ts', SHARED)], 'The same question is asked once.'),
      ...worker('WORK-B', edit('src/cache.ts', limits, 'private readonly harbours = 500,'), 'Renamed.'),
      ...worker(
        'WORK-C',
        [write('docs/decisions.md', '# Decisions\n\n- One request for the same question.\n')],
        'Written.',
      ),
    ]);
    await ask(page, '@lodeline Split it into three tasks.', { confirm: 'Allow' });
    await showPanel(page, ['Memory', 'Todo', 'Checkpoint', 'Sessions'], 'Subagents', WIDTH);
    const at = subagentsPanel(page);
    await (await at.row(/Notes, applied/)).waitFor();
    await (await at.row(/SharedRequest, applied/)).click();
    await (await at.panel()).locator('.file').first().click();
    await (await at.panel())
      .getByRole('group', { name: /^Change 1 of 1/ })
      .first()
      .waitFor();
    await readmePicture(page, 'subagents');
  });
});

const SHARED = `/** Asks once for the same question, however many wait for the answer. */
export function shared<T>(ask: (harbour: string) => Promise<T>) {
  const open = new Map<string, Promise<T>>();
  return (harbour: string) => {
    const waiting = open.get(harbour);
    if (waiting) return waiting;
    const asked = ask(harbour).finally(() => open.delete(harbour));
    open.set(harbour, asked);
    return asked;
  };
}
`;
