/** What the transcript of an observed chat keeps of its calls. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { TodoView } from '../../../src/planProtocol.ts';
import { bytesUnder } from '../support/files.ts';
import { openTestTools } from '../support/folder.ts';

const person = { actor: 'person', door: 'panel', level: 'RESTRICTED' } as const;
const plan = { ops: [{ op: 'init', list: [{ phase: 'Build', items: ['parse', 'render'] }] }] };
const on = { 'checkpoint.enabled': true };

type Tools = ReturnType<typeof openTestTools>;

/** Everything in the transcripts. */
function transcripts({ folder }: Tools): string {
  const dir = join(folder, 'store', 'sessions');
  if (!existsSync(dir)) return '';
  const files = readdirSync(dir).filter((name) => name.endsWith('.jsonl'));
  return files.map((name) => readFileSync(join(dir, name), 'utf8')).join('');
}

/** Calls and results in the transcripts, in order. */
function recorded(tools: Tools): { readonly [key: string]: unknown }[] {
  const records = transcripts(tools)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return records.flatMap(({ message }) => message?.content ?? []);
}

/** A person's edit of the list in the panel. */
async function edit({ call }: Tools): Promise<void> {
  const { session } = (await call('todo_show', {}, person)).data as TodoView;
  const steps = [{ op: 'rm', task: 'parse' }];
  expect((await call('todo_edit', { session: session?.id, steps }, person)).isError).toBe(false);
}

describe('a call of an observed chat', () => {
  it('is recorded with what it was given and what it answered', async () => {
    const tools = openTestTools(undefined, undefined, on);
    const { text } = await tools.call('checkpoint', { goal: 'why' });
    const [use, result] = recorded(tools);
    expect(use).toMatchObject({ type: 'tool_use', name: 'checkpoint', input: { goal: 'why' } });
    expect(result).toMatchObject({ tool_use_id: use?.id, content: [{ type: 'text', text }] });
    expect(result).not.toHaveProperty('is_error');
  });

  it('is recorded as an error when it ran and failed', async () => {
    const tools = openTestTools(undefined, undefined, on);
    const { text } = await tools.call('rewind', { report: 'nothing' });
    expect(text).toContain('No active checkpoint');
    expect(recorded(tools)[1]).toMatchObject({ is_error: true, content: [{ text }] });
  });

  it('has its secrets redacted, wherever they are', async () => {
    const tools = openTestTools(undefined, undefined, on);
    const secret = `ghp_${'aB3dE6gH9j'.repeat(4).slice(0, 36)}`;
    const ops = [{ op: 'init', list: [{ phase: 'Deploy', items: [`use ${secret}`] }], [secret]: 1 }];
    await tools.call('todo_write', { ops });
    await tools.call('checkpoint', { goal: `try ${secret}` });
    const blocks = recorded(tools);
    expect(blocks.length).toBe(4);
    expect(JSON.stringify(blocks)).not.toContain(secret);
    expect(JSON.stringify(blocks[0])).toContain('use [redacted: ');
  });

  it.each([
    ['of a person', 'checkpoint', { goal: 'why' }, person],
    ['of a loop of ours, which records them itself', 'todo_write', plan, { loop: { callId: 'a', depth: 0 } }],
    ['of a script', 'todo_write', plan, { door: 'cli' }],
    ['that was refused', 'checkpoint', { goal: '' }, {}],
    ['of a tool that is not there', 'checkpiont', { goal: 'why' }, {}],
  ] as const)('is not recorded: one %s', async (_, name, input, as) => {
    const tools = openTestTools(undefined, undefined, on);
    const observe = vi.spyOn(tools.sessions, 'observe');
    await tools.call(name, input, as);
    expect(observe).not.toHaveBeenCalled();
  });

  it('leaves nothing in a folder that is not trusted', async () => {
    const tools = openTestTools();
    tools.trust.trusted = false;
    expect((await tools.call('memory_recall', { query: 'x' })).isError).toBe(false);
    expect(existsSync(join(tools.folder, 'store', 'sessions'))).toBe(false);
  });

  it('does not fail with its record', async () => {
    const tools = openTestTools();
    vi.spyOn(tools.sessions, 'observe').mockRejectedValue(new Error('disk full'));
    expect(await tools.call('todo_write', plan)).toMatchObject({ isError: false });
    expect(tools.log).toEqual([expect.stringMatching(/^todo_write ran, but .*no record of it: disk full$/)]);
  });

  it('is recorded without what lies too deep in its input', async () => {
    const tools = openTestTools();
    let deep: unknown = 'x';
    for (let depth = 0; depth < 1_000; depth++) deep = [deep];
    await tools.call('todo_write', { ops: deep });
    const [use] = recorded(tools);
    expect(JSON.stringify(use?.input)).toMatch(/^\{"ops":\[{31}null\]{31}\}$/);
    expect(tools.log).toEqual([]);
  });
});

describe('memory in the record of a chat', () => {
  it('is only the name of the tool and the size of its answer', async () => {
    const tools = openTestTools();
    await tools.call('memory_remember', { category: 'decision', key: 'use-zod', content: 'Use Zod' });
    await tools.call('context_brief', { task: 'zod' });
    const blocks = recorded(tools);
    expect(blocks.map(({ name, input }) => [name, input])).toMatchObject([
      ['memory_remember', {}],
      [undefined, undefined],
      ['context_brief', {}],
      [undefined, undefined],
    ]);
    expect(blocks[1]).toMatchObject({
      content: [
        {
          text: expect.stringMatching(/^\(answered [\d,]+ characters; what memory says is not kept here\)$/),
        },
      ],
    });
  });

  it('is gone with an entry that is deleted for good, whatever the agent asked about it before', async () => {
    const tools = openTestTools();
    const { call, folder } = tools;
    const entry = { category: 'decision', key: 'zanzibar-key', content: 'Quokkas prefer marmalade' };
    await call('memory_remember', { ...entry, tags: 'wombat-tag' });
    await call('memory_recall', { query: 'quokkas marmalade' });
    await call('memory_recall', { ids: entry.key });
    await call('memory_search', { query: 'zanzibar-key', tags: 'wombat-tag' });
    await call('context_brief', { task: entry.content });
    await call('memory_forget', { key: entry.key, action: 'hard' });
    await call('memory_forget', { key: `${entry.key}-2` });
    const approve = async () => 'approved' as const;
    const erased = await call(
      'memory_forget',
      { key: entry.key, action: 'hard' },
      {
        ...person,
        level: 'PUBLIC',
        approve,
      },
    );
    expect(erased.isError).toBe(false);
    await call('memory_recall', { query: 'quokkas marmalade' });
    await tools.store.tidy();
    const bytes = bytesUnder(join(folder, 'store'));
    for (const trace of ['zanzibar', 'uokkas', 'marmalade', 'wombat'])
      expect(bytes.toLowerCase(), trace).not.toContain(trace);
    expect(recorded(tools).length).toBeGreaterThan(10);
  });
});

describe("a person's edit of the list", () => {
  it('is told with the next call of any tool, once, after its own answer', async () => {
    const tools = openTestTools();
    await tools.call('todo_write', plan);
    await edit(tools);
    const { text } = await tools.call('memory_recall', { query: 'zod' });
    expect(text).toMatch(/\S\n\n<system-reminder>\nNotice from Lodeline[\s\S]*Taken out on purpose.*parse/);
    expect((await tools.call('memory_recall', { query: 'zod' })).text).not.toContain('system-reminder');
  });

  it('is told by todo_write itself, and not a second time with its answer', async () => {
    const tools = openTestTools();
    await tools.call('todo_write', plan);
    await edit(tools);
    const { text } = await tools.call('todo_write', { ops: [{ op: 'note', task: 'render', text: 'x' }] });
    expect(text.match(/<system-reminder>/g)).toHaveLength(1);
    expect(text).toMatch(/^<system-reminder>/);
  });

  it('leaves the data of an answer as it is', async () => {
    const tools = openTestTools();
    await tools.call('todo_write', plan);
    const before = await tools.call('memory_stats');
    await edit(tools);
    const after = await tools.call('memory_stats');
    expect(after.text).not.toBe(before.text);
    expect(after.data).toEqual(before.data);
  });
});
