import { describe, expect, it, vi } from 'vitest';
import { versionsIn } from '../../../src/memory/versions.ts';
import { openTestTools } from '../support/folder.ts';

const person = { actor: 'person', door: 'panel', approve: async () => 'approved' as const } as const;
const keys = (outcome: { data?: unknown }) =>
  (outcome.data as { results: { key: string }[] }).results.map(({ key }) => key).sort();

function opened() {
  const tools = openTestTools();
  const save = (key: string, content: string, rest: object = {}) => {
    tools.clock.time += 1000;
    return tools.call('memory_remember', { category: 'decision', key, content, ...rest });
  };
  return { ...tools, save };
}

describe('memory_consolidate, identical', () => {
  it('leaves one of the entries with the same content, with the tags and links of all, and keeps summaries', async () => {
    const { call, save } = opened();
    await call('memory_summary', { action: 'set', file: 'a.ts', summary: 'about a' });
    await save('zod-one', 'Use Zod\nfor validation', { tags: 'zod;a', file: 'a.ts' });
    await save('zod-two', 'Use  Zod for validation ', { tags: 'types', links: 'engine' });
    await save('other', 'Something else');
    const { text } = await call('memory_consolidate');
    expect(text).toMatch(
      /^🧹 Consolidated \(mode: identical\): 1 entry retired\.\n {2}decision\/zod-two .* → decision\/zod-one/,
    );
    expect(keys(await call('memory_recall', {}))).toEqual(['other', 'zod-one']);
    const { data } = await call('memory_open', { id: 'zod-one' }, person);
    expect(data).toMatchObject({ tags: ['zod', 'a', 'types'], linked: [{ key: 'engine' }] });
    expect((await call('memory_summary', { action: 'get' })).data).toEqual({ files: ['a.ts'] });
  });

  it('loses nothing: what gave way is history, and comes back', async () => {
    const { call, save } = opened();
    await save('one', 'same');
    await save('two', 'same');
    await call('memory_consolidate', { mode: 'identical' });
    expect((await call('memory_recall', { ids: 'two' })).text).toContain('superseded by "one"');
    await call('memory_forget', { key: 'two', action: 'restore' });
    expect(keys(await call('memory_recall', {}))).toEqual(['one', 'two']);
  });

  it('keeps what a person vouched for, and never merges across levels', async () => {
    const { call, save } = opened();
    await save('agents', 'same', { tags: 'a;b;c', file: 'x.ts' });
    await save('persons', 'same');
    await call('memory_edit', { key: 'persons', confirmed: true }, person);
    await call(
      'memory_remember',
      { category: 'decision', key: 'inner', content: 'same' },
      { level: 'INTERNAL' },
    );
    await call('memory_consolidate');
    expect(keys(await call('memory_recall', {}, { level: 'INTERNAL' }))).toEqual(['inner', 'persons']);
  });

  it('takes composed and decomposed Hangul for the same', async () => {
    const { call, save } = opened();
    await save('nfc', '레디스를 쓴다');
    await save('nfd', '레디스를 쓴다'.normalize('NFD'));
    await call('memory_consolidate');
    expect(keys(await call('memory_recall', {}))).toHaveLength(1);
  });
});

describe('memory_consolidate, the other modes', () => {
  it.each(['similar', 'low-quality', 'versions'])('%s is a dry run unless told', async (mode) => {
    const { call, save } = opened();
    await save('react-18', 'Use React 18 for the user interface of the panels');
    await save('react-19', 'Use React 19 for the user interface of the panels today');
    await save('x', 'poor');
    const { text, data } = await call('memory_consolidate', { mode, minQuality: 0.5 });
    expect(text).toMatch(/^🧹 Dry run/);
    expect((data as { groups: unknown[] }).groups).not.toEqual([]);
    expect(keys(await call('memory_recall', {}))).toEqual(['react-18', 'react-19', 'x']);
  });

  it('similar: the longest text stays, and the others are shown with it', async () => {
    const { call, save } = opened();
    await save('retry-short', 'Retry failed uploads three times with backoff');
    await save('retry-long', 'Retry failed uploads three times with backoff, then tell the person');
    await save('unrelated', 'Buttons are blue');
    await call('memory_consolidate', { mode: 'similar', dryRun: false });
    expect(keys(await call('memory_recall', {}))).toEqual(['retry-long', 'unrelated']);
    const { text } = await call('memory_recall', { ids: 'retry-long' });
    expect(text).toContain('↺');
    expect(text).toContain('Retry failed uploads three times with backoff\n');
  });

  it('low-quality archives by quality alone: not what is short or untagged, pinned, confirmed or important', async () => {
    const { call, save } = opened();
    await save('x', 'poor');
    await save('pinned', 'p');
    await call('memory_pin', { key: 'pinned' });
    await save('critical', 'c', { importance: 'critical' });
    await save('short-but-good', 'ok', { tags: 'a;b;c', links: 'x;y', file: 'a.ts' });
    await save('confirmed', 'k');
    await call('memory_edit', { key: 'confirmed', confirmed: true }, person);
    await call('memory_consolidate', { mode: 'low-quality', minQuality: 0.3, dryRun: false });
    expect(keys(await call('memory_recall', {}))).toEqual([
      'confirmed',
      'critical',
      'pinned',
      'short-but-good',
    ]);
    expect(keys(await call('memory_search', { archived: true }))).toEqual(['x']);
  });

  it.each([
    ['React 18 for the panels', 'React 19 for the panels'],
    ['node 20.11 runs the build', 'node 22.1.0 runs the build'],
    ['zod@3 validates input', 'zod@4 validates input'],
    ['리액트 18 버전으로 화면을 만든다', '리액트 19 버전으로 화면을 만든다'],
    ['Vue v2 draws charts', 'Vue v3 draws charts'],
  ])('versions: "%s" gives way to "%s"', async (older, newer) => {
    const { call, save } = opened();
    await save('newer-note', newer);
    await save('older-note', older);
    await call('memory_consolidate', { mode: 'versions', dryRun: false });
    expect(keys(await call('memory_recall', {}))).toEqual(['newer-note']);
    expect((await call('memory_recall', { ids: 'older-note' })).text).toContain('superseded by "newer-note"');
  });

  it.each([
    ['port 3000 serves the page', 'port 8080 serves the page'],
    ['Sprint 12 ends on Friday', 'Sprint 13 ends on Friday'],
    ['React 18 draws the panels', 'React 19 compiles the command line into one file, says somebody'],
    ['Redis 7 holds sessions', 'Postgres 16 holds sessions'],
    ['July 18 is the freeze', 'July 19 is the freeze'],
  ])('versions: "%s" and "%s" are not two versions of one thing', async (one, other) => {
    const { call, save } = opened();
    await save('first-note', one);
    await save('second-note', other);
    expect((await call('memory_consolidate', { mode: 'versions' })).text).toBe(
      '🧹 Nothing to consolidate (mode: versions).',
    );
  });

  it('versions: an entry that tells of the step speaks of the newer one', () => {
    const versions = (content: string) => versionsIn({ key: 'k', content }).get('react');
    expect(versions('React 18 → React 19')).toBe('19');
    expect(versions('React 18 → 19')).toBe('19');
    expect(versions('React 9.10 and React 9.9')).toBe('9.10');
  });
});

describe('memory_consolidate, similar, while others work', () => {
  /** Every step of long work is a turn of its own. */
  async function alike() {
    const tools = opened();
    for (const at of [1, 2, 3])
      await tools.save(`retry-${at}`, `Retry failed uploads three times with backoff ${'now '.repeat(at)}`);
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000));
    return { ...tools, restore: () => clock.mockRestore() };
  }

  it('leaves alone what was changed since it was looked at', async () => {
    const { call, restore } = await alike();
    const consolidating = call('memory_consolidate', { mode: 'similar', dryRun: false });
    await call('memory_forget', { key: 'retry-1' });
    await call('memory_remember', {
      category: 'decision',
      key: 'retry-2',
      content: 'Uploads are never tried again',
      replace: true,
    });
    const { text } = await consolidating;
    restore();
    expect(text).toBe('🧹 Nothing to consolidate (mode: similar).');
    expect(keys(await call('memory_recall', {}))).toEqual(['retry-2', 'retry-3']);
  });

  it('changes nothing when it is cancelled', async () => {
    const { call, restore } = await alike();
    const controller = new AbortController();
    const consolidating = call(
      'memory_consolidate',
      { mode: 'similar', dryRun: false },
      { signal: controller.signal },
    );
    setImmediate(() => controller.abort());
    const { text, isError } = await consolidating;
    restore();
    expect({ text, isError }).toEqual({
      text: 'memory_consolidate was cancelled. Nothing was changed.',
      isError: true,
    });
    expect(keys(await call('memory_recall', {}))).toHaveLength(3);
  });
});
