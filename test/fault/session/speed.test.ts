/** How fast a transcript loads, as a ratio to parsing its lines in the same process. Only in the full run. */
import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { transcriptFile } from '../../../src/session/place.ts';
import type { Draft } from '../../../src/session/record.ts';
import { followTranscript, openTranscript } from '../../../src/session/transcript.ts';
import { Family, SOAK } from './family.ts';

const BYTES = 50_000_000;
const RESULT_BYTES = 4000;
const ROUNDS = 5;

const family = new Family();

afterAll(() => family.remove());

function cpuOf(action: () => unknown): number {
  const before = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

it.runIf(SOAK)('loads 50 MB at half the speed, or more, of parsing it as JSON lines', () => {
  family.renew();
  const { writer } = openTranscript(family.options());
  const text = 'const x = "값";\n\tif (a < b) return foo(bar);\n'.repeat(RESULT_BYTES / 45);
  const turn = (n: number): Draft[] => {
    const id = `t${n}`;
    const call = { type: 'tool_use', id, name: 'read', input: { path: `src/${n}.ts` } } as const;
    const result = { type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text }] } as const;
    return [
      { type: 'message', message: { role: 'assistant', content: [{ type: 'text', text: 'look' }, call] } },
      { type: 'message', message: { role: 'user', content: [result] } },
    ];
  };
  const file = transcriptFile(family.options());
  const turns = Math.ceil(BYTES / (RESULT_BYTES + 1000));
  writer?.append(Array.from({ length: turns }, (_, n) => turn(n)).flat());
  writer?.close();
  const ratios = Array.from({ length: ROUNDS }, () => {
    const parsing = cpuOf(() =>
      readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    );
    return parsing / cpuOf(() => followTranscript(family.options()).read());
  }).sort((a, b) => a - b);
  console.info(`speed ratios ${ratios.map((ratio) => ratio.toFixed(2))}`);
  expect(ratios[ROUNDS >> 1]).toBeGreaterThanOrEqual(0.5);
});
