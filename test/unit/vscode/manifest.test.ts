import { expect, test } from 'vitest';
import { contributedTools } from '../../../src/vscode/manifest.ts';

test('the names of contributed tools', () => {
  const languageModelTools = [{ name: 'a' }, { name: 7 }, null, 'b', { name: 'c' }];
  expect(contributedTools({ contributes: { languageModelTools } })).toEqual(['a', 'c']);
});

test.each([undefined, null, {}, { contributes: null }, { contributes: { languageModelTools: {} } }])(
  'none in %j',
  (manifest) => {
    expect(contributedTools(manifest)).toEqual([]);
  },
);
