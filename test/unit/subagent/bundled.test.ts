import { describe, expect, test } from 'vitest';
import type { AgentDefinition } from '../../../src/subagent/agentFile.ts';
import { agentNamed } from '../../../src/subagent/agents.ts';
import { BUNDLED_AGENTS } from '../../../src/subagent/bundled/agents.ts';
import { compileOutputSchema } from '../../../src/subagent/outputSchema.ts';

describe('a bundled agent', () => {
  const READING = ['read', 'find', 'search', 'list', 'diagnostics'];
  const named = (name: string) => agentNamed(BUNDLED_AGENTS, name) as AgentDefinition;

  test.each([
    ['explore', [...READING, 'yield'], []],
    ['plan', [...READING, 'task', 'yield'], ['explore']],
    ['reviewer', [...READING, 'report_finding', 'task', 'yield'], ['explore']],
    ['librarian', [...READING, 'fetch', 'yield'], []],
  ])('%s has no tool that changes anything', (name, tools, spawns) => {
    expect(named(name).tools).toEqual(tools);
    expect(named(name).spawns).toEqual(spawns);
  });

  test.each([
    ['designer', []],
    ['task', '*'],
    ['quick_task', []],
  ])('%s has every tool', (name, spawns) => {
    expect(named(name).tools).toBeUndefined();
    expect(named(name).spawns).toEqual(spawns);
  });

  test('blocks only as reviewer', () => {
    expect(BUNDLED_AGENTS.filter(({ blocking }) => blocking).map(({ name }) => name)).toEqual(['reviewer']);
  });

  test.each([
    ['explore', { summary: '', files: [{ ref: 'a.ts:1', description: '' }], architecture: '' }],
    ['reviewer', { overall_correctness: 'correct', explanation: '', confidence: 0.9 }],
    [
      'librarian',
      {
        answer: '',
        sources: [{ repo: '', path: '', line_start: 1, line_end: 2, excerpt: '' }],
        api: [{ signature: '', description: '' }],
        version: '1',
        caveats: [],
      },
    ],
  ])('%s hands over what its schema says', (name, data) => {
    const schema = compileOutputSchema(named(name).output);
    expect(schema.kind).toBe('jtd');
    expect(schema.check(data)).toEqual([]);
    expect(schema.check({ ...data, more: 1 })).not.toEqual([]);
    expect(schema.check({})).not.toEqual([]);
  });
});
