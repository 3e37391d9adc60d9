/** The person's way into the tool layer: at which level a call is made, and what they are asked. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Level } from '../../../src/policy/level.ts';
import type { Apps } from '../../../src/vscode/apps.ts';
import { Person } from '../../../src/vscode/person.ts';
import { openTestTools } from '../support/folder.ts';

const editor = vi.hoisted(() => ({ asked: [] as string[], answer: undefined as string | undefined }));

vi.mock('vscode', async () => ({
  ...(await import('./fakeEditor.ts')),
  window: {
    showWarningMessage: async (title: string) => {
      editor.asked.push(title);
      return editor.answer;
    },
  },
}));

beforeEach(() => {
  editor.asked = [];
  editor.answer = undefined;
});

function opened() {
  const tools = openTestTools();
  const app = { registry: tools.registry, defaultLevel: 'PUBLIC' };
  const person = new Person({ app: async () => app } as unknown as Apps, 'window-1');
  const invoke = (tool: string, input: object = {}) => person.invoke(tool, { ...input }, { door: 'panel' });
  return {
    ...tools,
    invoke,
    save: async (key: string, level: Level) => {
      const input = { category: 'knowledge', key, content: `What is known about ${key}.` };
      await tools.call('memory_remember', input, { level });
      return (await tools.store.fetch([key], { level: 'RESTRICTED' }, false))[0]?.id ?? '';
    },
    entry: async (id: string) => (await tools.store.fetch([id], { level: 'RESTRICTED' }, false))[0],
  };
}

describe('a person', () => {
  it('reads every level, and adds at the folder’s default', async () => {
    const { invoke, save, entry } = opened();
    await save('plan', 'CONFIDENTIAL');
    const { data } = await invoke('memory_browse');
    expect(data).toMatchObject({ total: 1, rows: [{ key: 'plan', level: 'CONFIDENTIAL' }] });
    await invoke('memory_remember', { category: 'bug', key: 'mine', content: 'It leaks.' });
    expect(await entry('mine')).toMatchObject({ level: 'PUBLIC', confirmed: true });
  });

  it.each(['PUBLIC', 'CONFIDENTIAL', 'RESTRICTED'] as const)(
    'changes an entry of %s there',
    async (level) => {
      const { invoke, save, entry } = opened();
      const id = await save('plan', level);
      await invoke('memory_edit', { key: id, content: 'The other plan.' });
      await invoke('memory_pin', { key: id });
      await invoke('memory_tag', { action: 'add', tags: ['x'], ids: [id] });
      expect(await entry(id)).toMatchObject({ level, content: 'The other plan.', pinned: true });
      await invoke('memory_forget', { key: id });
      expect(await entry(id)).toMatchObject({ level, status: 'forgotten' });
    },
  );

  it('takes back and decides about entries of several levels at once', async () => {
    const { clock, invoke, save, entry } = opened();
    const ids = [await save('one', 'PUBLIC'), await save('other', 'CONFIDENTIAL')];
    const from = clock.time;
    clock.time += 1000;
    for (const id of ids) await invoke('memory_forget', { key: id });
    clock.time += 1000;
    await invoke('memory_take_back', { ids, from, to: clock.time });
    for (const id of ids) expect(await entry(id)).toMatchObject({ status: 'active' });
  });

  it('is asked before what cannot be undone, and a closed dialog is a no', async () => {
    const { invoke, save, entry } = opened();
    const id = await save('plan', 'PUBLIC');
    await expect(invoke('memory_forget', { key: id, action: 'hard' })).rejects.toThrow(
      'Nothing was changed.',
    );
    expect(editor.asked).toHaveLength(1);
    expect(await entry(id)).toMatchObject({ status: 'active' });
    editor.answer = 'Continue';
    await invoke('memory_forget', { key: id, action: 'hard' });
    expect(await entry(id)).toBeUndefined();
  });

  it('is not asked about what can be undone', async () => {
    const { invoke, save } = opened();
    await invoke('memory_forget', { key: await save('plan', 'PUBLIC') });
    expect(editor.asked).toEqual([]);
  });

  it('reads why a call did not work', async () => {
    const { invoke } = opened();
    await expect(invoke('memory_edit', { key: 'no-such', content: 'x' })).rejects.toThrow(/no-such/);
    await expect(invoke('no_such_tool')).rejects.toThrow(/no_such_tool/);
  });
});
