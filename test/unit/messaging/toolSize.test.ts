import { Tiktoken } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import { expect, it } from 'vitest';
import { TOOLS } from '../../../src/tools/catalog.ts';
import { inputSchemaOf } from '../../../src/tools/inputSchema.ts';

it('the four core tools about sessions take at most 560 tokens of every prompt', () => {
  const encoder = new Tiktoken(cl100k);
  const core = TOOLS.filter(({ name, profile }) => name.startsWith('sessions_') && profile === 'core');
  expect(core.map(({ name }) => name).sort()).toEqual([
    ...['sessions_history', 'sessions_list', 'sessions_send', 'sessions_spawn'],
  ]);
  const sizes = core.map((tool) => {
    const { name, description } = tool;
    const shown = JSON.stringify({ name, description, parameters: inputSchemaOf(tool) });
    return [name, encoder.encode(shown).length] as const;
  });
  const sum = sizes.reduce((all, [, tokens]) => all + tokens, 0);
  expect(sum, JSON.stringify(sizes)).toBeLessThanOrEqual(560);
});
