import { expect, test } from 'vitest';
import { call, connect, newPlace } from './support.ts';

/** One sensible call of each tool that looks after memory, in an order in which each finds something. */
const CALLS: readonly [name: string, input: Record<string, unknown>, says: RegExp][] = [
  [
    'memory_remember',
    { category: 'decision', key: 'use-zod', content: 'Use Zod, see [[types]]' },
    /^🧠 Saved/,
  ],
  [
    'memory_remember',
    { category: 'pattern', key: 'types', content: 'Types come from schemas', tags: 'types' },
    /^🧠/,
  ],
  ['memory_archive', {}, /^No old entries to archive\n📋 2 active entries remaining$/],
  ['memory_consolidate', {}, /^🧹 Nothing to consolidate/],
  ['memory_consolidate', { mode: 'versions', dryRun: true }, /^🧹/],
  ['memory_promote', {}, /^No drafts to promote/],
  ['memory_reflect', { limit: 3 }, /^🪞/],
  ['memory_primer', {}, /^=== System Primer ===/],
  ['memory_compress', { count: 2 }, /^🗜️ 2 memories/],
  ['memory_merge_sessions', { since: '24h' }, /^🤝 1 session/],
  ['memory_graph_path', { from: 'use-zod', to: 'types' }, /^🧭 1 step:/],
  ['memory_visualize', {}, /```mermaid/],
  ['memory_checkpoint', { note: 'now' }, /^📸 Memory snapshot: .*\n⏰ TTL: \d{4}-\d\d-\d\d$/],
  ['memory_backup', {}, /^💾 Memory backed up to .*\n📦 1 backup retained$/],
  ['memory_secret', { action: 'store', key: 'k', value: 'v' }, /^🔐/],
  ['memory_secret', { action: 'list' }, /\n {2}k$/],
  ['memory_export_global', {}, /^🌍 Exported[\s\S]*2 entries new/],
  ['memory_import_global', {}, /^🌍 Imported[\s\S]*2 unchanged/],
  ['context_generate', { task: 'validate' }, /^# Project briefing: validate/],
  ['context_diff', {}, /^# Changes since/],
  ['context_health', {}, /^✅ Memory health: 100\/100/],
  ['context_export', { format: 'compact' }, /^# Project memory/],
];

test('every tool that looks after memory answers over the built server', async () => {
  const client = await connect(newPlace());
  for (const [name, input, says] of CALLS) {
    const { text, isError } = await call(client, name, input);
    expect({ name, isError, text }).toEqual({ name, isError: false, text: expect.stringMatching(says) });
  }
  for (const [name, input] of [
    ['memory_export_gist', {}],
    ['memory_import_gist', { gist_id: 'a1b2c3d4' }],
    ['memory_secret', { action: 'get', key: 'k' }],
  ] as const) {
    const { text, isError } = await call(client, name, input);
    expect({ name, isError, text }).toEqual({
      name,
      isError: true,
      text: expect.stringContaining('approval.unattended'),
    });
  }
  const { tools } = await client.listTools();
  const viewer = tools.find(({ name }) => name === 'memory_visualize');
  expect(viewer?._meta).toEqual({ ui: { resourceUri: 'ui://viewer' } });
});

test('the user-wide memory lies in the home, and another folder sees it', async () => {
  const [place, other] = [newPlace(), newPlace()];
  const one = await connect(place);
  await call(one, 'memory_remember', { category: 'bug', key: '한글-열쇠', content: '어디서나 쓰는 메모' });
  await call(one, 'memory_export_global', {});
  await one.close();
  const two = await connect({ home: place.home, root: other.root });
  expect((await call(two, 'memory_recall', {})).text).not.toContain('한글-열쇠');
  await call(two, 'memory_import_global', {});
  expect((await call(two, 'memory_recall', { query: '메모' })).text).toContain('한글-열쇠');
});
