import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CaptureLog } from '../../../src/memory/capture.ts';
import type { ConflictsFound, Draft } from '../../../src/memoryProtocol.ts';
import type { EntryDetail } from '../../../src/protocol.ts';
import { AGENT, DAY, openTestTools } from '../support/folder.ts';

const person = {
  actor: 'person',
  door: 'panel',
  level: 'RESTRICTED',
  approve: async () => 'approved' as const,
} as const;

function opened() {
  const tools = openTestTools();
  const { call, clock, folder, store } = tools;
  // A person changes an entry at the level it has; what goes through many entries knows their levels itself.
  const own = (tool: string) => (/^memory_(edit|forget)$/.test(tool) ? { level: 'PUBLIC' as const } : {});
  const as = (tool: string, input: object = {}) => call(tool, input, { ...person, ...own(tool) });
  const dataOf = async <T>(tool: string, input: object = {}) => (await as(tool, input)).data as T;
  return {
    ...tools,
    as,
    draft: (key: string, content: string, confidence = 0.8) =>
      store.remember({ category: 'knowledge', key, content, draft: { confidence } }, AGENT),
    save: (key: string, content: string, rest: object = {}) =>
      call('memory_remember', { category: 'knowledge', key, content, ...rest }),
    drafts: async () => (await dataOf<{ drafts: Draft[] }>('memory_drafts')).drafts,
    entry: (id: string) => dataOf<EntryDetail>('memory_open', { id }),
    conflicts: (kind: string) => dataOf<ConflictsFound>('memory_conflicts', { kind }),
    /** Runs something and answers the moments between which it happened. */
    span: async (run: () => Promise<unknown>) => {
      const from = clock.time;
      clock.time += 1000;
      await run();
      clock.time += 1000;
      return { from, to: clock.time };
    },
    capture: (command: string) =>
      new CaptureLog({
        dir: join(folder, 'store', 'captured'),
        defaultLevel: 'PUBLIC',
        now: () => clock.time,
      }).add({
        ...{ session: 's-1', agent: 'copilot', branch: 'main', level: 'PUBLIC' },
        ...{ tool: 'run_in_terminal', input: { command }, file: 'src/pool.ts' },
      }),
  };
}

describe('memory_drafts', () => {
  it('lists drafts and what was captured, with their source, the most confident first', async () => {
    const { drafts, draft, capture } = opened();
    await draft('note', 'The queue drains on shutdown', 0.7);
    await capture('npm test -- --fix the failing pool timeout of the client');
    expect(await drafts()).toMatchObject([
      { id: null, source: 'copilot@main', tool: 'run_in_terminal', file: 'src/pool.ts', session: 's-1' },
      { key: 'note', source: 'copilot', confidence: 0.7 },
    ]);
  });

  it.each(['accept', 'reject'])('can %s one that was captured, once and for all', async (action) => {
    const { as, call, drafts, capture } = opened();
    await capture('fix the failing pool timeout of the client by closing idle connections');
    const [first] = await drafts();
    await as('memory_drafts', { action, ids: [first?.name] });
    expect(await drafts()).toEqual([]);
    expect((await call('memory_promote', { minConfidence: 0 })).text).toBe('No drafts to promote.');
    const { text } = await call('memory_recall', { query: 'pool' });
    expect(text.includes('idle connections')).toBe(action === 'accept');
  });

  it('accepts a draft with the text that the person wrote, without its secrets', async () => {
    const { as, draft, entry } = opened();
    await draft('note', 'The queue drains');
    const content = 'The queue drains with AKIAIOSFODNN7EXAMPLQ on shutdown';
    await as('memory_drafts', { action: 'accept', ids: ['note'], content });
    const found = await entry('note');
    expect(found).toMatchObject({ status: 'active', confirmed: true });
    expect(found.content).toMatch(/^The queue drains with .+ on shutdown$/);
    expect(found.content).not.toContain('AKIAIOSFODNN7EXAMPLQ');
  });

  it('decides about all or none, and says which is no draft any more', async () => {
    const { as, draft, drafts } = opened();
    await draft('note', 'The queue drains');
    const answer = await as('memory_drafts', { action: 'reject', ids: ['note', 'no-such'] });
    expect(answer).toMatchObject({
      isError: true,
      text: expect.stringContaining('"no-such" is not a draft'),
    });
    expect(await drafts()).toHaveLength(1);
  });

  it('is taken back to a draft, a captured one too', async () => {
    const { as, capture, draft, drafts, span } = opened();
    await draft('note', 'The queue drains');
    await capture('fix the failing pool timeout of the client by closing idle connections');
    const names = (await drafts()).map(({ name }) => name);
    let ids: string[] = [];
    const moments = await span(async () => {
      const { data } = await as('memory_drafts', { action: 'accept', ids: names });
      ids = (data as { ids: string[] }).ids;
    });
    expect(await drafts()).toEqual([]);
    await as('memory_take_back', { ids, ...moments });
    expect((await drafts()).map(({ key }) => key).sort()).toHaveLength(2);
  });
});

describe('memory_conflicts', () => {
  it('finds texts beside a content, until the person keeps one of them', async () => {
    const { as, save, conflicts, entry } = opened();
    await save('port', 'The server listens on 8080');
    await save('port', 'The server listens on 9090');
    const { conflicts: found } = await conflicts('texts');
    expect(found[0]?.sides.map(({ text }) => text)).toEqual([
      'The server listens on 8080',
      'The server listens on 9090',
    ]);
    await as('memory_edit', { key: found[0]?.sides[0]?.id, content: 'The server listens on 8080' });
    expect(await conflicts('texts')).toEqual({ total: 0, conflicts: [] });
    const { content, revisions } = await entry('port');
    expect(content).toBe('The server listens on 8080');
    expect(revisions).toMatchObject([{ text: 'The server listens on 9090', addition: false }]);
  });

  it.each([
    [
      'similar',
      'Uploads are retried three times with backoff',
      'Uploads are retried three times with backoff now',
    ],
    ['versions', 'React 18 needs the legacy root here', 'React 19 needs the new root here'],
  ])('finds %s entries, until they are linked', async (kind, one, other) => {
    const { as, save, conflicts } = opened();
    await save('one', one);
    await save('other', other);
    const { conflicts: found } = await conflicts(kind);
    expect(found).toMatchObject([{ kind, sides: [{}, {}] }]);
    const [first, second] = found[0]?.sides ?? [];
    await as('memory_edit', { key: first?.id, set_links: [second?.key] });
    expect(await conflicts(kind)).toMatchObject({ total: 0 });
  });
});

describe('memory_take_back', () => {
  it('makes an entry what it was: text, texts beside it, tags, links and status', async () => {
    const { as, save, entry, span } = opened();
    await save('port', 'The server listens on 8080', { tags: 'net;ports', links: 'proxy', ttl: '2d' });
    await save('port', 'The server listens on 9090');
    const before = await entry('port');
    const moments = await span(async () => {
      await as('memory_edit', {
        key: 'port',
        content: 'Both ports',
        set_tags: ['net', 'new'],
        set_links: [],
        ttl: '',
      });
      await as('memory_forget', { key: 'port' });
    });
    await as('memory_take_back', { ids: [before.id], ...moments });
    const after = await entry('port');
    for (const name of ['content', 'tags', 'linked', 'status', 'expires', 'confirmed'] as const)
      expect(after[name], name).toEqual(before[name]);
    const added = ({ revisions }: EntryDetail) =>
      revisions.filter(({ addition }) => addition).map(({ text }) => text);
    expect(added(after)).toEqual(['The server listens on 9090']);
    expect(after.revisions.map(({ text }) => text)).toContain('Both ports');
  });

  it('leaves what others have changed since', async () => {
    const { as, call, clock, save, entry, span } = opened();
    await save('port', 'The server listens on 8080', { tags: 'net' });
    const moments = await span(() =>
      as('memory_edit', { key: 'port', content: 'On 9090', set_tags: ['ports'] }),
    );
    clock.time += 1000;
    await call('memory_remember', {
      category: 'bug',
      key: 'port',
      content: 'On 7070',
      replace: true,
      tags: 'theirs',
    });
    await as('memory_take_back', { ids: [(await entry('port')).id], ...moments });
    const { content, tags, category } = await entry('port');
    expect([content, category, [...tags].sort()]).toEqual(['On 7070', 'bug', ['net', 'theirs']]);
  });

  it('brings back what was archived, with its time to live', async () => {
    const { as, save, entry, clock, span } = opened();
    await save('short', 'only for a while', { ttl: '2d' });
    clock.time += 31 * DAY;
    await save('new', 'something else');
    const before = await entry('short');
    const moments = await span(() => as('memory_archive', {}));
    expect(await entry('short')).toMatchObject({ status: 'archived' });
    await as('memory_take_back', { ids: [before.id], ...moments });
    expect(await entry('short')).toMatchObject({ status: 'active', expires: before.expires });
  });

  it('is not for agents', async () => {
    const { call } = opened();
    for (const tool of ['memory_take_back', 'memory_drafts', 'memory_conflicts', 'session_put_away'])
      expect((await call(tool, {})).text).toBe(`There is no tool "${tool}".`);
  });
});

describe('memory_archive', () => {
  it('in a dry run says what it would do, and does nothing', async () => {
    const { as, save, clock, entry } = opened();
    await save('old', 'what is old');
    clock.time += 31 * DAY;
    await save('new', 'what is new');
    const { text, data } = await as('memory_archive', { dryRun: true });
    expect(text).toMatch(/^📦 Dry run: 1 old entry would be archived\. Nothing was changed\./);
    expect(data).toMatchObject({ archived: [{ key: 'old', phrase: { text: 'not changed since {0}' } }] });
    expect(await entry('old')).toMatchObject({ status: 'active' });
  });

  it('takes only expired ones when asked to', async () => {
    const { as, save, clock, entry } = opened();
    await save('old', 'what is old');
    await save('short', 'only for a while', { ttl: '2d' });
    clock.time += 31 * DAY;
    await as('memory_archive', { expired: true });
    expect(await entry('old')).toMatchObject({ status: 'active' });
    expect(await entry('short')).toMatchObject({ status: 'archived' });
  });
});
