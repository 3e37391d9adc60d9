/** What the checkpoint panel is told of a long session, and what a person does with it, through the tool layer. */
import { describe, expect, it } from 'vitest';
import type { CheckpointView } from '../../../src/planProtocol.ts';
import { NO_USAGE } from '../../../src/session/messages.ts';
import { idOf } from '../../../src/session/sessionId.ts';
import { draft, say, use } from '../session/kit.ts';
import { openTestTools } from '../support/folder.ts';

const KEY = 'chat-key';
const ID = idOf(KEY);
const PERSON = { actor: 'person', level: 'RESTRICTED' } as const;

type Kind = 'participant' | 'observed';

async function talked(settings: Record<string, unknown> = {}, kind: string = 'participant') {
  const tools = openTestTools(undefined, undefined, settings);
  const owner = {
    key: KEY,
    kind: kind as Kind as 'participant',
    source: 'lodeline',
    level: 'PUBLIC',
  } as const;
  const usage = { ...NO_USAGE, input_tokens: 9_000, output_tokens: 1_000 };
  for (let at = 0; at < 12; at++) {
    await tools.sessions.turnBegin(owner, [draft(say('user', `q${at}`))]);
    const answer = { ...draft(say('assistant', `a${at}`), usage), window: 32_000 };
    await tools.sessions.turnEnd(ID, [answer], { reason: 'completed' });
  }
  const show = async (as: object = PERSON) =>
    (await tools.call('checkpoint_show', { session: ID }, as)).data as CheckpointView;
  return { ...tools, owner, show };
}

describe('a long session', () => {
  it('tells how full it is and when it is compacted', async () => {
    const { show } = await talked();
    const { context, folds, unknowns, looser, managed } = await show();
    expect(context).toEqual({
      ...{ used: 10_000, window: 32_000, next: expect.any(Number) },
      ...{ strategy: 'summary', compactions: 0, canCompact: true },
    });
    expect(context?.next).toBeGreaterThan(20_000);
    expect(context?.next).toBeLessThan(24_000);
    expect({ folds, unknowns, looser, managed }).toEqual({
      ...{ folds: [], unknowns: [], looser: [], managed: false },
    });
  });

  it.each([
    ['off', { next: null, canCompact: true }],
    ['folding', { canCompact: false }],
  ])('says what the strategy %s makes of it', async (strategy, expected) => {
    const { show } = await talked({ 'compaction.strategy': strategy, 'managedModel.enabled': true });
    const { context, managed } = await show();
    expect(context).toMatchObject({ strategy, ...expected });
    expect(managed).toBe(true);
  });

  it('is what the panel shows where nobody chose a session', async () => {
    const { call, sessions } = await talked();
    await sessions.sessionStart({ key: 'empty', kind: 'participant', source: 'x', level: 'PUBLIC' });
    const view = (await call('checkpoint_show', {}, PERSON)).data as CheckpointView;
    expect(view.session?.id).toBe(ID);
  });

  it('tells what is open, as text', async () => {
    const { show, sessions, owner, call } = await talked();
    await sessions.turnBegin(owner, [draft(say('user', 'go'))]);
    const intent = { call: 'c1', name: 'deploy', effect: 'unknown', key: 'k' } as const;
    await sessions.turnStep(ID, [
      { type: 'intent', intent: { calls: [intent] } },
      draft(say('assistant', { type: 'text', text: 'Now.' }, use('c1', 'deploy'))),
    ]);
    sessions.close();
    await call('session_resume', { session: ID }, PERSON);
    expect((await show()).unknowns).toEqual([{ id: 'c1', name: 'deploy', announced: 'Now.' }]);
    const calls = [{ id: 'c1', finding: 'failed', evidence: 'not online' }];
    await call('session_acknowledge', { session: ID, calls }, PERSON);
    expect((await show()).unknowns).toEqual([]);
    const { messages } = await sessions.turnBegin(owner, [draft(say('user', 'on'))]);
    expect(JSON.stringify(messages)).toContain('- c1: it did not take effect (not online)');
  });
});

describe('compacting it', () => {
  const model = {
    name: 'm',
    async *send() {
      yield { type: 'text', text: '<summary>1. Intent: all</summary>' } as const;
    },
  };

  it('is refused where the agent folds it, and without a model', async () => {
    const { call } = await talked({ 'compaction.strategy': 'folding' });
    const folded = await call('session_compact', { session: ID }, { ...PERSON, model });
    expect(folded.phrase?.text).toContain('The agent folds this conversation itself');
    const { call: other } = await talked();
    expect((await other('session_compact', { session: ID }, PERSON)).phrase?.text).toContain(
      'A chat model is needed',
    );
  });

  it('shows in the meter', async () => {
    const { call, show } = await talked();
    const outcome = await call('session_compact', { session: ID }, { ...PERSON, model });
    expect(outcome.isError).toBe(false);
    const { context } = await show();
    expect(context?.compactions).toBe(1);
    expect(context?.used).toBeLessThan(10_000);
  });

  it('is no tool of an agent', async () => {
    const { call } = await talked();
    expect((await call('session_compact', { session: ID }, { model })).isError).toBe(true);
    expect((await call('session_acknowledge', { session: ID })).isError).toBe(true);
  });
});
