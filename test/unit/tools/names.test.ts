/** Every tool and parameter of the seed is there, under its own name, on the profile that shows it. */
import { describe, expect, it } from 'vitest';
import { inputSchemaOf } from '../../../src/tools/inputSchema.ts';
import { toolsOf } from '../../../src/tools/registry.ts';

/** The seed's names, and the parameters that its table and examples give them. */
const SEED: Readonly<Record<string, readonly string[]>> = {
  memory_remember: ['category', 'key', 'content', 'file', 'tags', 'links', 'ttl', 'importance'],
  memory_recall: [
    ...['query', 'mode', 'hops', 'limit', 'compact', 'budget', 'budget_tokens', 'explain', 'ids', 'rrf'],
    ...['sessionBias', 'pathScope', 'from_date', 'to_date', 'as_of'],
  ],
  memory_forget: ['key'],
  memory_stats: [],
  memory_summary: ['action', 'file', 'summary'],
  memory_archive: [],
  memory_diff: ['since', 'type'],
  memory_suggest: ['context'],
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
  memory_smart_recall: ['intent', 'hops', 'explain', 'budget_tokens'],
  memory_pin: ['key'],
  memory_unpin: ['key'],
  memory_search: ['query', 'category', 'tags', 'from_date', 'to_date', 'max_results'],
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
/** Encryption of a whole store is not part of this version yet. */
const TO_COME = ['memory_encrypt', 'memory_decrypt'];

const tools = new Map(toolsOf('full').map((tool) => [tool.name, tool]));

describe('the tools of memory', () => {
  it('are the seed’s thirty-five but for those that are still to come', () => {
    expect(Object.keys(SEED)).toHaveLength(35);
    expect(Object.keys({ ...SEED, ...MORE }).filter((name) => !tools.has(name))).toEqual(TO_COME);
  });

  it.each(Object.entries({ ...SEED, ...MORE }).filter(([name]) => !TO_COME.includes(name)))(
    '%s takes every parameter of the seed',
    (name, parameters) => {
      const tool = tools.get(name);
      const { properties = {} } = tool === undefined ? {} : inputSchemaOf(tool);
      expect(Object.keys(Object(properties))).toEqual(expect.arrayContaining([...parameters]));
    },
  );

  it('need no input where the seed’s examples give none', () => {
    const without = Object.keys({ ...SEED, ...MORE }).filter(
      (name) => (SEED[name] ?? MORE[name])?.length === 0 && !TO_COME.includes(name),
    );
    for (const name of without) expect(tools.get(name)?.input.safeParse({}).success, name).toBe(true);
  });
});
