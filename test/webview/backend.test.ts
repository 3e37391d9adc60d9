import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BackendView } from '../../src/backendProtocol.ts';
import { calls, errorsOf, PanelHarness, posted } from './harness/panel.ts';

let harness: PanelHarness;
beforeAll(async () => {
  harness = await PanelHarness.start();
}, 60_000);
afterEach(() => harness.closePages());
afterAll(() => harness.stop());

const SERVER: Partial<BackendView> = {
  kind: 'hindsight',
  server: { url: 'https://memory.example.com', state: 'reachable' },
  banks: [
    { id: 'lodeline', scope: 'tagged', tag: 'project:shop' },
    { id: 'lodeline', scope: 'global' },
  ],
  mentalModels: [
    { id: 'conventions', name: 'Project Conventions', ours: true, text: 'Validate with Zod.' },
    { id: 'style', name: 'Team style', ours: false },
  ],
};
const DOWN: Partial<BackendView> = {
  ...SERVER,
  server: {
    url: 'https://memory.example.com',
    state: 'unreachable',
    error: { text: 'connect ECONNREFUSED', values: [] },
  },
  queue: {
    ...{ waiting: 3, refused: 0, oldest: Date.now() - 600_000, nextTry: Date.now() + 60_000 },
    error: { text: 'connect ECONNREFUSED', values: [] },
  },
};

/** The machine may be busy. */
const PATIENT = { timeout: 10_000 };
const line = (panel: Page) => panel.getByRole('region', { name: 'Where memories are kept' });
const unfold = (panel: Page) => line(panel).getByRole('button', { expanded: false }).click();
const details = (panel: Page) => panel.locator('lode-backend .more');
const words = async (panel: Page) => ((await details(panel).textContent()) ?? '').replace(/\s+/g, ' ');
const spoken = (panel: Page) => panel.getByRole('status').last();

describe('the line that tells where memories are kept', { timeout: 30_000 }, () => {
  it('is quiet about the folder, and offers a server', async () => {
    const panel = await harness.open({ count: 3 });
    await expect
      .poll(() => line(panel).textContent(), PATIENT)
      .toMatch(/^\s*Kept in this folder\s*Use a Server…\s*$/);
    await panel.getByRole('button', { name: 'Use a Server…' }).click();
    expect(await posted(panel, 'memoryBackend')).toMatchObject([
      { command: 'chooseMemoryBackend', backend: 'hindsight' },
    ]);
  });

  it('says when recall, retain and reflect are off', async () => {
    const panel = await harness.open({ count: 3, backend: { kind: 'off' } });
    await line(panel).getByText('recall, retain and reflect are off').waitFor();
    await panel.getByRole('button', { name: 'Turn On…' }).click();
    expect(await posted(panel, 'memoryBackend')).toMatchObject([{ command: 'chooseMemoryBackend' }]);
  });

  it('names the server, its banks and mental models, and no queue that holds nothing', async () => {
    const panel = await harness.open({ count: 3, backend: SERVER });
    await line(panel).getByText('Shared on memory.example.com').waitFor();
    expect(await panel.getByRole('button', { name: 'Retry Now' }).count()).toBe(0);
    await unfold(panel);
    const text = await words(panel);
    expect(text).toContain('https://memory.example.com');
    expect(text).toContain('lodeline this project, by the tag project:shop');
    expect(text).toContain('lodeline every project');
    expect(text).toContain('Team style not made by Lodeline no text yet');
    expect(text).not.toContain('Queue');
    expect(text).not.toContain('Validate with Zod.');
  });

  it('shows what waits, since when and why, and tries it again', async () => {
    const panel = await harness.open({ count: 3, backend: DOWN });
    await line(panel).getByText('The memory server does not answer').waitFor();
    await line(panel).getByText('3 waiting').waitFor();
    await unfold(panel);
    const text = await words(panel);
    expect(text).toContain('3 wait to be sent; the oldest came 10 minutes ago.');
    expect(text).toMatch(/Next try at \d/);
    expect(text.match(/ECONNREFUSED/g)).toHaveLength(1);
    await panel.getByRole('button', { name: 'Retry Now' }).click();
    await line(panel).getByText('Shared on memory.example.com').waitFor();
    expect(await calls(panel, 'backend_retry')).toHaveLength(1);
    await expect.poll(() => spoken(panel).textContent(), PATIENT).toBe('Everything has arrived.');
    expect(await panel.getByRole('button', { name: 'Retry Now' }).count()).toBe(0);
  });

  it('says once that the server refuses, and how many wait for it', async () => {
    const server = { url: 'https://memory.example.com', state: 'refusing' } as const;
    const panel = await harness.open({
      count: 3,
      backend: { ...SERVER, server, queue: { waiting: 2, refused: 2 } },
    });
    await expect
      .poll(() => line(panel).textContent(), PATIENT)
      .toMatch(/The memory server refuses · 2 waiting/);
    await unfold(panel);
    expect(await words(panel)).toContain('The server refused 2, kept here until it takes them.');
  });

  it('says what is wrong with an address that is none', async () => {
    const error = { text: 'The address must begin with http:// or https://.', values: [] };
    const panel = await harness.open({
      count: 3,
      backend: { kind: 'hindsight', server: { url: '', state: 'unknown', error } },
    });
    await line(panel).getByText('No memory server is set').waitFor();
    await unfold(panel);
    expect(await words(panel)).toContain('Server The address must begin with http:// or https://.');
  });

  it('says what failed when it cannot be tried again', async () => {
    const failing = { backend_retry: 'The store thread ended.' };
    const panel = await harness.open({ count: 3, backend: DOWN, failing });
    await panel.getByRole('button', { name: 'Retry Now' }).click();
    await panel.locator('.toast.error', { hasText: 'The store thread ended.' }).waitFor();
    await line(panel).getByText('3 waiting').waitFor();
  });

  it('tells screen readers when the server stops answering and when it does again', async () => {
    const panel = await harness.open({ count: 3, backend: SERVER });
    await line(panel).getByText('Shared on memory.example.com').waitFor();
    const become = (backend: Partial<BackendView>) =>
      panel.evaluate((change) => {
        Object.assign(window.fakeHost.backend, change);
        window.fakeHost.changed();
      }, backend);
    await become(DOWN);
    await expect.poll(() => spoken(panel).textContent(), PATIENT).toBe('The memory server does not answer');
    await become({ ...SERVER, queue: { waiting: 0, refused: 0 } });
    await expect.poll(() => spoken(panel).textContent(), PATIENT).toBe('The memory server answers again.');
  });

  it('has the text of a mental model on demand, as text', async () => {
    const evil = '<img src=x onerror="window.hurt=1"><b>\u202e';
    const mentalModels = [{ id: evil, name: evil, ours: false, text: `# ${evil}` }];
    const panel = await harness.open({
      count: 3,
      backend: {
        ...DOWN,
        mentalModels,
        banks: [{ id: evil, scope: 'tagged', tag: evil }],
        server: { url: evil, state: 'refusing', error: { text: '{0}', values: [evil] } },
      },
    });
    await unfold(panel);
    await details(panel)
      .getByRole('button', { name: /^<img src=x/ })
      .click();
    await details(panel).getByText('# <img src=x').waitFor();
    expect(await panel.evaluate(() => 'hurt' in window)).toBe(false);
    expect(errorsOf(panel)).toEqual([]);
  });

  it('hands on each thing that can be done, by keyboard alone, and stays open over hiding', async () => {
    const panel = await harness.open({ count: 3, backend: SERVER });
    await line(panel).getByRole('button', { expanded: false }).press('Enter');
    for (const name of [
      'Copy Memories to the Server…',
      'Copy Memories to This Folder…',
      'Set the Token…',
      'Change the Backend…',
    ])
      await details(panel).getByRole('button', { name }).press('Enter');
    const sent = (await posted(panel, 'memoryBackend')).map(({ command }) => command);
    expect(sent).toEqual(['copyToServer', 'copyToFolder', 'setHindsightToken', 'chooseMemoryBackend']);
    await panel.waitForTimeout(300);
    await panel.reload();
    await details(panel).getByText('https://memory.example.com').waitFor();
  });

  it('offers nothing that changes anything where the folder is not trusted', async () => {
    const panel = await harness.open({ count: 3, backend: DOWN, trusted: false });
    await unfold(panel);
    await details(panel).getByText('https://memory.example.com').waitFor();
    const offered = await panel
      .locator('lode-backend')
      .getByRole('button', { name: /…$|^Retry/ })
      .count();
    expect(offered).toBe(0);
  });

  it('says why it could not be read, and reads it again', async () => {
    const failing = { backend_status: 'The store thread ended.' };
    const panel = await harness.open({ count: 3, failing });
    await panel.getByText('Where memories are kept could not be read.').waitFor();
    await panel.evaluate(() => {
      window.fakeHost.failing.backend_status = undefined as unknown as string;
    });
    await panel.locator('lode-backend').getByRole('button', { name: 'Retry' }).click();
    await line(panel).getByText('Kept in this folder').waitFor();
  });

  it('fits 300 pixels, also with long names', async () => {
    const long = 'a-very-long-name-without-a-place-to-break-'.repeat(3);
    const panel = await harness.open(
      {
        count: 30,
        backend: {
          ...DOWN,
          banks: [{ id: long, scope: 'tagged', tag: long }],
          mentalModels: [{ id: 'm', name: long, ours: true, text: long }],
          server: { url: `https://${long}.example.com`, state: 'reachable' },
        },
      },
      { width: 300 },
    );
    await unfold(panel);
    const size = await panel
      .locator('lode-backend')
      .evaluate((host) => ({ width: host.clientWidth, needed: host.scrollWidth, height: host.clientHeight }));
    expect(size.needed).toBeLessThanOrEqual(size.width);
    expect(size.height).toBeLessThanOrEqual(320);
  });
});
