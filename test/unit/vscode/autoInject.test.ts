/** Memory before a prompt, in the transcript of the chat. */
import { describe, expect, test } from 'vitest';
import { textMessage, textOf } from '../../../src/session/messages.ts';
import type { Draft } from '../../../src/session/record.ts';
import { idOf } from '../../../src/session/sessionId.ts';
import { ownLoop } from '../../../src/tools/ownLoop.ts';
import { injectedBefore } from '../../../src/vscode/autoInject.ts';
import type { Chat } from '../../../src/vscode/participantChat.ts';
import type { TurnOwner } from '../../../src/worker/sessionApi.ts';
import { openTestTools } from '../support/folder.ts';
import { recordsOf } from '../worker/kit.ts';

const OWNER: TurnOwner = {
  key: 'chat-1',
  kind: 'participant',
  source: 'lodeline',
  level: 'PUBLIC',
  title: 'deploy',
};

async function openChat(settings: Record<string, unknown> = {}) {
  const tools = openTestTools(undefined, undefined, settings);
  const log: string[] = [];
  const app = {
    registry: tools.registry,
    settings: { get: (key: string) => settings[key] },
    loopOf: (key: string) => ownLoop({ ...tools.sessions, ...tools.turns }, key),
  };
  const chat = {
    ...{ app, place: { key: OWNER.key }, signal: new AbortController().signal },
    parts: { log: { warn: (message: string) => log.push(message) } },
  } as unknown as Chat;
  await tools.call(
    'memory_remember',
    { category: 'decision', key: 'deploy', content: 'Deploy with make' },
    { actor: 'person', source: 'panel' },
  );
  const inject = (prompt: string, returnTo?: string) => injectedBefore(chat, { ...OWNER, returnTo }, prompt);
  /** A turn as the participant takes it; the texts that the model is shown. */
  const say = async (prompt: string, returnTo?: string) => {
    const before = await inject(prompt, returnTo);
    const asked: Draft = { type: 'message', message: textMessage('user', prompt) };
    const view = await tools.turns.turnBegin({ ...OWNER, returnTo }, [...before, asked]);
    const answer: Draft = { type: 'message', message: textMessage('assistant', 'Yes.') };
    const end = await tools.turns.turnEnd(view.id, [answer], { reason: 'completed' });
    return { shown: view.messages.map(textOf), turn: end.turn };
  };
  return { ...tools, app, log, inject, say };
}

describe('memory before a prompt', () => {
  test('is recorded as what it is, with where it comes from, before what the person said', async () => {
    const { say, folder } = await openChat();
    const { shown } = await say('How do we deploy?');
    expect(shown).toHaveLength(2);
    expect(shown[0]).toContain('Deploy with make');
    expect(shown[1]).toBe('How do we deploy?');
    const records = recordsOf(folder, idOf(OWNER.key));
    const kinds = records.map((record) => (record.type === 'message' ? record.message.role : record.type));
    expect(kinds.slice(kinds.indexOf('provenance'))).toEqual([
      'provenance',
      'system',
      'user',
      'assistant',
      'end',
    ]);
    const [provenance] = records.filter(({ type }) => type === 'provenance');
    expect(provenance).toMatchObject({
      provenance: { source: 'memory', detail: { entries: [{ key: 'deploy', source: 'panel' }] } },
    });
    expect(records.find(({ type }) => type === 'session')).toMatchObject({ session: { title: 'deploy' } });
  });

  test('is not said twice while it is in view', async () => {
    const { say } = await openChat();
    await say('How do we deploy?');
    const { shown } = await say('And how do we deploy on Fridays?');
    expect(shown.join('\n').match(/<memory ref=/g)).toHaveLength(1);
  });

  test('is nothing for a prompt that is about nothing known, or where it is switched off', async () => {
    expect(await (await openChat()).inject('rename the variable')).toEqual([]);
    expect(await (await openChat({ 'memory.autoInject': 0 })).inject('How do we deploy?')).toEqual([]);
  });

  test('that a person quotes does not count as seen', async () => {
    const { say, inject } = await openChat();
    const [, message] = await inject('How do we deploy?');
    await say(
      `rename this: ${message?.type === 'message' ? textOf(message.message) : ''}`.replace(
        'Deploy with make',
        'x',
      ),
    );
    const { shown } = await say('How do we deploy?');
    expect(shown.slice(-3).join('\n')).toContain('Deploy with make');
  });

  test('that cannot be looked at is no failure of the turn', async () => {
    const { app, inject, log } = await openChat();
    app.loopOf = () => {
      throw new Error('broken');
    };
    expect(await inject('How do we deploy?')).toEqual([]);
    expect(log).toEqual([expect.stringContaining('broken')]);
  });
});
