import { describe, expect, it } from 'vitest';
import type { ChatModel } from '../../../src/session/chatModel.ts';
import type { ToolCall } from '../../../src/tools/tool.ts';
import { openTestTools } from '../support/folder.ts';
import { CHAT, CHAT_ID, ID, OWNER, recordsOf, said, user } from '../worker/kit.ts';

const model: ChatModel = {
  name: 'm',
  async *send() {
    yield { type: 'text', text: '<summary>\n1. Intent: all of it\n</summary>' };
  },
};
const PERSON: Partial<ToolCall> = {
  ...{ actor: 'person', door: 'palette', level: 'RESTRICTED', session: 'window', source: 'palette' },
};

async function talked() {
  const tools = openTestTools();
  for (let turn = 0; turn < 8; turn++) {
    await tools.sessions.turnBegin(OWNER, [user(`q${turn}`)]);
    await tools.sessions.turnEnd(ID, [said(`a${turn}`)], { reason: 'completed' });
  }
  return tools;
}

const boundaries = (folder: string) => recordsOf(folder).filter(({ type }) => type === 'boundary').length;

describe('a session that the person has compacted', () => {
  it('is summarised with the model that the call brings, without a turn that runs', async () => {
    const { call, folder } = await talked();
    const done = await call('session_compact', { session: ID, instructions: 'ports' }, { ...PERSON, model });
    expect(done).toMatchObject({ isError: false, data: { state: 'done', messages: 8 } });
    expect(boundaries(folder)).toBe(1);
  });

  it('needs a model, a session that is there, and one whose loop is ours', async () => {
    const { call, folder, sessions } = await talked();
    expect((await call('session_compact', { session: ID }, PERSON)).text).toMatch(/chat model is needed/);
    const nobody = await call('session_compact', { session: 'nobody' }, { ...PERSON, model });
    expect(nobody.text).toMatch(/not there any more/);
    await sessions.sessionStart(CHAT);
    const observed = await call('session_compact', { session: CHAT_ID }, { ...PERSON, model });
    expect(observed.text).toMatch(/Only sessions of @lodeline/);
    expect(boundaries(folder)).toBe(0);
  });

  it('is not to be had for agents', async () => {
    const { call, folder } = await talked();
    expect((await call('session_compact', { session: ID }, { model })).isError).toBe(true);
    expect(boundaries(folder)).toBe(0);
  });
});
