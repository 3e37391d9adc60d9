import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionReader, TranscriptHit } from '../../../src/worker/sessionApi.ts';
import type { SessionService } from '../../../src/worker/sessions.ts';
import { Dice } from '../../contract/boundary/inputs.ts';
import { answer, draft, say, use } from '../session/kit.ts';
import { bytesUnder } from '../support/files.ts';
import { openTestSessions, START, temporaryFolder } from '../support/folder.ts';
import { OWNER, PERSON } from './kit.ts';

const PUBLIC: SessionReader = { level: 'PUBLIC' };

const WORDS = ['walrus', 'redis', 'pool', 'login', 'retry', 'zod', 'cache', 'deploy'];

function open(folder = temporaryFolder(), defaultLevel: SessionReader['level'] = 'PUBLIC') {
  const clock = { time: START };
  const sessions = openTestSessions(folder, clock, new Set(), defaultLevel);
  const find = (query: string, reader = PERSON as SessionReader, limit = 10) =>
    sessions.searchTranscripts(query, reader, limit);
  return { folder, clock, sessions, find, catalog: join(folder, 'store', 'transcripts', 'catalog.sqlite') };
}

/** One turn of a session of its own. */
async function talk(sessions: SessionService, key: string, asked: string, said: string, level = OWNER.level) {
  const { id } = await sessions.turnBegin({ ...OWNER, key, level }, [draft(say('user', asked))]);
  await sessions.turnStep(id, [draft(say('assistant', said))]);
  await sessions.turnEnd(id, [], { reason: 'completed' });
  return id;
}

const said = (hits: readonly TranscriptHit[]) => hits.map(({ excerpt }) => excerpt);

describe('a search in transcripts', () => {
  it('finds what was said, in which session, by whom and when', async () => {
    const { sessions, find } = open();
    const id = await talk(
      sessions,
      'one',
      'Why is the redis pool exhausted?',
      'Because max_connections was left at 2.',
    );
    await talk(sessions, 'two', 'Rename the button', 'Done.');
    const [best, ...others] = await find('redis pools');
    expect(best).toMatchObject({
      session: { id, key: 'one', kind: 'participant', source: 'test' },
      role: 'user',
      at: START,
      level: 'PUBLIC',
      excerpt: 'Why is the redis pool exhausted?',
      relevance: 1,
    });
    expect(others.map(({ session }) => session.key)).not.toContain('two');
  });

  it.each([
    ['레디스를 왜 0으로 두면 안 되나요', '레디스'],
    ['왜 `useZodSchema` 를 쓰나요', 'zod schema'],
    ['the C++ build fails', 'c++'],
    ['한글'.normalize('NFD'), '한글'],
    ['the "quoted" OR NEAR(x) words* AND -more', 'quoted NEAR words'],
  ])('%s is found by %s', async (text, query) => {
    const { sessions, find } = open();
    await talk(sessions, 'one', text, 'Yes.');
    await talk(sessions, 'two', 'something else', 'No.');
    expect((await find(query))[0]?.session.key).toBe('one');
  });

  it.each(['', '   ', '"', "'; DROP TABLE messages; --", '*', 'NEAR', '\ud800', '()', 'the'])(
    'takes %j as words and nothing else',
    async (query) => {
      const { sessions, find } = open();
      await talk(sessions, 'one', 'A question', 'An answer');
      expect(await find(query)).toEqual([]);
      expect(await find('answer')).toHaveLength(1);
    },
  );

  it('takes a whole log as a query', async () => {
    const { sessions, find } = open();
    await talk(sessions, 'one', 'a walrus', 'ok');
    expect(await find(`walrus ${'word and more '.repeat(50_000)}`)).toHaveLength(1);
  });

  it('ranks what has more of the words first, and gives no more than was asked for', async () => {
    const { sessions, find } = open();
    for (let n = 0; n < 5; n++) await talk(sessions, `s${n}`, `The pool number ${n}`, 'ok');
    await talk(sessions, 'best', 'The pool of redis connections', 'ok');
    const hits = await find('redis pool', PERSON, 3);
    expect(hits).toHaveLength(3);
    expect(hits[0]?.session.key).toBe('best');
    expect(hits.map(({ relevance }) => relevance)).toEqual(
      hits.map(({ relevance }) => relevance).toSorted((a, b) => b - a),
    );
  });

  it('knows subagents, and neither calls nor their results', async () => {
    const { sessions, find } = open();
    const top = await talk(sessions, 'top', 'Look into it', 'I will');
    const agent = { id: '0-Scout', parent: top, depth: 1 };
    const { id } = await sessions.turnBegin({ ...OWNER, key: 'agent', kind: 'subagent', agent }, [
      draft(say('user', 'Where is the walrus?')),
    ]);
    await sessions.turnStep(id, [draft(say('assistant', use('c1', 'memory_recall')))]);
    await sessions.turnStep(id, [draft(say('user', answer('c1', 'pelican in a result')))]);
    await sessions.turnEnd(id, [draft(say('assistant', 'ok'))], { reason: 'completed' });
    expect(await find('walrus')).toMatchObject([{ session: { id: top }, agentId: '0-Scout' }]);
    expect(await find('pelican')).toEqual([]);
  });

  it('shows the part of a long text that has the words', async () => {
    const { sessions, find } = open();
    await talk(sessions, 'one', `${'filler '.repeat(200)}the walrus is here${' more'.repeat(200)}`, 'ok');
    const [excerpt = ''] = said(await find('walrus'));
    expect(excerpt).toMatch(/^….*walrus is here.*…$/);
    expect(excerpt.length).toBeLessThan(300);
  });
});

describe('the catalog of transcripts', () => {
  it('follows what is appended, here and by other processes, and what is gone', async () => {
    const { sessions, find, folder } = open();
    await talk(sessions, 'one', 'first walrus', 'ok');
    expect(said(await find('walrus'))).toEqual(['first walrus']);
    await talk(sessions, 'one', 'second walrus', 'ok');
    expect(said(await find('walrus')).sort()).toEqual(['first walrus', 'second walrus']);
    const other = open(folder);
    const id = await talk(other.sessions, 'two', 'third walrus', 'ok');
    expect(await find('walrus')).toHaveLength(3);
    other.sessions.close();
    rmSync(join(folder, 'store', 'sessions', `${id}.jsonl`));
    expect(await find('walrus')).toHaveLength(2);
  });

  it('is read again after a start, and only what is new is read from the transcripts', async () => {
    const { sessions, find, folder, catalog } = open();
    const id = await talk(sessions, 'one', 'first walrus', 'ok');
    await find('walrus');
    await sessions.tidy();
    sessions.close();
    // What the catalog says of the first message can only come from the catalog now.
    const file = join(folder, 'store', 'sessions', `${id}.jsonl`);
    const again = open(folder);
    await talk(again.sessions, 'one', 'second walrus', 'ok');
    writeFileSync(file, readFileSync(file, 'utf8').replace('first walrus', 'other animal'));
    expect(said(await again.find('walrus')).sort()).toEqual(['first walrus', 'second walrus']);
    again.sessions.close();
    rmSync(catalog);
    expect(said(await open(folder).find('second'))).toEqual([]);
  });

  it.each([
    ['missing', (file: string) => rmSync(file)],
    ['corrupt', (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 3000))],
    ['something else', (file: string) => writeFileSync(file, 'not a database')],
  ])('is made anew when its file is %s', async (_, harm) => {
    const { sessions, find, folder, catalog } = open();
    await talk(sessions, 'one', 'a walrus', 'ok');
    await find('walrus');
    await sessions.tidy();
    sessions.close();
    harm(catalog);
    expect(await open(folder).find('walrus')).toHaveLength(1);
  });

  it('keeps what is sealed out of its file, and still finds it after a start', async () => {
    const { sessions, find, folder, catalog } = open();
    await talk(sessions, 'low', 'a public walrus', 'ok');
    await talk(sessions, 'high', 'a secret walrus of Kamchatka', 'ok', 'CONFIDENTIAL');
    expect(await find('walrus')).toHaveLength(2);
    await sessions.tidy();
    expect(existsSync(catalog)).toBe(true);
    const bytes = bytesUnder(join(folder, 'store'));
    expect(bytes).toContain('public');
    expect(bytes.toLowerCase()).not.toContain('kamchatka');
    sessions.close();
    const again = open(folder);
    expect(await again.find('walrus')).toHaveLength(2);
    await talk(again.sessions, 'high', 'one more walrus', 'ok', 'CONFIDENTIAL');
    expect(await again.find('walrus')).toHaveLength(3);
    expect(await again.find('walrus', PUBLIC)).toHaveLength(1);
  });

  it('shows nothing of a session that has come to a level above the reader', async () => {
    const { sessions, find } = open();
    await talk(sessions, 'one', 'an early walrus', 'ok');
    expect(await find('walrus', PUBLIC)).toHaveLength(1);
    await talk(sessions, 'one', 'a late walrus', 'ok', 'CONFIDENTIAL');
    expect(await find('walrus', PUBLIC)).toEqual([]);
    expect(await find('walrus', { level: 'CONFIDENTIAL' })).toHaveLength(2);
  });

  it.each([
    ['sealed', 'PUBLIC'],
    ['in the clear', 'RESTRICTED'],
  ] as const)('finds the same whatever is above the reader, %s', async (_, defaultLevel) => {
    const dice = new Dice(11);
    const line = () => Array.from({ length: 4 }, () => dice.pick(WORDS)).join(' ');
    const [plain, other] = [open(temporaryFolder(), defaultLevel), open(temporaryFolder(), defaultLevel)];
    for (let n = 0; n < 60; n++) {
      const [key, text] = [`low-${dice.below(9)}`, line()];
      // Some of them rise, in the one before they were ever read, in the other after.
      const level = key === 'low-8' && n > 30 ? 'RESTRICTED' : 'INTERNAL';
      const passed = dice.chance(0.5) ? 1000 : 0;
      for (const each of [plain, other]) {
        each.clock.time += passed;
        await talk(each.sessions, key, text, 'ok', level);
      }
      await talk(other.sessions, `high-${dice.below(5)}`, line(), 'ok', 'CONFIDENTIAL');
      if (dice.chance(0.3)) await other.find(line(), { level: 'RESTRICTED' });
    }
    for (let n = 0; n < 40; n++) {
      const query = Array.from({ length: 1 + dice.below(4) }, () => dice.pick(WORDS)).join(' ');
      const [one, two] = await Promise.all(
        [plain, other].map(async ({ find }) =>
          (await find(query, { level: 'INTERNAL' }, 3)).map(({ uuid: _uuid, ...hit }) => hit),
        ),
      );
      expect(two, query).toEqual(one);
    }
  });

  it('prefers the newest of what is worth the same', async () => {
    const { sessions, find, clock } = open();
    for (let n = 0; n < 70; n++) {
      clock.time += 1000;
      await talk(sessions, `chat-${(n * 9) % 70}`, `walrus ${n}`, 'ok');
    }
    expect(said(await find('walrus', PERSON, 3))).toEqual(['walrus 69', 'walrus 68', 'walrus 67']);
  });

  it('keeps nothing when everything is deleted', async () => {
    const { sessions, find, folder } = open();
    await talk(sessions, 'one', 'a walrus', 'ok');
    await find('walrus');
    await sessions.tidy();
    await sessions.eraseSessions();
    expect(await find('walrus')).toEqual([]);
    await sessions.tidy();
    expect(bytesUnder(folder)).not.toContain('walrus');
  });

  it('keeps no word of a transcript that was deleted', async () => {
    const { sessions, find, folder } = open();
    const id = await talk(sessions, 'one', 'a walrus of Kamchatka', 'ok');
    await talk(sessions, 'two', 'a pelican', 'ok');
    await find('walrus');
    await sessions.tidy();
    rmSync(join(folder, 'store', 'sessions', `${id}.jsonl`));
    await find('walrus');
    await sessions.tidy();
    expect(bytesUnder(join(folder, 'store', 'transcripts'))).not.toMatch(/kamchatka/i);
  });
});
