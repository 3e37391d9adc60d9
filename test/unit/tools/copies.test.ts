import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bytesUnder } from '../support/files.ts';
import { DAY, openTestTools } from '../support/folder.ts';

const person = {
  actor: 'person',
  door: 'panel',
  level: 'RESTRICTED',
  approve: async () => 'approved' as const,
} as const;
const own = { ...person, level: 'PUBLIC' } as const;
const zod = { category: 'decision', key: 'use-zod', content: 'Use Zod for validation', tags: 'types' };
const name = ({ data }: { data?: unknown }) => (data as { name: string }).name;
const names = async ({ call }: ReturnType<typeof openTestTools>) =>
  ((await call('memory_copies', {}, person)).data as { copies: { name: string }[] }).copies.map(
    (copy) => copy.name,
  );

describe('memory_backup', () => {
  it('names the copy and keeps the newest ten', async () => {
    const tools = openTestTools();
    await tools.call('memory_remember', zod);
    const made: string[] = [];
    for (let at = 0; at < 13; at++) {
      tools.clock.time += 60_000;
      const outcome = await tools.call('memory_backup');
      expect(outcome.text).toMatch(
        /^💾 Memory backed up to memory-2026-07-12T\S+\.jsonl \(1 entry\)\n📦 \d+ backups? retained$/,
      );
      made.push(name(outcome));
    }
    expect(await names(tools)).toEqual(made.reverse().slice(0, 10));
  });

  it('can be restored: texts, tags and states of then, and nothing written since is lost', async () => {
    const tools = openTestTools();
    const { call } = tools;
    await call('memory_remember', zod);
    await call('memory_remember', { ...zod, key: 'forgotten-later' });
    await call('memory_summary', { action: 'set', file: 'a.ts', summary: 'about a' });
    const backup = name(await call('memory_backup'));
    await call('memory_remember', { ...zod, content: 'Use Valibot', tags: 'other', replace: true });
    await call('memory_forget', { key: 'forgotten-later' });
    await call('memory_remember', { ...zod, key: 'added-later' });
    await call('memory_summary', { action: 'set', file: 'a.ts', summary: '' });
    const { text } = await call('memory_restore', { name: backup }, person);
    expect(text).toMatch(/^♻️ Restored 2 entries, 0 unchanged\. What was there before: snapshot-/);
    const { data } = await call('memory_open', { id: 'use-zod' }, person);
    expect(data).toMatchObject({ content: 'Use Zod for validation', tags: ['types'] });
    expect((data as { revisions: { text: string }[] }).revisions.map((each) => each.text)).toContain(
      'Use Valibot',
    );
    const { results } = (await call('memory_recall', {})).data as { results: { key: string }[] };
    expect(results.map(({ key }) => key).sort()).toEqual(['added-later', 'forgotten-later', 'use-zod']);
    expect((await call('memory_summary', { action: 'get', file: 'a.ts' })).text).toBe('about a');
  });

  it('brings a memory back whose journal is gone, with its history and dates', async () => {
    const first = openTestTools();
    await first.call('memory_remember', zod);
    await first.call('memory_remember', { ...zod, content: 'Use Zod 4 for validation', replace: true });
    const backup = name(await first.call('memory_backup'));
    await first.store.close();
    rmSync(join(first.folder, 'store', 'memory', 'journal'), { recursive: true });
    const later = { time: first.clock.time + 40 * DAY };
    const { call } = openTestTools(first.folder, later);
    expect((await call('memory_recall', {})).text).toMatch(/^No memories/);
    await call('memory_restore', { name: backup }, person);
    const { data } = await call('memory_open', { id: 'use-zod' }, person);
    expect(data).toMatchObject({
      content: 'Use Zod 4 for validation',
      updated: first.clock.time,
      revisions: [{ text: 'Use Zod for validation' }],
    });
  });

  it('holds levels above the folder sealed, restores each at its own, and shows an agent neither', async () => {
    const tools = openTestTools();
    const { call, folder } = tools;
    await call(
      'memory_remember',
      { ...zod, key: 'secret-plan', content: 'the quiet merger' },
      { level: 'RESTRICTED' },
    );
    await call('memory_remember', zod);
    const outcome = await call('memory_backup');
    expect(outcome.text).toContain('(1 entry)');
    expect(bytesUnder(join(folder, 'store'))).not.toMatch(/quiet merger|secret-plan/);
    await call('memory_forget', { key: 'secret-plan' }, person);
    await call('memory_restore', { name: name(outcome) }, person);
    expect((await call('memory_recall', {}, { level: 'RESTRICTED' })).text).toContain('quiet merger');
    expect((await call('memory_recall', {})).text).not.toContain('quiet merger');
  });

  it('does not keep what is deleted for good, also when everything is', async () => {
    const tools = openTestTools();
    const { call, folder } = tools;
    await call('memory_remember', zod);
    await call('memory_remember', { ...zod, key: 'other', content: 'stays for now' });
    await call('memory_backup');
    await call('memory_checkpoint');
    await call('memory_forget', { key: 'use-zod', action: 'hard' }, own);
    expect(bytesUnder(join(folder, 'store', 'memory'))).not.toContain('Use Zod for validation');
    const [copy] = await names(tools);
    await call('memory_restore', { name: copy }, person);
    expect((await call('memory_recall', {})).text).not.toContain('use-zod');
    await call('memory_erase', {}, own);
    expect(bytesUnder(join(folder, 'store', 'memory'))).not.toContain('stays for now');
  });

  it('lets a damaged line harm only itself, and a name be only a name', async () => {
    const tools = openTestTools();
    const { call, folder } = tools;
    for (const key of ['a', 'b', 'c']) await call('memory_remember', { ...zod, key });
    const backup = name(await call('memory_backup'));
    const file = join(folder, 'store', 'memory', 'copies', backup);
    const lines = readFileSync(file, 'utf8').split('\n');
    lines[2] = (lines[2] ?? '').slice(0, 40);
    writeFileSync(file, lines.join('\n'));
    for (const key of ['a', 'b', 'c']) await call('memory_forget', { key });
    expect((await call('memory_restore', { name: backup }, person)).text).toMatch(
      /Restored 2 entries.*1 line unreadable/,
    );
    for (const wrong of ['../../store/memory/copies/x', '/etc/passwd', 'memory.jsonl', ''])
      expect(await call('memory_restore', { name: wrong }, person)).toMatchObject({ isError: true });
  });

  it('is restored by the person only', async () => {
    const { call } = openTestTools();
    expect((await call('memory_restore', { name: 'x' })).text).toBe('There is no tool "memory_restore".');
  });
});

describe('memory_checkpoint', () => {
  it('is a snapshot for seven days, which leaves no entry behind', async () => {
    const tools = openTestTools();
    const { call, clock, folder } = tools;
    await call('memory_remember', zod);
    const { text, data } = await call('memory_checkpoint', { note: 'before the refactoring' });
    expect(text).toMatch(
      /^📸 Memory snapshot: snapshot-\S+ \(1 entry\) — before the refactoring\n⏰ TTL: 2026-07-19$/,
    );
    expect((await call('memory_stats')).text).toContain('Total entries: 1');
    clock.time += 6 * DAY;
    expect(await names(tools)).toEqual([(data as { name: string }).name]);
    clock.time += 2 * DAY;
    expect(await names(tools)).toEqual([]);
    await call('memory_backup');
    expect(readdirSync(join(folder, 'store', 'memory', 'copies'))).toHaveLength(1);
  });

  it('says nothing secret in its answer', async () => {
    const { call } = openTestTools();
    const { text } = await call('memory_checkpoint', { note: `token ghp_${'a1B2'.repeat(9)}` });
    expect(text).toContain('[redacted: GitHub token]');
  });
});

describe('a copy', () => {
  const copiesOf = (folder: string) => join(folder, 'store', 'memory', 'copies');

  it('loses what was deleted for good also when the process ended in between', async () => {
    const tools = openTestTools();
    const { call, folder, store } = tools;
    await call('memory_remember', zod);
    await call('memory_remember', { ...zod, key: 'stays', content: 'other text' });
    const file = join(copiesOf(folder), name(await call('memory_backup')));
    const whole = readFileSync(file);
    await call('memory_forget', { key: 'use-zod', action: 'hard' }, own);
    await store.close();
    // As if it had been ended before it came to the copies, and while it wrote one.
    writeFileSync(file, whole);
    writeFileSync(join(copiesOf(folder), '.half.tmp'), whole);
    rmSync(join(copiesOf(folder), 'scrubbed'));
    await openTestTools(folder, tools.clock).store.tidy();
    expect(bytesUnder(copiesOf(folder))).not.toContain('Use Zod for validation');
    expect(bytesUnder(copiesOf(folder))).toContain('other text');
  });

  it('may hold what was saved again under the key after it was deleted for good', async () => {
    const tools = openTestTools();
    const { call, clock } = tools;
    await call('memory_remember', zod);
    await call('memory_forget', { key: 'use-zod', action: 'hard' }, own);
    clock.time += 1000;
    await call('memory_remember', { ...zod, content: 'Use Zod again' });
    const backup = name(await call('memory_backup'));
    await tools.store.tidy();
    await call('memory_forget', { key: 'use-zod' });
    await call('memory_restore', { name: backup }, person);
    expect((await call('memory_recall', {})).text).toContain('Use Zod again');
  });

  it('clears away what a process left half written long ago, and not what one is writing', async () => {
    const { call, folder } = openTestTools();
    await call('memory_remember', zod);
    await call('memory_backup');
    const [old, young] = ['.old.tmp', '.young.tmp'].map((each) => join(copiesOf(folder), each));
    for (const file of [old, young]) writeFileSync(file ?? '', 'half');
    utimesSync(old ?? '', new Date(), new Date(Date.now() - DAY));
    await call('memory_backup');
    expect(readdirSync(copiesOf(folder)).filter((each) => each.endsWith('.tmp'))).toEqual(['.young.tmp']);
  });

  it('is made by many at once without harm to another', async () => {
    const one = openTestTools();
    await one.call('memory_remember', zod);
    const others = [one, openTestTools(one.folder, one.clock), openTestTools(one.folder, one.clock)];
    const made = await Promise.all(
      others.flatMap(({ call }) => [call('memory_backup'), call('memory_checkpoint')]),
    );
    expect(new Set(made.map(name)).size).toBe(6);
    for (const copy of await names(one))
      expect((await one.call('memory_restore', { name: copy }, person)).isError).toBe(false);
  });

  it('that cannot be written says so and changes nothing', async () => {
    const { call, folder } = openTestTools();
    await call('memory_remember', zod);
    writeFileSync(copiesOf(folder), 'a file where the folder should be');
    const outcome = await call('memory_backup');
    expect(outcome).toMatchObject({ isError: true });
    expect(outcome.text).toMatch(/could not be made or read.*Free disk space/);
    expect((await call('memory_recall', {})).text).toContain('use-zod');
  });
});

describe('two processes', () => {
  it('that archive, consolidate and promote at once come to one result', async () => {
    const one = openTestTools();
    for (const key of ['a', 'b', 'c']) await one.call('memory_remember', { ...zod, key });
    one.clock.time += 40 * DAY;
    await one.call('memory_remember', { ...zod, key: 'new', content: 'fresh' });
    const two = openTestTools(one.folder, one.clock);
    await Promise.all([one, two].flatMap(({ call }) => [call('memory_consolidate'), call('memory_archive')]));
    for (const { call } of [one, two]) {
      const stats = (await call('memory_stats')).data as { byStatus: Record<string, number> };
      expect(Object.values(stats.byStatus).reduce((sum, count) => sum + count, 0)).toBe(4);
      expect(stats.byStatus.active).toBe(1);
    }
  });
});

describe('the note of a snapshot', () => {
  const listed = async (call: ReturnType<typeof openTestTools>['call'], as: object) =>
    (await call('memory_copies', {}, as)).text;

  it('is kept and listed with it, on one line and without secrets', async () => {
    const { call, folder } = openTestTools();
    await call('memory_remember', zod);
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const made = name(await call('memory_checkpoint', { note: `before the\nmove ${token}` }));
    expect(await listed(call, own)).toMatch(/^snapshot-\S+\.jsonl — before the move \[redacted/);
    expect(bytesUnder(folder)).not.toContain(token);
    expect((await call('memory_restore', { name: made }, own)).isError).toBe(false);
  });

  it('of a session above the folder is sealed, shown to nobody below, and gone with its level', async () => {
    const { call, folder } = openTestTools();
    await call('memory_checkpoint', { note: 'the merger' }, { level: 'CONFIDENTIAL' });
    expect(bytesUnder(folder)).not.toContain('the merger');
    expect(await listed(call, own)).not.toContain('the merger');
    expect(await listed(call, person)).toContain(' — the merger');
    await call('memory_erase', {}, { ...person, level: 'CONFIDENTIAL' });
    expect(await listed(call, person)).not.toContain('the merger');
  });
});
