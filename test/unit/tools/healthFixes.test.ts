/** What context_health tells an agent to call, an agent can call. */
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/memoryProtocol.ts';
import { toolsOf } from '../../../src/tools/registry.ts';
import { DAY, openTestTools } from '../support/folder.ts';

const note = { category: 'knowledge', content: 'About the pool' };

/** A memory with every kind of finding that entries can have. */
async function ailing() {
  const tools = openTestTools();
  const { call } = tools;
  await call('memory_remember', { ...note, key: 'kept', content: 'Nothing wrong with this one' });
  await call('memory_remember', { ...note, key: 'links', content: 'See the pool', links: 'gone;kept' });
  await call('memory_remember', { ...note, key: 'text', content: 'See [[lost]] and [[kept]]' });
  await call('memory_remember', { ...note, key: 'file', content: 'In a file', file: 'src/gone.ts:3-9' });
  await call('memory_remember', { ...note, key: 'one' });
  await call('memory_remember', { ...note, key: 'two' });
  await call('memory_remember', { ...note, key: 'old', content: 'Over soon', ttl: '24h' });
  tools.clock.time += 40 * DAY;
  const findings = async (actor: 'agent' | 'person' = 'agent') =>
    ((await call('context_health', {}, { actor })).data as { findings: Finding[] }).findings;
  return { ...tools, findings };
}

describe('context_health', () => {
  it('names calls that its caller has, and they put everything right', async () => {
    const { call, findings } = await ailing();
    const found = await findings();
    expect(new Set(found.map(({ kind }) => kind))).toEqual(
      new Set(['orphan-link', 'broken-file', 'duplicate', 'expired', 'old-session']),
    );
    const known = toolsOf('full').map(({ name }) => name);
    for (const { kind, fix } of found) {
      if (kind === 'old-session') expect(fix).toBeNull();
      else {
        expect(known).toContain(fix?.tool);
        const { isError, text } = await call(fix?.tool ?? '', fix?.input, {
          approve: async () => 'approved',
        });
        expect(isError, text).toBe(false);
      }
    }
    expect((await findings()).filter(({ kind }) => kind !== 'old-session')).toEqual([]);
    const { text } = await call('memory_recall', { ids: 'links,text,file' });
    expect(text).toContain('See lost and [[kept]]');
    expect(text).toContain('links: kept');
    expect(text).not.toMatch(/gone|↺/);
  });

  it('says in its text what each call is, and who else can do the rest', async () => {
    const { call } = await ailing();
    const { text } = await call('context_health');
    expect(text).not.toMatch(/memory_edit|session_put_away/);
    expect(text).toContain(
      'src/gone.ts:3-9 is not there → memory_remember({ category: "knowledge", key: "file", content: the same, unlink: ["src/gone.ts:3-9"] })',
    );
    expect(text).toContain('→ the person can put it away');
  });

  it('gives the person the fixes of the panel', async () => {
    const { findings } = await ailing();
    expect(new Set((await findings('person')).map(({ fix }) => fix?.tool))).toEqual(
      new Set(['memory_edit', 'memory_consolidate', 'memory_archive', 'session_put_away']),
    );
  });
});

describe('memory_remember with unlink', () => {
  it('removes links and the file, and says what was not there', async () => {
    const { call } = openTestTools();
    const save = (more: object) => call('memory_remember', { ...note, key: 'a', ...more });
    await save({ links: 'b;c', file: 'src/x.ts:4' });
    const { text, data } = await save({ unlink: '[[b]];./src/x.ts;nothing' });
    expect(text).toContain('✂️ Removed: b, ./src/x.ts\n"nothing" is neither a link nor the file');
    expect(data).toMatchObject({ entry: { links: ['c'], file: '', revisions: [] } });
  });

  it('keeps what is given in the same call', async () => {
    const { call } = openTestTools();
    const save = (more: object) => call('memory_remember', { ...note, key: 'a', ...more });
    await save({ links: 'b', file: 'old.ts' });
    const { data } = await save({ links: 'b', file: 'new.ts', unlink: 'b;old.ts' });
    expect(data).toMatchObject({ entry: { links: ['b'], file: 'new.ts' }, unlinked: [] });
  });

  it('takes a reference out of the content only where that is replaced', async () => {
    const { call } = openTestTools();
    const save = (more: object) =>
      call('memory_remember', { ...note, key: 'a', content: 'See [[b]]', ...more });
    await save({});
    expect((await save({ unlink: 'b' })).text).toContain('stands in the content as [[b]]: call again with');
    const { data } = await save({ unlink: 'b', replace: true });
    expect(data).toMatchObject({ entry: { content: 'See b' }, unlinked: ['b'] });
  });
});
