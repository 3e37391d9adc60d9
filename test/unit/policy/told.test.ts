import { expect, it } from 'vitest';
import { readRules } from '../../../src/policy/fileRules.ts';
import { parseTold, toldText } from '../../../src/policy/told.ts';

it('tells a hook the rules as they are', () => {
  const told = { defaultLevel: 'INTERNAL', files: { 'a/**': 'CONFIDENTIAL' }, tools: {} };
  expect(parseTold(toldText(told))).toEqual(told);
});

it('misses no rule where there are too many to tell', () => {
  const files = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`folder-${at}/**`, 'INTERNAL']));
  const text = toldText({ defaultLevel: 'INTERNAL', files });
  expect(text.length).toBeLessThan(1000);
  const told = parseTold(text);
  expect(told.defaultLevel).toBe('INTERNAL');
  expect(readRules(told.files, told.tools, '/home').tools).toMatchObject([
    { pattern: '*', level: 'RESTRICTED' },
  ]);
});

it.each([undefined, '', 'no JSON', '[]', '7', 'null'])('takes %j for nothing', (text) => {
  expect(parseTold(text)).toEqual({});
});
