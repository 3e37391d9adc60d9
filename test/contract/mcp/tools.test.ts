import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { call, connect, entryOf, newPlace } from './support.ts';

const DECISION = {
  category: 'decision',
  key: 'use-zod',
  content: 'We validate every input with zod, because types end at run time.',
};

test('core is a part of full, and both describe their tools', async () => {
  const place = newPlace();
  const full = (await (await connect(place)).listTools()).tools;
  const core = (await (await connect(place, ['--profile', 'core'])).listTools()).tools;
  const names = (tools: typeof full) => tools.map(({ name }) => name);
  expect(names(full)).toEqual(expect.arrayContaining(names(core)));
  expect(names(core)).toEqual(
    expect.arrayContaining(['memory_remember', 'memory_recall', 'memory_search', 'memory_forget']),
  );
  expect(core.length).toBeLessThan(full.length);
  expect(names(full)).not.toContain('memory_erase');
  for (const tool of full) {
    expect(tool.title).toBeTruthy();
    expect(tool.description?.length).toBeLessThanOrEqual(1024);
    expect(tool.inputSchema.type).toBe('object');
    expect(tool.annotations?.openWorldHint).toBe(tool.name.endsWith('_gist'));
  }
  const hints = Object.fromEntries(full.map(({ name, annotations }) => [name, annotations]));
  expect(hints.memory_recall).toMatchObject({ readOnlyHint: true, destructiveHint: false });
  expect(hints.memory_remember).toMatchObject({ readOnlyHint: false, destructiveHint: false });
  expect(hints.memory_forget).toMatchObject({ readOnlyHint: false, destructiveHint: true });
});

test('the server tells an agent when to use memory', async () => {
  const client = await connect(newPlace());
  expect(client.getServerVersion()).toMatchObject({ name: 'lodeline', title: 'Lodeline' });
  expect(client.getInstructions()).toMatch(
    /memory_recall[\s\S]*memory_remember[\s\S]*user-name[\s\S]*SPINE\.md/,
  );
});

test('a tool outside the profile, for the person only, or unknown is not found', async () => {
  const client = await connect(newPlace(), ['--profile', 'core']);
  for (const name of ['memory_stats', 'memory_erase', 'nope', '__proto__']) {
    expect(await call(client, name, {})).toMatchObject({
      isError: true,
      text: `MCP error -32602: Tool ${name} not found`,
    });
  }
});

test('what one process remembers, a later one and one that already runs recall', async () => {
  const place = newPlace();
  const writer = await connect(place);
  const other = await connect(place);
  expect((await call(other, 'memory_recall', { query: 'zod' })).text).not.toContain('use-zod');
  const saved = await call(writer, 'memory_remember', DECISION);
  expect(saved.isError).toBe(false);
  expect(saved.text).toContain('use-zod');
  expect(saved.data).toMatchObject({ entry: { key: 'use-zod', source: 'contract-test', level: 'PUBLIC' } });
  expect((await call(other, 'memory_recall', { query: 'validate input' })).text).toContain('use-zod');
  await writer.close();
  const later = await connect(place);
  const recalled = await call(later, 'memory_recall', { query: 'zod' });
  expect(recalled.text).toContain(DECISION.content);
  expect(recalled.data).toBeDefined();
});

test('--session names the session of what is written; without it each process has its own', async () => {
  const place = newPlace();
  const session = async (key: string, args: string[]) => {
    const { data } = await call(await connect(place, args), 'memory_remember', { ...DECISION, key });
    return entryOf(data).session;
  };
  expect(await session('a', ['--session', 'agent:main:main'])).toBe('agent:main:main');
  const [first, second] = [await session('b', []), await session('c', [])];
  expect(first).not.toBe('');
  expect(first).not.toBe(second);
});

test('bad input is answered with what to do about it', async () => {
  const client = await connect(newPlace());
  const bad = async (input: Record<string, unknown>) => {
    const { isError, text } = await call(client, 'memory_remember', input);
    expect(isError).toBe(true);
    return text;
  };
  expect(await bad({})).toMatch(/memory_remember: .*category.*key.*content/);
  expect(await bad({ ...DECISION, category: 'idea' })).toMatch(/category/);
  expect(await bad({ ...DECISION, key: ' ' })).toMatch(/key is empty/);
  expect(await bad({ ...DECISION, ttl: 'tomorrow' })).toMatch(/ttl|TTL/);
  expect(await bad({ ...DECISION, content: 5 })).toMatch(/content/);
  expect((await call(client, 'memory_recall', { query: '' })).text).not.toContain('use-zod');
});

test('forget asks through the client: approved, declined, cancelled', async () => {
  const place = newPlace();
  const client = await connect(place, [], { elicitation: { form: {} } });
  const questions: string[] = [];
  let answer: ElicitResult = { action: 'decline' };
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params.message);
    return answer;
  });
  await call(client, 'memory_remember', DECISION);
  for (const no of [
    { action: 'decline' },
    { action: 'cancel' },
    { action: 'accept', content: { approve: false } },
  ] as const) {
    answer = no;
    expect(await call(client, 'memory_forget', { key: 'use-zod' })).toMatchObject({ isError: true });
  }
  expect((await call(client, 'memory_recall', { query: 'zod' })).text).toContain('use-zod');
  answer = { action: 'accept', content: { approve: true } };
  expect(await call(client, 'memory_forget', { key: 'use-zod' })).toMatchObject({ isError: false });
  expect((await call(client, 'memory_recall', { query: 'zod' })).text).not.toContain(DECISION.content);
  expect(questions).toHaveLength(4);
  expect(questions[0]).toContain('use-zod');
});

test('without elicitation what can be undone is done, and can be undone', async () => {
  const client = await connect(newPlace());
  await call(client, 'memory_remember', DECISION);
  expect(await call(client, 'memory_forget', { key: 'use-zod', action: 'hard' })).toMatchObject({
    isError: true,
  });
  expect(await call(client, 'memory_forget', { key: 'use-zod' })).toMatchObject({ isError: false });
  expect((await call(client, 'memory_recall', { query: 'zod' })).text).not.toContain(DECISION.content);
  expect(await call(client, 'memory_forget', { key: 'use-zod', action: 'restore' })).toMatchObject({
    isError: false,
  });
  expect((await call(client, 'memory_recall', { query: 'zod' })).text).toContain(DECISION.content);
});

test('a cancelled question leaves everything as it was, and the server up', async () => {
  const client = await connect(newPlace(), [], { elicitation: { form: {} } });
  const cancel = new AbortController();
  client.setRequestHandler(ElicitRequestSchema, () => {
    setTimeout(() => cancel.abort(), 50);
    return new Promise<ElicitResult>(() => {});
  });
  await call(client, 'memory_remember', DECISION);
  const params = { name: 'memory_forget', arguments: { key: 'use-zod' } };
  await expect(client.callTool(params, undefined, { signal: cancel.signal })).rejects.toThrow();
  expect((await call(client, 'memory_recall', { query: 'zod' })).text).toContain(DECISION.content);
});
