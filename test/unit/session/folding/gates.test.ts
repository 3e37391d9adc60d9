import { describe, expect, it } from 'vitest';
import { archiveText } from '../../../../src/session/folding/archive.ts';
import { textOfBlock } from '../../../../src/session/folding/identity.ts';
import { unpaired } from '../kit.ts';
import { Conversation, SUMMARY } from './kit.ts';

function reading(count = 12, characters = 4_000): Conversation {
  const talk = new Conversation().user('Find the parser.');
  for (let at = 0; at < count; at++) talk.read(characters);
  return talk;
}

describe('a refusal says what to do instead', () => {
  const range = { startId: 'm2', endId: 'm13', summary: SUMMARY };
  it.each([
    [
      'no arguments',
      {},
      /"content", the list of what to fold, is missing.*Call Compress again, as in \{"content"/s,
    ],
    ['no list', { content: 7 }, /"content" must be a list/],
    ['nothing whole', { content: [{}] }, /no item has startId, endId and summary/],
    ['a short summary', { content: [{ ...range, summary: 'short' }] }, /5 characters, and 50 are the least/],
    [
      'a long summary',
      { content: [{ ...range, summary: 'x'.repeat(20_001) }] },
      /20001 characters, and 20000 are the most/,
    ],
    [
      'no id',
      { content: [{ ...range, startId: 'first' }] },
      /must be ids such as m00004.*These can be folded: m00002/s,
    ],
    [
      'both kinds',
      { content: [{ ...range, endId: 'b1' }] },
      /both be messages \(m…\) or both folded sections/,
    ],
    [
      'an unknown id',
      { content: [{ ...range, endId: 'm999' }] },
      /There is no m00999 here: ids go up to m00037/,
    ],
    [
      'an unknown section',
      { content: [{ ...range, startId: 'b1', endId: 'b2' }] },
      /There is no b1\. There are no folded sections yet/,
    ],
    [
      'the end',
      { content: [{ ...range, startId: 'm36', endId: 'm37' }] },
      /The end of the conversation.*stay as they are/,
    ],
    [
      'too little',
      { content: [{ ...range, endId: 'm4' }] },
      /only 40\d\d characters: at least 5000.*m00002 to m\d{5}/s,
    ],
    [
      'no gain',
      { content: [{ ...range, endId: 'm7', summary: 'word '.repeat(4_000) }] },
      /Nothing would be gained/,
    ],
  ])('of %s', (_, input, says) => {
    const talk = reading();
    const text = talk.compress(input);
    expect(text).toMatch(/^Nothing was folded/);
    expect(text).toMatch(says);
    expect(talk.folds.blocks.all).toEqual([]);
  });

  it('of what is folded already', () => {
    const talk = reading();
    talk.fold('m2', 'm13');
    expect(talk.fold('m5', 'm20')).toMatch(/m00005 is folded in b1 already.*startId "b1"/s);
    expect(talk.fold('b1', 'b1')).toMatch(/name two or more sections of one tier/);
  });

  it('and does what it can of the rest', () => {
    const talk = reading();
    const items = [
      ['m2', 'm13'],
      ['m8', 'm10'],
      ['m900', 'm901'],
    ].map(([startId, endId]) => ({ startId, endId, summary: SUMMARY }));
    const text = talk.compress({ content: items as never });
    expect(text).toMatch(/^b1\(T1\)=m00002\.\.m00013/);
    expect(text).toMatch(/Item 2: An earlier item of this call folds these messages/);
    expect(text).toMatch(/Item 3: There is no m00900/);
  });
});

/** Numbers in [0, n) that follow from the seed. */
function dice(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

it('random conversations and random calls: pairs stay whole, nothing is lost, the same is shown twice', () => {
  let folds = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const roll = dice(seed);
    const talk = new Conversation().user('Go.');
    for (let step = 0; step < 40; step++) {
      const kind = roll(10);
      if (kind < 5) talk.read(200 + roll(6_000), `text ${seed} ${step} `);
      else if (kind === 5) talk.user(`again ${roll(3)}`);
      else if (kind === 6 && talk.messages.length > 6) talk.messages.length -= 2 * (1 + roll(2));
      else {
        const last = talk.folds.cores.length;
        const ref = () => (roll(6) === 0 ? `b${1 + roll(5)}` : `m${1 + roll(last + 3)}`);
        const content = Array.from({ length: 1 + roll(3) }, () => ({
          startId: ref(),
          endId: ref(),
          summary: roll(8) === 0 ? 'x' : `${SUMMARY} ${roll(1_000)}`,
        }));
        talk.compress(roll(9) === 0 ? { content: 'broken' } : { content });
      }
      const [newest] = talk.folds.blocks.active;
      if (newest !== undefined && roll(12) === 0)
        talk.opened = [...talk.opened, { block: `b${newest.number}`, call_id: newest.callId }];
      const before = JSON.stringify(talk.messages);
      const view = JSON.stringify(talk.view);
      expect(JSON.stringify(talk.messages)).toBe(before);
      const again = new Conversation();
      again.messages.push(...structuredClone(talk.messages));
      again.opened = talk.opened;
      expect(JSON.stringify(again.view)).toBe(view);
      // What was parted by going back is not this test's.
      const parted = unpaired(talk.messages);
      expect(unpaired(talk.view).filter((id) => !parted.includes(id))).toEqual([]);
      expectAllThere(talk);
      folds += talk.folds.folded.length;
    }
  }
  expect(folds).toBeGreaterThan(150);
}, 240_000);

/** Each core message is in the view, or in the original of a block, or a `Compress` call that was seen. */
function expectAllThere(talk: Conversation): void {
  const { folds } = talk;
  const covered = folds.blocks.coverage();
  for (const block of folds.blocks.all) {
    if (block.tier !== 1) continue;
    const archive = archiveText('s', folds, block);
    for (const ref of block.refs)
      expect(archive.includes(textOfBlock(folds.cores[ref - 1]?.block as never))).toBe(true);
  }
  for (const [ref, block] of covered) expect(leavesOf(talk, block.number)).toContain(ref);
}

function leavesOf(talk: Conversation, number: number): readonly number[] {
  const block = talk.folds.blocks.get(number);
  if (block === undefined) return [];
  return block.tier === 1 ? block.refs : block.children.flatMap((child) => leavesOf(talk, child));
}
