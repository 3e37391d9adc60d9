import { expect, test } from 'vitest';
import { promptText } from '../../../src/vscode/promptText.ts';

const text = (value: unknown, lineBreakBefore?: boolean) => ({ type: 2, text: value, lineBreakBefore });
const piece = (...children: unknown[]) => ({ type: 1, ctor: 2, children });

test('the texts of an element in their order, with their line breaks', () => {
  const node = piece(piece(text('File: a.ts')), text('one', true), piece(text('two', true), text(' three')));
  expect(promptText({ node })).toBe('File: a.ts\none\ntwo three');
});

test.each([
  undefined,
  null,
  'text',
  {},
  { node: null },
  { node: { type: 1 } },
  { node: piece(text(7), null, 3) },
])('no text in %j', (value) => {
  expect(promptText(value)).toBe('');
});

test('an element that is nested without end has no text', () => {
  const node = piece();
  node.children.push(node);
  expect(promptText({ node })).toBe('');
});
