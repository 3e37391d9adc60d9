/** What a person does about where memories are kept, against a server of this machine. */
import { afterEach, describe, expect, it } from 'vitest';
import type { BackendView } from '../../../src/backendProtocol.ts';
import type { BackendCopied } from '../../../src/tools/memory/backendCopy.ts';
import { type HindsightServer, startHindsight } from '../../contract/hindsight/server.ts';
import { openTestTools, temporaryFolder } from '../support/folder.ts';

const person = { actor: 'person', door: 'palette', level: 'RESTRICTED' } as const;
const servers: HindsightServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function opened({
  settings = {},
  folder = temporaryFolder(),
}: {
  settings?: object;
  folder?: string;
} = {}) {
  const server = await startHindsight();
  servers.push(server);
  const all: Record<string, unknown> = {
    'memory.backend': 'hindsight',
    'hindsight.apiUrl': server.url,
    'hindsight.bankId': 'team',
    'hindsight.scoping': 'global',
    'hindsight.mentalModelAutoSeed': false,
    ...settings,
  };
  const tools = openTestTools(folder, undefined, all);
  const remember = (key: string, rest: object = {}, level: 'PUBLIC' | 'CONFIDENTIAL' = 'PUBLIC') =>
    tools.call(
      'memory_remember',
      { category: 'decision', key, content: `About ${key}.`, ...rest },
      { level },
    );
  const status = async () => (await tools.call('backend_status', {}, person)).data as BackendView;
  const copy = async (input: object, as: object = {}) => {
    const { text, data, isError } = await tools.call('backend_copy', input, { ...person, ...as });
    return { text, isError, ...(data as BackendCopied) };
  };
  const there = () => server.documents('team');
  return { ...tools, server, all, remember, status, copy, there };
}

describe('backend_status and backend_retry', () => {
  it('are the person’s alone', async () => {
    const { call } = await opened();
    for (const name of ['backend_status', 'backend_retry', 'backend_copy'])
      expect((await call(name, { to: 'local' })).text, name).toBe(`There is no tool "${name}".`);
  });

  it('show what waits while the server is down, and that it arrived once it is tried again', async () => {
    const { call, server, status, there } = await opened();
    await server.set('down');
    await call('retain', { items: [{ content: 'We deploy on Fridays.' }, { content: 'Never on Mondays.' }] });
    expect(await status()).toMatchObject({ kind: 'hindsight', queue: { waiting: 2 } });
    await call('backend_retry', {}, person);
    expect(await status()).toMatchObject({ server: { state: 'unreachable' }, queue: { waiting: 2 } });
    expect((await call('backend_status', {}, person)).text).toMatch(/unreachable[\s\S]*Waiting: 2/);
    await server.set('ok');
    const { data } = await call('backend_retry', {}, person);
    expect(data).toMatchObject({ server: { state: 'reachable' }, queue: { waiting: 0 } });
    expect(there().map(({ content }) => content)).toEqual(['We deploy on Fridays.', 'Never on Mondays.']);
    expect(server.arrivals).toHaveLength(2);
  });

  it('say that memory is kept in the folder by default', async () => {
    const { status } = await opened({ settings: { 'memory.backend': 'local' } });
    expect(await status()).toMatchObject({ kind: 'local', server: null, queue: { waiting: 0, refused: 0 } });
  });
});

describe('backend_copy to the server', () => {
  it('shows before what would leave, and sends nothing by that, also with another backend', async () => {
    const { remember, copy, server, all } = await opened();
    await remember('use-zod');
    await remember('salaries', {}, 'CONFIDENTIAL');
    for (const backend of ['hindsight', 'local', 'off']) {
      all['memory.backend'] = backend;
      const preview = { to: 'hindsight', preview: true, url: server.url };
      expect(await copy(preview), backend).toMatchObject({
        total: 1,
        kept: 1,
        maxLevel: 'PUBLIC',
        copied: 0,
      });
    }
    expect(server.requests).toEqual([]);
  });

  it('copies active entries once however often, keeps what is above, and tells how far it is', async () => {
    const { call, remember, copy, there } = await opened();
    for (let at = 0; at < 40; at++) await remember(`key-${at}`);
    await remember('forgotten');
    await call('memory_forget', { key: 'forgotten' });
    await remember('salaries', {}, 'CONFIDENTIAL');
    const heard: number[] = [];
    const progress = (done: number, total: number) => heard.push(done / total);
    const copied = await copy({ to: 'hindsight' }, { progress });
    expect(copied).toMatchObject({ total: 40, copied: 40, kept: 1, waiting: 0, cancelled: false });
    expect(heard.length).toBeGreaterThan(2);
    expect(heard).toEqual([...heard].sort((a, b) => a - b));
    expect(heard.at(-1)).toBe(1);
    await copy({ to: 'hindsight' });
    expect(there()).toHaveLength(40);
    const texts = there().map(({ content }) => content);
    expect(texts).toContain('key-7\n\nAbout key-7.');
    expect(texts.join('\n')).not.toMatch(/salaries|forgotten/);
  });

  it('sends what the person’s setting lets out, to a bank of its own', async () => {
    const { remember, copy, server, there } = await opened({
      settings: { 'hindsight.maxLevel': 'CONFIDENTIAL' },
    });
    await remember('use-zod');
    await remember('salaries', {}, 'CONFIDENTIAL');
    expect(await copy({ to: 'hindsight' })).toMatchObject({ total: 2, copied: 2, kept: 0 });
    expect(there()).toHaveLength(1);
    expect(server.documents('team-confidential').map(({ content }) => content)).toEqual([
      'salaries\n\nAbout salaries.',
    ]);
  });

  it('lets everything wait where the server is down, and asks it once instead of for each batch', async () => {
    const { call, remember, copy, server, there } = await opened();
    for (let at = 0; at < 50; at++) await remember(`key-${at}`);
    await server.set('refusing', { status: 503 });
    expect(await copy({ to: 'hindsight' })).toMatchObject({ copied: 50, waiting: 50, cancelled: false });
    expect(server.requests.length).toBeLessThan(10);
    await server.set('ok');
    await call('backend_retry', {}, person);
    expect(there()).toHaveLength(50);
  });

  it('stops between two batches when it is cancelled, and goes on when it is called again', async () => {
    const { remember, copy, there } = await opened();
    for (let at = 0; at < 40; at++) await remember(`key-${at}`);
    const stop = new AbortController();
    const progress = (done: number) => {
      if (done >= 16) stop.abort();
    };
    const first = await copy({ to: 'hindsight' }, { signal: stop.signal, progress });
    expect(first).toMatchObject({ total: 40, cancelled: true, isError: false });
    expect(first.copied).toBeGreaterThanOrEqual(16);
    expect(first.copied).toBeLessThan(40);
    expect(await copy({ to: 'hindsight' })).toMatchObject({ copied: 40, cancelled: false });
    expect(there()).toHaveLength(40);
  });

  it('refuses without a server, and an address that is none', async () => {
    const { copy, all, server } = await opened({ settings: { 'memory.backend': 'local' } });
    for (const to of ['hindsight', 'local'])
      expect((await copy({ to })).text).toMatch(/^There is no memory server to copy to or from\./);
    for (const url of ['ftp://memory', 'http://me:secret@memory', 'memory.example.com', 'http://memory/?a=b'])
      expect((await copy({ to: 'hindsight', preview: true, url })).text, url).toMatch(
        /no address of a server/,
      );
    all['memory.backend'] = 'hindsight';
    expect(server.requests).toEqual([]);
  });
});

describe('backend_copy to the folder', () => {
  it('brings what another folder copied: key, category, tags and text, unconfirmed, once', async () => {
    const first = await opened();
    await first.remember('use-zod', { tags: 'types;api', category: 'pattern' });
    await first.remember('오류-캐시', { content: '오류는 캐시하지 않는다.' });
    await first.copy({ to: 'hindsight' });
    const second = await opened({ settings: { 'hindsight.apiUrl': first.server.url } });
    expect(await second.copy({ to: 'local' })).toMatchObject({ total: 2, copied: 2, fresh: 2, left: 0 });
    const { data } = await second.call('memory_open', { id: 'use-zod' }, person);
    expect(data).toMatchObject({
      ...{ key: 'use-zod', category: 'pattern', content: 'About use-zod.', source: 'hindsight' },
      ...{ confirmed: false, level: 'PUBLIC', tags: expect.arrayContaining(['types', 'api']) },
    });
    const korean = await second.call('memory_open', { id: '오류-캐시' }, person);
    expect(korean.data).toMatchObject({ content: '오류는 캐시하지 않는다.' });
    expect(await second.copy({ to: 'local' })).toMatchObject({ copied: 2, fresh: 0 });
    expect(await first.copy({ to: 'local' })).toMatchObject({ copied: 2, fresh: 0 });
  });

  it('takes more than one page, and tells how far it is', async () => {
    const { call, copy } = await opened();
    const items = Array.from({ length: 120 }, (_, at) => ({ content: `Fact ${at} of many.` }));
    await call('retain', { items });
    await call('backend_retry', {}, person);
    const heard: string[] = [];
    const progress = (done: number, total: number) => heard.push(`${done}/${total}`);
    expect(await copy({ to: 'local' }, { progress })).toMatchObject({ total: 120, copied: 120, fresh: 120 });
    expect(heard.at(-1)).toBe('120/120');
    expect(heard.length).toBeGreaterThan(1);
  });

  it('leaves forgotten what was forgotten, and out what is a conversation', async () => {
    const { call, copy, remember } = await opened();
    await remember('use-zod');
    await copy({ to: 'hindsight' });
    await call('memory_forget', { key: 'use-zod' });
    await call('retain', { items: [{ content: '[role: user]\nHello\n[user:end]' }] });
    await call('backend_retry', {}, person);
    expect(await copy({ to: 'local' })).toMatchObject({ total: 2, copied: 2, fresh: 0, left: 1 });
    expect((await call('memory_recall', {})).text).toMatch(/^No memories/);
  });

  it('keeps what came before the person cancelled', async () => {
    const { call, copy } = await opened();
    const items = Array.from({ length: 120 }, (_, at) => ({ content: `Fact ${at} of many.` }));
    await call('retain', { items });
    await call('backend_retry', {}, person);
    const stop = new AbortController();
    const progress = () => stop.abort();
    const stopped = await copy({ to: 'local' }, { signal: stop.signal, progress });
    expect(stopped).toMatchObject({ total: 120, cancelled: true, isError: false });
    expect(stopped.fresh).toBeGreaterThan(0);
    expect(stopped.fresh).toBeLessThan(120);
    const rest = await copy({ to: 'local' });
    expect(rest.fresh).toBe(120 - stopped.fresh);
  });

  it('says why it failed', async () => {
    const { copy, server } = await opened();
    await server.set('refusing', { status: 401, detail: 'who are you' });
    const { text, isError } = await copy({ to: 'local' });
    expect(isError).toBe(true);
    expect(text).toContain('who are you');
  });
});
