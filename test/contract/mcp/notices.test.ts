/** What a client is told of changes: of those that its session may see, and of no others. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ResourceListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { App } from '../../../src/appApi.ts';
import { createMcpServer } from '../../../src/mcp/server.ts';
import type { TaintedSession } from '../../../src/policy/taint.ts';
import { openTestTools } from '../../unit/support/folder.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A client of a PUBLIC session, in a process in which other sessions work as well. */
async function connected() {
  const { call, registry, store, taint } = openTestTools();
  const listeners: (() => void)[] = [];
  const app = {
    ...{ root: '/', registry, defaultLevel: 'PUBLIC', settings: { get: () => undefined } },
    news: {
      onMemory: (listener: () => void) => {
        listeners.push(listener);
        return () => {};
      },
      memoryVersion: async (session: TaintedSession) => store.care.version({ level: taint.levelOf(session) }),
    },
  } as unknown as App;
  const options = {
    root: '/',
    session: 'own',
    classification: 'PUBLIC',
    profile: 'full',
    sandboxed: false,
  } as const;
  const ended = new AbortController();
  const { server } = createMcpServer(app, options, ended.signal);
  const client = new Client({ name: 'claude-code', version: '1' });
  onTestFinished(async () => {
    ended.abort();
    await client.close();
  });
  let told = 0;
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void told++);
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  await client.connect(here);
  const settle = async () => {
    for (const listener of listeners) listener();
    // Past the quiet time after a change, and past what that leads to.
    for (let at = 0; at < 5; at++) {
      await vi.advanceTimersByTimeAsync(1_000);
      await new Promise(setImmediate);
    }
    return told;
  };
  const save = async (level: 'PUBLIC' | 'CONFIDENTIAL', session: string) => {
    const input = { category: 'decision', key: `${session}-${level}`, content: 'Use Zod' };
    expect((await call('memory_remember', input, { level, session })).isError).toBe(false);
  };
  return { client, settle, save };
}

const ways: [string, (client: Client) => Promise<unknown>][] = [
  ['lists', (client) => client.listResources()],
  ['reads', (client) => client.readResource({ uri: 'toon://memory/entries' })],
  ['subscribes', (client) => client.subscribeResource({ uri: 'toon://memory/entries' })],
];

it.each(ways)('a client that %s is told of what others save at its level, and not above', async (_, look) => {
  const { client, save, settle } = await connected();
  await look(client);
  await save('CONFIDENTIAL', 'other');
  expect(await settle()).toBe(0);
  await save('PUBLIC', 'other');
  expect(await settle()).toBe(1);
  await save('CONFIDENTIAL', 'another');
  expect(await settle()).toBe(1);
});

it('a client that has seen nothing yet is told of nothing above it', async () => {
  const { save, settle } = await connected();
  await save('CONFIDENTIAL', 'other');
  expect(await settle()).toBe(0);
});

it('a client is told of what its own session saves', async () => {
  const { client, settle } = await connected();
  await client.callTool({
    name: 'memory_summary',
    arguments: { action: 'set', file: 'a.ts', summary: 'What a.ts does' },
  });
  expect(await settle()).toBe(1);
});
