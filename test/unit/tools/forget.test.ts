import { describe, expect, it } from 'vitest';
import { bytesUnder } from '../support/files.ts';
import { openTestStore, openTestTools } from '../support/folder.ts';

const zod = { category: 'decision', key: 'use-zod', content: 'Use Zod for validation', tags: 'types' };
const person = { actor: 'person', door: 'panel', approve: async () => 'approved' as const } as const;

describe('forgetting', () => {
  it('takes an entry out of every read, by key or id, and restores it', async () => {
    const { call, store } = openTestTools();
    await call('memory_remember', zod);
    const [entry] = await store.fetch(['use-zod'], { level: 'PUBLIC' }, false);
    const { text } = await call('memory_forget', { key: entry?.id, reason: 'outdated' });
    expect(text).toMatch(/^🗑️ Forgotten: decision\/use-zod .*action: "restore"/);
    for (const [tool, input] of [
      ['memory_recall', { query: 'zod' }],
      ['memory_recall', { mode: 'index' }],
      ['memory_recall', { ids: 'use-zod' }],
      ['memory_recall', { query: 'zod', mode: 'graph', hops: 2 }],
      ['memory_recall', { ids: 'use-zod', mode: 'graph' }],
      ['memory_search', { query: 'zod', tags: 'types' }],
      ['memory_smart_recall', { intent: 'zod validation' }],
      ['memory_suggest', { context: 'zod validation' }],
      ['memory_diff', { since: '24h' }],
      ['context_brief', { task: 'zod' }],
      ['context_focus', { task: 'zod' }],
    ] as const) {
      expect((await call(tool, input)).text, tool).not.toContain('Use Zod');
    }
    expect((await call('memory_stats')).text).toContain('Total entries: 0');
    expect((await call('memory_forget', { key: 'use-zod', action: 'restore' })).text).toContain(
      '✅ Restored',
    );
    expect((await call('memory_recall', { query: 'zod' })).text).toContain('Use Zod');
  });

  it('gives an entry back as it was: with its pin, its tags and its history', async () => {
    const { call, store } = openTestTools();
    await call('memory_remember', { ...zod, importance: 'high' });
    await call('memory_remember', { ...zod, content: 'A second text' });
    await call('memory_pin', { key: 'use-zod' });
    const entry = async () => (await store.fetch(['use-zod'], { level: 'PUBLIC' }, false))[0];
    const before = await entry();
    await call('memory_forget', { key: 'use-zod', reason: 'by mistake' });
    await call('memory_forget', { key: 'use-zod', action: 'restore' });
    expect(await entry()).toEqual(before);
  });

  it('says what to do about an unknown key', async () => {
    const { call } = openTestTools();
    expect(await call('memory_forget', { key: 'nothing' })).toMatchObject({
      isError: true,
      text: '"nothing" not found in memory. List what is there with memory_recall({ mode: "index" }).',
    });
  });

  it('lets a newer entry supersede it, and only one that exists', async () => {
    const { call } = openTestTools();
    await call('memory_remember', zod);
    expect((await call('memory_forget', { key: 'use-zod', action: 'supersede' })).text).toContain(
      'needs new_key',
    );
    expect(
      (await call('memory_forget', { key: 'use-zod', action: 'supersede', new_key: 'none' })).text,
    ).toContain('Save it first');
    expect(
      (await call('memory_forget', { key: 'use-zod', action: 'supersede', new_key: 'use-zod' })).text,
    ).toContain('cannot supersede itself');
    await call('memory_remember', { ...zod, key: 'use-valibot', content: 'Use Valibot' });
    const { text } = await call('memory_forget', {
      key: 'use-zod',
      action: 'supersede',
      new_key: 'use-valibot',
    });
    expect(text).toContain('by "use-valibot"');
    expect((await call('memory_recall', { query: 'validation zod' })).text).not.toContain('Use Zod');
  });

  it('for good is for the person, leaves nothing on disk, and holds for other processes', async () => {
    const { call, folder, clock } = openTestTools();
    await call('memory_remember', { ...zod, content: 'a text to erase' });
    await call('memory_remember', { ...zod, content: 'its second text to erase' });
    await call('memory_remember', { ...zod, key: 'stays', content: 'unrelated' });
    const other = openTestStore(folder, clock);
    await other.remember(
      { category: 'bug', key: 'other', content: 'from another process' },
      { actor: 'agent', level: 'PUBLIC', source: 'x', session: 'y', branch: '' },
    );
    expect((await call('memory_forget', { key: 'use-zod', action: 'hard' })).isError).toBe(true);
    expect(bytesUnder(folder)).toContain('text to erase');
    const { isError } = await call('memory_forget', { key: 'use-zod', action: 'hard' }, person);
    expect(isError).toBe(false);
    expect(bytesUnder(folder)).not.toContain('text to erase');
    expect(bytesUnder(folder)).not.toContain('use-zod');
    for (const query of ['erase', 'unrelated', 'process']) {
      const expected = query === 'erase' ? 0 : 1;
      expect(
        (await other.recall({ query, filter: {}, limit: 9, count: false }, { level: 'PUBLIC' })).results,
      ).toHaveLength(expected);
    }
    expect((await call('memory_remember', { ...zod, content: 'a new life' })).text).toContain('🧠 Saved');
  });

  it('holds for what another process wrote before and reads later, and not for what it writes afterwards', async () => {
    const { call, folder, clock } = openTestTools();
    await call('memory_remember', zod);
    const other = openTestStore(folder, clock);
    await call('memory_forget', { key: 'use-zod', action: 'hard' }, person);
    await call('memory_remember', { ...zod, content: 'a new life' });
    const late = openTestStore(folder, clock);
    for (const store of [other, late]) {
      expect(await store.fetch(['use-zod'], { level: 'PUBLIC' }, false)).toMatchObject([
        { content: 'a new life', revisions: [] },
      ]);
    }
  });

  it('everything is for the person, after approval', async () => {
    const { call, folder } = openTestTools();
    await call('memory_remember', { ...zod, content: 'a text to erase' });
    await call('memory_summary', { action: 'set', file: 'a.ts', summary: 'a summary to erase' });
    expect((await call('memory_erase')).text).toBe('There is no tool "memory_erase".');
    expect(
      (await call('memory_erase', {}, { ...person, approve: async () => 'declined' as const })).isError,
    ).toBe(true);
    expect((await call('memory_erase', {}, person)).text).toBe('Deleted 1 entry for good.');
    for (const gone of ['to erase', 'use-zod']) expect(bytesUnder(folder)).not.toContain(gone);
    expect((await call('memory_recall')).text).toContain('No memories yet');
  });
});
