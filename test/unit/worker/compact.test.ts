/** Compaction of a session by the person, through the real store. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ChatModel, ModelError, type ModelRequest } from '../../../src/session/chatModel.ts';
import { type CompactNow, compactNow } from '../../../src/session/compaction/compactNow.ts';
import { contextView } from '../../../src/session/compaction/contextView.ts';
import { isSummary } from '../../../src/session/compaction/summaryText.ts';
import { type Message, NO_USAGE, textOf } from '../../../src/session/messages.ts';
import { transcriptFile } from '../../../src/session/place.ts';
import { draft, say } from '../session/kit.ts';
import { openTestSessions, temporaryFolder } from '../support/folder.ts';
import { ID, OWNER, PERSON, recordsOf, said, user } from './kit.ts';

const SUMMARY = '<summary>\n1. Intent: everything\n</summary>';

class Summariser implements ChatModel {
  readonly name = 'm';
  readonly requests: ModelRequest[] = [];
  readonly #answers: readonly (string | Error)[];

  constructor(...answers: readonly (string | Error)[]) {
    this.#answers = answers;
  }

  async *send(request: ModelRequest) {
    this.requests.push(request);
    const answer = this.#answers[this.requests.length - 1] ?? SUMMARY;
    if (answer instanceof Error) throw answer;
    yield { type: 'text', text: answer } as const;
  }
}

async function talked(turns = 12, level: 'PUBLIC' | 'CONFIDENTIAL' = 'PUBLIC') {
  const folder = temporaryFolder();
  const sessions = openTestSessions(folder);
  const owner = { ...OWNER, level };
  const usage = { ...NO_USAGE, input_tokens: 900, output_tokens: 100 };
  let turn: string | undefined;
  for (let at = 0; at < turns; at++) {
    await sessions.turnBegin(owner, [user(`q${at}`)]);
    const answer = { ...draft(say('assistant', `a${at}`), usage), window: 32_000 };
    ({ turn } = await sessions.turnEnd(ID, [answer], { reason: 'completed' }));
  }
  return { folder, sessions, owner, turn };
}

function compact(parts: Pick<CompactNow, 'sessions' | 'owner' | 'model'>, changes: Partial<CompactNow> = {}) {
  return compactNow({
    ...{ settings: { get: () => undefined }, instructions: '', signal: new AbortController().signal },
    ...{ pause: async () => {}, ...parts, ...changes },
  });
}

function bytesOf(folder: string): string {
  return JSON.stringify(recordsOf(folder));
}

describe('a compaction that the person asks for', () => {
  it('summarises all but what is recent, with their wish, and the next turn goes on from it', async () => {
    const { folder, sessions, owner } = await talked();
    const model = new Summariser();
    const done = await compact({ sessions, owner, model }, { instructions: 'Keep the port numbers.' });
    expect(done).toMatchObject({ state: 'done', messages: 16, turn: recordsOf(folder).at(-1)?.uuid });
    expect(textOf(model.requests[0]?.messages.at(-1) as Message)).toContain('Keep the port numbers.');
    const { messages } = await sessions.turnBegin(owner, [user('next')]);
    expect(messages).toHaveLength(10);
    expect(isSummary(messages[0] as Message)).toBe(true);
    expect(messages.map(textOf).slice(1)).toEqual([
      'q8',
      'a8',
      'q9',
      'a9',
      'q10',
      'a10',
      'q11',
      'a11',
      'next',
    ]);
    const boundary = recordsOf(folder).find(({ type }) => type === 'boundary');
    expect(boundary).toMatchObject({ boundary: { trigger: 'manual', messages_summarized: 16 } });
  });

  it('can be taken back by going back to the turn before', async () => {
    const { sessions, owner, turn } = await talked();
    await compact({ sessions, owner, model: new Summariser() });
    const { messages } = await sessions.turnBegin({ ...owner, returnTo: turn }, [user('again')]);
    expect(messages).toHaveLength(25);
  });

  it.each([
    ['fails', [new ModelError('down')], {}],
    ['answers something else', ['No.', 'No.'], {}],
    ['is cancelled', [], { signal: AbortSignal.abort(new Error('stop')) }],
  ])('leaves the session as it was when it %s', async (_, answers, changes) => {
    const { folder, sessions, owner } = await talked();
    const before = bytesOf(folder);
    const done = await compact({ sessions, owner, model: new Summariser(...answers) }, changes);
    expect(done.state).toMatch(/failed|cancelled/);
    expect(bytesOf(folder)).toBe(before);
    // Nobody holds it.
    await expect(sessions.turnBegin(owner, [user('on')])).resolves.toMatchObject({ id: ID });
  });

  it('does nothing where there is nothing to summarise', async () => {
    const { folder, sessions, owner } = await talked(1);
    const before = bytesOf(folder);
    const model = new Summariser();
    expect(await compact({ sessions, owner, model })).toEqual({ state: 'nothing' });
    expect(model.requests).toEqual([]);
    expect(bytesOf(folder)).toBe(before);
  });

  it('waits for no turn that runs', async () => {
    const { sessions, owner } = await talked();
    await sessions.turnBegin(owner, [user('q')]);
    await expect(compact({ sessions, owner, model: new Summariser() })).rejects.toThrow(
      /turn of this session is running/,
    );
    // It is not ended for it either.
    await expect(sessions.turnStep(ID, [said('on')])).resolves.toMatchObject({ id: ID });
  });

  it('keeps the level of the session, and lies on disk sealed with the rest', async () => {
    const { folder, sessions, owner } = await talked(12, 'CONFIDENTIAL');
    await compact({ sessions, owner, model: new Summariser() });
    const records = recordsOf(folder);
    expect(records.filter(({ level }) => level !== 'CONFIDENTIAL')).toEqual([]);
    expect(records.some((record) => record.type === 'message' && record.summary_of !== undefined)).toBe(true);
    expect(await sessions.contextMeasure(ID, PERSON)).toMatchObject({ compactions: 1 });
    await expect(sessions.contextMeasure(ID, { level: 'PUBLIC' })).rejects.toThrow(/not there/);
  });

  it('is whole or not there, wherever its write was cut off', async () => {
    const { folder, sessions, owner } = await talked();
    sessions.close();
    const path = transcriptFile({ dir: join(folder, 'store', 'sessions'), id: ID });
    const size = statSync(path).size;
    const again = openTestSessions(folder);
    await compact({ sessions: again, owner, model: new Summariser() });
    again.close();
    const bytes = readFileSync(path);
    const seen = new Set<number>();
    for (let cut = size; cut <= bytes.length; cut += 61) {
      const other = temporaryFolder();
      const copy = path.replace(folder, other);
      mkdirSync(dirname(copy), { recursive: true });
      writeFileSync(copy, bytes.subarray(0, cut));
      const torn = openTestSessions(other);
      const { messages } = await torn.turnBegin(owner, [user('on')]);
      const shown = messages.filter(({ role }) => role !== 'system');
      seen.add(shown.length);
      expect([25, 10]).toContain(shown.length);
      expect(textOf(shown.at(-1) as Message)).toBe('on');
      expect(textOf(shown.at(-2) as Message)).toBe('a11');
    }
    expect([...seen].sort()).toEqual([10, 25]);
  });
});

describe('the context meter', () => {
  it('shows the last answer’s usage, and after a compaction what is left', async () => {
    const { sessions, owner } = await talked();
    const settings = { get: () => undefined };
    const before = contextView(await sessions.contextMeasure(ID, PERSON), settings);
    expect(before).toEqual({
      used: 1_000,
      window: 32_000,
      next: 21_600,
      strategy: 'summary',
      compactions: 0,
    });
    await compact({ sessions, owner, model: new Summariser() });
    const after = contextView(await sessions.contextMeasure(ID, PERSON), settings);
    expect(after).toMatchObject({ window: 32_000, compactions: 1 });
    expect(after?.used).toBeLessThan(1_000);
  });

  it('follows a session of another process, and going back', async () => {
    const { folder, sessions, owner, turn } = await talked(2);
    const other = openTestSessions(folder);
    expect(await other.contextMeasure(ID, PERSON)).toMatchObject({ used: 1_000 });
    const usage = { ...NO_USAGE, input_tokens: 5_000, output_tokens: 1 };
    await sessions.turnBegin(owner, [user('more')]);
    await sessions.turnEnd(ID, [draft(say('assistant', 'x'), usage)], { reason: 'completed' });
    expect(await other.contextMeasure(ID, PERSON)).toMatchObject({ used: 5_001 });
    await sessions.turnBegin({ ...owner, returnTo: turn }, [user('else')]);
    expect(await sessions.contextMeasure(ID, PERSON)).toMatchObject({ used: 1_000 });
  });

  it('says nothing where no model counted, no next one where that is off, and heeds the settings', () => {
    expect(contextView(undefined, { get: () => undefined })).toBeNull();
    const measure = { used: 1, window: undefined, compactions: 0 };
    const view = (values: Record<string, unknown>) => contextView(measure, { get: (key) => values[key] });
    expect(view({ 'compaction.strategy': 'off' })).toMatchObject({ window: null, next: null });
    expect(view({ 'compaction.contextWindow': 50_000 })).toMatchObject({ window: 50_000 });
  });
});
