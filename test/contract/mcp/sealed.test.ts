import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bytesUnder } from '../../unit/support/files.ts';
import { call, connect, newPlace } from './support.ts';

const NOTE = { category: 'knowledge', key: 'quiet', content: 'the quietword' };
const ABOVE = ['--classification', 'CONFIDENTIAL'];

it.each([
  ['is gone', {}, true],
  ['is malformed', { LODELINE_KEY: 'short' }, false],
  ['is another one', { LODELINE_KEY: 'ab'.repeat(32) }, true],
])(
  'a server whose key %s starts, lists its tools, and shows nothing that is sealed',
  async (_how, env, drop) => {
    const place = newPlace();
    const first = await connect(place, ABOVE);
    expect((await call(first, 'memory_remember', NOTE)).isError).toBe(false);
    await first.close();
    if (drop) rmSync(join(place.home, '.lodeline', 'keys'), { recursive: true });
    const second = await connect(place, ABOVE, {}, env);
    expect((await second.listTools()).tools.length).toBeGreaterThan(30);
    const { text } = await call(second, 'memory_recall', { query: 'quietword' });
    expect(text).not.toContain('the quietword');
    expect(text).toMatch(/LODELINE_KEY|No results|cannot be read/);
    await second.close();
    expect(bytesUnder(place.root)).not.toContain('quietword');
  },
);

it.each(['', '{"classification.defaultLevel":', 'null'])(
  'settings that are %j do not lay open what is sealed, nor write it in the clear',
  async (text) => {
    const place = newPlace();
    const first = await connect(place, ABOVE);
    await call(first, 'memory_remember', NOTE);
    await first.close();
    for (const base of [place.root, place.home]) {
      mkdirSync(join(base, '.lodeline'), { recursive: true });
      writeFileSync(join(base, '.lodeline', 'config.json'), text);
    }
    const second = await connect(place, ABOVE);
    expect((await call(second, 'memory_recall', { query: 'quietword' })).text).toContain('the quietword');
    await call(second, 'memory_remember', { ...NOTE, key: 'quiet-too', content: 'another quietword' });
    await second.close();
    const below = await connect(place);
    expect((await call(below, 'memory_recall', { query: 'quietword' })).text).not.toContain('the quietword');
    expect(bytesUnder(place.root)).not.toContain('quietword');
    expect(readdirSync(place.root)).toContain('.lodeline');
  },
);
