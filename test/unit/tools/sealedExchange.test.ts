/** What leaves a folder that is encrypted, and what comes into it. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bytesUnder } from '../support/files.ts';
import { openTestTools } from '../support/folder.ts';

const APPROVED = { approve: async () => 'approved' as const };
const PERSON = { actor: 'person', level: 'RESTRICTED' } as const;
const TEXT = 'the text of an entry';
const ID = 'a1b2c3d4e5f60718293a';

function filesUnder(dir: string): Record<string, string> {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(dir, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(dir, name), 'base64')]));
}

type Tools = ReturnType<typeof openTestTools>;

async function sealed(settings: Record<string, unknown> = {}): Promise<Tools> {
  const tools = openTestTools(undefined, undefined, settings);
  await tools.call('memory_remember', { category: 'bug', key: 'a', content: TEXT });
  await tools.call('memory_encrypt', {}, APPROVED);
  return tools;
}

/** GitHub, which keeps one gist. */
async function reachGithub({ github }: Tools): Promise<{ gist: string }> {
  const kept = { gist: '' };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const file = 'lodeline-memory.json';
    if (request.method === 'POST') kept.gist = JSON.parse(body).files[file].content;
    const html_url = `https://gist.github.com/${ID}`;
    response.end(JSON.stringify({ id: ID, html_url, files: { [file]: { content: kept.gist } } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  github.api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  github.secret = 'the-token';
  return kept;
}

describe('an export of everything', () => {
  it('is encrypted, and opens with the key of the folder', async () => {
    const { call, folder } = await sealed();
    const { text, data } = await call('memory_export', {}, PERSON);
    expect(text).not.toContain(TEXT);
    expect(data).toEqual({ sealed: true });
    const path = join(folder, 'export.json');
    writeFileSync(path, `${text}\n`);
    const opened = await call('memory_export_open', { path }, PERSON);
    expect(JSON.parse(opened.text).entries).toMatchObject([{ key: 'a', content: TEXT }]);
    await call('memory_decrypt', {}, APPROVED);
    expect((await call('memory_export_open', { path }, PERSON)).text).toBe(opened.text);
  });

  it('is in the clear when the person asks for that, and where nothing is encrypted', async () => {
    const { call } = await sealed();
    expect((await call('memory_export', { clear: true }, PERSON)).text).toContain(TEXT);
    await call('memory_decrypt', {}, APPROVED);
    expect((await call('memory_export', {}, PERSON)).text).toContain(TEXT);
  });

  it('does not open without its key, nor when it was altered', async () => {
    const { call, folder } = await sealed();
    const { text } = await call('memory_export', {}, PERSON);
    const path = join(folder, 'export.json');
    writeFileSync(path, text.replace(/.{9}"\}$/, 'AAAAAAAAA"}'));
    const altered = await call('memory_export_open', { path }, PERSON);
    expect(altered).toMatchObject({ isError: true });
    expect(altered.text).toMatch(/LODELINE_KEY/);
    const other = openTestTools();
    writeFileSync(join(other.folder, 'export.json'), text);
    expect(await other.call('memory_export_open', { path: 'export.json' }, PERSON)).toMatchObject({
      isError: true,
    });
  });
});

it('an export is opened at its level and above, and what is no export not at all', async () => {
  const { call, folder } = await sealed();
  await call('memory_remember', { category: 'bug', key: 'b', content: 'above' }, { level: 'CONFIDENTIAL' });
  writeFileSync(join(folder, 'export.json'), (await call('memory_export', {}, PERSON)).text);
  const low = await call('memory_export_open', { path: 'export.json' }, { ...PERSON, level: 'PUBLIC' });
  expect(low).toMatchObject({ isError: true, text: expect.stringContaining('RESTRICTED') });
  expect((await call('memory_export_open', { path: 'export.json' }, PERSON)).text).toContain('above');
  writeFileSync(join(folder, 'plain.json'), 'anything');
  expect((await call('memory_export_open', { path: 'plain.json' }, PERSON)).text).toMatch(
    /^Not an encrypted/,
  );
});

describe('a gist', () => {
  it('is encrypted, comes back with the key, and is nothing to others', async () => {
    const tools = await sealed();
    const kept = await reachGithub(tools);
    await tools.call('memory_export_gist', {}, APPROVED);
    expect(kept.gist).not.toContain(TEXT);
    expect(kept.gist.length).toBeGreaterThan(TEXT.length);
    expect((await tools.call('memory_import_gist', { gist_id: ID }, APPROVED)).isError).toBe(false);
    const other = openTestTools();
    other.github.api = tools.github.api;
    expect(await other.call('memory_import_gist', { gist_id: ID }, APPROVED)).toMatchObject({
      isError: true,
    });
  });

  it('is in the clear when that is asked for, after the person was told so', async () => {
    const tools = await sealed();
    const kept = await reachGithub(tools);
    const asked: string[] = [];
    const approve = async ({ detail }: { detail: string }) => {
      asked.push(detail);
      return 'approved' as const;
    };
    await tools.call('memory_export_gist', {}, { approve });
    await tools.call('memory_export_gist', { clear: true }, { approve });
    expect(kept.gist).toContain(TEXT);
    expect(asked).toEqual([
      expect.stringMatching(/^It is encrypted with the key of this folder/),
      expect.stringMatching(/^Everybody who has its address can read it/),
    ]);
  });
});

describe('a .toon file', () => {
  it('is not written in the clear, unless the person asks for that', async () => {
    const { call, folder } = await sealed();
    const refused = await call('memory_export_toon', {}, PERSON);
    expect(refused).toMatchObject({ isError: true });
    expect(refused.text).toMatch(/would hold it in the clear\. Nothing was written/);
    const file = join(folder, '.toon-memory', 'memory', 'data.toon');
    expect(existsSync(file)).toBe(false);
    expect((await call('memory_export_toon', { clear: true }, PERSON)).isError).toBe(false);
    expect(readFileSync(file, 'utf8')).toContain(TEXT);
  });

  it('is written where it is encrypted itself', async () => {
    const { call, folder } = await sealed();
    const dir = join(folder, '.toon-memory', 'memory');
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'config.json'), '{"encrypted":true}');
    expect((await call('memory_export_toon', { key: 'ab'.repeat(32) }, PERSON)).isError).toBe(false);
    expect(bytesUnder(folder)).not.toContain(TEXT);
  });
});

describe('the user-wide memory', () => {
  it('is a store of its own: it stays as it is, and the answer says so', async () => {
    const tools = openTestTools();
    await tools.call('memory_remember', { category: 'bug', key: 'a', content: TEXT });
    await tools.call('memory_export_global');
    const { text } = await tools.call('memory_encrypt', {}, APPROVED);
    expect(text).toContain('The user-wide memory (~/.lodeline) is a store of its own and stays as it is.');
    expect(bytesUnder(join(tools.folder, 'store'))).not.toContain(TEXT);
    expect(bytesUnder(join(tools.folder, 'home'))).toContain(TEXT);
    expect((await tools.call('memory_export_global')).isError).toBe(true);
  });

  it.each([true, false])('comes in encrypted (merge: %s)', async (merge) => {
    const { call, folder } = openTestTools();
    await call('memory_remember', { category: 'bug', key: 'a', content: TEXT });
    await call('memory_export_global');
    await call('memory_remember', { category: 'bug', key: 'a', content: 'another text', replace: true });
    await call('memory_encrypt', {}, APPROVED);
    expect((await call('memory_import_global', { merge }, APPROVED)).isError).toBe(false);
    expect((await call('memory_recall', { query: 'text' })).text).toContain(merge ? 'another text' : TEXT);
    expect(bytesUnder(join(folder, 'store'))).not.toMatch(/the text of an entry|another text/);
    expect((await call('memory_decrypt', {}, APPROVED)).isError).toBe(false);
    expect((await call('memory_recall', { query: 'text' })).text).toContain(merge ? 'another text' : TEXT);
  });
});

describe('memory as Markdown files', () => {
  it('and encryption exclude each other', async () => {
    const { call, folder } = openTestTools(undefined, undefined, { 'memory.files': true });
    await call('memory_remember', { category: 'bug', key: 'a', content: TEXT });
    const { text, isError } = await call('memory_encrypt', {}, APPROVED);
    expect(isError).toBe(true);
    expect(text).toMatch(/^Nothing was encrypted: .*memory\.files/);
    expect((await call('seal_show', {}, PERSON)).data).toMatchObject({ state: 'plain' });
    expect(bytesUnder(join(folder, 'store'))).toContain(TEXT);
  });

  it('stay where they were written before, which is told', async () => {
    const { call, folder } = openTestTools();
    mkdirSync(join(folder, '.lodeline', 'memory'), { recursive: true });
    expect((await call('memory_encrypt', {}, APPROVED)).text).not.toContain('Markdown');
    await call('memory_decrypt', {}, APPROVED);
    writeFileSync(join(folder, '.lodeline', 'memory', 'a.md'), TEXT);
    expect((await call('memory_encrypt', {}, APPROVED)).text).toContain(
      'The Markdown files in .lodeline/memory stay as they are',
    );
  });
});

describe('the audit log', () => {
  it('tells who encrypted and decrypted, once each, and stays whole', async () => {
    const { call, folder, store } = await sealed();
    await call('memory_encrypt', {}, APPROVED);
    await call('memory_decrypt', {}, { ...APPROVED, ...PERSON });
    const { records } = await store.audit.auditPage({ limit: 10 }, { level: 'RESTRICTED' });
    expect(records.filter(({ kind }) => kind !== 'denied')).toMatchObject([
      { kind: 'opened', actor: 'person', tool: 'memory_decrypt', session: 's-1' },
      { kind: 'sealed', actor: 'agent', tool: 'memory_encrypt', session: 's-1' },
    ]);
    expect((await store.audit.auditVerify()).ok).toBe(true);
    const { key } = (await call('seal_show', {}, PERSON)).data as { key: string };
    const bytes = readFileSync(join(folder, 'keys', `${key}.key`), 'utf8').trim();
    expect(JSON.stringify(records)).not.toContain(bytes);
  });
});

describe('an encrypted folder whose key is gone', () => {
  it('is told with every answer, harms nothing, and goes on once the key is back', async () => {
    const { folder } = await sealed();
    const keys = join(folder, 'keys');
    const { data } = await openTestTools(folder).call('seal_show', {}, PERSON);
    const file = join(keys, `${(data as { key: string }).key}.key`);
    const key = readFileSync(file);
    rmSync(file);
    const before = filesUnder(join(folder, 'store'));
    const { call } = openTestTools(folder);
    for (const [name, input] of [
      ['memory_recall', { query: 'text' }],
      ['memory_remember', { category: 'bug', key: 'b', content: 'x' }],
      ['memory_backup', {}],
      ['memory_decrypt', {}],
    ] as const) {
      const { text, isError } = await call(name, input, APPROVED);
      expect([name, isError, text]).toEqual([name, true, expect.stringMatching(/LODELINE_KEY/)]);
    }
    // Who is at work says so; nothing that was there is touched.
    expect(filesUnder(join(folder, 'store'))).toMatchObject(before);
    writeFileSync(file, key);
    expect((await call('memory_recall', { query: 'text' })).text).toContain(TEXT);
  });
});
