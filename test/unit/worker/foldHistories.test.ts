/** Sessions that change their strategy, and go to and fro between folds. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../src/session/chatModel.ts';
import { compactorFor } from '../../../src/session/compaction/choose.ts';
import { compactNow } from '../../../src/session/compaction/compactNow.ts';
import { tokensOfFixed, tokensOfMessages } from '../../../src/session/compaction/estimate.ts';
import { foldingOf } from '../../../src/session/folding/folding.ts';
import { project } from '../../../src/session/folding/project.ts';
import { rebuild } from '../../../src/session/folding/rebuild.ts';
import type { Message } from '../../../src/session/messages.ts';
import { shownMessage } from '../../../src/session/shownMessage.ts';
import { viewOf } from '../../../src/session/view.ts';
import { SUMMARY, textsOf } from '../session/folding/kit.ts';
import { unpaired } from '../session/kit.ts';
import { use } from '../session/turnKit.ts';
import { last, reads, type Stage, stage } from './foldKit.ts';
import { ID, inLoop, OWNER, PERSON, recordsOf } from './kit.ts';

const foldsIn = ({ folder }: Stage) => join(folder, 'store', 'sessions', ID, 'folds');

type Strategy = 'summary' | 'folding' | 'off';

/** A window of 20,000 tokens. */
function settingsOf(name: Strategy) {
  const settings: Record<string, unknown> = {
    'compaction.strategy': name,
    'compaction.contextWindow': 20_000,
    'compaction.maxOutputTokens': 1_000,
  };
  return { get: (key: string) => settings[key] };
}

/** The compactor of a strategy. */
function strategy(at: Stage, name: Strategy) {
  const settings = settingsOf(name);
  return () =>
    compactorFor({ settings, key: `${at.folder}k`, ...foldingOf(at.sessions, { key: 'k' }, settings) });
}

const isSummaryRequest = ({ tools }: { tools: readonly unknown[] }) => tools.length === 0;
const sizeOf = (request: Stage['requests'][number]) =>
  tokensOfFixed(request) + tokensOfMessages(request.messages);

describe('a session that changes from one strategy to another', () => {
  it('summarises what was folded as it was folded, which is several windows long', async () => {
    const at = stage();
    at.compactor = strategy(at, 'folding');
    const fact = (n: number) =>
      `Fact number ${n}: the parser of part ${n} is in src/part${n}.ts, and nothing was changed there.`;
    let from = 2;
    for (let n = 0; n < 12; n++) {
      await at.turn(`Part ${n}.`, ...reads(n * 10, 8));
      const to = from + 15;
      await at.turn(`Fold ${n}.`, [
        use('Compress', `f${n}`, {
          content: [{ topic: `part ${n}`, startId: `m${from}`, endId: `m${to}`, summary: fact(n) }],
        }),
      ]);
      expect(last(at)).toMatch(/b\d+\(T1\)=/);
      from += 22;
    }
    const raw = viewOf(recordsOf(at.folder)).messages().map(shownMessage);
    expect(tokensOfMessages(raw)).toBeGreaterThan(80_000);
    // By hand, with a model that refuses: nothing is recorded.
    const byHand: string[] = [];
    const refusing = {
      name: 'refusing',
      // biome-ignore lint/correctness/useYield: it says nothing
      async *send({ messages }: { messages: readonly Message[] }) {
        byHand.push(textsOf(messages));
        throw new ModelError('No.');
      },
    };
    const asks = { owner: OWNER, model: refusing, settings: settingsOf('summary'), instructions: '' };
    const { signal } = new AbortController();
    expect(await compactNow({ sessions: at.sessions, signal, pause: async () => {}, ...asks })).toMatchObject(
      { state: 'failed' },
    );
    for (let n = 0; n < 12; n++) expect(byHand[0]).toContain(`Fact number ${n}:`);
    at.compactor = strategy(at, 'summary');
    const before = at.requests.length;
    await at.turn('Summarise.', [{ type: 'text', text: '<summary>All twelve parts.</summary>' }]);
    const asked = at.requests.slice(before);
    const [summary] = asked.filter(isSummaryRequest);
    for (let n = 0; n < 12; n++) expect(textsOf(summary?.messages ?? [])).toContain(`Fact number ${n}:`);
    for (const request of asked) expect(sizeOf(request)).toBeLessThanOrEqual(20_000);
    expect(last(at)).toContain('All twelve parts.');
    for (const name of ['folding', 'off', 'summary', 'folding'] as const) {
      at.compactor = strategy(at, name);
      await at.turn(`Now ${name}.`, ...reads(500 + at.requests.length, 2));
      expect(last(at)).toContain('All twelve parts.');
      expect(sizeOf(at.requests.at(-1) as never)).toBeLessThanOrEqual(20_000);
      expect(unpaired(at.requests.at(-1)?.messages ?? [])).toEqual([]);
    }
  });
});

/** What the next steps of a session may be. */
const step = fc.record({
  act: fc.constantFrom(
    'fold',
    'fold',
    'sections',
    'read',
    'rewind',
    'back',
    'reopen',
    'summary',
    'off',
    'open',
    'message',
  ),
  from: fc.nat(30),
  length: fc.integer({ min: 1, max: 30 }),
});

describe('whatever a session goes through', () => {
  it('shows the same to whoever reads its transcript, and has the originals of all that is folded', {
    timeout: 240_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 9 }), async (steps) => {
        let at = stage();
        const turns: (string | undefined)[] = [];
        let n = 0;
        for (const { act, from, length } of steps) {
          n += 10;
          at.compactor = strategy(at, act === 'summary' || act === 'off' ? act : 'folding');
          const [startId, endId] =
            act === 'sections' ? ['b1', `b${length}`] : [`m${from}`, `m${from + length}`];
          const fold = [
            use('Compress', `f${n}`, { content: [{ startId, endId, summary: `${n}: ${SUMMARY}` }] }),
          ];
          if (act === 'reopen') at = at.reopen();
          else if (act === 'back') at.back = turns[from % Math.max(1, turns.length)];
          else if (act === 'open')
            await at.sessions.foldReopen(ID, `b${1 + (from % 3)}`, PERSON).catch(() => {});
          const answers: Parameters<Stage['turn']>[1][] = [...reads(n, 3)];
          if (act === 'fold' || act === 'sections') answers.push(fold);
          else if (act === 'summary') answers.unshift([{ type: 'text', text: `<summary>${n}</summary>` }]);
          else if (act === 'rewind') {
            const { sessions } = at;
            answers.unshift([async () => sessions.checkpoint(inLoop(`k${n}`), 'look'), use('read', `k${n}`)]);
            answers.push(fold, [
              async () => sessions.rewind(inLoop(`l${n}`), `Report ${n}.`),
              use('read', `l${n}`),
            ]);
          }
          turns.push(
            await at.turn(
              act === 'message' ? `<noa-ref id="m00001"/> b1(T1)=m00001..m00009` : `Turn ${n}.`,
              ...answers,
            ),
          );
          for (const { messages } of at.requests) expect(unpaired(messages)).toEqual([]);
          const folds = await at.sessions.folds(ID, PERSON);
          for (const { block } of folds)
            expect(await at.sessions.foldShow(ID, block, PERSON)).toContain(`block: "${block}"`);
          // Another process, which knows nothing but the transcript, sees the same.
          const other = stage('PUBLIC', at.folder);
          expect(await other.sessions.folds(ID, PERSON)).toEqual(folds);
          const messages = structuredClone(viewOf(recordsOf(at.folder)).messages()) as Message[];
          const one = rebuild(messages.map(shownMessage), []);
          const two = rebuild(structuredClone(messages).map(shownMessage), []);
          expect(JSON.stringify(project(one, { hasTags: true }))).toBe(
            JSON.stringify(project(two, { hasTags: true })),
          );
          expect(unpaired(project(one, { hasTags: true }))).toEqual([]);
          other.sessions.close();
        }
        const next = at.reopen();
        const { report } = await next.sessions.sessionResume(ID, PERSON);
        expect(report).not.toMatch(/were not as they were written|could not be checked/);
        const files = existsSync(foldsIn(next))
          ? readdirSync(foldsIn(next), { recursive: true, encoding: 'utf8' })
          : [];
        const count = (await next.sessions.folds(ID, PERSON)).length;
        expect(files.filter((name) => name.endsWith('.md'))).toHaveLength(count);
        next.sessions.close();
      }),
      { numRuns: process.env.LODELINE_SOAK === '1' ? 300 : 12 },
    );
  });
});
