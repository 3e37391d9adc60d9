import { expect, it } from 'vitest';
import { combine, type LoopTools, restrict } from '../../../src/session/turnCalls.ts';
import { ok, toolsOf } from './turnKit.ts';

const signal = new AbortController().signal;
const names = (tools: LoopTools) => tools.specs().map(({ name }) => name);
const answer = async (tools: LoopTools, name: string) => {
  const { text, isError } = await tools.call({ id: 'a', name, input: {} }, signal);
  return isError ? `!${text}` : text;
};

it('of two tools with the same name the one of the earlier set is offered and called', async () => {
  const first = toolsOf({ read: () => ok('first'), 'plan!': () => ok('first') });
  const second = toolsOf({ write: () => ok('second'), read: () => ok('second') });
  const both = combine(first, second);
  expect(names(both)).toEqual(['read', 'plan!', 'write']);
  expect(await answer(both, 'read')).toBe('first');
  expect(await answer(both, 'write')).toBe('second');
  expect(['read', 'plan!', 'write', 'none'].map(both.isExclusive)).toEqual([false, true, false, false]);
  expect(await answer(both, 'none')).toMatch(/^!There is no tool "none" any more/);
});

it('a restricted set neither offers nor calls what is not named', async () => {
  const tools = toolsOf({ read: () => ok('read'), write: () => ok('written') });
  const some = restrict(tools, ['read', 'none']);
  expect(names(some)).toEqual(['read']);
  expect(await answer(some, 'read')).toBe('read');
  expect(await answer(some, 'write')).toMatch(/^!There is no tool "write"/);
  expect(names(combine(some, toolsOf({ write: () => ok('other') })))).toEqual(['read', 'write']);
  expect(restrict(tools, undefined)).toBe(tools);
});
