/** Side effects in a loop: announced before, settled after, refused while earlier ones are unknown. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type LoopTools, restrict, wrapping } from '../../../src/session/turnCalls.ts';
import { MemoryTurns, ok, ScriptedModel, toolsOf, turn, use } from './turnKit.ts';

const EVIDENCE = { root: '/work', file: { path: 'a', before: null, after: 'x' } };

/** Tools of which those that begin with `w` have an effect. */
function acting(tools: Parameters<typeof toolsOf>[0], log: string[] = []): LoopTools {
  return wrapping(toolsOf(tools), {
    effectOf: ({ name }) => (name.startsWith('w') ? 'write' : 'read'),
    evidenceOf: async (call) => {
      log.push(`look ${call.name}`);
      return EVIDENCE;
    },
  });
}

it('announces the effects of an answer in one record, before any of its calls runs', async () => {
  const turns = new MemoryTurns();
  const seen: unknown[] = [];
  const tools = acting({
    r: () => ok('r'),
    w1: () => {
      seen.push(turns.records.map(({ type }) => type));
      return ok('w1');
    },
    w2: () => ({ text: 'no', isError: true }),
  });
  const model = new ScriptedModel([use('r', 'a'), use('w1', 'b'), use('w2', 'c', { x: 1 }), use('w9', 'd')]);
  await turn(model, { tools }, turns);
  expect(seen).toEqual([['message', 'intent', 'message']]);
  const [intent] = turns.records.filter(({ type }) => type === 'intent');
  expect(intent).toMatchObject({
    intent: {
      calls: [
        {
          call: 'b',
          name: 'w1',
          effect: 'write',
          evidence: EVIDENCE,
          key: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        { call: 'c', name: 'w2', effect: 'write' },
      ],
    },
  });
  const outcomes = turns.records.flatMap((record) => (record.type === 'outcome' ? record.outcome.calls : []));
  expect(new Map(outcomes.map(({ call, ended }) => [call, ended]))).toEqual(
    new Map([
      ['b', 'ok'],
      ['c', 'error'],
    ]),
  );
});

it('writes nothing of calls that only read', async () => {
  const { turns } = await turn(new ScriptedModel([use('r', 'a'), use('r', 'b')]), {
    tools: acting({ r: () => ok('r') }),
  });
  expect(turns.records.map(({ type }) => type)).toEqual(['message', 'message', 'message', 'message', 'end']);
});

it('records that a call took effect while others of its answer still run', async () => {
  const turns = new MemoryTurns();
  const outcomes = () =>
    turns.records.flatMap((record) =>
      record.type === 'outcome' ? record.outcome.calls.map(({ call }) => call) : [],
    );
  let during: readonly string[] = [];
  const quick = async () => ok('done');
  const tools = acting({
    w1: quick,
    w2: quick,
    w3: quick,
    w4: async () => {
      for (let look = 0; look < 500 && outcomes().length < 3; look++) await delay(2);
      during = outcomes();
      return ok('slow');
    },
  });
  const calls = ['w1', 'w2', 'w3', 'w4'].map((name) => use(name, `${name}-id`));
  const { result } = await turn(new ScriptedModel(calls), { tools }, turns);
  expect(result.reason).toBe('completed');
  expect([...during].sort()).toEqual(['w1-id', 'w2-id', 'w3-id']);
  expect(turns.said[2]).toBe('user: #w1-id=done | #w2-id=done | #w3-id=done | #w4-id=slow');
});

it('still runs a call whose evidence cannot be had', async () => {
  const tools = wrapping(acting({ w: () => ok('ran') }), {
    evidenceOf: async () => {
      throw new Error('no such folder');
    },
  });
  const { turns } = await turn(new ScriptedModel([use('w', 'a', { text: `\uDC00${'x'.repeat(100)}` })]), {
    tools,
  });
  expect(turns.said[2]).toBe('user: #a=ran');
  const [intent] = turns.records.filter(({ type }) => type === 'intent');
  expect(intent).not.toHaveProperty('intent.calls.0.evidence');
});

it('takes a tool that says nothing of its effects to have some', async () => {
  const { effectOf: _, ...silent } = toolsOf({ t: () => ok('t') });
  const { turns } = await turn(new ScriptedModel([use('t', 'a')]), { tools: restrict(silent, ['t']) });
  expect(turns.records.find(({ type }) => type === 'intent')).toMatchObject({
    intent: { calls: [{ name: 't', effect: 'unknown' }] },
  });
});

it('runs no call that it did not announce, also where the person answers what is open in between', async () => {
  class Answered extends MemoryTurns {
    override async turnBegin(...given: Parameters<MemoryTurns['turnBegin']>) {
      const view = await super.turnBegin(...given);
      return { ...view, unknowns: [{ id: 'old', name: 'deploy', announced: '' }] };
    }
  }
  const ran: string[] = [];
  const tools: LoopTools = {
    ...toolsOf({ write: () => ok(`${ran.push('write')}`) }),
    effectOf: () => 'write',
  };
  const model = new ScriptedModel([use('write', 'w1')], [use('write', 'w2')]);
  const { turns } = await turn(model, { tools }, new Answered());
  expect(turns.said[2]).toMatch(/#w1!=write was not run: .*deploy \(old\)/);
  expect(ran).toEqual(['write']);
  const announced = turns.records.flatMap((record) =>
    record.type === 'intent' ? record.intent.calls.map(({ call }) => call) : [],
  );
  expect(announced).toEqual(['w2']);
});
