/** Every tool and parameter of the seed is there, under its own name, on the profile that shows it. */
import { describe, expect, it } from 'vitest';
import { inputSchemaOf } from '../../../src/tools/inputSchema.ts';
import { toolsOf } from '../../../src/tools/registry.ts';

const RECALL = [
  ...['query', 'category', 'from_date', 'to_date', 'mode', 'ids', 'hops', 'limit', 'compact', 'budget'],
  ...['budget_tokens', 'explain', 'rrf', 'sessionBias', 'bias', 'pathScope', 'path_scope', 'as_of'],
];

/** The seed's names, and the parameters that its table, its examples and its reference give them. */
const SEED: Readonly<Record<string, readonly string[]>> = {
  memory_remember: [
    ...['category', 'key', 'content', 'file', 'tags', 'links', 'ttl', 'importance'],
    ...['path_scope', 'origin'],
  ],
  memory_recall: RECALL,
  memory_forget: ['key', 'action', 'new_key', 'reason'],
  memory_stats: [],
  memory_summary: ['action', 'file', 'summary'],
  memory_archive: [],
  memory_diff: ['since', 'type'],
  memory_suggest: ['context', 'limit'],
  memory_captured: ['limit', 'tool', 'file', 'clear'],
  memory_checkpoint: ['note'],
  memory_consolidate: ['mode', 'minQuality', 'dryRun'],
  memory_encrypt: [],
  memory_decrypt: [],
  memory_backup: [],
  memory_sessions: ['conflictsOnly'],
  context_brief: ['task', 'limit'],
  context_generate: ['task'],
  context_diff: ['since'],
  context_focus: ['task', 'limit'],
  context_health: [],
  context_export: ['format'],
  memory_smart_recall: [
    ...['intent', 'hops', 'limit', 'category', 'bias', 'sessionBias', 'rrf', 'budget_tokens', 'explain'],
  ],
  memory_pin: ['key'],
  memory_unpin: ['key'],
  memory_search: [...RECALL, 'tags', 'max_results'],
  memory_tag: ['action', 'tags', 'ids'],
  memory_reflect: ['category', 'limit'],
  memory_promote: ['dryRun', 'minConfidence', 'max', 'days'],
  memory_primer: [],
  memory_compress: ['query', 'count', 'category'],
  memory_export_gist: ['description'],
  memory_import_gist: ['gist_id', 'merge'],
  memory_merge_sessions: ['since', 'promote'],
  memory_graph_path: ['from', 'to'],
  memory_visualize: ['query'],
};
/** Beside the seed's. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  memory_secret: ['action', 'key', 'value', 'file', 'tags', 'ttl'],
  memory_export_global: [],
  memory_import_global: ['merge'],
};

const tools = new Map(toolsOf('full').map((tool) => [tool.name, tool]));

describe('the tools of memory', () => {
  it('are the seed’s thirty-five', () => {
    expect(Object.keys(SEED)).toHaveLength(35);
    expect(Object.keys({ ...SEED, ...MORE }).filter((name) => !tools.has(name))).toEqual([]);
  });

  it.each(Object.entries({ ...SEED, ...MORE }))(
    '%s takes every parameter of the seed',
    (name, parameters) => {
      const tool = tools.get(name);
      const { properties = {} } = tool === undefined ? {} : inputSchemaOf(tool);
      expect(Object.keys(Object(properties))).toEqual(expect.arrayContaining([...parameters]));
    },
  );

  it('need no input where the seed’s examples give none', () => {
    const without = Object.keys({ ...SEED, ...MORE }).filter(
      (name) => (SEED[name] ?? MORE[name])?.length === 0,
    );
    for (const name of without) expect(tools.get(name)?.input.safeParse({}).success, name).toBe(true);
  });

  it.each([
    ['memory_remember', 'category', ['decision', 'pattern', 'bug', 'knowledge', 'warning']],
    ['memory_remember', 'importance', ['critical', 'high', 'medium', 'low']],
    ['memory_remember', 'origin', ['human', 'agent', 'inferred']],
    ['memory_recall', 'mode', ['flat', 'graph', 'index']],
    ['memory_recall', 'budget', ['tiny', 'normal', 'deep']],
    ['memory_search', 'mode', ['flat', 'graph', 'index']],
    ['memory_search', 'budget', ['tiny', 'normal', 'deep']],
    ['memory_forget', 'action', ['soft', 'hard', 'restore', 'supersede']],
    ['memory_summary', 'action', ['get', 'set']],
    ['memory_diff', 'type', ['all', 'created', 'updated']],
    ['memory_consolidate', 'mode', ['identical', 'similar', 'low-quality', 'versions']],
    ['memory_tag', 'action', ['add', 'remove', 'set']],
    ['context_export', 'format', ['full', 'compact']],
  ])('%s knows every %s of the seed', (name, parameter, values) => {
    const tool = tools.get(name);
    const { properties = {} } = tool === undefined ? {} : inputSchemaOf(tool);
    const schema = Object(Object(properties)[parameter]);
    expect(schema.enum).toEqual(expect.arrayContaining(values));
  });

  it.each([
    ['memory_consolidate', {}, { mode: 'identical', minQuality: 0.3 }],
    ['memory_promote', {}, { dryRun: true, minConfidence: 0.65, max: 5, days: 7 }],
    ['memory_recall', {}, { mode: 'flat', hops: 1, compact: false, explain: false, rrf: true }],
    ['memory_recall', {}, { query: '', budget_tokens: 0 }],
    ['memory_import_gist', { gist_id: 'a1b2c3d4' }, { merge: true }],
    ['memory_merge_sessions', {}, { since: '24h', promote: false }],
    ['memory_forget', { key: 'k' }, { action: 'soft' }],
    ['memory_diff', { since: '24h' }, { type: 'all' }],
    ['memory_sessions', {}, { conflictsOnly: false }],
    ['memory_suggest', { context: 'c' }, { limit: 5 }],
    ['memory_smart_recall', { intent: 'i' }, { rrf: true, explain: false, budget_tokens: 0 }],
    ['memory_captured', {}, { limit: 20, clear: false }],
    ['memory_compress', {}, { count: 3 }],
    ['memory_reflect', {}, { limit: 5 }],
    ['context_export', {}, { format: 'full' }],
  ])('%s with %j means what the seed says of what is left out', (name, input, defaults) => {
    expect(tools.get(name)?.input.parse(input)).toMatchObject(defaults);
  });
});
