import { describe, expect, it } from 'vitest';
import { openTestTools } from '../support/folder.ts';

const CONFIDENTIAL = { level: 'CONFIDENTIAL', session: 'high' } as const;

interface Result {
  readonly id: string;
  readonly key: string;
}

/** A decision, a note that mentions its id, and a pinned warning that has nothing to do with either. */
async function filled() {
  const tools = openTestTools();
  const keys = async (tool: string, input: object, who: object = {}) => {
    const { data } = await tools.call(tool, input, who);
    return (data as { results: Result[] }).results.map(({ key }) => key);
  };
  const saved = async (key: string, content: string, who: object = {}) => {
    await tools.call('memory_remember', { category: 'decision', key, content }, who);
    const { data } = await tools.call('memory_recall', { ids: key }, who);
    return (data as { results: Result[] }).results[0]?.id ?? '';
  };
  const id = await saved('use-zod', 'Validate every input.');
  await saved('note', `See the entry ${id} before changing it.`);
  await saved('pinned', 'Ask before a release.');
  await tools.call('memory_pin', { key: 'pinned' });
  return { ...tools, keys, saved, id };
}

describe('a query that is the id of an entry', () => {
  it.each(['memory_recall', 'memory_search'])('finds it first with %s, however it is asked', async (tool) => {
    const { keys, id } = await filled();
    for (const input of [{}, { mode: 'index' }, { mode: 'graph' }, { rrf: false }, { limit: 1 }])
      expect((await keys(tool, { query: ` ${id}\n`, ...input }))[0]).toBe('use-zod');
    expect(await keys(tool, { query: id, limit: 2 })).toHaveLength(2);
  });

  it('finds it once, and says nothing of an unmatched query', async () => {
    const { keys, call, saved } = await filled();
    const id = await saved('alone', 'Nothing mentions this one.');
    const found = await keys('memory_recall', { query: id });
    expect(found.filter((key) => key === 'alone')).toEqual(['alone']);
    expect((await call('memory_recall', { query: id })).text).not.toContain('Nothing matches');
  });

  it('finds nothing that filters, forgetting or the reader’s level keep back', async () => {
    const { keys, call, saved, id } = await filled();
    expect(await keys('memory_recall', { query: id, category: 'bug' })).not.toContain('use-zod');
    const high = await saved('high', 'Only for some.', CONFIDENTIAL);
    expect(await keys('memory_recall', { query: high }, CONFIDENTIAL)).toContain('high');
    expect(await keys('memory_recall', { query: high })).not.toContain('high');
    await call('memory_forget', { key: 'use-zod' }, { approve: async () => 'approved' });
    expect(await keys('memory_recall', { query: id })).not.toContain('use-zod');
  });

  it('is an id alone: more words, or a part of one, are words', async () => {
    const { keys, id } = await filled();
    for (const query of [`${id} release`, id.slice(0, 5), `x${id}`])
      expect(await keys('memory_recall', { query })).not.toContain('use-zod');
  });
});
