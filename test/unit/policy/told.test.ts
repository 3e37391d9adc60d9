import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { readRules } from '../../../src/policy/fileRules.ts';
import { parseTold, toldText } from '../../../src/policy/told.ts';

it('tells a hook the rules as they are', () => {
  const told = { defaultLevel: 'INTERNAL', files: { 'a/**': 'CONFIDENTIAL' }, tools: {} };
  expect(parseTold(toldText(told).text)).toEqual(told);
});

it('tells many rules whole', () => {
  const files = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`폴더-${at}/**`, 'INTERNAL']));
  const { text, isTooLong } = toldText({ defaultLevel: 'INTERNAL', files });
  expect(text.length).toBeLessThanOrEqual(16_000);
  expect(isTooLong).toBe(false);
  expect(parseTold(text)).toEqual({ defaultLevel: 'INTERNAL', files });
});

it('misses no rule where there are too many to tell, and says that there are', () => {
  const random = () => createHash('sha256').update(String(count++)).digest('hex');
  let count = 0;
  const files = Object.fromEntries(Array.from({ length: 1000 }, () => [`${random()}/**`, 'INTERNAL']));
  const { text, isTooLong } = toldText({ defaultLevel: 'INTERNAL', files });
  expect(text.length).toBeLessThan(1000);
  expect(isTooLong).toBe(true);
  const told = parseTold(text);
  expect(told.defaultLevel).toBe('INTERNAL');
  expect(readRules(told.files, told.tools, '/home').tools).toMatchObject([
    { pattern: '*', level: 'RESTRICTED' },
  ]);
});

it.each([undefined, '', 'no JSON', '[]', '7', 'null', 'deflate:', 'deflate:AAAA'])(
  'takes %j for nothing',
  (text) => {
    expect(parseTold(text)).toEqual({});
  },
);
