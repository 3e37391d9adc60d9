/** Commands of the palette for long sessions, and those that were left in the middle of something. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type * as vscode from 'vscode';
import { acknowledgeCalls } from '../../../src/vscode/acknowledging.ts';
import { compactSession, showFolds } from '../../../src/vscode/compacting.ts';
import type { Person, PersonCall } from '../../../src/vscode/person.ts';

interface Item extends vscode.QuickPickItem {
  readonly label: string;
}

/** What the person picks, one after the other, and what they are told. */
const editor = vi.hoisted(() => ({
  picks: [] as (string | undefined)[],
  offered: [] as string[][],
  told: [] as string[],
  opened: [] as unknown[],
  models: [] as object[],
  cancelled: false,
}));

vi.mock('vscode', async () => ({
  ...(await import('./fakeEditor.ts')),
  env: { language: 'en' },
  ProgressLocation: { Notification: 15 },
  Uri: { from: (parts: object) => parts },
  lm: { selectChatModels: async () => editor.models },
  workspace: { openTextDocument: async (uri: object) => uri },
  window: {
    showQuickPick: async (items: readonly Item[]) => {
      editor.offered.push(items.map(({ label }) => label));
      const wanted = editor.picks.shift();
      return items.find(({ label }) => label === wanted);
    },
    showInformationMessage: async (text: string) => editor.told.push(text),
    showTextDocument: async (document: unknown) => editor.opened.push(document),
    withProgress: async (_: object, run: (progress: object, token: object) => Promise<unknown>) => {
      const token = {
        isCancellationRequested: editor.cancelled,
        onCancellationRequested: () => ({ dispose: () => {} }),
      };
      return await run({}, token);
    },
  },
}));

beforeEach(() =>
  Object.assign(editor, {
    ...{ picks: [], offered: [], told: [], opened: [], cancelled: false },
    models: [
      { name: 'First', id: 'first', vendor: 'v', maxInputTokens: 1_000 },
      { name: 'Chat model', id: 'chat', vendor: 'v', maxInputTokens: 1_000 },
    ],
  }),
);

const line = (id: string, changes: object = {}) => ({
  ...{
    key: `key ${id}`,
    id,
    title: `Chat ${id}`,
    label: '',
    source: 'lodeline',
    updated: null,
    archived: false,
  },
  ...{ answers: true, model: 'Chat model', ...changes },
});
const view = (changes: object = {}) => ({ unknowns: [], looser: [], folds: [], ...changes });

/** The tool layer: its sessions, and what the panel shows of each. */
function personOf(
  sessions: readonly object[],
  views: Readonly<Record<string, object>> = {},
  data: object = {},
) {
  const invoke = vi.fn(async (tool: string, input: Record<string, unknown>, _call: PersonCall) => {
    if (tool === 'sessions_show') return { text: '', data: { sessions } };
    if (tool === 'checkpoint_show') return { text: '', data: views[String(input.session)] ?? view() };
    return { text: '', data };
  });
  const calls = () =>
    invoke.mock.calls.filter(([tool]) => !/_show$/.test(tool)).map(([tool, input]) => [tool, input]);
  return { person: { invoke } as unknown as Person, invoke, calls };
}

describe('compacting a session', () => {
  const done = { state: 'done', messages: 16, before: 31_000, after: 4_000, turn: 't' };

  test('asks which, uses the model of its chat, and says what it saved', async () => {
    const { person, calls, invoke } = personOf(
      [line('a'), line('b'), line('c', { answers: false })],
      {},
      done,
    );
    editor.picks = ['Chat b'];
    await compactSession({ person });
    expect(editor.offered[0]).toEqual(['Chat a', 'Chat b']);
    expect(calls()).toEqual([['session_compact', { session: 'b' }]]);
    expect(invoke.mock.calls.at(-1)?.[2].model?.name).toBe('Chat model');
    expect(editor.told).toEqual([
      'Summarized 16 messages: about 31,000 tokens before, about 4,000 now. The transcript keeps all of it.',
    ]);
  });

  test('of the panel asks nothing, and takes another model where the chat’s is gone', async () => {
    const { person, calls, invoke } = personOf([line('a', { model: 'gone' })], {}, { state: 'nothing' });
    await compactSession({ person }, 'a');
    expect(editor.offered).toEqual([]);
    expect(calls()).toHaveLength(1);
    expect(invoke.mock.calls.at(-1)?.[2].model?.name).toBe('First');
    expect(editor.told[0]).toContain('nothing to summarize yet');
  });

  test('runs once however often it is clicked, and can be cancelled', async () => {
    const { person, calls, invoke } = personOf([line('a')], {}, { state: 'cancelled' });
    editor.cancelled = true;
    await Promise.all([compactSession({ person }, 'a'), compactSession({ person }, 'a')]);
    expect(calls()).toHaveLength(1);
    expect(invoke.mock.calls.at(-1)?.[2].signal?.aborted).toBe(true);
    expect(editor.told).toEqual(['Cancelled. The conversation is as it was.']);
    await compactSession({ person }, 'a');
    expect(calls()).toHaveLength(2);
  });

  test('of a session that is gone, or of something else, does nothing', async () => {
    const { person, calls } = personOf([line('a')]);
    await compactSession({ person }, 'z');
    await compactSession({ person }, 7);
    expect(calls()).toEqual([]);
  });
});

describe('the folded parts of a session', () => {
  const fold = { block: 'b1', tier: 1, topic: 'The $(zap) client', summary: 's', messages: 2, tokens: 5_000 };
  const views = { a: view({ folds: [{ ...fold, active: true }] }) };

  test('are shown as a document that is read from the store each time', async () => {
    const { person, calls } = personOf([line('a'), line('b')], views);
    editor.picks = ['Chat a', 'The $\u200b(zap) client', 'Show Original'];
    await showFolds({ person });
    expect(editor.offered[0]).toEqual(['Chat a']);
    expect(editor.opened).toEqual([{ scheme: 'lodeline-fold', path: '/b1.md', query: 'session=a&block=b1' }]);
    expect(calls()).toEqual([]);
  });

  test('are reopened', async () => {
    const { person, calls } = personOf([line('a')], views);
    editor.picks = ['Chat a', 'The $\u200b(zap) client', 'Reopen: the agent sees it in full again'];
    await showFolds({ person });
    expect(calls()).toEqual([['fold_reopen', { session: 'a', block: 'b1' }]]);
  });
});

describe('acknowledging', () => {
  const views = {
    a: view({
      unknowns: [{ id: 'c1', name: 'run', announced: 'I clean up.' }],
      looser: [{ key: 'task.run.mode', counts: '"never"', says: '"ask"' }],
    }),
  };

  test('takes what a button of a chat says', async () => {
    const { person, calls } = personOf([], {}, { calls: [], policy: [{}] });
    await acknowledgeCalls({ person }, 'a', 'c1', 'succeeded');
    await acknowledgeCalls({ person }, 'a', ['task.run.mode']);
    expect(calls()).toEqual([
      ['session_acknowledge', { session: 'a', calls: [{ id: 'c1', finding: 'succeeded' }] }],
      ['session_acknowledge', { session: 'a', settings: ['task.run.mode'] }],
    ]);
    expect(editor.told[0]).toBe('Noted. Still open in this session: 1');
  });

  test('asks from the palette which session, which call and what was found', async () => {
    const { person, calls } = personOf([line('a'), line('b')], views, { calls: [], policy: [] });
    editor.picks = ['Chat a', 'It is not known whether “run” took effect.', 'It Did Not'];
    await acknowledgeCalls({ person });
    expect(editor.offered[0]).toEqual(['Chat a']);
    expect(calls()).toEqual([
      ['session_acknowledge', { session: 'a', calls: [{ id: 'c1', finding: 'failed' }] }],
    ]);
    expect(editor.told[0]).toContain('its tools may act again');
  });

  test('lets settings count', async () => {
    const { person, calls } = personOf([line('a')], views, { calls: [], policy: [] });
    editor.picks = ['Chat a', 'Settings are looser now than when it was left', 'Let the New Values Count'];
    await acknowledgeCalls({ person });
    expect(calls()).toEqual([['session_acknowledge', { session: 'a', settings: ['task.run.mode'] }]]);
  });

  test('that the person leaves changes nothing', async () => {
    const { person, calls } = personOf([line('a')], views);
    for (const picks of [
      [undefined],
      ['Chat a', undefined],
      ['Chat a', 'It is not known whether “run” took effect.', undefined],
    ]) {
      editor.picks = [...picks];
      await acknowledgeCalls({ person });
    }
    expect(calls()).toEqual([]);
  });

  test('says so where nothing is open', async () => {
    const { person } = personOf([line('b')]);
    await acknowledgeCalls({ person });
    expect(editor.told[0]).toContain('There is no session for this');
  });
});
