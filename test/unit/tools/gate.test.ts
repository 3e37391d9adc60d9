import { describe, expect, it } from 'vitest';
import { openTestTools } from '../support/folder.ts';

const zod = { category: 'decision', key: 'use-zod', content: 'Use Zod for validation' };

describe('the gate', () => {
  it('lets an untrusted folder be read and not changed', async () => {
    const { call, trust } = openTestTools();
    await call('memory_remember', zod);
    await call('memory_summary', { action: 'set', file: 'a.ts', summary: 'text' });
    trust.trusted = false;
    for (const [tool, input] of [
      ['memory_remember', zod],
      ['memory_forget', { key: 'use-zod' }],
      ['memory_pin', { key: 'use-zod' }],
      ['memory_tag', { action: 'add', tags: 'x', ids: 'use-zod' }],
      ['memory_summary', { action: 'set', file: 'a.ts', summary: 'other' }],
    ] as const) {
      expect(await call(tool, input), tool).toMatchObject({
        isError: true,
        text: expect.stringContaining('not trusted'),
      });
    }
    expect((await call('memory_recall', { query: 'zod' })).text).toContain('Use Zod');
    expect((await call('memory_summary', { action: 'get', file: 'a.ts' })).text).toBe('text');
  });

  it.each(['task', 'subagents_apply', 'subagents_retry'])(
    'says of %s what it does to a folder that is not trusted, also in the person’s language',
    async (tool) => {
      const { call, trust } = openTestTools();
      trust.trusted = false;
      const input = tool === 'task' ? { agent: 'task', tasks: [] } : { batch: 'b', task: 't' };
      const { text, phrase, isError } = await call(tool, input, { actor: 'person' });
      expect(isError).toBe(true);
      expect(text).toMatch(
        new RegExp(`^${tool} starts agents that change files, .*then call ${tool} again\\.$`),
      );
      expect(phrase?.values).toEqual([tool]);
    },
  );

  it.each([
    ['memory_forget', { key: 'use-zod', action: 'supersede' }, /new_key/],
    ['memory_secret', { action: 'get' }, /needs key/],
    ['memory_secret', { action: 'forget' }, /needs key/],
    ['memory_import_gist', { gist_id: 'no gist' }, /is not a gist/],
  ])('asks nobody about a call of %s that lacks something: %j', async (tool, input, what) => {
    const { call } = openTestTools();
    await call('memory_remember', zod);
    const asked: string[] = [];
    const approve = async ({ title }: { title: string }) => {
      asked.push(title);
      return 'approved' as const;
    };
    const { text, isError } = await call(tool, input, { approve });
    expect({ isError, asked }).toEqual({ isError: true, asked: [] });
    expect(text).toMatch(what);
  });

  it('asks before something is taken away, where somebody can be asked', async () => {
    const { call } = openTestTools();
    await call('memory_remember', zod);
    const questions: string[] = [];
    const asking = (answer: 'approved' | 'declined') => ({
      approve: async ({ title }: { title: string }) => {
        questions.push(title);
        return answer;
      },
    });
    expect(await call('memory_forget', { key: 'use-zod' }, asking('declined'))).toMatchObject({
      isError: true,
    });
    expect((await call('memory_recall', { query: 'zod' })).text).toContain('Use Zod');
    expect(await call('memory_forget', { key: 'use-zod' }, asking('approved'))).toMatchObject({
      isError: false,
    });
    expect(questions).toEqual(['Forget "use-zod"?', 'Forget "use-zod"?']);
  });

  it('denies what cannot be undone where nobody can be asked, and names the setting', async () => {
    const person = { actor: 'person' } as const;
    const denied = openTestTools();
    await denied.call('memory_remember', zod);
    expect(await denied.call('memory_forget', { key: 'use-zod', action: 'hard' }, person)).toMatchObject({
      isError: true,
      text: expect.stringContaining('"approval.unattended": "allow"'),
    });
    const allowed = openTestTools(undefined, undefined, { 'approval.unattended': 'allow' });
    await allowed.call('memory_remember', zod);
    expect((await allowed.call('memory_forget', { key: 'use-zod', action: 'hard' }, person)).isError).toBe(
      false,
    );
  });

  it('keeps tools for the person from agents, as if they did not exist', async () => {
    const { call } = openTestTools();
    for (const tool of ['memory_browse', 'memory_open', 'memory_edit', 'memory_export', 'memory_erase']) {
      expect(await call(tool)).toMatchObject({ isError: true, text: `There is no tool "${tool}".` });
    }
  });

  it('runs nothing once the call is cancelled', async () => {
    const { call, store } = openTestTools();
    const { text } = await call('memory_remember', zod, { signal: AbortSignal.abort() });
    expect(text).toBe('memory_remember was cancelled. Nothing was changed.');
    expect((await store.stats({ level: 'PUBLIC' })).total).toBe(0);
  });
});

describe('levels', () => {
  it('hide what lies above from every tool of a lower session, and answer it as if there were nothing', async () => {
    const { call } = openTestTools();
    const above = { level: 'CONFIDENTIAL' } as const;
    await call(
      'memory_remember',
      { ...zod, content: 'the merger is planned for May', tags: 'merger' },
      above,
    );
    await call('memory_pin', { key: 'use-zod' }, above);
    await call('memory_summary', { action: 'set', file: 'm.ts', summary: 'merger code' }, above);
    const empty = openTestTools();
    for (const [tool, input] of [
      ['memory_recall', { query: 'merger May zod', explain: true }],
      ['memory_recall', { mode: 'index' }],
      ['memory_recall', { ids: 'use-zod' }],
      ['memory_recall', { query: 'use-zod', mode: 'graph', hops: 2, compact: true }],
      ['memory_recall', { ids: 'use-zod', mode: 'graph' }],
      ['memory_recall', { query: 'merger', as_of: '2026-07-12' }],
      ['memory_recall', { ids: 'use-zod', as_of: '2026-07-12' }],
      ['memory_search', { query: 'merger', tags: 'merger' }],
      ['memory_smart_recall', { intent: 'merger', explain: true }],
      ['memory_suggest', { context: 'merger' }],
      ['memory_stats', {}],
      ['memory_diff', { since: '24h' }],
      ['memory_summary', { action: 'get' }],
      ['memory_summary', { action: 'get', file: 'm.ts' }],
      ['context_brief', { task: 'merger' }],
      ['context_focus', { task: 'merger m.ts' }],
      ['memory_forget', { key: 'use-zod' }],
      ['memory_pin', { key: 'use-zod' }],
      ['memory_tag', { action: 'add', tags: 'x', ids: 'use-zod' }],
    ] as const) {
      expect(await call(tool, input), tool).toEqual(await empty.call(tool, input));
    }
    expect((await call('memory_recall', { query: 'merger' }, above)).text).toContain('Level: CONFIDENTIAL');
  });

  it('shadow the same key below, in reads from above only', async () => {
    const { call } = openTestTools();
    const above = { level: 'INTERNAL' } as const;
    await call('memory_remember', { ...zod, content: 'public text' });
    await call('memory_remember', { ...zod, content: 'internal text' }, above);
    expect((await call('memory_recall', { query: 'text' })).text).toContain('public text');
    const seen = (await call('memory_recall', { query: 'text' }, above)).text;
    expect(seen).toContain('internal text');
    expect(seen).not.toContain('public text');
  });

  it('let a session read what lies below and not change it', async () => {
    const { call } = openTestTools();
    await call('memory_remember', zod);
    const answer = await call('memory_forget', { key: 'use-zod' }, { level: 'INTERNAL' });
    expect(answer).toMatchObject({
      isError: true,
      text: expect.stringContaining('it can read the entry but not change it'),
    });
    expect((await call('memory_recall', { query: 'zod' })).text).toContain('Use Zod');
  });
});
