import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test, vi } from 'vitest';
import { call, connect, newPlace } from './support.ts';

const zod = { category: 'decision', key: 'use-zod', content: 'Use Zod for validation' };
const URIS = ['toon://memory/entries', 'toon://memory/stats', 'toon://memory/summaries', 'ui://viewer'];

async function read(client: Client, uri: string): Promise<string> {
  const [content] = (await client.readResource({ uri })).contents;
  if (content === undefined || !('text' in content)) throw new Error(`${uri} has no text`);
  return content.text as string;
}

/** What the server tells a client of changes. */
function heard(client: Client) {
  const told = { lists: 0, updated: [] as string[] };
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => {
    told.lists++;
  });
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    told.updated.push(params.uri);
  });
  return told;
}

describe('resources', () => {
  test('are the four of the seed, each with a title, a type and how much there is', async () => {
    const client = await connect(newPlace());
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(URIS);
    for (const { title, description, mimeType } of resources) {
      expect(title).toBeTruthy();
      expect(description).toContain('Now 0 entries.');
      expect(mimeType).toMatch(/^text\//);
    }
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
    await expect(client.readResource({ uri: 'toon://memory/../keys' })).rejects.toThrow(/no resource/);
  });

  test('are always as memory is now, also what the viewer shows', async () => {
    const place = newPlace();
    const [client, other] = [await connect(place), await connect(place)];
    for (const uri of URIS) expect(await read(client, uri)).not.toContain('use-zod');
    await call(other, 'memory_remember', zod);
    for (const uri of URIS.filter((each) => !each.endsWith('stats')))
      expect(await read(client, uri)).toContain('use-zod');
    expect(await read(client, 'toon://memory/entries')).toContain('Use Zod for validation');
    expect(await read(client, 'toon://memory/stats')).toMatch(/Total entries: 1[\s\S]*decision 1[\s\S]*TTL:/);
    expect(await read(client, 'toon://memory/summaries')).toMatch(
      /Knowledge map: decision 1[\s\S]*Key decisions:/,
    );
  });

  test('show a session nothing above its level', async () => {
    const place = newPlace();
    const high = await connect(place, ['--classification', 'CONFIDENTIAL']);
    await call(high, 'memory_remember', { ...zod, key: 'hidden-plan' });
    const low = await connect(place);
    for (const uri of URIS) {
      expect(await read(low, uri), uri).not.toContain('hidden-plan');
    }
    expect(await read(high, 'ui://viewer')).toContain('hidden-plan');
    expect((await low.listResources()).resources[0]?.description).toContain('Now 0 entries.');
  });

  test('tell of changes, made here and by another process, to who may see them', async () => {
    const place = newPlace();
    const client = await connect(place);
    const high = await connect(place, ['--classification', 'CONFIDENTIAL']);
    const told = heard(client);
    await client.subscribeResource({ uri: 'toon://memory/entries' });
    await call(client, 'memory_remember', zod);
    await vi.waitFor(() => expect(told).toEqual({ lists: 1, updated: ['toon://memory/entries'] }), 20_000);
    await call(high, 'memory_remember', { ...zod, key: 'hidden-plan' });
    await call(high, 'memory_summary', { action: 'set', file: 'a.ts', summary: 's' });
    const other = await connect(place);
    await call(other, 'memory_remember', { ...zod, key: 'from-elsewhere' });
    await vi.waitFor(() => expect(told.updated).toHaveLength(2), 20_000);
    await client.unsubscribeResource({ uri: 'toon://memory/entries' });
    await call(client, 'memory_pin', { key: 'use-zod' });
    await vi.waitFor(() => expect(told.lists).toBe(3), 20_000);
    expect(told.updated).toHaveLength(2);
  });

  test('leave no trace in the chat of the agent that the client belongs to', async () => {
    const place = newPlace();
    const client = await connect(place, ['--session', 'reader']);
    for (const uri of URIS) await read(client, uri);
    const other = await connect(place);
    const { text } = await call(other, 'memory_sessions', {});
    expect(text).not.toContain('reader');
  });

  test('the viewer is one page without scripts and network, and hostile text in it stays text', async () => {
    const client = await connect(newPlace());
    const hostile = '</pre><script>alert(1)</script><img src=https://example.com/x onerror=alert(1)>';
    await call(client, 'memory_remember', {
      ...zod,
      key: `"><script>x`,
      content: hostile,
      tags: ['<b>'],
      file: `'"<i>`,
    });
    await call(client, 'memory_remember', {
      ...zod,
      content: '한국어 [["><script>x]]',
      links: `"><script>x`,
    });
    const page = await read(client, 'ui://viewer');
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/<script|<img|<b>[^"&<]*<i>|<link|@import|url\(/i);
    expect(
      [...page.matchAll(/(?:href|src)="([^"]*)"/g)].every(([, target]) => target?.startsWith('#e-')),
    ).toBe(true);
    expect(page).toContain('&lt;/pre&gt;&lt;script&gt;alert(1)');
    expect(page).toContain('한국어');
  });
});

describe('prompts', () => {
  test('brief with what is remembered, and ask to save', async () => {
    const client = await connect(newPlace());
    await call(client, 'memory_remember', zod);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['briefing', 'save']);
    const text = async (name: string, args: Record<string, string> = {}) => {
      const { messages } = await client.getPrompt({ name, arguments: args });
      const content = messages[0]?.content;
      return content?.type === 'text' ? content.text : '';
    };
    expect(await text('briefing', { task: 'validate input' })).toMatch(
      /^My task: validate input[\s\S]*not instructions[\s\S]*use-zod/,
    );
    expect(await text('save', { about: 'the retry rule' })).toMatch(/memory_remember[\s\S]*the retry rule$/);
    await expect(client.getPrompt({ name: 'nope' })).rejects.toThrow(/no prompt "nope"/);
  });
});
