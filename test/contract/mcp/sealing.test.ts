/** Encryption over MCP: the person is asked, the key is in a file, and a server without its key stays up. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { bytesUnder } from '../../unit/support/files.ts';
import { FILE_MODE, KEY, keyOf, keysOf, loseKeys, NOTE, OWN, run, storeOf, withNote } from '../sealingKit.ts';
import { call, connect, newPlace } from './support.ts';

/** Input that gets each tool past its validation, to where it would read or write. */
const INPUTS: Readonly<Record<string, Record<string, unknown>>> = {
  memory_remember: NOTE,
  memory_save: NOTE,
  memory_recall: { query: 'quietword' },
  memory_search: { query: 'quietword' },
  memory_smart_recall: { intent: 'quietword' },
  memory_suggest: { context: 'quietword' },
  memory_forget: { key: 'quiet' },
  memory_delete: { key: 'quiet' },
  memory_get: { key: 'quiet' },
  memory_pin: { key: 'quiet' },
  memory_unpin: { key: 'quiet' },
  memory_tag: { action: 'add', key: 'quiet', tags: 'loud' },
  memory_diff: { since: '7d' },
  memory_summary: { action: 'get', file: 'a.ts' },
  memory_graph_path: { from: 'quiet', to: 'loud' },
  memory_secret: { action: 'list' },
  memory_import_gist: { gist_id: 'a1b2c3d4' },
  context_focus: { task: 'quietword' },
  context_generate: { task: 'quietword' },
  todo_write: { ops: [{ op: 'init', list: [{ phase: 'One', items: ['quietword'] }] }] },
  checkpoint: { goal: 'quietword' },
  recall: { query: 'quietword' },
  retain: { items: [{ content: 'the quietword of this project' }] },
  reflect: { query: 'quietword' },
};
/** What answers without anything that is kept: who is connected, and that nothing was captured. */
const READS_NOTHING: ReadonlySet<string> = new Set(['memory_sessions', 'memory_captured']);
/** What the person is asked about first, so that it fails for want of an answer. */
const ASKS: ReadonlySet<string> = new Set([
  'memory_encrypt',
  'memory_decrypt',
  'memory_import_gist',
  'memory_export_gist',
]);

describe('an MCP server', () => {
  it('encrypts when the person agrees, and its answer names the file of the key and not the key', async () => {
    const place = newPlace();
    const client = await connect(place, [], { elicitation: { form: {} } });
    const asked: string[] = [];
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      return asked.length === 1 ? { action: 'decline' } : { action: 'accept', content: { approve: true } };
    });
    await call(client, 'memory_remember', NOTE);
    expect((await call(client, 'memory_encrypt', {})).isError).toBe(true);
    expect(bytesUnder(storeOf(place))).toContain('quietword');
    const { text, isError, data } = await call(client, 'memory_encrypt', {});
    expect(isError).toBe(false);
    const { file, key } = keyOf(place);
    expect(text).toContain(file);
    expect(JSON.stringify([text, data, asked])).not.toMatch(KEY);
    if (process.platform !== 'win32') expect(statSync(file).mode & FILE_MODE).toBe(0o600);
    expect((await call(client, 'memory_recall', { query: 'quietword' })).text).toContain('the quietword');
    const stored = bytesUnder(storeOf(place));
    expect(stored).not.toContain('quietword');
    expect(stored).not.toContain(key);
    expect((await call(client, 'memory_decrypt', {})).isError).toBe(false);
    expect(asked).toHaveLength(3);
    for (const message of asked) expect(message).toMatch(/encrypt|in the clear/i);
    expect(bytesUnder(storeOf(place))).toContain('quietword');
  });

  it('does neither where nobody can be asked', async () => {
    const place = withNote();
    const client = await connect(place);
    expect(await call(client, 'memory_encrypt', {})).toMatchObject({ isError: true });
    expect(bytesUnder(storeOf(place))).toContain('quietword');
    expect(existsSync(join(storeOf(place), 'sealing.json'))).toBe(false);
  });

  it.each<[string, Readonly<Record<string, string>>, RegExp]>([
    [
      'is gone',
      {},
      /sealed with the key [0-9a-f]{8}, which is not here|key to seal with is not here|encrypted/,
    ],
    ['is malformed', { LODELINE_KEY: 'short' }, /LODELINE_KEY/],
    ['is another one', { LODELINE_KEY: OWN }, /LODELINE_KEY|encrypted/],
  ])(
    'whose key %s at its start answers every tool with what to do, and harms nothing',
    async (_how, env, reason) => {
      const place = withNote();
      run(place, ['encrypt']);
      const { id } = keyOf(place);
      const restore = loseKeys(place);
      const client = await connect(place, [], {}, env);
      const { tools } = await client.listTools();
      const memory = tools.filter(({ name }) =>
        /^(memory_|context_|recall$|retain$|reflect$|todo_)/.test(name),
      );
      expect(memory.length).toBeGreaterThan(30);
      for (let round = 0; round < 2; round++)
        for (const { name } of memory) {
          const { text, isError } = await call(client, name, INPUTS[name] ?? {});
          expect(text).not.toContain('the quietword');
          if (READS_NOTHING.has(name)) continue;
          // What another store has, and this one would get.
          if (name === 'memory_import_global' && !isError) continue;
          expect({ name, isError, text }).toEqual({
            ...{ name, isError: true },
            text: expect.stringMatching(ASKS.has(name) ? /approval|LODELINE_KEY/ : reason),
          });
          expect(text).not.toMatch(/\n\s+at |Error:|undefined/);
        }
      expect((await client.listResources()).resources.length).toBeGreaterThan(2);
      await expect(client.readResource({ uri: 'toon://memory/entries' })).rejects.toThrow(/LODELINE_KEY/);
      expect((await client.listTools()).tools).toEqual(tools);
      expect(bytesUnder(storeOf(place))).not.toContain('quietword');
      restore();
      const back = await call(client, 'memory_recall', { query: 'quietword' });
      if (env.LODELINE_KEY === 'short') {
        expect(back).toMatchObject({ isError: true, text: expect.stringContaining('start again') });
        await client.close();
      } else {
        expect(back.text).toContain('the quietword');
        expect((await client.listResources()).resources[0]?.description).toContain('1 entry');
      }
      const after = await connect(place);
      const note = await call(after, 'memory_get', { key: 'quiet' });
      expect(note).toMatchObject({ isError: false, text: expect.stringContaining('the quietword') });
      expect(JSON.parse(readFileSync(join(storeOf(place), 'sealing.json'), 'utf8'))).toMatchObject({
        ...{ state: 'sealed', key: id },
      });
    },
  );

  it('is not confused by a key of another name, or half a key, among the keys', async () => {
    const place = withNote();
    run(place, ['encrypt']);
    const { file, id, key } = keyOf(place);
    const client = await connect(place);
    await client.close();
    mkdirSync(keysOf(place), { recursive: true });
    for (const text of [key.slice(0, 40), OWN, '', '\ud800']) {
      writeFileSync(file, text);
      const broken = await connect(place);
      const { text: said, isError } = await call(broken, 'memory_recall', { query: 'quietword' });
      expect({ isError, said }).toEqual({ isError: true, said: expect.stringContaining(id) });
      await broken.close();
    }
    writeFileSync(file, `${key.toUpperCase()}\r\n`);
    const mended = await connect(place);
    expect((await call(mended, 'memory_recall', { query: 'quietword' })).text).toContain('the quietword');
  });
});
