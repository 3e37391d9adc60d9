import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { CheckpointMachine } from '../../../src/session/checkpoint.ts';
import { type Block, type Message, textOf } from '../../../src/session/messages.ts';
import type { Draft, SessionRecord } from '../../../src/session/record.ts';
import { RequestView, viewOf } from '../../../src/session/view.ts';
import { answer, draft, records, say, unpaired, use } from './kit.ts';

const CREATED: Draft = { type: 'checkpoint', uuid: 'cp', checkpoint: { event: 'created', goal: 'g' } };
const REPORT: Draft = {
  type: 'rewind_report',
  rewind_report: { checkpoint: 'cp', goal: 'g', report: 'found', started_at: 't' },
};

function shown(...drafts: Draft[]) {
  return viewOf(records(...drafts)).messages();
}

it('shows parallel calls once all have answered, and those that have when some never do', () => {
  const view = new RequestView();
  const steps = records(
    draft(say('assistant', 'both', use('a'), use('b'))),
    draft(say('user', answer('b'))),
    draft(say('user', answer('a'))),
  );
  const texts = steps.map((record) => {
    view.fold(record);
    return view.messages().map(({ content }) => content.length);
  });
  expect(texts).toEqual([[1], [2, 1], [3, 1, 1]]);
});

it('pairs a result with the last call of its id, once', () => {
  const call = draft(say('assistant', use('call_1')));
  const result = draft(say('user', answer('call_1')));
  expect(shown(call, result, call, result)).toHaveLength(4);
  expect(shown(call, call, result)).toHaveLength(2);
  expect(shown(call, result, result)).toHaveLength(2);
});

it('tells what a resume found before the next prompt, and not between a call and its result', () => {
  const found: Draft = { type: 'reconciled', reconciled: { calls: [], report: 'Resumed.' } };
  const pair = [draft(say('assistant', use('a'))), draft(say('user', answer('a')))];
  const roles = (...drafts: Draft[]) => shown(...drafts).map(({ role }) => role);
  expect(roles(found, ...pair, draft(say('user', 'go on')))).toEqual(['assistant', 'user', 'system', 'user']);
  expect(roles(pair[0] as Draft, found, pair[1] as Draft)).toEqual(['assistant', 'user']);
});

it('drops what is only thinking once its call is gone', () => {
  const thinking: Block = { type: 'thinking', thinking: 'hm', signature: 's' };
  expect(shown(draft(say('user', 'q')), draft(say('assistant', thinking, use('a'))))).toEqual([
    say('user', 'q'),
  ]);
});

it('starts at the last boundary, and goes back behind it with a rewind', () => {
  const boundary: Block = { type: 'compact_boundary', input: { pre_tokens: 9 } };
  const before = [draft(say('user', 'q')), CREATED, draft(say('assistant', 'long'))];
  const compacted = [
    draft(say('user', boundary)),
    draft(say('user', 'summary')),
    draft(say('assistant', 'short')),
  ];
  expect(shown(...before, ...compacted)).toEqual([say('user', 'summary'), say('assistant', 'short')]);
  const messages = shown(...before, ...compacted, REPORT, draft(say('user', 'on')));
  expect(messages.map(textOf)).toEqual(['q', expect.stringMatching(/found$/), 'on']);
});

it('shows a report once even when its call stands before the checkpoint', () => {
  const call = { type: 'tool_use', id: 'w', name: 'rewind', input: { report: 'found' } } as const;
  const report = { ...REPORT, rewind_report: { ...REPORT.rewind_report, call_id: 'w' } } as Draft;
  const messages = shown(
    draft(say('assistant', use('c', 'checkpoint'), call)),
    CREATED,
    draft(say('user', answer('c'), answer('w'))),
    report,
  );
  expect(JSON.stringify(messages).split('found')).toHaveLength(2);
  expect(unpaired(messages)).toEqual([]);
});

it('forgets the calls of a branch that was left', () => {
  const view = viewOf(records(CREATED, draft(say('assistant', use('a'))), REPORT));
  expect(view.openCalls()).toEqual([]);
});

it('gives a result that comes after its call was given up no place', () => {
  const given = { type: 'reconciled', reconciled: { calls: [{ id: 'a', name: 'n' }], report: '' } } as const;
  expect(shown(draft(say('assistant', use('a'))), given, draft(say('user', answer('a'))))).toEqual([]);
});

const blocks = fc.array(
  fc.oneof(
    fc.constantFrom('t1', 't2').map((text): Block => ({ type: 'text', text })),
    fc.constantFrom('a', 'b', 'c').map((id) => use(id)),
    fc.constantFrom('a', 'b', 'c').map((id) => answer(id)),
    fc.constant<Block>({ type: 'compact_boundary', input: { pre_tokens: 1 } }),
  ),
  { maxLength: 4 },
);
const anyDraft = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constantFrom('user', 'assistant'), blocks) },
  { weight: 1, arbitrary: fc.constant('checkpoint' as const) },
  { weight: 1, arbitrary: fc.constant('rewind' as const) },
  { weight: 1, arbitrary: fc.constant('abort' as const) },
  { weight: 1, arbitrary: fc.constant('reconcile' as const) },
  { weight: 1, arbitrary: fc.constant('end' as const) },
  { weight: 1, arbitrary: fc.nat({ max: 9 }) },
);

it('never shows half a pair or an empty message, and is the same however it was come by', () => {
  fc.assert(
    fc.property(fc.array(anyDraft, { maxLength: 40 }), (steps) => {
      const all: SessionRecord[] = [];
      const view = new RequestView();
      const machine = new CheckpointMachine();
      const copy: Message[] = [];
      /** Of each turn that ended: its name, and what was shown then. */
      const ends: [string, Message[]][] = [];
      const append = (drafts: Draft[]) => {
        const filler = all.map(() => CREATED);
        for (const record of records(...filler, ...drafts).slice(all.length)) {
          const placed = { ...record, uuid: `u${all.length}` };
          all.push(placed);
          view.fold(placed);
          machine.fold(placed);
        }
      };
      for (const step of steps) {
        if (step === 'checkpoint') {
          const made = machine.create('g', { depth: 0 });
          if (made.ok) append(made.drafts);
        } else if (step === 'rewind') {
          const made = machine.rewind('r', { depth: 0 });
          if (made.ok) append(made.drafts);
          append(machine.turnEnd());
        } else if (step === 'abort') append([{ type: 'end', end: { reason: 'aborted' } }]);
        else if (step === 'end') {
          append([{ type: 'end', end: { reason: 'completed' } }]);
          ends.push([all.at(-1)?.uuid ?? '', [...view.messages()]]);
        } else if (typeof step === 'number') {
          const [to, then] = ends.at(-1 - step) ?? [undefined, []];
          const before = [...view.messages()];
          const isPossible = view.canReturn(to);
          append([{ type: 'returned', returned: to === undefined ? {} : { to } }]);
          expect(view.messages()).toEqual(isPossible ? then : before);
          expect(view.canReturn(to)).toBe(false);
        } else if (step === 'reconcile') {
          append([{ type: 'reconciled', reconciled: { calls: view.openCalls(), report: 'lost' } }]);
          expect(view.openCalls()).toEqual([]);
        } else append([draft({ role: step[0] as Message['role'], content: step[1] })]);
        const messages = view.messages();
        expect(unpaired(messages)).toEqual([]);
        expect(messages.filter(({ content }) => content.length === 0)).toEqual([]);
        expect(messages).toEqual(viewOf(all).messages());
        const { keep, messages: added } = view.changes();
        copy.splice(keep, copy.length, ...added);
        expect(copy).toEqual(messages);
      }
    }),
    { numRuns: 300 },
  );
});

it('is, after one more message, not built anew: 5,000 messages are not looked at again', () => {
  let looks = 0;
  const counted = (message: Message): Message => ({
    role: message.role,
    get content() {
      looks++;
      return message.content;
    },
  });
  const turns = Array.from({ length: 1250 }, (_, turn) => [
    draft(counted(say('user', `prompt ${turn}`))),
    draft(counted(say('assistant', 'I look', use(`a${turn}`), use(`b${turn}`)))),
    draft(counted(say('user', answer(`a${turn}`), answer(`b${turn}`)))),
    draft(counted(say('assistant', 'done'))),
  ]);
  const all = records(...turns.flat());
  const view = viewOf(all);
  expect(view.messages()).toHaveLength(5000);
  const anew = looks;
  let messages = 0;
  for (const message of [
    say('user', 'one more'),
    say('assistant', use('x'), use('y')),
    say('user', answer('x'), answer('y')),
  ]) {
    looks = 0;
    for (const record of records(draft(counted(message)))) view.fold(record);
    view.messages();
    expect(looks * 50).toBeLessThan(anew);
    expect(view.changes().messages.length).toBeLessThanOrEqual(messages++ === 0 ? 5001 : 2);
  }
  expect(view.messages()).toHaveLength(5003);
});
