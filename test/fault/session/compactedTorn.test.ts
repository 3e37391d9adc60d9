/** A compaction whose records did not all come to the disk. */
import { writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isSummary } from '../../../src/session/compaction/summaryText.ts';
import { textOf } from '../../../src/session/messages.ts';
import { viewOf } from '../../../src/session/view.ts';
import { unpaired } from '../../unit/session/kit.ts';
import { ScriptedModel, use } from '../../unit/session/turnKit.ts';
import { compactorOf, EffectLoop } from './effectKit.ts';
import { goOn, live, notes, place, records } from './effectLives.ts';

describe('a compaction', () => {
  const reads = Array.from({ length: 14 }, (_, at) => [{ id: `r${at}`, name: 'read', input: { path: 'a' } }]);

  it('that the disk has no room for ends the turn, and the next one goes on from what was there', async () => {
    const { folder, work } = place();
    writeFileSync(join(work, 'a'), 'word '.repeat(400));
    let isFull = true;
    const full = new EffectLoop({
      ...{ folder, instance: 'first' },
      seam: {
        write(fd, bytes, offset, length) {
          const text = Buffer.from(bytes.buffer, bytes.byteOffset + offset, length);
          if (!isFull || !text.includes('"keeps_rest"')) return writeSync(fd, bytes, offset, length);
          writeSync(fd, bytes, offset, length >> 1);
          throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
        },
      },
    });
    onTestFinished(() => full.sessions.close());
    const script = () => reads.map(([read]) => [use('read', read?.id ?? '', { path: 'a' })]);
    const summarising = (model: ScriptedModel) => {
      const send = model.send.bind(model);
      model.send = async function* (request) {
        if (request.tools.length > 0) yield* send(request);
        else yield { type: 'text', text: '<summary>\n1. Intent: FACT\n</summary>' };
      };
      return model;
    };
    const broken = summarising(new ScriptedModel(...script()));
    const result = await full.turn(broken, { compactor: compactorOf(6_000) });
    expect(result.reason).toBe('writer-failed');
    expect(result.detail).not.toContain(folder);
    isFull = false;
    const model = summarising(new ScriptedModel());
    expect(await full.turn(model, { compactor: compactorOf(6_000) })).toMatchObject({ reason: 'completed' });
    expect(unpaired(model.seen(0))).toEqual([]);
    // What is left of the first one says that it was tried, and has no effect.
    expect(model.seen(0).filter(isSummary)).toHaveLength(1);
  });

  it.each([0, 0.02, 0.3, 0.5, 0.7, 0.98, 1])(
    'that was cut off after %s of its records took place whole or not at all',
    async (at) => {
      const { folder, work } = place();
      writeFileSync(join(work, 'a'), 'word '.repeat(400));
      await live({
        ...{ folder, answers: reads, dies: 'torn', window: 6_000 },
        torn: { on: '"keeps_rest"', at },
      });
      const left = viewOf(records(folder)).messages();
      expect(left.some(isSummary)).toBe(at === 1);
      expect(left.map(textOf).join()).toContain('Go');
      const model = new ScriptedModel([use('read', 'again', { path: 'a' })]);
      const loop = goOn(folder);
      expect(await loop.turn(model, { compactor: compactorOf(60_000) })).toMatchObject({
        reason: 'completed',
      });
      expect(unpaired(model.seen(1))).toEqual([]);
      expect(model.seen(1).some(isSummary)).toBe(at === 1);
      expect(notes(model)).toContain('The last turn did not come to its end.');
      expect(notes(model).includes('The last record was incomplete')).toBe(at > 0 && at < 1);
    },
  );
});
