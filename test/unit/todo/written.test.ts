/** `todo_write` with inputs in which there is nothing to do: the list as it is, and why. */
import { expect, it } from 'vitest';
import { openTestTools } from '../support/folder.ts';

it.each([
  ['no ops', {}],
  ['ops that are null', { ops: null }],
  ['ops of no operation', { ops: [] }],
  ['ops that are an object', { ops: { op: 'done' } }],
  ['ops under another name', { operations: [{ op: 'done' }] }],
])('with %s gives the list, and what is wrong', async (_, input) => {
  const { call } = openTestTools();
  const list = [{ phase: 'P', items: ['x'] }];
  const { data: before } = await call('todo_write', { ops: [{ op: 'init', list }] });
  const { text, data, isError } = await call('todo_write', input);
  expect(isError).toBe(false);
  expect(text).toMatch(/^Errors: Missing ops/m);
  expect(data).toEqual({ ...(before as object), errors: [expect.stringContaining('Missing ops')] });
});
