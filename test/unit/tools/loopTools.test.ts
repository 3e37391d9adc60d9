/** The registry's tools in a loop of ours, over real sessions. */
import { describe, expect, it } from 'vitest';
import type { TurnOptions } from '../../../src/session/agentLoop.ts';
import { registryTools } from '../../../src/tools/loopTools.ts';
import type { ToolCall } from '../../../src/tools/tool.ts';
import { brief, OWNER, ScriptedModel, say, turn, use } from '../session/turnKit.ts';
import { openTestTools } from '../support/folder.ts';

/** A loop of ours over the tools of a test; `settings` may change while it runs. */
function loop(settings: Record<string, unknown> = {}) {
  const opened = openTestTools(undefined, undefined, settings);
  const call: Omit<ToolCall, 'actor' | 'signal' | 'loop'> = {
    door: 'editor',
    level: 'PUBLIC',
    session: OWNER.key,
    source: 'lodeline',
    approve: async () => 'unavailable',
  };
  const tools = registryTools({
    registry: opened.registry,
    settings: { get: (key) => settings[key] },
    profile: 'core',
    depth: 0,
    call,
  });
  const run = (model: ScriptedModel, changes: Partial<TurnOptions> = {}) =>
    turn(model, { sessions: opened.sessions, tools, ...changes }).then(({ result }) => result);
  return { ...opened, tools, run };
}

const names = ({ tools }: ReturnType<typeof loop>) => tools.specs().map(({ name }) => name);

describe('the tools of a loop', () => {
  it('are those of its profile that the settings have on at that moment, without those of the person', () => {
    const settings: Record<string, unknown> = {};
    const opened = loop(settings);
    expect(names(opened)).toContain('memory_recall');
    expect(names(opened)).not.toContain('checkpoint');
    expect(names(opened)).not.toContain('memory_edit');
    settings['checkpoint.enabled'] = true;
    expect(names(opened)).toContain('checkpoint');
  });

  it('describe their input as JSON Schema', () => {
    const spec = loop()
      .tools.specs()
      .find(({ name }) => name === 'memory_recall');
    expect(spec?.inputSchema).toMatchObject({ type: 'object', properties: { query: { type: 'string' } } });
    expect(spec?.inputSchema).not.toHaveProperty('$schema');
  });

  it('keep the order of calls that act on one plan', () => {
    const { tools } = loop();
    expect(['todo_write', 'checkpoint', 'rewind', 'memory_recall'].map(tools.isExclusive)).toEqual([
      ...[true, true, true],
      false,
    ]);
  });

  it('can be fewer', () => {
    const { registry, tools } = loop();
    const some = registryTools({
      registry,
      settings: { get: () => undefined },
      profile: 'full',
      filter: (name) => name.startsWith('memory_'),
      depth: 1,
      call: { door: 'mcp', level: 'PUBLIC', session: 's', source: 'x', approve: async () => 'unavailable' },
    }).specs();
    expect(some.length).toBeGreaterThan(2);
    expect(some.every(({ name }) => name.startsWith('memory_'))).toBe(true);
    expect(some.length).not.toBe(tools.specs().length);
  });
});

describe('a turn over real sessions', () => {
  it('writes memory and the plan, is reminded of what is open, and stops when it is done', async () => {
    const { run, call } = loop();
    const list = [{ phase: 'Build', items: ['parse'] }];
    const model = new ScriptedModel(
      [
        use('memory_remember', 'a', { category: 'decision', key: 'use-zod', content: 'Use Zod' }),
        use('todo_write', 'b', { ops: [{ op: 'init', list }] }),
      ],
      [say('I stop here.')],
      [use('todo_write', 'c', { ops: [{ op: 'done', task: 'parse' }] })],
      [say('All done.')],
    );
    expect(await run(model)).toMatchObject({ reason: 'completed', text: 'All done.', steps: 4 });
    const [, , , stopped, reminder] = model.seen(2).map(brief);
    expect(stopped).toBe('assistant: I stop here.');
    expect(reminder).toMatch(/^system: <system-reminder>[\s\S]*1 open task[\s\S]*parse/);
    expect((await call('memory_recall', { query: 'zod' })).text).toContain('Use Zod');
  });

  it('folds an exploration into its report', async () => {
    const { run } = loop({ 'checkpoint.enabled': true });
    const model = new ScriptedModel(
      [use('checkpoint', 'a', { goal: 'why it is slow' })],
      [say('Guessing'), use('memory_recall', 'b', { query: 'slow' })],
      [use('rewind', 'c', { report: 'It is the index.' })],
      [say('Now I know.')],
    );
    expect((await run(model)).reason).toBe('completed');
    const views = model.requests.map(({ messages }) => messages.map(brief));
    expect(views[2]?.join('\n')).toContain('Guessing');
    expect(views[3]?.join('\n')).not.toContain('Guessing');
    expect(views[3]?.at(-1)).toContain('It is the index.');
    const rewound = (await run(new ScriptedModel([say('Hello')]), { prompt: 'Again' })).text;
    expect(rewound).toBe('Hello');
  });

  it('tells the agent that its report takes the place of the exploration', async () => {
    const { run } = loop({ 'checkpoint.enabled': true });
    const results: string[] = [];
    const model = new ScriptedModel(
      [use('checkpoint', 'a', { goal: 'why' })],
      [use('rewind', 'b', { report: 'because' })],
    );
    await run(model, { onResult: (_, { text }) => results.push(text) });
    expect(results[1]).toMatch(/^Rewind requested\.\n[\s\S]*report takes the place of everything since/);
    expect(results[1]).not.toContain('not ours to prune');
  });
});
