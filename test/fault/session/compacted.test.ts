/** A session that is much longer than its model's window, and whose process is killed on the way. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { KeyRing } from '../../../src/journal/keys.ts';
import { textOf } from '../../../src/session/messages.ts';
import { followTranscript } from '../../../src/session/transcript.ts';
import { viewOf } from '../../../src/session/view.ts';
import { unpaired } from '../../unit/session/kit.ts';
import { ID } from './common.ts';
import { FACTS, WINDOW } from './factModel.ts';

const TURNS = 300;
/** Where the process is killed: between and within turns. */
const KILLS = [7, 151];

const root = mkdtempSync(join(tmpdir(), 'lodeline-compacted-'));
const program = join(root, 'child.mjs');
const dir = join(root, 'sessions');
const keys = join(root, 'keys');

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, 'compactedChild.ts')],
    ...{ outfile: program, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' },
  });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Life {
  turns: number;
  longest: number;
  summaries: number;
  said: string;
}

/** One life of the process, which is killed some milliseconds after it has told of a turn. */
async function live(from: number, killAt?: number): Promise<Life> {
  const child = spawn(process.execPath, [program, JSON.stringify({ dir, keys, from, turns: TURNS })]);
  const life: Life = { turns: from, longest: 0, summaries: 0, said: '' };
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    life.said += text;
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { turn, longest, summaries } = JSON.parse(line);
    Object.assign(life, { turns: turn, longest, summaries });
    if (turn === killAt) setTimeout(() => child.kill('SIGKILL'), 3);
  }
  return life;
}

function recorded() {
  const reader = followTranscript({
    ...{ dir, id: ID, keys: new KeyRing({ dir: keys }), defaultLevel: 'PUBLIC', now: Date.now },
  });
  const { records } = reader.read();
  return records;
}

it('comes to its end in a small window, and still knows what was said in its first turns', {
  timeout: 600_000,
}, async () => {
  let turns = 0;
  let summaries = 0;
  for (const kill of [...KILLS, undefined]) {
    const life = await live(turns, kill);
    expect(life.said).toBe('');
    expect(life.longest).toBeLessThanOrEqual(WINDOW);
    summaries += life.summaries;
    if (kill !== undefined) expect(life.turns).toBeLessThan(TURNS);
    ({ turns } = life);
  }
  expect(turns).toBe(TURNS);
  const records = recorded();
  const compactions = records.filter(({ type }) => type === 'boundary').length;
  expect(compactions).toBeGreaterThan(3);
  expect(summaries).toBeGreaterThanOrEqual(compactions);
  const view = viewOf(records).messages();
  expect(unpaired(view)).toEqual([]);
  const text = view.map(textOf).join('\n');
  for (const fact of FACTS) expect(text).toContain(fact);
  expect(text).toContain(`Turn ${TURNS}`);
  // Nothing is copied for it: what was kept stands in the transcript once.
  const prompts = records.flatMap((record) =>
    record.type === 'message' && record.summary_of === undefined ? [textOf(record.message)] : [],
  );
  for (const turn of [1, 20, 200])
    expect(prompts.filter((said) => said.startsWith(`Turn ${turn}:`))).toHaveLength(1);
});
