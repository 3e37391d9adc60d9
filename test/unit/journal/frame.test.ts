import fc from 'fast-check';
import { expect, it } from 'vitest';
import { frame, scan } from '../../../src/journal/frame.ts';

function read(bytes: Buffer, continuing = false) {
  const bodies: string[] = [];
  const damage: [number, number][] = [];
  const consumed = scan(bytes, continuing, {
    body(start, end) {
      bodies.push(bytes.toString('utf8', start, end));
      return true;
    },
    damage: (start, end) => damage.push([start, end]),
  });
  return { bodies, damage, consumed };
}

it('reads back every JSON text, with whatever it holds', () => {
  fc.assert(
    fc.property(fc.array(fc.json()), (texts) => {
      const bytes = Buffer.concat(texts.map((text) => frame(text)));
      expect(read(bytes)).toEqual({ bodies: texts, damage: [], consumed: bytes.length });
    }),
    { seed: 1 },
  );
});

it('loses only the record a changed byte belongs to, and always notices', () => {
  const texts = ['{"a":1}', '{"b":"two"}', '{"c":[3]}'];
  const frames = texts.map((text) => frame(text));
  const whole = Buffer.concat(frames);
  const ends = frames.map((_, i) => Buffer.concat(frames.slice(0, i + 1)).length);
  for (let at = 0; at < whole.length; at++) {
    const hit = ends.findIndex((end) => at < end);
    for (let value = 0; value < 256; value++) {
      if (value === whole[at]) continue;
      const bytes = Buffer.from(whole);
      bytes[at] = value;
      const { bodies, damage, consumed } = read(bytes);
      expect(bodies).toEqual(expect.arrayContaining(texts.filter((_, i) => i !== hit)));
      expect(damage.length > 0 || consumed < bytes.length).toBe(true);
    }
  }
});

it('leaves a torn tail for later and goes on where it stopped', () => {
  const whole = Buffer.concat([frame('{"a":1}'), frame('{"b":2}')]);
  const first = frame('{"a":1}').length;
  for (let cut = first; cut < whole.length - 1; cut++) {
    expect(read(whole.subarray(0, cut))).toEqual({ bodies: ['{"a":1}'], damage: [], consumed: first });
    expect(read(whole.subarray(first), true).bodies).toEqual(['{"b":2}']);
  }
});

it('takes a last record that lacks only its line feed, and skips the line feed when it comes', () => {
  const whole = frame('{"a":1}');
  const cut = read(whole.subarray(0, -1));
  expect(cut).toEqual({ bodies: ['{"a":1}'], damage: [], consumed: whole.length - 1 });
  expect(read(whole.subarray(-1), true)).toEqual({ bodies: [], damage: [], consumed: 1 });
});

it('counts a verified text that is no record as damage', () => {
  const bytes = Buffer.concat([frame('nonsense'), frame('{}')]);
  const damage: number[] = [];
  scan(bytes, false, {
    body: (start, end) => bytes.toString('utf8', start, end) === '{}',
    damage: (start, end) => damage.push(start, end),
  });
  expect(damage).toEqual([0, frame('nonsense').length]);
});

it.each([0x1e, 0x0a, 0x00, 0x61])('gets through a file of nothing but byte %i in no time', (byte) => {
  const started = performance.now();
  const { bodies } = read(Buffer.alloc(1 << 20, byte));
  expect(bodies).toEqual([]);
  expect(performance.now() - started).toBeLessThan(3000);
});

it('gets through a file of records that never end in no time', () => {
  const started = performance.now();
  read(Buffer.from('\x1e00000000 x'.repeat(1 << 16), 'latin1'));
  expect(performance.now() - started).toBeLessThan(3000);
});
