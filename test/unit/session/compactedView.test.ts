/** The view across compactions that copy nothing, against a slow reference. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { CheckpointMachine } from '../../../src/session/checkpoint.ts';
import { compacted } from '../../../src/session/compaction/compacted.ts';
import { wholeCuts } from '../../../src/session/compaction/rounds.ts';
import type { Message } from '../../../src/session/messages.ts';
import type { Draft, SessionRecord } from '../../../src/session/record.ts';
import { RequestView, viewOf } from '../../../src/session/view.ts';
import { answer, draft, records, say, unpaired, use } from './kit.ts';

const CREATED: Draft = { type: 'checkpoint', checkpoint: { event: 'created', goal: 'g' } };

/**
 * The same from nothing but whole copies: what is shown, what it was at the checkpoint and after each turn. It knows
 * sessions whose steps are complete, which is when a loop compacts.
 */
class SlowView {
  shown: Message[] = [];
  #cut: Message[] | undefined;
  readonly #turns: [string, Message[]][] = [];

  say(...messages: Message[]): void {
    this.shown = [...this.shown, ...messages];
  }

  compact(summary: Message, cut: number): void {
    this.shown = [summary, ...this.shown.slice(cut)];
  }

  checkpoint(): void {
    this.#cut = this.shown;
  }

  rewind(): void {
    this.shown = this.#cut ?? this.shown;
    this.#cut = undefined;
  }

  end(uuid: string): void {
    this.#turns.push([uuid, this.shown]);
  }

  turns(): readonly [string, Message[]][] {
    return this.#turns;
  }

  giveUpCheckpoint(): void {
    this.#cut = undefined;
  }
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('step' as const), calls: fc.nat({ max: 2 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('compact' as const), cut: fc.nat({ max: 12 }) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'checkpoint' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'rewind' as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'turn' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'sent' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('return' as const), back: fc.nat({ max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('torn' as const), left: fc.constantFrom(1, 2) }) },
);

it('is what the reference says, with compactions, checkpoints, rewinds and returns anywhere', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const all: SessionRecord[] = [];
      const view = new RequestView();
      const machine = new CheckpointMachine();
      const slow = new SlowView();
      const copy: Message[] = [];
      let named = 0;
      const append = (drafts: readonly Draft[]) => {
        const filler = all.map(() => CREATED);
        for (const record of records(...filler, ...drafts).slice(all.length)) {
          const own = drafts.find((each) => each.uuid !== undefined && each.uuid === record.uuid);
          const placed = own ? record : { ...record, uuid: `u${all.length}` };
          all.push(placed);
          view.fold(placed);
          machine.fold(placed);
        }
      };
      const speak = (message: Message, extra: object = {}) => {
        append([{ ...draft(message), ...extra }]);
        slow.say(message);
      };
      speak(say('user', 'begin'));
      for (const { kind, ...rest } of steps) {
        const n = named++;
        if (kind === 'step') {
          const ids = Array.from({ length: (rest as { calls: number }).calls }, (_, at) => `c${n}-${at}`);
          if (ids.length === 0) speak(say('assistant', `said ${n}`));
          else {
            speak(say('assistant', `step ${n}`, ...ids.map((id) => use(id))));
            speak(say('user', ...ids.map((id) => answer(id))));
          }
        } else if (kind === 'sent') {
          const provenance = {
            kind: 'inter_session',
            sourceSessionKey: 'x',
            sourceChannel: 'c',
            sourceTool: 't',
          };
          speak(say('system', `sent ${n}`), { provenance });
        } else if (kind === 'compact' || kind === 'torn') {
          const cuts = [0, ...wholeCuts(view.messages())];
          const cut = kind === 'torn' ? 1 : (cuts[(rest as { cut: number }).cut % cuts.length] ?? 0);
          const made = compacted({
            ...{
              messages: [...view.messages()],
              cut,
              summary: `S${n}`,
              trigger: 'auto',
              used: 1,
              window: 9_000,
            },
          });
          const { left } = rest as { left: number };
          append(kind === 'torn' ? made.drafts.slice(0, left) : made.drafts);
          if (kind === 'compact') slow.compact(made.messages[0] as Message, cut);
        } else if (kind === 'checkpoint') {
          const made = machine.create('g', { depth: 0 });
          if (!made.ok) continue;
          append(made.drafts);
          slow.checkpoint();
        } else if (kind === 'rewind') {
          const made = machine.rewind(`r${n}`, { depth: 0 });
          if (!made.ok) continue;
          append([...made.drafts]);
          append(machine.turnEnd());
          slow.rewind();
          slow.say(view.messages().at(-1) as Message);
          expect(JSON.stringify(view.messages().at(-1))).toContain(`r${n}`);
        } else if (kind === 'turn') {
          append([{ type: 'end', end: { reason: 'completed' } }]);
          slow.end(all.at(-1)?.uuid ?? '');
          speak(say('user', `prompt ${n}`));
        } else if (kind === 'return') {
          const [to, then] = slow.turns().at(-1 - (rest as { back: number }).back) ?? [
            undefined,
            [] as Message[],
          ];
          if (to === undefined || !view.canReturn(to)) continue;
          append([{ type: 'returned', returned: { to } }]);
          expect(view.messages().slice(0, then.length)).toEqual(then);
          slow.shown = [...view.messages()];
          slow.giveUpCheckpoint();
          // A checkpoint that is still open there has its own place in the view.
          if (machine.state !== 'none') {
            append(machine.cancel());
          }
        }
        expect(view.messages()).toEqual(slow.shown);
        expect(unpaired(view.messages())).toEqual([]);
        expect(view.openCalls()).toEqual([]);
        const { keep, messages } = view.changes();
        copy.splice(keep, copy.length, ...messages);
        expect(copy).toEqual(view.messages());
      }
      expect(viewOf(all).messages()).toEqual(view.messages());
    }),
    { numRuns: 400 },
  );
});

it('is not changed by half a compaction, and a summary is nobody’s prompt', () => {
  const messages = [say('user', 'a'), say('assistant', 'b'), say('user', 'c'), say('assistant', 'd')];
  const made = compacted({ messages, cut: 2, summary: 'S', trigger: 'auto', used: 1, window: 9_000 });
  const before = messages.map((message) => draft(message));
  for (const left of [1, 2]) {
    const view = viewOf(records(...before, ...made.drafts.slice(0, left), draft(say('user', 'on'))));
    expect(view.messages()).toEqual([...messages, say('user', 'on')]);
  }
  // Another session's turn stays another's: the person can still go back behind it.
  const end: Draft = { type: 'end', uuid: 'own', end: { reason: 'completed' } };
  const asked: Draft = { ...draft(say('system', 'asked')), begins: true } as Draft;
  const other: Draft = { type: 'end', uuid: 'other', end: { reason: 'completed' } };
  const view = viewOf(records(...before, end, asked, ...made.drafts, other));
  expect(view.canReturn('own')).toBe(false);
  expect(view.canReturn(undefined)).toBe(true);
});

it('shows neither half of a pair that a compaction parts', () => {
  const messages = [
    say('user', 'a'),
    say('assistant', 'b', use('x'), use('y')),
    say('user', answer('x'), answer('y')),
  ];
  const made = compacted({ messages, cut: 2, summary: 'S', trigger: 'auto', used: 1, window: 9_000 });
  const view = viewOf(records(...messages.map((message) => draft(message)), ...made.drafts));
  expect(view.messages()).toHaveLength(1);
  expect(view.openCalls()).toEqual([]);
});

it('takes a boundary of the reference, which says nothing of a rest, as before', () => {
  const view = viewOf(
    records(
      draft(say('user', 'a')),
      draft(say('user', { type: 'compact_boundary', input: { pre_tokens: 9, messages_summarized: 1 } })),
      draft(say('user', 'summary')),
      draft(say('assistant', 'kept')),
    ),
  );
  expect(view.messages()).toEqual([say('user', 'summary'), say('assistant', 'kept')]);
});
