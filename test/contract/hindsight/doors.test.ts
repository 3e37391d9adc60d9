/** The memory server behind the doors without an editor, as they are built. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { takeHindsightToken } from '../../../src/terminal.ts';
import { call, connect, DIST, environment, newPlace, type Place, RawServer } from '../mcp/support.ts';
import { requestsTo, startServer } from './kit.ts';

const TOKEN = 'hs-token-0123456789';
const BANK = 'lodeline';

function configure({ home, root }: Place, own: object, folder?: object): void {
  for (const [base, values] of [
    [home, own],
    [root, folder],
  ] as const) {
    if (values === undefined) continue;
    mkdirSync(join(base, '.lodeline'), { recursive: true });
    writeFileSync(join(base, '.lodeline', 'config.json'), JSON.stringify(values));
  }
}

test('over MCP the three keep, find and answer on the server, as text and as structured content', async () => {
  const [server, elsewhere] = [await startServer(), await startServer()];
  const place = newPlace();
  configure(
    place,
    { 'memory.backend': 'hindsight', 'hindsight.apiUrl': server.url },
    { 'hindsight.apiUrl': elsewhere.url, 'hindsight.maxLevel': 'RESTRICTED' },
  );
  const client = await connect(place, ['--profile', 'core'], {}, { HINDSIGHT_API_TOKEN: TOKEN });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['recall', 'retain', 'reflect']));
  const items = [{ content: '배포는 금요일에 한다' }];
  expect(await call(client, 'retain', { items })).toMatchObject({
    ...{ text: '1 memory queued.', data: { count: 1, state: 'queued' } },
  });
  await vi.waitFor(() => expect(server.documents(BANK)).toHaveLength(1), { timeout: 20_000 });
  const found = await call(client, 'recall', { query: '배포는' });
  expect(found.text).toContain('- 배포는 금요일에 한다 [world]');
  expect(found.data).toMatchObject({ results: [{ text: '배포는 금요일에 한다' }] });
  expect((await call(client, 'reflect', { query: '언제?' })).data).toMatchObject({ text: 'A conclusion.' });
  expect(server.requests.every(({ headers }) => headers.authorization === `Bearer ${TOKEN}`)).toBe(true);
  expect(elsewhere.requests).toEqual([]);
});

test('a server process that ends sends what it still can', async () => {
  const server = await startServer();
  const place = newPlace();
  configure(place, { 'memory.backend': 'hindsight', 'hindsight.apiUrl': server.url });
  const client = await connect(place);
  await call(client, 'retain', { items: [{ content: 'last words' }] });
  await client.close();
  await vi.waitFor(() => expect(server.documents(BANK)).toHaveLength(1), { timeout: 20_000 });
});

test('what a killed server process was told to keep is sent by the next one, without being asked', async () => {
  const server = await startServer();
  await server.set('down');
  const place = newPlace();
  configure(place, { 'memory.backend': 'hindsight', 'hindsight.apiUrl': server.url });
  const killed = new RawServer(place);
  await killed.request('initialize', {
    ...{ protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  });
  const said = await killed.request('tools/call', {
    ...{ name: 'retain', arguments: { items: [{ content: 'kept through it' }] } },
  });
  expect(said.result?.content[0]?.text).toBe('1 memory queued.');
  killed.process.kill('SIGKILL');
  await killed.ended;
  await server.set('ok');
  await connect(place);
  await vi.waitFor(() => expect(server.documents(BANK)).toMatchObject([{ content: 'kept through it' }]), {
    timeout: 30_000,
  });
});

test('a command sends what it kept before it ends', async () => {
  const server = await startServer();
  const place = newPlace();
  configure(place, { 'memory.backend': 'hindsight', 'hindsight.apiUrl': server.url });
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(DIST, 'cli.js'), 'call', 'retain', '{"items":[{"content":"from a script"}]}', '--root', place.root],
    { env: environment(place) },
  );
  expect(stdout).toBe('1 memory queued.\n');
  expect(requestsTo(server, 'POST', '/memories')).toHaveLength(1);
});

test('switched off, the three are not offered, also where a folder does it', async () => {
  const place = newPlace();
  configure(place, { 'memory.backend': 'hindsight' }, { 'memory.backend': 'off' });
  const client = await connect(place);
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain('memory_recall');
  for (const name of ['recall', 'retain', 'reflect']) expect(names).not.toContain(name);
});

test('the token is taken out of the environment, so that no child process has it', () => {
  const env = { HINDSIGHT_API_TOKEN: TOKEN, PATH: '/bin' };
  expect(takeHindsightToken(env)).toBe(TOKEN);
  expect(env).toEqual({ PATH: '/bin' });
  expect(takeHindsightToken(env)).toBeUndefined();
});
