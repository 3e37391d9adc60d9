/** `/compact` and `/acknowledge` in a chat with @lodeline, over real sessions. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { idOf } from '../../../src/session/sessionId.ts';
import { answerIn } from '../../../src/vscode/participantOpen.ts';
import { use as call, draft, say as said } from '../session/kit.ts';
import { openTestSessions } from '../support/folder.ts';
import { openChat, stoppable, text } from './chatKit.ts';

const editor = vi.hoisted(() => ({ isTrusted: true, settings: {} as Record<string, unknown> }));

vi.mock('vscode', async () => ({
  ...(await import('./fakeEditor.ts')),
  MarkdownString: class {
    readonly value: string;
    constructor(value: string) {
      this.value = value;
    }
  },
  env: { language: 'en' },
  lm: { tools: [] },
  workspace: {
    get isTrusted() {
      return editor.isTrusted;
    },
    textDocuments: [],
    getConfiguration: () => ({
      inspect: (key: string) => ({ defaultValue: editor.settings[key] }),
    }),
  },
}));

beforeEach(() => Object.assign(editor, { isTrusted: true, settings: {} }));

const ID = idOf('chat-1');
const SUMMARY = '<summary>1. Intent: the port is 6380</summary>';

/** A chat with so many turns. */
async function talked(turns: number, settings: Record<string, unknown> = {}) {
  const chat = openChat(settings);
  for (let at = 0; at < turns; at++)
    await chat.say(`question ${at}`, { parts: [await text(`answer ${at}`)] });
  return chat;
}

describe('/compact', () => {
  test('summarizes with the chat’s model and the person’s wish, and says what that saved', async () => {
    const { say, shown, progress } = await talked(12);
    const parts = [await text(SUMMARY)];
    const { result, asked } = await say('keep the port', { command: 'compact', parts });
    expect(result.errorDetails).toBeUndefined();
    expect(asked).toContain('keep the port');
    expect(progress).toContain('Summarizing the earlier conversation…');
    expect(shown.at(-1)).toMatch(
      /^Summarized \d+ messages: about [\d,]+ tokens before, about [\d,]+ now\. The transcript keeps all of it\.\n/,
    );
    const next = await say('and now?', { parts: [await text('on')] });
    expect(next.asked).toContain('the port is 6380');
    expect(next.asked).not.toContain('answer 0"');
    expect(next.asked).toContain('answer 11"');
  });

  test('is taken back when the person goes back to before it', async () => {
    const { say } = await talked(12);
    await say('', { command: 'compact', parts: [await text(SUMMARY)] });
    const { asked } = await say('again', { keep: 12, parts: [await text('on')] });
    expect(asked).toContain('answer 0"');
    expect(asked).not.toContain('6380');
  });

  test('stands after what the person went back to, not after what they left', async () => {
    const { say } = await talked(12);
    const { asked } = await say('', { command: 'compact', keep: 8, parts: [await text(SUMMARY)] });
    expect(asked).not.toContain('answer 9"');
    const next = await say('and now?', { parts: [await text('on')] });
    expect(next.asked).toContain('6380');
    expect(next.asked).not.toContain('answer 9"');
  });

  test('has nothing to do in a chat that has just begun, and begins no session', async () => {
    const { say, shown, sessions } = openChat();
    const { result, asked } = await say('', { command: 'compact' });
    expect(result.errorDetails).toBeUndefined();
    expect(asked).toBe('[]');
    expect(shown.at(-1)).toContain('There is nothing to summarize yet');
    expect(await sessions.sessionsBrowse({ level: 'RESTRICTED' })).toEqual([]);
  });

  test('that is cancelled, or fails, leaves the chat as it was', async () => {
    const { say } = await talked(12);
    const { token, cancel } = stoppable();
    let isAsked = () => {};
    const started = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const hanging = say('', { command: 'compact', token, parts: [isAsked, () => new Promise(() => {})] });
    await started;
    cancel();
    expect((await hanging).result.errorDetails).toBeUndefined();
    const failing = await say('', { command: 'compact', parts: [await text('I do not feel like it.')] });
    expect(failing.result.errorDetails?.message).toContain('The session is as it was');
    const { asked } = await say('go on', { parts: [await text('on')] });
    for (const at of [0, 5, 11]) expect(asked).toContain(`answer ${at}"`);
  });

  test('leaves a chat alone whose agent folds it', async () => {
    const { say } = await talked(1, { 'compaction.strategy': 'folding' });
    const { result, asked } = await say('', { command: 'compact' });
    expect(result.errorDetails?.message).toContain('The agent folds this conversation itself');
    expect(asked).toBe('[]');
  });
});

/** A chat whose process was killed while these calls ran. */
async function left(...names: readonly string[]) {
  const chat = openChat();
  await chat.say('begin', { parts: [await text('begun')] });
  chat.sessions.close();
  const gone = openTestSessions(chat.folder, chat.clock);
  const owner = { key: 'chat-1', kind: 'participant', source: 'lodeline', level: 'PUBLIC' } as const;
  await gone.turnBegin(owner, [draft(said('user', 'clean up'))]);
  const calls = names.map((name, at) => ({
    ...{ call: `c${at + 1}`, name, effect: 'unknown', key: `key ${at}` },
  })) as never;
  const content = names.map((name, at) => call(`c${at + 1}`, name));
  await gone.turnStep(ID, [
    { type: 'intent', intent: { calls } },
    draft(said('assistant', { type: 'text', text: 'I remove *old* builds.' }, ...content)),
  ]);
  chat.clock.time += 10_000;
  gone.close();
  // Going on with it settles what can be settled.
  await chat.invoke('session_resume', { session: ID }, { door: 'editor', chat: 'chat-1', level: 'PUBLIC' });
  chat.invoke.mockClear();
  return chat;
}

const ack = (input: object) => ['session_acknowledge', { session: ID, ...input }, expect.anything()];

describe('/acknowledge', () => {
  test('has nothing to do where nothing is open', async () => {
    const { say, shown } = await talked(1);
    await say('', { command: 'acknowledge' });
    expect(shown.at(-1)).toContain('Nothing is open in this chat');
  });

  test('lists what nobody knows, as text, with a button for each answer', async () => {
    const { say, shown, buttons } = await left('deploy_site');
    await say('', { command: 'acknowledge' });
    const told = shown.join('');
    expect(told).toContain('It is not known whether “deploy\\_site” took effect\\.');
    expect(told).toContain('> I remove \\*old\\* builds\\.');
    expect(buttons).toEqual(
      ['succeeded', 'failed', 'unknown'].map((finding) => ({
        ...{ command: 'lodeline.acknowledgeCalls', title: expect.any(String) },
        arguments: [ID, 'c1', finding],
      })),
    );
  });

  test('takes an answer with its reason, and then the chat goes on', async () => {
    const { say, shown, invoke } = await left('deploy_site', 'tell_everybody');
    await say('2 succeeded it is online', { command: 'acknowledge' });
    const calls = [{ id: 'c2', finding: 'succeeded', evidence: 'it is online' }];
    expect(invoke.mock.calls).toContainEqual(ack({ calls }));
    expect(shown.join('')).not.toContain('Nothing is open');
    expect(shown.at(-1)).toContain('deploy');
    await say('failed', { command: 'acknowledge' });
    expect(shown.join('')).toContain('Noted. Nothing is open any more');
    const { asked } = await say('go on', { parts: [await text('on')] });
    expect(asked).toContain('it is online');
  });

  test('says what it takes where it does not understand', async () => {
    const { say, shown, invoke } = await left('deploy_site');
    await say('maybe', { command: 'acknowledge' });
    expect(shown.join('')).toContain('`/acknowledge 1 succeeded`');
    expect(invoke.mock.calls.map(([tool]) => tool)).not.toContain('session_acknowledge');
  });
});

test('a turn ends with what is still open, and so does a resume', async () => {
  const { say, shown } = await left('deploy_site');
  await say('go on', { parts: [await text('Looking.')] });
  expect(shown.join('')).toContain('It is not known whether');
});

describe('an answer in words', () => {
  const unknowns = [
    { id: 'a', name: 'x', announced: '' },
    { id: 'all', name: 'y', announced: '' },
  ];
  const looser = [{ key: 'task.run.mode', counts: '1', says: '2' }];
  const of = (text: string, given = unknowns) => answerIn(text, { unknowns: given, looser });

  test.each([
    ['1 failed', { calls: [{ id: 'a', finding: 'failed' }] }],
    ['a Unknown  who \n knows', { calls: [{ id: 'a', finding: 'unknown', evidence: 'who knows' }] }],
    ['settings', { settings: ['task.run.mode'] }],
    ['failed', undefined],
    ['3 failed', undefined],
    ['0 failed', undefined],
    ['constructor failed', undefined],
    ['it has failed', undefined],
    ['', undefined],
  ])('“%s”', (text, answer) => expect(of(text)).toEqual(answer));

  test('names all, or the only one', () => {
    expect(of('all succeeded')?.calls?.map(({ id }) => id)).toEqual(['a', 'all']);
    expect(of('succeeded failed before', unknowns.slice(0, 1))).toEqual({
      calls: [{ id: 'a', finding: 'succeeded', evidence: 'failed before' }],
    });
  });
});
