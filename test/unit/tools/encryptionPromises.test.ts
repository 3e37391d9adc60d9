/** What often goes wrong where memory is encrypted, one by one. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { KeyRing } from '../../../src/journal/keys.ts';
import { SealSwitch } from '../../../src/journal/sealSwitch.ts';
import { bytesUnder } from '../support/files.ts';
import { DAY, openTestTools, temporaryFolder } from '../support/folder.ts';

const APPROVED = { approve: async () => 'approved' as const };
const PERSON = { actor: 'person', level: 'RESTRICTED' } as const;
const TEXT = 'the text of an entry';
type Tools = ReturnType<typeof openTestTools>;

const remember = ({ call }: Tools, key: string, content = TEXT, more: object = {}) =>
  call('memory_remember', { category: 'bug', key, content, ...more });
const storeOf = ({ folder }: Tools) => join(folder, 'store');
const keysIn = async ({ call }: Tools) => {
  const { data } = await call('memory_search', { max_results: 20 });
  return (data as { results: { key: string }[] }).results.map(({ key }) => key).sort();
};

/** As its process ends; what lives on would have to follow by itself. */
async function end({ store, sessions }: Tools): Promise<void> {
  sessions.close();
  await store.close();
}

async function encrypted(folder = temporaryFolder()): Promise<Tools> {
  const tools = openTestTools(folder);
  await remember(tools, 'a');
  await tools.call('memory_encrypt', {}, APPROVED);
  return tools;
}

describe('an encrypted store', () => {
  it.each(['gone', 'empty', 'half a word', 'of another shape'])(
    'is not taken for a plain one when what says so is %s: nothing is written in the clear beside it',
    async (how) => {
      const first = await encrypted();
      const word = join(storeOf(first), 'sealing.json');
      if (how === 'gone') rmSync(word);
      else writeFileSync(word, { empty: '', 'half a word': '{"v":1,"st' }[how] ?? '[]');
      const tools = openTestTools(first.folder);
      await remember(tools, 'b', 'another text');
      expect(await keysIn(tools)).toEqual(['a', 'b']);
      expect(bytesUnder(storeOf(tools))).not.toMatch(/the text of an entry|another text/);
    },
  );

  it('is whole when its process ended right after the word, before anything was rewritten', async () => {
    const first = openTestTools();
    await remember(first, 'a');
    await end(first);
    const keys = new KeyRing({ dir: join(first.folder, 'keys') });
    new SealSwitch(storeOf(first)).put({ state: 'sealing', key: keys.newStoreKey().id });
    const tools = openTestTools(first.folder);
    await remember(tools, 'b', 'another text');
    expect(await keysIn(tools)).toEqual(['a', 'b']);
    // Encrypting again finishes what was begun, with the same key.
    const { data } = await tools.call('memory_encrypt', {}, APPROVED);
    expect(data).toMatchObject({ state: 'sealed', key: keys.newStoreKey().id });
    expect(bytesUnder(storeOf(tools))).not.toMatch(/the text of an entry|another text/);
    expect(await keysIn(tools)).toEqual(['a', 'b']);
  });

  it('is whole when its process ended right after the word that opens it', async () => {
    const first = await encrypted();
    await end(first);
    const seals = new SealSwitch(storeOf(first));
    seals.put({ state: 'opening', key: seals.read().key });
    const tools = openTestTools(first.folder);
    expect(await keysIn(tools)).toEqual(['a']);
    expect((await tools.call('memory_decrypt', {}, APPROVED)).data).toMatchObject({
      state: 'plain',
      others: 0,
    });
    expect(bytesUnder(storeOf(tools))).toContain(TEXT);
  });

  it('keeps what is archived, forgotten, captured, backed up and noted out of every file', async () => {
    const tools = await encrypted();
    const { call, clock, sessions } = tools;
    await remember(tools, 'old', 'an archived text', { ttl: '2d' });
    await remember(tools, 'gone', 'a forgotten text');
    await call('memory_forget', { key: 'gone' });
    clock.time += 10 * DAY;
    await call('memory_archive', { olderThan: '1d' });
    await call('memory_checkpoint', { note: 'a noted text' });
    await call('memory_backup');
    await call('memory_update_summary', { file: 'a.ts', summary: 'a summed up text' });
    await sessions.tidy();
    await tools.store.tidy();
    expect(bytesUnder(storeOf(tools))).not.toMatch(/an? (?:archived|forgotten|noted|summed up) text/);
  });

  it('takes a gist in encrypted, and with it nothing back that was forgotten or is a draft', async () => {
    const tools = await encrypted();
    const { call, github } = tools;
    await remember(tools, 'gone', 'a forgotten text');
    await call('memory_forget', { key: 'gone' });
    const entry = { category: 'bug', key: 'new', content: 'a text from elsewhere' };
    const gist = JSON.stringify({ lodeline: 1, entries: [entry, { ...entry, key: 'gone', content: 'x' }] });
    const server = createServer((_request, response) =>
      response.end(JSON.stringify({ files: { 'lodeline-memory.json': { content: gist } } })),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    github.api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const merge of [true, false])
      await call('memory_import_gist', { gist_id: 'a1b2c3d4e5f60718293a', merge }, APPROVED);
    expect(await keysIn(tools)).toEqual(['a', 'new']);
    expect(bytesUnder(storeOf(tools))).not.toContain('a text from elsewhere');
    expect((await call('memory_decrypt', {}, APPROVED)).isError).toBe(false);
    expect(await keysIn(tools)).toEqual(['a', 'new']);
  });

  it('is opened by its own key alone: another store’s is told, and changes nothing', async () => {
    const first = await encrypted();
    const other = await encrypted();
    const own = join(first.folder, 'keys');
    const [name = ''] = readdirSync(own);
    const key = readFileSync(join(own, name));
    rmSync(join(own, name));
    for (const file of readdirSync(join(other.folder, 'keys')))
      copyFileSync(join(other.folder, 'keys', file), join(own, file));
    const tools = openTestTools(first.folder);
    const answers = [
      await remember(tools, 'b'),
      await tools.call('memory_recall', { query: 'text' }),
      await tools.call('memory_decrypt', {}, APPROVED),
    ];
    for (const { isError, text } of answers)
      expect([isError, text]).toEqual([true, expect.stringContaining(name.slice(0, 8))]);
    // A file with its name and the other key in it is no key.
    writeFileSync(join(own, name), '0'.repeat(64));
    expect((await tools.call('memory_recall', { query: 'text' })).isError).toBe(true);
    writeFileSync(join(own, name), key);
    expect(await keysIn(openTestTools(first.folder))).toEqual(['a']);
  });

  it('of another folder laid in its place opens with nothing here', async () => {
    const other = await encrypted();
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'store'));
    for (const name of readdirSync(storeOf(other), { recursive: true, encoding: 'utf8' })) {
      const from = join(storeOf(other), name);
      const to = join(folder, 'store', name);
      try {
        copyFileSync(from, to);
      } catch {
        mkdirSync(to, { recursive: true });
      }
    }
    const tools = openTestTools(folder);
    expect((await remember(tools, 'b')).text).toMatch(/LODELINE_KEY/);
    expect((await tools.call('seal_show', {}, PERSON)).data).toMatchObject({
      missing: expect.stringMatching(/LODELINE_KEY/),
    });
    expect(bytesUnder(folder)).not.toContain(TEXT);
  });
});
