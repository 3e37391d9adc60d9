import * as fc from 'fast-check';
import { getEncoding } from 'js-tiktoken';
import { describe, expect, it } from 'vitest';
import { clipText } from '../../../../src/session/compaction/clip.ts';
import { tokensOfMessages, tokensOfText, usedTokens } from '../../../../src/session/compaction/estimate.ts';
import { fitInto } from '../../../../src/session/compaction/fit.ts';
import { LEFT_OUT, microCompact } from '../../../../src/session/compaction/micro.ts';
import { rounds, tailStart, truncateForRetry, wholeCuts } from '../../../../src/session/compaction/rounds.ts';
import { skillsIn } from '../../../../src/session/compaction/skills.ts';
import {
  formatSummary,
  isSummary,
  isSummaryAnswer,
  summaryMessage,
} from '../../../../src/session/compaction/summaryText.ts';
import { summaryThreshold, thresholds } from '../../../../src/session/compaction/thresholds.ts';
import { type Block, type Message, textOf } from '../../../../src/session/messages.ts';
import { answer, say, unpaired } from '../kit.ts';

const encodings = [getEncoding('o200k_base'), getEncoding('cl100k_base')];

function call(id: string, name = 'read', input = {}): Block {
  return { type: 'tool_use', id, name, input };
}

function result(id: string, text: string): Block {
  return { type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text }] };
}

describe('thresholds', () => {
  it('keep buffer and growth at most a tenth of a window below 100,000, and are in order everywhere', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000_000 }),
        fc.integer({ min: 0, max: 200_000 }),
        (contextWindow, out) => {
          const found = thresholds({ contextWindow, maxOutputTokens: out });
          const { effectiveWindow: effective, buffer, growth, reserved } = found;
          expect(effective + reserved).toBe(contextWindow);
          if (effective < 100_000) {
            expect(buffer).toBeLessThanOrEqual(effective / 10);
            expect(growth).toBeLessThanOrEqual(effective / 10);
          }
          expect(effective).toBeGreaterThan(contextWindow / 2);
          expect(summaryThreshold(found)).toBeGreaterThanOrEqual(found.microThreshold);
          expect(summaryThreshold(found)).toBeLessThanOrEqual(effective);
        },
      ),
    );
  });

  it('take 20,000 where nobody says how long an answer is', () => {
    expect(thresholds({ contextWindow: 200_000, maxOutputTokens: 0 }).reserved).toBe(20_000);
    expect(thresholds({ contextWindow: 200_000, maxOutputTokens: 64_000 }).reserved).toBe(20_000);
  });
});

describe('the estimate', () => {
  const prose =
    'The session is resumed from its transcript, and whatever was left open is told to the model before it goes on. ';
  const code =
    'export function sum(items: readonly number[]): number {\n  return items.reduce((a, b) => a + b, 0);\n}\n';
  const korean = '세션은 기록에서 다시 시작되며, 열려 있던 것은 모델이 계속하기 전에 알려 줍니다. ';
  const random = Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 7919 + (at >> 3) * 104729) % 256));
  it.each([
    ['prose', prose.repeat(30)],
    ['code', code.repeat(30)],
    ['Korean', korean.repeat(30)],
    ['Korean in its parts', korean.repeat(10).normalize('NFD')],
    ['Japanese', 'セッションは記録から再開されます。漢字も数えます。'.repeat(30)],
    ['emoji', '👩‍👩‍👧‍👦🏳️‍🌈🎉🇰🇷'.repeat(50)],
    ['base64', random.toString('base64')],
    ['hex', random.toString('hex')],
    ['digits', '31415926535897932384626433832795'.repeat(30)],
    [
      'JSON',
      JSON.stringify(
        Array.from({ length: 90 }, (_, at) => ({ id: at, path: `src/a${at}.ts`, ok: at % 2 > 0 })),
      ),
    ],
    ['marks', '{}[]();:,.<>/?!@#$%^&*-_=+|~`"\\'.repeat(40)],
    ['Cyrillic', 'Сессия возобновляется из журнала и продолжается. '.repeat(30)],
    ['lone surrogates', '\ud800x\udc00'.repeat(200)],
    ['nothing but blanks', ' \n\t'.repeat(300)],
  ])('is not below what tokenizers count: %s', (_, text) => {
    const counted = Math.max(...encodings.map((encoding) => encoding.encode(text.toWellFormed()).length));
    expect(tokensOfText(text)).toBeGreaterThanOrEqual(counted * 0.97);
    expect(tokensOfText(text)).toBeLessThanOrEqual(counted * 4 + 400);
  });

  it('goes by the usage of the last answer, and adds what came after it', () => {
    const messages = [say('user', prose.repeat(100)), say('assistant', 'ok'), say('user', prose)];
    const usage = { input_tokens: 2_500, output_tokens: 2, cache_read_tokens: 0, cache_write_tokens: 0 };
    const used = usedTokens({ system: '', tools: [], messages }, usage);
    expect(used).toBe(2_502 + tokensOfMessages(messages.slice(2)));
    const nothing = { ...usage, input_tokens: 0, output_tokens: 0 };
    expect(usedTokens({ system: '', tools: [], messages }, nothing)).toBeGreaterThan(2_502);
  });

  it('does not believe a server that tells only a part', () => {
    const messages = [say('user', prose.repeat(100)), say('assistant', 'ok')];
    const usage = { input_tokens: 3, output_tokens: 2, cache_read_tokens: 0, cache_write_tokens: 0 };
    const used = usedTokens({ system: '', tools: [], messages }, usage);
    expect(used).toBeGreaterThan(encodings[0]?.encode(prose.repeat(100)).length ? 1_000 : 0);
  });
});

describe('micro-compaction', () => {
  const long = 'x'.repeat(1_000);
  const history = Array.from({ length: 8 }, (_, at) => [
    say('assistant', call(`c${at}`, at % 2 === 0 ? 'read' : 'copilot_runInTerminal')),
    say('user', result(`c${at}`, `${at}${long}`)),
  ]).flat();

  it('leaves out all but the newest five results, changes nothing it was given, and is done once', () => {
    const before = structuredClone(history);
    const once = microCompact(history);
    expect(history).toEqual(before);
    const texts = once.flatMap(({ content }) =>
      content.flatMap((block) =>
        block.type === 'tool_result' ? [textOf({ role: 'user', content: block.content })] : [],
      ),
    );
    expect(texts.map((text) => text === LEFT_OUT)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(microCompact(once)).toEqual(once);
    expect(once.slice(6)).toEqual(history.slice(6));
    expect(once[7]).toBe(history[7]);
    expect(unpaired(once)).toEqual([]);
  });

  it('keeps results of tools that cannot be called again, short ones, and skills', () => {
    const others = [
      say(
        'assistant',
        call('t', 'memory_remember'),
        call('s', 'read'),
        call('k', 'read', { path: 'a/pdf/SKILL.md' }),
      ),
      say('user', result('t', long), result('s', 'short'), result('k', long)),
    ];
    expect(microCompact([...others, ...history.slice(-10)])[1]).toBe(others[1]);
  });
});

const anyMessage = fc.oneof(
  fc.record({
    role: fc.constantFrom<Message['role']>('user', 'assistant', 'system'),
    content: fc.array(
      fc.oneof(
        fc.nat({ max: 3_000 }).map((size): Block => ({ type: 'text', text: 'word '.repeat(size / 5) })),
        fc.constantFrom('a', 'b', 'c', 'd').map((id) => call(id, 'read', { text: 'x'.repeat(500) })),
        fc
          .tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat({ max: 9_000 }))
          .map(([id, size]) => result(id, '가'.repeat(size))),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  }),
);

/** The messages with halves of pairs taken out, as a view shows them. */
function paired(messages: readonly Message[]): Message[] {
  const called = new Set<string>();
  const answered = new Map<string, number>();
  messages.forEach(({ content }, at) => {
    for (const block of content) if (block.type === 'tool_result') answered.set(block.tool_use_id, at);
  });
  const used = new Set<string>();
  return messages.flatMap(({ role, content }, at) => {
    const left = content.filter((block) => {
      if (block.type === 'tool_use') {
        if (called.has(block.id) || (answered.get(block.id) ?? -1) <= at || role !== 'assistant')
          return false;
        called.add(block.id);
        return true;
      }
      if (block.type !== 'tool_result') return true;
      if (!called.has(block.tool_use_id) || used.has(block.tool_use_id) || role !== 'user') return false;
      if (answered.get(block.tool_use_id) !== at) return false;
      used.add(block.tool_use_id);
      return true;
    });
    return left.length === 0 ? [] : [{ role, content: left }];
  });
}

describe('cutting', () => {
  it('never parts a call and its result', () => {
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 20 }), fc.integer({ min: 0, max: 9 }), (drawn, keep) => {
        const messages = paired(drawn).filter((message) => message.content.length > 0);
        fc.pre(unpaired(messages).length === 0);
        for (const cut of wholeCuts(messages)) expect(unpaired(messages.slice(cut))).toEqual([]);
        const start = tailStart(messages, keep, 2_000);
        if (start !== undefined) {
          expect(start).toBeGreaterThan(0);
          expect(start).toBeLessThan(messages.length);
          expect(unpaired(messages.slice(start))).toEqual([]);
        }
        expect(rounds(messages).flat()).toEqual(messages);
        expect(unpaired(truncateForRetry(messages) ?? [])).toEqual([]);
      }),
    );
  });

  it('comes to an end when it is repeated', () => {
    let left: readonly Message[] | undefined = Array.from({ length: 30 }, (_, at) =>
      say(at % 2 === 0 ? 'user' : 'assistant', `m${at}`),
    );
    let times = 0;
    while (left !== undefined) {
      left = truncateForRetry(left);
      expect(times++).toBeLessThan(40);
    }
  });
});

describe('fitting', () => {
  it('always fits, keeps pairs whole and the newest message, and gives the same for the same', () => {
    fc.assert(
      fc.property(
        fc.array(anyMessage, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 2_500, max: 9_000 }),
        (drawn, room) => {
          const messages = paired(drawn);
          fc.pre(messages.length > 0 && unpaired(messages).length === 0);
          const fitted = fitInto(messages, room);
          expect(tokensOfMessages(fitted.messages)).toBeLessThanOrEqual(room);
          expect(unpaired(fitted.messages)).toEqual([]);
          expect(fitted.messages.at(-1)?.role).toBe(messages.at(-1)?.role);
          expect(fitInto(messages, room)).toEqual(fitted);
          if (tokensOfMessages(messages) <= room) expect(fitted.messages).toBe(messages);
        },
      ),
    );
  });

  it('shortens one huge message, whatever it is, to its head and tail', () => {
    const text = `HEAD ${'가'.repeat(400_000)} TAIL`;
    for (const messages of [
      [say('user', text)],
      [say('user', 'q'), say('assistant', call('a')), say('user', result('a', text))],
      [
        say('user', 'q'),
        say('assistant', call('a', 'write', { deep: [{ content: text }] })),
        say('user', answer('a')),
      ],
      [say('system', text)],
    ]) {
      const { messages: fitted } = fitInto(messages, 4_000);
      expect(tokensOfMessages(fitted)).toBeLessThanOrEqual(4_000);
      const json = JSON.stringify(fitted);
      expect(json).toContain('HEAD');
      expect(json).toContain('TAIL');
      expect(json).toMatch(/[\d,]+ characters are left out/);
      expect(fitted.length).toBeGreaterThanOrEqual(messages.length);
    }
  });

  it('keeps the summary and the person’s last message when rounds are dropped', () => {
    const { message: summary } = summaryMessage('Summary:\nfacts', [], 24_000);
    const steps = Array.from({ length: 40 }, (_, at) => [
      say('assistant', `step ${at} ${'word '.repeat(300)}`, call(`c${at}`)),
      say('user', result(`c${at}`, 'ok')),
    ]).flat();
    const { messages, hasDropped } = fitInto(
      [summary, say('assistant', 'sure'), say('user', 'do it'), ...steps],
      5_000,
    );
    expect(hasDropped).toBe(true);
    expect(messages[0]).toEqual(summary);
    expect(messages.map(textOf)).toContain('do it');
    expect(textOf(messages.at(-2) as Message)).toMatch(/^step 39/);
  });

  it('does not tear a character in two', () => {
    for (let tokens = 60; tokens < 90; tokens++)
      expect(clipText('👍'.repeat(500), tokens).isWellFormed()).toBe(true);
  });
});

describe('a summary', () => {
  it.each([
    ['text', 'Summary:\ntext'],
    ['<summary>cut off', 'Summary:\ncut off'],
    ['<analysis>only thought', ''],
    ['<analysis>a<summary>b</summary>', 'Summary:\nb'],
    ['<summary>a\n\n\n\n  \n\nb</summary>', 'Summary:\na\n\nb'],
    ['<ANALYSIS>x</ANALYSIS><Summary>y</Summary>', 'Summary:\ny'],
    ['', ''],
    ['<summary>   </summary>', ''],
  ])('of %j', (raw, expected) => {
    expect(formatSummary(raw)).toBe(expected);
  });

  it('is told from other answers', () => {
    expect(isSummaryAnswer('I cannot help with that.')).toBe(false);
    expect(isSummaryAnswer('<summary></summary>')).toBe(false);
    expect(isSummaryAnswer('<summary>1. x</summary>')).toBe(true);
    expect(isSummaryAnswer('1. a\n2. b\n3. c\n4. d\n5. e')).toBe(true);
    expect(isSummaryAnswer('## 1. a\n**2.** b\n3. c')).toBe(false);
  });

  it('carries on the latest copy of each skill and the person’s latest message, through summary after summary', () => {
    const read = (id: string, name: string, text: string) => [
      say('assistant', call(id, 'read', { path: `skills/${name}/SKILL.md` })),
      say('user', result(id, text)),
    ];
    const first = [
      say('user', 'make a PDF'),
      ...read('1', 'pdf', 'old rules'),
      ...read('2', 'web', 'web rules'),
      ...read('3', 'pdf', 'new rules'),
    ];
    const one = summaryMessage('Summary:\none', first, 100_000);
    expect(one.skills).toEqual([
      { name: 'web', text: 'web rules' },
      { name: 'pdf', text: 'new rules' },
    ]);
    const two = summaryMessage('Summary:\ntwo', [one.message, ...read('4', 'web', 'newest web')], 100_000);
    const text = textOf(two.message);
    expect(text).toContain('new rules');
    expect(text).toContain('newest web');
    expect(text).not.toContain('old rules');
    expect(text).not.toContain('one');
    expect(text.split('make a PDF')).toHaveLength(2);
  });

  it('bounds what skills take up, the newest first', () => {
    const skills = Array.from({ length: 12 }, (_, at) => [
      say('assistant', call(`${at}`, 'read', { path: `s${at}\\SKILL.md` })),
      say('user', result(`${at}`, `rule ${at} ${'word '.repeat(20_000)}`)),
    ]).flat();
    const found = skillsIn(skills, 25_000, isSummary);
    expect(found.map(({ name }) => name)).toEqual(['s7', 's8', 's9', 's10', 's11'].slice(-found.length));
    expect(found.length).toBeGreaterThan(3);
    for (const { text } of found) expect(tokensOfText(text)).toBeLessThanOrEqual(5_000);
  });
});
