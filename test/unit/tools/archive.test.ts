import { describe, expect, it } from 'vitest';
import { DAY, openTestTools } from '../support/folder.ts';

const person = {
  actor: 'person',
  door: 'panel',
  level: 'RESTRICTED',
  approve: async () => 'approved' as const,
} as const;
const keys = (outcome: { data?: unknown }) =>
  (outcome.data as { results: { key: string }[] }).results.map(({ key }) => key).sort();

async function aged() {
  const tools = openTestTools();
  const save = (key: string, rest: object = {}) =>
    tools.call('memory_remember', {
      category: 'knowledge',
      key,
      content: `what ${key} says about redis`,
      ...rest,
    });
  for (const key of ['one', 'two', 'three']) await save(`old-${key}`);
  await save('pinned');
  await tools.call('memory_pin', { key: 'pinned' });
  await save('short', { ttl: '2d' });
  tools.clock.time += 31 * DAY;
  await save('new');
  return tools;
}

describe('memory_archive', () => {
  it('archives old and expired entries, names each, and says how many remain', async () => {
    const { call } = await aged();
    const { text, data } = await call('memory_archive');
    expect(text).toMatch(/^📦 Archived 4 old entries\n📋 2 active entries remaining\n/);
    for (const key of ['old-one', 'old-two', 'old-three', 'short']) expect(text).toContain(key);
    expect(data).toMatchObject({ active: 2 });
    expect(keys(await call('memory_recall', {}))).toEqual(['new', 'pinned']);
  });

  it('has nothing to do a second time', async () => {
    const { call } = await aged();
    await call('memory_archive');
    expect((await call('memory_archive')).text).toBe(
      'No old entries to archive\n📋 2 active entries remaining',
    );
  });

  it('never takes the newest entry, however old it is', async () => {
    const { call, clock } = openTestTools();
    for (const key of ['first', 'last']) {
      await call('memory_remember', { category: 'bug', key, content: `about ${key}` });
      clock.time += DAY;
    }
    clock.time += 400 * DAY;
    await call('memory_archive');
    expect(keys(await call('memory_recall', {}))).toEqual(['last']);
  });

  it('leaves what it archived to be found by a search in the archive, expired entries too', async () => {
    const { call } = await aged();
    await call('memory_archive');
    expect(keys(await call('memory_search', { query: 'redis', archived: true }))).toEqual([
      'old-one',
      'old-three',
      'old-two',
      'short',
    ]);
    expect(keys(await call('memory_search', { query: 'redis' }))).toEqual(['new', 'pinned']);
  });

  it('lets an entry come back, which then stays', async () => {
    const { call } = await aged();
    await call('memory_archive');
    await call('memory_forget', { key: 'short', action: 'restore' });
    await call('memory_archive');
    expect(keys(await call('memory_recall', {}))).toEqual(['new', 'pinned', 'short']);
  });

  it('does not happen by itself: hundreds of entries of equal importance are all there', async () => {
    const { call } = openTestTools();
    for (let number = 0; number < 300; number++)
      await call('memory_remember', { category: 'bug', key: `k-${number}`, content: `note ${number}` });
    expect(keys(await call('memory_recall', { limit: 1000 }))).toHaveLength(300);
  });

  it('says what an agent must do before it changes what is archived', async () => {
    const { call } = await aged();
    await call('memory_archive');
    expect((await call('memory_pin', { key: 'old-one' })).text).toMatch(/archived.*action: "restore"/);
  });

  it('asks first where somebody can be asked, and does nothing when they decline', async () => {
    const { call } = await aged();
    const asked: string[] = [];
    const approve = async ({ title }: { title: string }) => {
      asked.push(title);
      return 'declined' as const;
    };
    expect(await call('memory_archive', {}, { approve })).toMatchObject({ isError: true });
    expect(asked).toEqual(['Archive old memories?']);
    expect(keys(await call('memory_recall', {}))).toHaveLength(5);
  });

  it('touches an agent its own level only, and a person every level, each entry at its own', async () => {
    const { call, clock } = openTestTools();
    const level = 'INTERNAL' as const;
    await call('memory_remember', { category: 'bug', key: 'public', content: 'p' });
    await call('memory_remember', { category: 'bug', key: 'internal', content: 'i' }, { level });
    clock.time += 40 * DAY;
    await call('memory_remember', { category: 'bug', key: 'fresh', content: 'f' }, { level });
    await call('memory_remember', { category: 'bug', key: 'recent', content: 'r' });
    expect((await call('memory_archive', {}, { level })).text).toContain('Archived 1 old entry');
    expect((await call('memory_archive', {}, person)).text).toContain('[bug] public');
    expect(keys(await call('memory_search', { archived: true }))).toEqual(['public']);
    expect(keys(await call('memory_search', { archived: true }, { level }))).toEqual(['internal', 'public']);
  });
});
