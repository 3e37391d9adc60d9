// @ts-check
/** What outlives hiding, reloading, a second window and a crash; and the README's pictures, from the same memory. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from './harness/chat.mjs';
import { openView, resizeSidebar, setTheme } from './harness/workbench.mjs';
import {
  command,
  memoryCount,
  memoryPanel,
  open,
  openFile,
  overMcp,
  picture,
  readmePicture,
  reloadWindow,
  turn,
} from './support.mjs';

/** What agents have saved over three weeks; `old` in days. */
const MEMORIES = [
  {
    old: 25,
    category: 'decision',
    key: 'cache-500-harbours',
    content: 'The cache keeps at most 500 harbours.',
  },
  {
    old: 23,
    category: 'decision',
    key: 'cache-500-harbours',
    content:
      'The cache keeps at most 500 harbours, because the display box has 256 MB and a forecast with its history takes up to 200 kB. Measured on the box, not guessed.',
    file: 'src/cache.ts:6',
    tags: 'cache;memory-limit',
    replace: true,
  },
  {
    old: 21,
    category: 'decision',
    key: 'rejected-redis',
    content:
      'Rejected: Redis as a shared cache. The box has no network at night, and a Map in the process is fast enough. See [[cache-500-harbours]].',
    tags: 'cache;rejected',
  },
  {
    old: 16,
    category: 'bug',
    key: 'service-503-at-tide-change',
    content:
      'The forecast service answers 503 for about two seconds at each tide change. Retry three times and wait 250, 500 and 1000 ms; do not show an error to the harbour.',
    file: 'src/api.ts:29',
    tags: 'api;retry',
  },
  {
    old: 12,
    category: 'pattern',
    key: 'pass-the-clock',
    content:
      'Functions that look at the time take `now` as their last parameter, so that tests need no fake clock.',
    file: 'src/cache.ts:10',
    tags: 'testing',
  },
  {
    old: 9,
    category: 'knowledge',
    key: 'display-line-40-characters',
    content:
      'The display shows one line of 40 characters; what is longer wraps into the clock and freezes it.',
    file: 'src/display.ts:3',
    tags: 'display',
  },
  {
    old: 6,
    category: 'warning',
    key: 'never-cache-errors',
    content:
      'Do not put a failed answer into the cache: on 3 November all displays showed "undefined m" for 15 minutes after one 503.',
    file: 'src/api.ts:21',
    tags: 'cache;api',
  },
  {
    old: 2,
    category: 'knowledge',
    key: 'heights-are-metres-lat',
    content:
      'Heights are metres above the lowest astronomical tide, not above mean sea level. Skippers rely on it.',
    tags: 'domain',
  },
  {
    old: 0,
    category: 'decision',
    key: 'ttl-15-minutes',
    content:
      'Forecasts stay in the cache for 15 minutes: the service computes new ones every 20, and the harbours asked for less than one request per minute. Goes with [[cache-500-harbours]].',
    file: 'src/cache.ts:7',
    tags: 'cache',
  },
];
const COUNT = new Set(MEMORIES.map(({ key }) => key)).size;
/** What the person has looked at and found right. */
const CONFIRMED = ['cache-500-harbours', 'service-503-at-tide-change', 'never-cache-errors'];

describe('memory', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {import('playwright-core').Page} */
  let first;

  beforeAll(async () => {
    run = await open({ demo: true });
    for (const old of new Set(MEMORIES.map((memory) => memory.old))) {
      await overMcp(
        run,
        async (call) => {
          for (const { old: age, ...memory } of MEMORIES)
            if (age === old) await call('memory_remember', memory);
        },
        { daysAgo: old },
      );
    }
    await overMcp(run, (call) => call('memory_pin', { key: 'cache-500-harbours' }));
    first = await run.editor.openWindow();
    await memoryCount(first, COUNT);
  }, 600_000);
  afterAll(async () => await run?.close());

  it('is confirmed by the person in the panel', async () => {
    await openView(first, 'Lodeline');
    const panel = await memoryPanel(first);
    for (const key of CONFIRMED) {
      await panel.getByRole('option', { name: new RegExp(`^${key},`) }).click();
      await panel.getByRole('heading', { name: key }).waitFor();
      await panel.getByRole('button', { name: 'Confirm', exact: true }).click();
      await panel.getByRole('button', { name: 'Confirm', exact: true }).waitFor({ state: 'detached' });
      await panel.getByRole('button', { name: 'Back', exact: true }).click();
    }
    await panel.getByRole('option', { name: /^cache-500-harbours, (?!.*unconfirmed)/i }).waitFor();
    await panel.getByRole('option', { name: /^rejected-redis, .*unconfirmed/i }).waitFor();
  });

  it('is recalled in a second window beside the memory browser (picture)', async () => {
    const second = await run.editor.openWindow({ width: 1280, height: 720 });
    await memoryCount(second, COUNT);
    await openFile(second, 'src/cache.ts:6');
    await openView(second, 'Lodeline');
    await resizeSidebar(second, 424);
    const panel = await memoryPanel(second);
    await panel.getByRole('option', { name: /^ttl-15-minutes/ }).waitFor();
    await run.script([
      {
        when: { lastUserIncludes: 'Why does the cache' },
        reply: [{ toolCall: { name: 'memory_recall', input: { query: 'cache harbours', limit: 2 } } }],
      },
      {
        when: { lastUserIncludes: 'Why does the cache', afterToolResult: 'memory_recall' },
        reply: [
          {
            text:
              'Because the display box has only 256 MB, and a forecast with its history takes up to 200 kB. ' +
              'That was measured on the box and decided three weeks ago (`cache-500-harbours`).\n\n' +
              'A shared Redis was considered and rejected: the box has no network at night.',
          },
        ],
      },
    ]);
    await ask(second, 'Why does the cache keep only 500 harbours?');
    const asked = (await run.requests()).at(-1);
    expect(asked?.toolResult?.text).toContain('[decision] cache-500-harbours');
    await second.locator('.chat-input-toolbars .codicon-stop-circle:visible').waitFor({ state: 'detached' });
    await readmePicture(second, 'remember-and-recall');
    await second.close();
  });

  it('is shown in an editor tab, list and entry side by side (picture)', async () => {
    await command(first, 'View: Toggle Primary Side Bar Visibility');
    await command(first, 'View: Toggle Secondary Side Bar Visibility');
    await command(first, 'Lodeline: Open Memory in Editor');
    const tab = await memoryPanel(first);
    await tab.getByRole('option', { name: /^cache-500-harbours/ }).click();
    await tab.getByRole('heading', { name: 'cache-500-harbours' }).waitFor();
    // The list stays beside the entry.
    await tab.getByRole('option', { name: /^never-cache-errors, warning/ }).waitFor();
    await tab.getByText('Earlier versions (1)').click();
    await tab.getByText('The cache keeps at most 500 harbours.', { exact: true }).waitFor();
    await readmePicture(first, 'memory-browser');
    for (const theme of /** @type {const} */ (['light', 'high-contrast', 'high-contrast-light'])) {
      await setTheme(run.editor, first, theme);
      await picture(first, `memory-browser-${theme}`);
    }
    await setTheme(run.editor, first, 'dark');
  });

  it('keeps the editor tab and what it shows through a reload of the window', async () => {
    await reloadWindow(first);
    await first.locator('.tab.active', { hasText: 'Lodeline Memory' }).waitFor();
    const tab = await memoryPanel(first, { timeout: 60_000 });
    await tab.getByRole('heading', { name: 'cache-500-harbours' }).waitFor();
    await command(first, 'View: Close All Editors');
  });

  it('keeps what is being written while another view is shown', async () => {
    await openView(first, 'Lodeline');
    const panel = await memoryPanel(first);
    await panel.getByRole('option', { name: /^rejected-redis/ }).click();
    await panel.getByRole('button', { name: 'Edit', exact: true }).click();
    await panel.getByRole('textbox', { name: 'Content' }).fill('Rejected for good: no network at night.');
    await openView(first, 'Explorer');
    await first.locator('.explorer-folders-view').waitFor();
    await openView(first, 'Lodeline');
    const again = await memoryPanel(first);
    await again.getByRole('heading', { name: 'rejected-redis' }).waitFor();
    await expect
      .poll(() => again.getByRole('textbox', { name: 'Content' }).inputValue())
      .toBe('Rejected for good: no network at night.');
    await picture(first, 'draft');
  });

  it('is not lost when two windows edit the same entry', async () => {
    const second = await run.editor.openWindow();
    await openView(second, 'Lodeline');
    const theirs = await memoryPanel(second);
    await theirs.getByRole('option', { name: /^rejected-redis/ }).click();
    await theirs.getByRole('button', { name: 'Edit', exact: true }).click();
    await theirs.getByRole('textbox', { name: 'Content' }).fill('Rejected until the box has a cable.');
    await theirs.getByRole('button', { name: 'Save', exact: true }).click();
    await theirs.getByText('Saved.').first().waitFor();

    const mine = await memoryPanel(first);
    await mine.getByText('This entry changed elsewhere while you were editing.').waitFor();
    expect(await mine.getByRole('textbox', { name: 'Content' }).inputValue()).toBe(
      'Rejected for good: no network at night.',
    );
    await mine.getByRole('button', { name: 'Show their version' }).click();
    await mine.getByText('Rejected until the box has a cable.').waitFor();
    await picture(first, 'conflict');
    await mine.getByRole('button', { name: 'Save', exact: true }).click();

    for (const panel of [mine, theirs]) {
      await panel.getByText('Rejected for good: no network at night.').first().waitFor();
      await panel.getByText(/^Earlier versions \(2\)$/).click();
      await panel.getByText('Rejected until the box has a cable.').waitFor();
      await panel.getByText('Rejected: Redis as a shared cache.').waitFor();
    }
    await second.close();
  });

  it('is there after the extension host is killed in the middle of work', async () => {
    const hosts = extensionHosts(run.mark);
    expect(hosts.length).toBeGreaterThan(0);
    await run.script(
      turn('Note the outage', 'memory_remember', {
        category: 'bug',
        key: 'outage-3-november',
        content: 'All displays were dark for an hour.',
      }),
    );
    expect(await ask(first, 'Note the outage')).toContain('🧠 Saved: bug/outage-3-november');
    // Saved is saved: nothing is given time to be written later.
    for (const pid of extensionHosts(run.mark)) process.kill(pid, 'SIGKILL');
    await reloadWindow(first);
    await memoryCount(first, COUNT + 1);
    const panel = await memoryPanel(first, { timeout: 60_000 });
    await panel.getByRole('heading', { name: 'rejected-redis' }).waitFor();
    await panel.getByRole('button', { name: 'Back', exact: true }).click();
    await panel.getByRole('option', { name: /^outage-3-november, bug/ }).waitFor();
  });

  it('is there after the server and everything it started is killed', async () => {
    const panel = await memoryPanel(first);
    await panel.getByRole('option', { name: /^outage-3-november/ }).click();
    await panel.getByRole('button', { name: 'Pin', exact: true }).click();
    await panel.getByText('Pinned “outage-3-november”.').first().waitFor();
    await run.restart();
    const page = await run.editor.openWindow();
    await memoryCount(page, COUNT + 1);
    await openView(page, 'Lodeline');
    const again = await memoryPanel(page);
    await again.getByRole('option', { name: /^outage-3-november, bug, .*Pinned/ }).waitFor();
    expect(await overMcp(run, (call) => call('memory_recall', { query: 'redis' }))).toContain(
      'Rejected for good: no network at night.',
    );
  });
});

/** The processes that run extensions for this run's windows. @param {string} mark */
function extensionHosts(mark) {
  /** @param {string} pid @param {string} file */
  const read = (pid, file) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8');
    } catch {
      return '';
    }
  };
  return readdirSync('/proc')
    .filter((pid) => read(pid, 'cmdline').includes('--type=extensionHost'))
    .filter((pid) => read(pid, 'environ').split('\0').includes(mark))
    .map(Number);
}
