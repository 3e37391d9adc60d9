/** Pinned entries come back for every query; an agent is told when nothing matched it. */
import { describe, expect, it } from 'vitest';
import { openTestTools } from '../support/folder.ts';

async function pinned() {
  const tools = openTestTools();
  await tools.call('memory_remember', { category: 'decision', key: 'api-style', content: 'REST only' });
  await tools.call('memory_pin', { key: 'api-style' });
  return tools;
}

describe('a query that nothing matches', () => {
  it.each([
    ['memory_recall', { query: 'quetzalcoatl' }],
    ['memory_recall', { query: 'quetzalcoatl', mode: 'graph' }],
    ['memory_recall', { query: 'quetzalcoatl', mode: 'index' }],
    ['memory_recall', { query: 'quetzalcoatl', compact: true }],
    ['memory_recall', { query: 'quetzalcoatl', budget_tokens: 60 }],
    ['memory_search', { query: 'quetzalcoatl' }],
    ['memory_smart_recall', { intent: 'quetzalcoatl' }],
    ['context_brief', { task: 'quetzalcoatl' }],
  ])('is said by %s %j', async (tool, input) => {
    const { call } = await pinned();
    const { text } = await call(tool, input);
    expect(text).toContain('Nothing matches "quetzalcoatl". What is pinned:');
    expect(text.indexOf('Nothing matches')).toBeLessThan(text.indexOf('api-style'));
  });

  it('is not said when something matches, if only below the limit, or nothing was asked', async () => {
    const { call } = await pinned();
    await call('memory_remember', { category: 'knowledge', key: 'redis', content: 'A pool' });
    for (const input of [{ query: 'redis', limit: 1 }, { query: '' }, { query: 'api-style', mode: 'graph' }])
      expect((await call('memory_recall', input)).text, JSON.stringify(input)).not.toContain('matches');
  });

  it('keeps within a token budget', async () => {
    const { call, store } = await pinned();
    for (const budget_tokens of [1, 5, 15, 30]) {
      const { text } = await call('memory_recall', { query: 'quetzalcoatl', budget_tokens });
      expect((await store.fit([text], budget_tokens)).cut, text).toBe(false);
    }
  });
});
