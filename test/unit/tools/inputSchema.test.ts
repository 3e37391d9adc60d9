import { describe, expect, it } from 'vitest';
import { TOOLS } from '../../../src/tools/catalog.ts';
import { inputSchemaOf } from '../../../src/tools/inputSchema.ts';
import { openTestTools } from '../support/folder.ts';

const tools = TOOLS.filter(({ profile }) => profile !== 'person').map((tool) => [tool.name, tool] as const);

const parametersOf = (name: string) => {
  const tool = TOOLS.find((each) => each.name === name);
  const { properties } = inputSchemaOf(tool as (typeof TOOLS)[number]) as { properties: object };
  return Object.keys(properties);
};

describe('what callers are told of an input', () => {
  it.each(tools)('%s: every parameter there is, and only bounds that models break', (_, tool) => {
    const schema = inputSchemaOf(tool);
    expect(schema.type).toBe('object');
    const text = JSON.stringify(schema);
    expect(text).not.toMatch(/"(?:minLength|maxItems|maximum|minimum|default)":/);
    for (const [, most] of text.matchAll(/"maxLength":(\d+)/g)) expect(Number(most)).toBeLessThanOrEqual(50);
    for (const [, least] of text.matchAll(/"minItems":(\d+)/g)) expect(least).toBe('1');
  });

  it('has the bounds that seed 000 has for lists and for the ids of tasks, which are advised to be shorter', () => {
    const shown = (name: string) =>
      inputSchemaOf(TOOLS.find((tool) => tool.name === name) as (typeof TOOLS)[number]);
    expect(shown('todo_write')).toMatchObject({ required: ['ops'], properties: { ops: { minItems: 1 } } });
    expect(shown('retain')).toMatchObject({ properties: { items: { minItems: 1 } } });
    const id = { type: 'string', maxLength: 48, description: expect.stringContaining('at most 32') };
    expect(shown('task')).toMatchObject({
      properties: { tasks: { items: { properties: { id } } } },
    });
  });

  it('has both names where a parameter has two, and all of recall in search', () => {
    const recall = parametersOf('memory_recall');
    for (const name of ['sessionBias', 'bias', 'pathScope', 'path_scope', 'budget', 'limit', 'as_of', 'rrf'])
      expect(recall).toContain(name);
    expect(parametersOf('memory_search')).toEqual(expect.arrayContaining([...recall, 'tags', 'max_results']));
  });

  it.each([
    ['memory_recall', { query: 'x', limit: 1001 }, /limit/],
    ['memory_recall', { query: 'x', budget_tokens: -1 }, /budget_tokens/],
    ['memory_remember', { category: 'bug', key: 'k'.repeat(201), content: 'x' }, /key is longer than 200/],
  ])('%s still checks %j', async (name, input, message) => {
    const { text, isError } = await openTestTools().call(name, input);
    expect(isError).toBe(true);
    expect(text).toMatch(message);
  });
});
