import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { calls, errorsOf, PanelHarness, posted, type Setup } from './harness/panel.ts';

let harness: PanelHarness;
beforeAll(async () => {
  harness = await PanelHarness.start();
}, 60_000);
afterEach(() => harness.closePages());
afterAll(() => harness.stop());

type Messages = NonNullable<Setup['messages']>;

const now = Date.now();
const CHAT = { key: 'chat', title: 'Payments', state: 'running' } as const;
const SCOUT = { key: 'scout', kind: 'spawned', parent: 'chat', title: 'Scout', run: 'r1' } as const;
const DEEP = { key: 'deep', kind: 'spawned', parent: 'scout', title: 'Deep', state: 'ended' } as const;
const COPILOT = {
  key: 'copilot',
  kind: 'copilot',
  title: 'Cache',
  source: 'copilot',
  answers: false,
} as const;
const OLD = { key: 'old', title: 'Old one', archived: true } as const;
const SESSIONS: NonNullable<Messages['sessions']> = [CHAT, SCOUT, DEEP, COPILOT, OLD];

const open = (messages: Messages = { sessions: SESSIONS }, setup: Setup = {}, width = 300) =>
  harness.open({ panel: 'sessions', messages, ...setup }, { width });
const tree = (panel: Page) => panel.getByRole('tree', { name: 'Sessions' });
const item = (panel: Page, name: string | RegExp) => panel.getByRole('treeitem', { name });
const button = (panel: Page, name: string | RegExp) =>
  panel.getByRole('button', { name, exact: typeof name === 'string' });
const menuItem = (panel: Page, name: string | RegExp) => panel.getByRole('menuitem', { name });
const names = (panel: Page) =>
  panel.getByRole('treeitem').evaluateAll((all) => all.map((one) => one.querySelector('.name')?.textContent));
const inputs = async (panel: Page, tool: string) => (await calls(panel, tool)).map(({ input }) => input);
const status = (panel: Page, text: string | RegExp) => panel.getByRole('status').getByText(text).waitFor();
const composer = (panel: Page) => panel.getByRole('textbox', { name: 'Send a message' });
const lines = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    uuid: `m${at}`,
    text: `Line ${at}`,
    at: now - (count - at) * 1_000,
  }));

interface Hostile {
  readonly what: string;
  readonly text: string;
  /** How often it stands there. */
  readonly times?: number;
}
const HOSTILE: readonly Hostile[] = [
  { what: 'markup', text: '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>' },
  { what: 'a command link', text: '[run](command:workbench.action.terminal.new) <a href="command:x">x</a>' },
  { what: 'ANSI', text: '\u001b[31mred\u001b[0m\u0000' },
  { what: 'a reversed line', text: 'photo\u202egpj.exe \u2067x' },
  { what: 'half a pair', text: 'x\ud83dy\udc4d' },
  { what: 'decomposed Hangul', text: '한글 이름'.normalize('NFD') },
  { what: 'a template', text: '{{window.pwned=1}} </div>' },
  { what: 'nothing but space', text: ' \n\t\u2028' },
  { what: 'a megabyte in one word', text: 'x', times: 1_000_000 },
  { what: 'a megabyte of lines', text: '가 \n', times: 333_000 },
];

describe('the tree', { timeout: 30_000 }, () => {
  it('shows children below the session that spawned them, and hides what is archived', async () => {
    const panel = await open();
    await item(panel, 'Payments, running, chat').waitFor();
    expect(await names(panel)).toEqual(['Payments', 'Scout', 'Deep', 'Cache']);
    const deep = item(panel, 'Deep, ended, spawned');
    expect(await deep.getAttribute('aria-level')).toBe('3');
    await button(panel, 'Show archived sessions').click();
    await item(panel, 'Old one, idle, chat, archived').waitFor();
  });

  it('does not lose sessions whose records go in circles, or whose parent is not listed', async () => {
    const panel = await open({
      sessions: [
        { key: 'a', title: 'A', parent: 'b' },
        { key: 'b', title: 'B', parent: 'a' },
        { key: 'self', title: 'Self', parent: 'self' },
        { key: 'lone', title: 'Lone', parent: 'gone' },
        { key: 'below', title: 'Below', parent: 'old' },
        OLD,
      ],
    });
    await item(panel, /^Lone/).waitFor();
    expect((await names(panel)).toSorted()).toEqual(['A', 'B', 'Below', 'Lone', 'Self']);
  });

  it('says what it is for when there is nothing, with the one next step', async () => {
    const panel = await open({});
    await panel.getByRole('heading', { name: 'There are no sessions yet.' }).waitFor();
    await button(panel, 'Open a chat with @lodeline').click();
    expect(await posted(panel, 'openChat')).toHaveLength(1);
  });

  it('is used with the keyboard alone', async () => {
    const panel = await open();
    await tree(panel).focus();
    await panel.keyboard.press('ArrowLeft');
    await expect.poll(() => names(panel)).toEqual(['Payments', 'Cache']);
    await panel.keyboard.press('ArrowRight');
    await expect.poll(() => names(panel)).toEqual(['Payments', 'Scout', 'Deep', 'Cache']);
    await panel.keyboard.press('ArrowRight');
    await panel.keyboard.press('ArrowRight');
    await panel.keyboard.press('ArrowLeft');
    await panel.keyboard.press('ArrowLeft');
    await panel.keyboard.type('ca');
    await panel.keyboard.press('Enter');
    await panel.getByRole('heading', { name: 'Cache' }).waitFor();
    expect(await panel.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.tagName)).toBe(
      'LODE-SESSION',
    );
    await panel.keyboard.press('Escape');
    await expect.poll(() => tree(panel).evaluate((element) => element.matches(':focus'))).toBe(true);
  });

  it('filters by words, and shows what the found ones stand below', async () => {
    const panel = await open();
    await panel.getByRole('textbox', { name: /^Find/ }).fill('spawned deep');
    await expect.poll(() => names(panel)).toEqual(['Payments', 'Scout', 'Deep']);
    await panel.keyboard.press('Escape');
    await expect.poll(() => names(panel)).toHaveLength(4);
  });

  it('renders only what is in view, 3,000 of them', async () => {
    const sessions = Array.from({ length: 3_000 }, (_, at) => ({ key: `s${at}`, title: `Session ${at}` }));
    const panel = await open({ sessions });
    await item(panel, /^Session 0,/).waitFor();
    expect(await panel.getByRole('treeitem').count()).toBeLessThan(60);
    await tree(panel).press('End');
    await item(panel, /^Session 2999,/).waitFor();
  });
});

describe('what can be done to a session', { timeout: 30_000 }, () => {
  const menu = async (panel: Page, name: RegExp) => item(panel, name).click({ button: 'right' });

  it('is archived, and restored again with undo', async () => {
    const panel = await open();
    await item(panel, /^Cache/).click();
    await button(panel, 'Back to the list').click();
    await panel.keyboard.press('Delete');
    await status(panel, 'Archived “Cache”.');
    await expect.poll(() => names(panel)).not.toContain('Cache');
    await button(panel, 'Undo').click();
    await expect.poll(() => names(panel)).toContain('Cache');
    expect(await inputs(panel, 'sessions_change')).toEqual([
      { session: 'copilot', archived: true },
      { session: 'copilot', archived: false },
    ]);
  });

  it('gets another name', async () => {
    const panel = await open();
    await menu(panel, /^Scout/);
    await menuItem(panel, /Rename/).click();
    await panel.getByRole('textbox', { name: 'Name of the session' }).fill('Pathfinder');
    await panel.keyboard.press('Enter');
    await item(panel, /^Pathfinder/).waitFor();
    await status(panel, 'Renamed “Scout”.');
    expect(await inputs(panel, 'sessions_change')).toEqual([{ session: 'scout', title: 'Pathfinder' }]);
  });

  it('takes messages or not, as the person says', async () => {
    const panel = await open();
    await menu(panel, /^Scout/);
    const choice = (name: string) => panel.getByRole('menuitemradio', { name });
    expect(await choice('Messages: as the settings say').getAttribute('aria-checked')).toBe('true');
    await choice('Messages: deny').click();
    await item(panel, 'Scout, idle, spawned, no messages').click();
    await panel.getByText('This session takes no messages. Its menu can allow them.').waitFor();
    expect(await composer(panel).count()).toBe(0);
    expect(await inputs(panel, 'sessions_change')).toEqual([{ session: 'scout', sendPolicy: 'deny' }]);
  });

  it('has a menu that names only the keys that count where it was opened', async () => {
    const panel = await open();
    const items = () => panel.getByRole('menuitem').allInnerTexts();
    const keys = async () => (await items()).join(' ').match(/\b(?:Enter|F2|Del|m)\b/g);
    await menu(panel, /^Scout/);
    await menuItem(panel, /Rename/).waitFor();
    expect(await keys()).toEqual(['Enter', 'F2', 'Del']);
    await panel.keyboard.press('Escape');
    await item(panel, /^Scout/).click();
    await button(panel, 'Actions').last().click();
    await menuItem(panel, /Rename/).waitFor();
    expect(await keys()).toEqual(['m']);
    await panel.keyboard.press('Escape');
    await panel.keyboard.press('m');
    await expect.poll(() => composer(panel).evaluate((each) => each.matches(':focus'))).toBe(true);
    await panel.keyboard.press('Escape');
    await panel.keyboard.press('Escape');
    await panel.keyboard.press('F2');
    await panel.getByRole('textbox', { name: 'Name of the session' }).waitFor();
  });

  it('offers nothing that needs a transcript of an agent that has none', async () => {
    const panel = await open({
      sessions: [
        { key: 'a', id: null, kind: 'agent', source: 'claude-code', maySend: false, canResume: false },
      ],
    });
    await menu(panel, /^claude-code/);
    expect(await panel.getByRole('menuitem').allInnerTexts()).toHaveLength(3);
    expect(await menuItem(panel, 'Raise the level…').count()).toBe(1);
    expect(await panel.getByRole('menuitemradio').count()).toBe(0);
  });

  it('is stopped and resumed, where that is possible', async () => {
    const panel = await open();
    await menu(panel, /^Scout/);
    await menuItem(panel, 'Stop the run').click();
    await item(panel, 'Scout, broken off, spawned').waitFor();
    await menu(panel, /^Scout/);
    expect(await menuItem(panel, 'Stop the run').count()).toBe(0);
    await menuItem(panel, 'Resume in a chat').click();
    expect(await posted(panel, 'resume')).toEqual([{ type: 'resume', session: 'id-scout' }]);
  });

  it('is not offered where the folder is not trusted; reading is', async () => {
    const panel = await open({ sessions: SESSIONS, histories: { scout: lines(2) } }, { trusted: false });
    await menu(panel, /^Scout/);
    expect(await panel.getByRole('menuitem').allInnerTexts()).toHaveLength(2);
    expect(await panel.getByRole('menuitemradio').count()).toBe(0);
    await menuItem(panel, /Show history/).click();
    await panel.getByText('Line 1').waitFor();
    await panel.getByText('Messages cannot be sent from a folder that is not trusted.').waitFor();
    await button(panel, 'Back to the list').click();
    await panel.keyboard.press('Delete');
    expect(await calls(panel, 'sessions_change')).toEqual([]);
    expect(await button(panel, 'New session').count()).toBe(0);
  });
});

describe('a message to a session', { timeout: 30_000 }, () => {
  it('is sent with Enter, and a new line is Shift+Enter', async () => {
    const panel = await open();
    await item(panel, /^Scout/).click();
    await composer(panel).click();
    await panel.keyboard.type('One');
    await panel.keyboard.press('Shift+Enter');
    await panel.keyboard.type('Two');
    await panel.keyboard.press('Enter');
    await status(panel, 'Sent to “Scout”.');
    expect(await composer(panel).inputValue()).toBe('');
    const [input] = await inputs(panel, 'sessions_send');
    expect(input).toMatchObject({ sessionKey: 'scout', message: 'One\nTwo', timeoutSeconds: 0 });
  });

  it('stays where it was written when it was refused, and keeps its id when it is sent again', async () => {
    const panel = await open();
    await panel.evaluate(() => {
      window.fakeHost.messages.answers.sessions_send = { status: 'error', error: 'The disk is full.' };
    });
    await item(panel, /^Scout/).click();
    await composer(panel).fill('Once');
    await panel.keyboard.press('Enter');
    await panel.getByRole('status').getByText('The disk is full.').waitFor();
    expect(await composer(panel).inputValue()).toBe('Once');
    await panel.evaluate(() => {
      delete window.fakeHost.messages.answers.sessions_send;
    });
    await composer(panel).press('Enter');
    await status(panel, 'Sent to “Scout”.');
    const [first, second] = await inputs(panel, 'sessions_send');
    expect(first?.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(second?.id).toBe(first?.id);
  });

  it('is kept unsent over a reload, for the session it was written to', async () => {
    const panel = await open();
    await item(panel, /^Scout/).click();
    await composer(panel).fill('Half a thought');
    await panel.reload();
    await panel.getByRole('heading', { name: 'Scout' }).waitFor();
    expect(await composer(panel).inputValue()).toBe('Half a thought');
    await button(panel, 'Back to the list').click();
    await item(panel, /^Cache/).click();
    expect(await composer(panel).inputValue()).toBe('');
  });

  it('is told of once: what comes of it in the timeline drowns nothing out', async () => {
    const panel = await open();
    await item(panel, /^Scout/).click();
    await composer(panel).fill('Hello');
    await panel.keyboard.press('Enter');
    await status(panel, 'Sent to “Scout”.');
    await expect.poll(async () => (await calls(panel, 'sessions_show')).length).toBeGreaterThan(1);
    await button(panel, 'Back to the list').click();
    await panel.locator('lode-timeline .fold').getByText('1', { exact: true }).waitFor();
    await status(panel, 'Sent to “Scout”.');
  });

  it('says that an agent that is only observed is told later', async () => {
    const panel = await open();
    await item(panel, /^Cache/).click();
    await panel.getByText('Its agent is told with the next call that it makes.').waitFor();
    await composer(panel).fill('Hello');
    await panel.keyboard.press('Enter');
    await status(panel, '“Cache” is told with the next call of its agent.');
  });
});

describe('the history', { timeout: 30_000 }, () => {
  it('shows the latest messages at its end, and older ones on request, where the reader stays', async () => {
    const panel = await open({ sessions: SESSIONS, histories: { scout: lines(100) } });
    await item(panel, /^Scout/).click();
    await panel.getByText('Line 99', { exact: true }).waitFor();
    const history = panel.locator('lode-history');
    const fromEnd = () => history.evaluate((each) => each.scrollHeight - each.scrollTop - each.clientHeight);
    await expect.poll(fromEnd).toBeLessThan(2);
    expect(await panel.getByText('Line 69', { exact: true }).count()).toBe(0);
    await history.evaluate((each) => each.scrollTo(0, 0));
    const before = await fromEnd();
    await button(panel, 'Show older messages').click();
    await panel.getByText('Line 40', { exact: true }).waitFor();
    await expect.poll(async () => Math.abs((await fromEnd()) - before)).toBeLessThan(2);
  });

  it('folds tool calls, and tells messages of other sessions apart with a way to them', async () => {
    const messages = [
      {
        uuid: 'a',
        text: 'I look.',
        calls: [{ name: 'read', input: '{"path":"a.ts"}', result: 'gone', isError: true }],
      },
      { uuid: 'b', role: 'system' as const, text: 'Hurry.', from: { key: 'chat', name: 'Payments' } },
    ];
    const panel = await open({ sessions: SESSIONS, histories: { scout: messages } });
    await item(panel, /^Scout/).click();
    await panel.getByText('1 tool call').waitFor();
    expect(await panel.getByText('gone').isVisible()).toBe(false);
    await panel.getByText('1 tool call').click();
    expect(await panel.getByText('gone').isVisible()).toBe(true);
    const foreign = panel.getByRole('article', { name: 'Message from another session' });
    await foreign.getByText('Hurry.').waitFor();
    await foreign.getByRole('button', { name: 'Payments' }).click();
    await panel.getByRole('heading', { name: 'Payments' }).waitFor();
  });

  it('is the one that was pressed, or none, when another moves into its place meanwhile', async () => {
    const panel = await open();
    await item(panel, /^Payments/).hover();
    await panel.mouse.down();
    await panel.evaluate(() => {
      const { messages } = window.fakeHost;
      const [chat] = messages.sessions;
      if (chat !== undefined)
        messages.sessions = [{ ...chat, key: 'new', title: 'New' }, ...messages.sessions];
      window.fakeHost.changed();
    });
    await expect.poll(async () => (await names(panel))[0]).toBe('New');
    await panel.mouse.up();
    expect(await panel.getByRole('heading', { level: 1 }).count()).toBe(0);
    await item(panel, /^Payments/).click();
    await panel.getByRole('heading', { level: 1, name: 'Payments' }).waitFor();
  });

  it('goes on by itself while the session works, without moving who reads further up', async () => {
    const panel = await open({ sessions: SESSIONS, histories: { scout: lines(60) } });
    await item(panel, /^Scout/).click();
    await panel.getByText('Line 59', { exact: true }).waitFor();
    const grow = (uuid: string) =>
      panel.evaluate((id) => {
        const { messages } = window.fakeHost;
        messages.histories.scout?.push({
          uuid: id,
          at: Date.now(),
          role: 'assistant',
          text: id,
          calls: [],
          from: null,
        });
        messages.sessions = messages.sessions.map((one) =>
          one.key === 'scout' ? { ...one, updated: Date.now() } : one,
        );
        window.fakeHost.changed();
      }, uuid);
    await grow('first');
    await panel.getByText('first', { exact: true }).waitFor();
    const history = panel.locator('lode-history');
    await expect
      .poll(() => history.evaluate((each) => each.scrollHeight - each.scrollTop - each.clientHeight))
      .toBeLessThan(2);
    await history.evaluate((each) => each.scrollTo(0, 100));
    await grow('second');
    await panel.getByText('second', { exact: true }).waitFor({ state: 'attached' });
    await expect.poll(() => history.evaluate((each) => each.scrollTop)).toBe(100);
  });

  it('is searched, and a hit leads to its message, also far back', async () => {
    const hit = {
      session: { id: 'id-scout', title: 'Scout', source: 'lodeline' },
      uuid: 'm5',
      role: 'assistant',
      at: now,
      excerpt: 'Line 5 of it',
    };
    const panel = await open({ sessions: SESSIONS, histories: { scout: lines(100) }, hits: [hit] });
    await panel.getByRole('textbox', { name: /^Find/ }).fill('line 5');
    await button(panel, /Line 5 of it/).click();
    const marked = panel.locator('.message.marked');
    await marked.getByText('Line 5', { exact: true }).waitFor();
    await expect.poll(() => marked.evaluate((each) => each.matches(':focus'))).toBe(true);
    expect((await inputs(panel, 'sessions_read')).at(-1)).toMatchObject({ session: 'scout', reach: 'm5' });
  });

  it('says why it cannot be read', async () => {
    const panel = await open();
    await panel.evaluate(() => {
      window.fakeHost.messages.unreadable.scout = { text: 'It is sealed.', values: [] };
    });
    await item(panel, /^Scout/).click();
    await panel.getByText('It is sealed.').waitFor();
  });

  it.each(HOSTILE)('shows hostile text as text: $what', async ({ text, times = 1 }) => {
    const here = 'TEXT';
    const session = { ...SCOUT, title: here, label: `${here}.`, source: here, agentId: here, model: here };
    const name = { key: 'elsewhere', name: here };
    const call = { name: here, input: here, result: here, isError: true };
    const panel = await open({
      sessions: [session],
      agents: ['main', here],
      histories: { scout: [{ uuid: 'a', text: here, calls: [call], from: name }] },
      timeline: [{ id: 'e', at: now, event: 'sent', from: name, to: name, text: here }],
      hits: [
        {
          session: { id: 'id-scout', title: here, source: here },
          ...{ uuid: 'a', role: here, at: now, excerpt: `find ${here}` },
        },
      ],
    });
    await item(panel, /^TEXT/).waitFor();
    // What is very long is made in the page.
    await panel.evaluate(
      ({ part, count }) => {
        const whole = part.repeat(count);
        const put = (value: unknown): unknown => {
          if (typeof value === 'string') return value.replaceAll('TEXT', () => whole);
          if (Array.isArray(value)) return value.map(put);
          if (typeof value !== 'object' || value === null) return value;
          return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, put(each)]));
        };
        Object.assign(window.fakeHost.messages, put(window.fakeHost.messages));
        window.fakeHost.changed();
      },
      { part: text, count: times },
    );
    await item(panel, /^TEXT/).waitFor({ state: 'detached' });
    await panel.locator('lode-timeline .fold').click();
    await panel.locator('lode-timeline .message').waitFor();
    await panel.getByRole('textbox', { name: /^Find/ }).fill('find');
    await panel.locator('lode-hits .hit').click();
    await panel.locator('lode-history details').click();
    await panel.locator('lode-history .call').waitFor();
    const seen = await panel.evaluate(() => {
      const texts: string[] = [];
      const walk = (node: Node) => {
        if (node instanceof Text) texts.push(node.data);
        if (node instanceof Element) {
          for (const { value } of node.attributes) texts.push(value);
          if (node.shadowRoot !== null) walk(node.shadowRoot);
        }
        if (!(node instanceof HTMLStyleElement)) node.childNodes.forEach(walk);
      };
      walk(document.body);
      const text = texts.join('\n');
      return { text, isWellFormed: text.isWellFormed(), pwned: Reflect.get(window, 'pwned') };
    });
    expect(seen.pwned).toBeUndefined();
    expect(await panel.locator('img, a[href^="command:"]').count()).toBe(0);
    expect(seen.isWellFormed).toBe(true);
    expect(['\u0000', '\u001b', '\u202e', '\u2067'].filter((char) => seen.text.includes(char))).toEqual([]);
    // However long what comes in is, what is rendered of it is not.
    expect(seen.text.length).toBeLessThan(60_000);
    expect(await panel.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
    const directives = await panel.evaluate(() =>
      window.fakeHost.violations.map(({ directive }) => directive),
    );
    expect(directives.filter((directive) => !directive.startsWith('style-src'))).toEqual([]);
    expect(errorsOf(panel)).toEqual([]);
  });
});

describe('a message of ten megabytes', { timeout: 30_000 }, () => {
  it('is shown in part, and the panel goes on being used', async () => {
    const panel = await open({ sessions: SESSIONS, histories: { scout: [{ uuid: 'a', text: 'TEXT' }] } });
    await panel.evaluate(() => {
      const [message] = window.fakeHost.messages.histories.scout ?? [];
      Object.assign(message ?? {}, { text: 'word '.repeat(2_000_000) });
    });
    await item(panel, /^Scout/).click();
    await button(panel, 'Show all (10,000,000 characters)').waitFor();
    const shown = await panel.locator('.message lode-block').evaluate((each) => each.shadowRoot?.textContent);
    expect(shown?.length).toBeLessThan(5_000);
    await composer(panel).fill('Shorter, please');
    await panel.keyboard.press('Enter');
    await status(panel, 'Sent to “Scout”.');
  });
});

describe('a new session', { timeout: 30_000 }, () => {
  it('is started with what was filled in, and is shown', async () => {
    const panel = await open({ sessions: SESSIONS, agents: ['main', 'explore'] });
    await button(panel, 'New session').click();
    await button(panel, 'Start').click();
    await panel.getByRole('alert').getByText('Say what is to be done.').waitFor();
    await panel.getByRole('textbox', { name: 'Task' }).fill('Look around');
    await panel.getByRole('textbox', { name: 'Label' }).fill('walker');
    await panel.getByRole('spinbutton', { name: 'Stop after (minutes)' }).fill('5');
    await button(panel, 'Start').click();
    await panel.getByRole('heading', { name: 'Look around' }).waitFor();
    expect(await inputs(panel, 'sessions_spawn')).toEqual([
      { task: 'Look around', label: 'walker', runTimeoutSeconds: 300 },
    ]);
  });

  it('keeps what was filled in when it could not be started', async () => {
    const panel = await open();
    await panel.evaluate(() => {
      window.fakeHost.messages.answers.sessions_spawn = { status: 'error', error: 'There is no model.' };
    });
    await button(panel, 'New session').click();
    await panel.getByRole('textbox', { name: 'Task' }).fill('Look around');
    await panel.keyboard.press('Control+Enter');
    await panel.getByRole('status').getByText('There is no model.').waitFor();
    expect(await panel.getByRole('textbox', { name: 'Task' }).inputValue()).toBe('Look around');
  });
});

describe('the timeline', { timeout: 30_000 }, () => {
  const events = (['waiting', 'replied', 'failed'] as const).map((event, at) => ({
    ...{
      id: `e${at}`,
      at: now - 2.5 * 3_600_000 - at * 1_000,
      event,
      from: { key: 'chat', name: 'Payments' },
    },
    ...{ to: { key: 'scout', name: 'Scout' }, text: `Text ${at}` },
  }));

  it('shows what happened to messages, newest first, and leads to where they went', async () => {
    const panel = await open({ sessions: SESSIONS, timeline: events });
    await panel.getByText('1 waiting').waitFor();
    await button(panel, /^Messages/).click();
    const shown = panel.locator('lode-timeline .message');
    expect(await shown.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))).toEqual([
      'waiting, from Payments to Scout, 2 hours ago, Text 0',
      'replied, from Payments to Scout, 2 hours ago, Text 1',
      'failed, from Payments to Scout, 2 hours ago, Text 2',
    ]);
    await shown.first().focus();
    await panel.keyboard.press('ArrowDown');
    await panel.keyboard.press('Enter');
    await panel.getByRole('heading', { name: 'Scout' }).waitFor();
  });

  it('tells a screen reader what has come', async () => {
    const panel = await open({ sessions: SESSIONS, timeline: [] });
    await tree(panel).focus();
    await panel.evaluate((event) => {
      if (event !== undefined) window.fakeHost.messages.timeline.unshift({ ...event });
      window.fakeHost.changed();
    }, events[1]);
    await status(panel, 'Message from Payments to Scout');
  });
});

describe('files that several sessions work on', () => {
  const CLAUDE = {
    key: 'claude',
    id: null,
    kind: 'agent',
    source: 'claude',
    peer: 'toon-memory',
    maySend: false,
    conflicts: [{ file: 'src/a.ts', sessions: ['lodeline@main'] }],
  } as const;
  const conflicts = [
    { file: 'src/a.ts', sessions: ['lodeline@main', 'claude@refunds'] },
    { file: 'notes.md', sessions: ['vscode@main', 'vscode@main'] },
  ];

  it('are told in the row of each of them, with the files and who else, and in its pane', async () => {
    const panel = await open({ sessions: [CHAT, CLAUDE], conflicts });
    const row = item(panel, 'claude, idle, 1 file that others work on, too, agent, through toon-memory');
    expect(await row.locator('.badge').getAttribute('title')).toBe(
      '1 file that others work on, too\nsrc/a.ts ↔ lodeline@main',
    );
    expect(
      await item(panel, /^Payments/)
        .locator('.badge')
        .count(),
    ).toBe(0);
    await row.click();
    await panel
      .getByRole('list', { name: '1 file that others work on, too' })
      .getByText('src/a.ts')
      .waitFor();
    await panel.getByText(/^PUBLIC · .*through toon-memory/).waitFor();
  });

  it('are listed below the tree, open with a click, and fold away', async () => {
    const panel = await open({ sessions: [CHAT], conflicts });
    const files = panel.locator('lode-conflicts .file');
    expect(await files.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))).toEqual([
      'src/a.ts, worked on by lodeline@main, claude@refunds',
      'notes.md, worked on by vscode@main ×2',
    ]);
    await files.first().focus();
    await panel.keyboard.press('ArrowDown');
    await panel.keyboard.press('Enter');
    expect(await posted(panel, 'openFile')).toEqual([{ type: 'openFile', file: 'notes.md' }]);
    await button(panel, /^Worked on by several/).click();
    await files.first().waitFor({ state: 'detached' });
  });

  it('are found by their names, come and go, and are there where no agent is', async () => {
    const panel = await open({ sessions: [CHAT, CLAUDE] });
    await panel.locator('.bar vscode-text-field').click();
    await panel.keyboard.type('src/a.ts');
    await expect.poll(() => names(panel)).toEqual(['claude']);
    const alone = await open({ sessions: [], conflicts });
    await alone.locator('lode-conflicts .file').first().waitFor();
    await alone.evaluate(() => {
      window.fakeHost.messages.conflicts.length = 0;
      window.fakeHost.changed();
    });
    await alone.locator('lode-conflicts .file').first().waitFor({ state: 'detached' });
    expect(await errorsOf(alone)).toEqual([]);
  });

  it('are shown as text, whatever they are called', async () => {
    const what = '<img src=x onerror="window.pwned=1">\u202egnp';
    const hostile = { file: what, sessions: [what, 'x'.repeat(5_000)] };
    const panel = await open({
      sessions: [{ ...CLAUDE, source: what, conflicts: [hostile] }],
      conflicts: [hostile],
    });
    await panel.locator('lode-conflicts .file').waitFor();
    expect(await panel.evaluate(() => 'pwned' in window)).toBe(false);
    expect(await panel.locator('lode-conflicts .file').textContent()).toContain('<img src=x');
    expect(await panel.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  });
});

describe('beside each other', { timeout: 30_000 }, () => {
  it('list and session stand in a wide panel', async () => {
    const panel = await open({ sessions: SESSIONS, histories: { scout: lines(3) } }, {}, 900);
    await panel.getByText('Select a session to read what was said in it.').waitFor();
    await item(panel, /^Scout/).click();
    await panel.getByText('Line 2').waitFor();
    expect(await item(panel, /^Scout/).getAttribute('aria-current')).toBe('true');
    expect(await button(panel, 'Back to the list').count()).toBe(0);
  });
});
