/** Memory that leaves the folder or comes from elsewhere: gists, the user-wide memory, and secrets. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGist } from '../../../src/tools/memory/gistClient.ts';
import { type PortableEntry, parsePortable, portableText } from '../../../src/tools/memory/portable.ts';
import { bytesUnder } from '../support/files.ts';
import { openTestTools } from '../support/folder.ts';

const zod = { category: 'decision', key: 'use-zod', content: 'Use Zod for validation' };
const yes = { approve: async () => 'approved' as const };
const keys = (outcome: { data?: unknown }) =>
  (outcome.data as { results: { key: string }[] }).results.map(({ key }) => key).sort();
const ID = 'a1b2c3d4e5f60718293a';

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly token: string;
  readonly body: string;
}

/** A place for gists, as GitHub's interface is. */
async function github(
  answer: (sent: Sent) => { status?: number; body?: unknown; location?: string } = () => ({}),
) {
  const tools = openTestTools();
  const sent: Sent[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url = '' } = request;
    const one = { method, url, token: request.headers.authorization ?? '', body };
    sent.push(one);
    const {
      status = 200,
      body: said = { id: ID, html_url: `https://gist.github.com/${ID}` },
      location,
    } = answer(one);
    response.writeHead(status, location === undefined ? {} : { location });
    response.end(typeof said === 'string' ? said : JSON.stringify(said));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  tools.github.api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  tools.github.secret = 'the-token';
  return { ...tools, sent };
}

const gistOf = (text: string) => ({ body: { files: { 'lodeline-memory.json': { content: text } } } });
const file = (...entries: object[]) => JSON.stringify({ lodeline: 1, entries });

describe('the bounds of what is exchanged', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => ({ ...zod, key: `note-${at}` }));

  it('take in again what was sent, more than 10,000 entries too', () => {
    expect(parsePortable(portableText(many(10_001) as PortableEntry[]))).toHaveLength(10_001);
  });

  it('are told before anything is saved', async () => {
    const text = JSON.stringify({ lodeline: 1, entries: Array.from({ length: 100_001 }, () => 0) });
    const { call } = await github(() => gistOf(text));
    const { text: said, isError } = await call('memory_import_gist', { gist_id: ID }, yes);
    expect(isError).toBe(true);
    expect(said).toMatch(/^100001 memories are more than the 100000 .*Nothing was changed\.$/);
  });

  it('are told before anything is sent', async () => {
    const { github: port, sent } = await github();
    const long = { name: 'memory.json', text: 'x'.repeat(20 * 1024 * 1024 + 1) };
    const access = { api: port.api, token: async () => port.secret };
    await expect(createGist(access, long, '', AbortSignal.timeout(5000))).rejects.toThrow(
      /more than 20 MB.*Nothing was sent\.$/,
    );
    expect(sent).toEqual([]);
  });
});

describe('memory_export_gist', () => {
  it('sends nothing before the person saw what leaves and agreed', async () => {
    const { call, sent } = await github();
    await call('memory_remember', zod);
    expect((await call('memory_export_gist')).text).toMatch(
      /needs the person's approval.*approval\.unattended/,
    );
    const questions: { title: string; detail: string }[] = [];
    const approve = async (question: { title: string; detail: string }) => {
      questions.push(question);
      return 'declined' as const;
    };
    expect(await call('memory_export_gist', {}, { approve })).toMatchObject({ isError: true });
    expect(questions[0]).toMatchObject({
      title: 'Send 1 memories to GitHub as a secret gist?',
      detail: expect.stringContaining('[decision] use-zod — Use Zod for validation'),
    });
    expect(sent).toEqual([]);
  });

  it('sends PUBLIC, active memories without secrets, as a secret gist', async () => {
    const { call, sent, log } = await github();
    await call('memory_remember', { ...zod, tags: 'types', importance: 'high' });
    await call('memory_remember', { ...zod, key: 'forgotten', content: 'gone' });
    await call('memory_forget', { key: 'forgotten' });
    await call('memory_remember', { ...zod, key: 'inner', content: 'quiet' }, { level: 'INTERNAL' });
    const { text } = await call('memory_export_gist', { description: 'ours' }, { ...yes, level: 'INTERNAL' });
    expect(text).toMatch(
      /^☁️ 1 memories exported to gist a1b2c3d4e5f60718293a: https:\/\/gist\.github\.com\/\S+\n1 above PUBLIC stayed here\.\nSo did the title: this session is at INTERNAL\.$/,
    );
    const [{ method, url, token, body }] = sent as [Sent];
    expect({ method, url, token }).toEqual({ method: 'POST', url: '/gists', token: 'Bearer the-token' });
    expect(JSON.parse(body)).toMatchObject({ public: false, description: 'Lodeline memory' });
    expect(body).toContain('importance');
    expect(body).not.toMatch(/quiet|gone/);
    expect(log.join()).not.toContain('the-token');
  });

  it('sends what PUBLIC sessions see, also where something above has the same key', async () => {
    const { call, sent } = await github();
    await call('memory_remember', zod);
    await call('memory_remember', { ...zod, content: 'quiet' }, { level: 'INTERNAL' });
    const person = { ...yes, actor: 'person', level: 'RESTRICTED' } as const;
    for (const as of [yes, { ...yes, level: 'INTERNAL' } as const, person])
      expect((await call('memory_export_gist', { description: 'ours' }, as)).text).toContain(
        '1 memories exported',
      );
    const bodies = sent.map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ description }) => description)).toEqual(['ours', 'Lodeline memory', 'ours']);
    expect(bodies.map(({ files }) => files)).toEqual(bodies.map(() => bodies[0].files));
  });

  it.each([
    [401, /did not accept the token/],
    [403, /refused/],
    [500, /status 500/],
  ])('says what to do when GitHub answers %i, and never the token', async (status, what) => {
    const { call, log } = await github(() => ({ status, body: 'the-token is wrong' }));
    await call('memory_remember', zod);
    const { text } = await call('memory_export_gist', {}, yes);
    expect(text).toMatch(what);
    expect(text + log.join()).not.toContain('the-token');
  });

  it('takes the token nowhere else', async () => {
    const { call, sent } = await github(({ url }) =>
      url === '/gists' ? { status: 307, location: '/elsewhere' } : {},
    );
    await call('memory_remember', zod);
    expect((await call('memory_export_gist', {}, yes)).text).toMatch(/did not answer/);
    expect(sent.map(({ url }) => url)).toEqual(['/gists']);
  });

  it('needs a token, and something to send', async () => {
    const { call, github: place, sent } = await github();
    expect((await call('memory_export_gist', {}, yes)).text).toMatch(/no PUBLIC memory/);
    await call('memory_remember', zod);
    place.secret = undefined;
    expect((await call('memory_export_gist', {}, yes)).text).toMatch(/GITHUB_TOKEN/);
    expect(sent).toEqual([]);
  });
});

describe('memory_import_gist', () => {
  it('asks before it fetches and before it saves, and saves nothing unasked', async () => {
    const { call, sent } = await github(() => gistOf(file(zod)));
    expect(await call('memory_import_gist', { gist_id: ID })).toMatchObject({ isError: true });
    expect(sent).toEqual([]);
    let asked = 0;
    const approve = async () => (asked++ === 0 ? ('approved' as const) : ('declined' as const));
    expect(await call('memory_import_gist', { gist_id: ID }, { approve })).toMatchObject({ isError: true });
    expect(keys(await call('memory_recall', {}))).toEqual([]);
  });

  it('keeps every field, and what is here: contents stay, what was forgotten stays forgotten', async () => {
    const full = {
      ...{ ...zod, key: 'full', file: 'src/a.ts', tags: ['t'], links: ['use-zod'], importance: 'critical' },
      ...{ origin: 'inferred', confidence: 0.7, pinned: true, pathScope: 'src/**' },
    };
    const { call } = await github(() =>
      gistOf(file({ ...zod, content: 'Use Valibot' }, full, { ...zod, key: 'gone', content: 'back again' })),
    );
    await call('memory_remember', zod);
    await call('memory_remember', { ...zod, key: 'gone' });
    await call('memory_forget', { key: 'gone' });
    const { text } = await call(
      'memory_import_gist',
      { gist_id: `https://gist.github.com/someone/${ID}` },
      yes,
    );
    expect(text).toMatch(
      /📥 1 entry new, 1 updated, 0 unchanged\n1 entry is forgotten, archived or superseded here/,
    );
    expect(keys(await call('memory_recall', {}))).toEqual(['full', 'use-zod']);
    const person = { actor: 'person', door: 'panel' } as const;
    const open = async (id: string) => (await call('memory_open', { id }, person)).data;
    expect(await open('use-zod')).toMatchObject({
      content: zod.content,
      revisions: [{ text: 'Use Valibot', addition: true }],
    });
    const { links, ...rest } = full;
    expect(await open('full')).toMatchObject({
      ...rest,
      linked: links.map((key) => ({ key })),
      confirmed: false,
      source: 'gist:a1b2c3d4e5f6',
    });
    expect((await call('memory_import_gist', { gist_id: ID }, yes)).text).toContain(
      '0 entries new, 0 updated, 2 unchanged',
    );
    await call('memory_import_gist', { gist_id: ID, merge: false }, yes);
    expect(await open('use-zod')).toMatchObject({ content: 'Use Valibot' });
  });

  it('reads what memory_export_gist wrote: every text, and more names than one call takes', async () => {
    let gist = '';
    const { call } = await github(({ method, body }) => {
      if (method !== 'POST') return gistOf(gist);
      gist = JSON.parse(body).files['lodeline-memory.json'].content;
      return {};
    });
    await call('memory_remember', zod);
    await call('memory_remember', { ...zod, content: 'Zod is slow at start' });
    for (const letter of ['a', 'b'])
      await call('memory_tag', {
        action: 'add',
        ids: 'use-zod',
        tags: Array.from({ length: 40 }, (_, at) => `${letter}${at}`),
      });
    expect(await call('memory_export_gist', {}, yes)).toMatchObject({ isError: false });
    const there = await github(() => gistOf(gist));
    for (const result of [
      '1 entry new, 0 updated, 0 unchanged\n↺ 1 text added',
      '0 entries new, 0 updated, 1 unchanged',
    ])
      expect((await there.call('memory_import_gist', { gist_id: ID }, yes)).text).toContain(result);
    expect((await there.call('memory_recall', { ids: 'use-zod' })).data).toMatchObject({
      results: [
        {
          content: zod.content,
          additions: ['Zod is slow at start'],
          tags: expect.arrayContaining(['a39', 'b39']),
        },
      ],
    });
  });

  it('takes out secrets that a stranger put in', async () => {
    const { call } = await github(() => gistOf(file({ ...zod, content: `key ghp_${'a1B2'.repeat(9)}` })));
    expect((await call('memory_import_gist', { gist_id: ID }, yes)).text).toContain(
      'Redacted before saving: GitHub token',
    );
  });

  it.each([
    'not json',
    '{}',
    file(),
    file({ ...zod, category: 'idea' }),
    file({ ...zod, key: '' }),
    JSON.stringify({ lodeline: 2, entries: [zod] }),
  ])('refuses %s', async (text) => {
    const { call } = await github(() => gistOf(text));
    expect((await call('memory_import_gist', { gist_id: ID }, yes)).text).toMatch(/no memory of Lodeline/);
  });

  it.each([
    '../user',
    `${ID}/../../user`.slice(0, 8),
    'https://evil.example/a1b2c3d4',
    `${ID}%2f..`,
    'zz zz',
  ])('makes no address of %s', async (gist_id) => {
    const { call, sent } = await github(() => gistOf(file(zod)));
    await call('memory_import_gist', { gist_id }, yes);
    expect(sent.every(({ url }) => /^\/gists\/[0-9a-f]+$/.test(url))).toBe(true);
  });

  it('fetches a long gist from where GitHub keeps it, and from nowhere else', async () => {
    const long = (raw_url: string) => ({
      body: { files: { 'a.json': { content: 'cut', truncated: true, raw_url } } },
    });
    let raw = 'http://127.0.0.1:1/raw';
    const {
      call,
      sent,
      github: place,
    } = await github(({ url }) => (url === '/raw' ? { body: file(zod) } : long(raw)));
    expect((await call('memory_import_gist', { gist_id: ID }, yes)).text).toMatch(/too long/);
    raw = `${place.api}/raw`;
    expect((await call('memory_import_gist', { gist_id: ID }, yes)).text).toContain('1 entry new');
    expect(sent.find(({ url }) => url === '/raw')?.token).toBe('');
  });
});

it('an entry from elsewhere gets tags of its words only where it says nothing of tags', async () => {
  const entry = { ...zod, content: 'Keep the redis cache out of the tests' };
  const entries = [
    { ...entry, key: 'says-none', tags: [] },
    { ...entry, key: 'says-nothing' },
  ];
  const { call, store } = await github(() => gistOf(file(...entries)));
  const tags = async () =>
    Object.fromEntries((await store.exportAll({ level: 'PUBLIC' })).map(({ key, tags: all }) => [key, all]));
  const wanted = { 'says-none': [], 'says-nothing': expect.arrayContaining(['redis', 'cache']) as unknown };
  for (const merge of [true, false]) {
    await call('memory_import_gist', { gist_id: ID, merge }, yes);
    expect(await tags()).toEqual(wanted);
  }
  await call('memory_export_global');
  for (const key of Object.keys(wanted))
    await call('memory_forget', { key, action: 'hard' }, { actor: 'person' });
  await call('memory_import_global');
  expect((await tags())['says-none'] ?? []).toEqual([]);
});

describe('the user-wide memory', () => {
  it('takes a folder’s memories to another folder, and forgets nothing on the way', async () => {
    const one = openTestTools();
    await one.call('memory_remember', { ...zod, tags: 'types', importance: 'high' });
    await one.call('memory_pin', { key: 'use-zod' });
    expect((await one.call('memory_export_global')).text).toBe(
      '🌍 Exported to the user-wide memory\n📥 1 entry new, 0 updated, 0 unchanged',
    );
    await one.call('memory_forget', { key: 'use-zod' });
    expect((await one.call('memory_import_global')).text).toContain('1 entry is forgotten');
    expect(keys(await one.call('memory_recall', {}))).toEqual([]);
    await one.call('memory_forget', { key: 'use-zod', action: 'restore' });
    expect((await one.call('memory_import_global')).text).toContain('0 updated, 1 unchanged');
  });

  it('keeps each text beside a content one of its own, however often memory goes there and back', async () => {
    const { call } = openTestTools();
    await call('memory_remember', { ...zod, origin: 'inferred', tags: 'types' });
    for (const content of ['Zod is slow at start', 'Zod 4 is quick'])
      await call('memory_remember', { ...zod, content, origin: 'inferred' });
    const before = (await call('memory_recall', { ids: 'use-zod' })).text;
    expect((await call('memory_export_global')).text).toContain('↺ 2 texts added beside them');
    for (const [tool, input] of [
      ['memory_import_global', {}],
      ['memory_export_global', {}],
      ['memory_import_global', { merge: false }],
      ['memory_export_global', {}],
    ] as const) {
      const { text } = await call(tool, input, yes);
      expect(text).toMatch(/📥 0 entries new, 0 updated, 1 unchanged$/);
    }
    expect((await call('memory_recall', { ids: 'use-zod' })).text).toBe(before);
  });

  it('keeps levels, also on disk', async () => {
    const { call, folder } = openTestTools();
    await call(
      'memory_remember',
      { ...zod, key: 'inner', content: 'the quiet merger' },
      { level: 'RESTRICTED' },
    );
    await call('memory_export_global', {}, { level: 'RESTRICTED' });
    expect(bytesUnder(join(folder, 'home'))).not.toContain('quiet merger');
    await call(
      'memory_forget',
      { key: 'inner', action: 'hard' },
      { ...yes, actor: 'person', level: 'RESTRICTED' },
    );
    expect((await call('memory_import_global')).text).toContain('0 entries new');
    expect((await call('memory_import_global', {}, { level: 'RESTRICTED' })).text).toContain('1 entry new');
  });

  it('takes along what something above shadows, each at its level', async () => {
    const { call } = openTestTools();
    await call('memory_remember', zod);
    await call('memory_remember', { ...zod, content: 'quiet' }, { level: 'INTERNAL' });
    const person = { ...yes, actor: 'person', level: 'RESTRICTED' } as const;
    expect((await call('memory_export_global', {}, person)).text).toContain('2 entries new');
    expect((await call('memory_import_global', {}, person)).text).toContain('2 unchanged');
    expect((await call('memory_import_global')).text).toContain('1 unchanged');
  });
});

describe('memory_secret', () => {
  const value = `ghp_${'a1B2'.repeat(9)}`;

  it('keeps a value sealed whatever its level, and out of every other read', async () => {
    const { call, folder } = openTestTools();
    const stored = await call('memory_secret', {
      action: 'store',
      key: 'github',
      value,
      file: 'ci.yml',
      tags: 'ci',
    });
    expect(stored.text).not.toContain(value);
    expect(bytesUnder(join(folder, 'store'))).not.toMatch(/ghp_|github|ci\.yml/);
    for (const tool of ['memory_recall', 'memory_stats', 'context_export', 'memory_primer'])
      expect((await call(tool)).text).not.toContain('github');
    expect((await call('memory_secret', { action: 'list' })).text).toBe(
      '🔑 Secrets (values are not shown):\n  github | File: ci.yml | Tags: ci',
    );
    await call('memory_backup');
    expect(bytesUnder(join(folder, 'store', 'memory', 'copies'))).not.toContain('ghp_');
  });

  it('shows a value only when the person agrees', async () => {
    const { call } = openTestTools();
    await call('memory_secret', { action: 'store', key: '깃허브', value });
    const asked = { action: 'get', key: '깃허브'.normalize('NFD') };
    expect((await call('memory_secret', asked)).text).toMatch(/approval\.unattended/);
    expect((await call('memory_secret', asked, yes)).text).toBe(value);
  });

  it('is gone after its time, and for good when it is forgotten', async () => {
    const { call, clock, folder } = openTestTools();
    await call('memory_secret', { action: 'store', key: 'short', value, ttl: '1h' });
    await call('memory_secret', { action: 'store', key: 'long', value });
    clock.time += 2 * 3_600_000;
    expect((await call('memory_secret', { action: 'get', key: 'short' }, yes)).text).toMatch(
      /no secret "short"/,
    );
    await call('memory_secret', { action: 'forget', key: 'long' }, yes);
    await call('memory_secret', { action: 'forget', key: 'short' }, yes);
    expect(bytesUnder(join(folder, 'store', 'memory', 'vault'))).toBe('');
    expect(await call('memory_secret', { action: 'forget', key: 'long' }, yes)).toMatchObject({
      isError: true,
    });
  });

  it('of a higher level is not there below', async () => {
    const { call } = openTestTools();
    await call('memory_secret', { action: 'store', key: 'k', value }, { level: 'CONFIDENTIAL' });
    expect((await call('memory_secret', { action: 'list' })).text).toBe('No secrets are kept.');
    expect((await call('memory_secret', { action: 'get', key: 'k' }, yes)).text).toMatch(/no secret/);
  });

  it.each([
    { action: 'store', key: 'k' },
    { action: 'get' },
    { action: 'store', key: 'k', value: 'v', ttl: 'soon' },
  ])('says what %j lacks', async (input) => {
    expect(await openTestTools().call('memory_secret', input, yes)).toMatchObject({ isError: true });
  });
});
