import { describe, expect, it } from 'vitest';
import { AGENT, DAY, openTestTools } from '../support/folder.ts';

const person = {
  actor: 'person',
  door: 'panel',
  level: 'RESTRICTED',
  approve: async () => 'approved' as const,
} as const;
const keys = (outcome: { data?: unknown }) =>
  (outcome.data as { results: { key: string }[] }).results.map(({ key }) => key).sort();

function opened() {
  const tools = openTestTools();
  const draft = (key: string, content: string, confidence = 0.8, session = 's-1') =>
    tools.store.remember(
      { category: 'knowledge', key, content, draft: { confidence } },
      { ...AGENT, session },
    );
  return { ...tools, draft };
}

describe('drafts', () => {
  it('are in no read until somebody accepts them', async () => {
    const { call, draft } = opened();
    await draft('cache-note', 'The cache is rebuilt at night');
    for (const [tool, input] of [
      ['memory_recall', { query: 'cache' }],
      ['memory_recall', {}],
      ['memory_search', { query: 'cache' }],
      ['memory_suggest', { context: 'cache' }],
      ['context_brief', { task: 'cache' }],
      ['context_export', {}],
      ['memory_primer', {}],
      ['memory_stats', {}],
    ] as const)
      expect((await call(tool, input)).text, tool).not.toMatch(/rebuilt at night|Total entries: 1/);
  });

  it('never touch a memory that has their key', async () => {
    const { call, draft } = opened();
    await call('memory_remember', { category: 'bug', key: 'cache-note', content: 'known' });
    await draft('cache-note', 'something else');
    expect((await call('memory_recall', { ids: 'cache-note' })).text).not.toContain('something else');
    await call('memory_forget', { key: 'cache-note' });
    await draft('cache-note', 'something else');
    expect((await call('memory_promote')).text).toBe('No drafts to promote.');
  });
});

describe('memory_promote', () => {
  it.each([
    ['memory_promote', { dryRun: false }, {}],
    ['memory_promote', { dryRun: false, ids: 'guess' }, {}],
    ['memory_drafts', { action: 'accept', ids: 'guess' }, { ...person, level: 'PUBLIC' as const }],
  ])('gives what was inferred the confidence of what is inferred: %s %j', async (tool, input, as) => {
    const { call, store } = opened();
    await store.remember(
      {
        category: 'knowledge',
        key: 'guess',
        content: 'Perhaps',
        origin: 'inferred',
        draft: { confidence: 0.95 },
      },
      AGENT,
    );
    await call(tool, input, as);
    expect((await call('memory_recall', { ids: 'guess' })).data).toMatchObject({
      results: [{ confidence: 0.65 }],
    });
  });

  it('by default reports what it would promote, and why the rest waits', async () => {
    const { call, draft } = opened();
    await call('memory_remember', {
      category: 'decision',
      key: 'retry',
      content: 'Retry uploads three times with backoff',
    });
    await draft('sure', 'The queue drains on shutdown', 0.65);
    await draft('unsure', 'Maybe the index is stale', 0.64);
    await draft('known', 'Retry uploads three times with backoff', 0.9);
    const { text, data } = await call('memory_promote');
    expect(text).toMatch(/^🌱 Dry run: 1 draft would be promoted\. Nothing was changed\.\n {2}sure /);
    expect(text).toMatch(/unsure .*— confidence 0\.64/);
    expect(text).toMatch(/known .*— says what "retry" says/);
    expect(data).toMatchObject({ dryRun: true, promoted: [{ key: 'sure' }] });
    expect(keys(await call('memory_recall', {}))).toEqual(['retry']);
  });

  it('promotes every draft that it says it promoted, at most max, not two that say the same', async () => {
    const { call, draft } = opened();
    const topics = [
      'queue drains on shutdown',
      'index lives in memory',
      'labels follow the theme',
      'workers share one thread',
    ];
    for (const [at, topic] of topics.entries()) await draft(`note-${at}`, `The ${topic}`, 0.7 + at / 100);
    await draft('again', 'The queue drains on shutdown', 0.7);
    const first = await call('memory_promote', { dryRun: false, max: 3 });
    expect(first.text).toContain('Promoted 3 drafts');
    expect(keys(await call('memory_recall', {}))).toEqual(['note-1', 'note-2', 'note-3']);
    await call('memory_promote', { dryRun: false });
    expect(keys(await call('memory_recall', {}))).toHaveLength(4);
  });

  it('keeps Korean keys', async () => {
    const { call, draft } = opened();
    await draft('한글-열쇠', '배포는 금요일에 하지 않는다');
    await call('memory_promote', { dryRun: false });
    expect(keys(await call('memory_recall', { query: '배포' }))).toEqual(['한글-열쇠']);
  });

  it('looks back so many days, and takes chosen drafts whatever their confidence', async () => {
    const { call, draft, clock } = opened();
    await draft('old-draft', 'Something from before', 0.9);
    await draft('weak', 'Something unsure', 0.2);
    clock.time += 8 * DAY;
    expect((await call('memory_promote')).text).toBe('No drafts to promote.');
    expect((await call('memory_promote', { days: 30 })).text).toContain('old-draft');
    await call('memory_promote', { ids: 'weak', dryRun: false }, { ...person, level: 'PUBLIC' });
    const { data } = await call('memory_open', { id: 'weak' }, person);
    expect(data).toMatchObject({ status: 'active', confirmed: true });
    expect((await call('memory_promote', { ids: 'weak', dryRun: false })).text).toMatch(
      /"weak" is not a draft/,
    );
  });

  it('leaves a draft of another level alone', async () => {
    const { call, store } = opened();
    await store.remember(
      { category: 'bug', key: 'inner', content: 'c', draft: { confidence: 1 } },
      { ...AGENT, level: 'INTERNAL' },
    );
    for (const level of ['PUBLIC', 'CONFIDENTIAL'] as const)
      expect((await call('memory_promote', { dryRun: false }, { level })).text).toBe('No drafts to promote.');
    expect((await call('memory_promote', { dryRun: false }, person)).text).toContain('Promoted 1 draft');
    expect(keys(await call('memory_recall', {}))).toEqual([]);
    expect(keys(await call('memory_recall', {}, { level: 'INTERNAL' }))).toEqual(['inner']);
  });
});

describe('memory_merge_sessions', () => {
  it('shows what each session wrote, what is the same, and what several wrote to', async () => {
    const { call, clock } = opened();
    const as = (session: string, source: string) => ({ session, source });
    await call(
      'memory_remember',
      { category: 'bug', key: 'old', content: 'from before' },
      as('a', 'copilot'),
    );
    clock.time += 3 * DAY;
    await call(
      'memory_remember',
      { category: 'bug', key: 'pool-a', content: 'The pool must hold twenty connections' },
      as('a', 'copilot'),
    );
    await call(
      'memory_remember',
      { category: 'bug', key: 'pool-b', content: 'The pool must hold twenty connections now' },
      as('b', 'claude-code'),
    );
    await call(
      'memory_remember',
      { category: 'bug', key: 'pool-a', content: 'Or thirty' },
      as('b', 'claude-code'),
    );
    const { text, data } = await call('memory_merge_sessions', {});
    expect(text).toMatch(/^🤝 2 sessions since 2026-07-14:/);
    expect(text).toContain('• claude-code (b): 1 entry');
    expect(text).toContain('👯 The same from different sessions:');
    expect(text).toMatch(/✍️ .*\n {2}\[bug\] pool-a/);
    expect(text).not.toContain('from before');
    expect((data as { sessions: unknown[] }).sessions).toHaveLength(2);
    expect((await call('memory_merge_sessions', { since: '2026-12-01' })).text).toMatch(
      /^No session remembered/,
    );
    expect(await call('memory_merge_sessions', { since: 'soon' })).toMatchObject({ isError: true });
  });

  it('promotes every draft of the sessions that it says it promoted, Korean ones too', async () => {
    const { call, draft } = opened();
    const contents = [
      '큐를 비우고 끝낸다',
      'The index lives in memory',
      'Labels follow the theme',
      '캐시는 밤에 지운다',
      'Workers share a thread',
    ];
    for (const [at, content] of contents.entries()) await draft(`초안-${at}`, content, 0.7, `s-${at % 2}`);
    expect((await call('memory_merge_sessions', {})).text).toContain('5 drafts wait');
    const { text } = await call('memory_merge_sessions', { promote: true });
    expect(text).toContain('🌱 Promoted 5 drafts');
    expect(keys(await call('memory_recall', {}))).toHaveLength(5);
  });
});
