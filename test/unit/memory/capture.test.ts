import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Action, CaptureLog } from '../../../src/memory/capture.ts';
import { TOKEN_SAMPLES } from '../policy/secretSamples.ts';
import { bytesUnder } from '../support/files.ts';
import { START, temporaryFolder } from '../support/folder.ts';

const ACTION: Action = {
  ...{ session: 's', agent: 'copilot', branch: 'main', level: 'PUBLIC' },
  ...{ tool: 'read_file', input: { filePath: '/r/a.ts' }, file: 'a.ts' },
};
const ALL = { limit: 500, tool: '', file: '' };

function logs(count = 1) {
  const dir = join(temporaryFolder(), 'captured');
  const clock = { time: START };
  const open = () =>
    new CaptureLog({ dir, defaultLevel: 'INTERNAL', now: () => clock.time, alive: () => false });
  const all = Array.from({ length: count }, open);
  return { dir, clock, open, all, log: all[0] as CaptureLog };
}

it('lists the newest first, by tool and file, and counts the rest', async () => {
  const { log, clock } = logs();
  for (const [tool, file] of [
    ['read_file', 'src/a.ts'],
    ['run_in_terminal', ''],
    ['read_file', '한글.ts'],
  ] as const) {
    clock.time += 1000;
    await log.add({ ...ACTION, tool, file, input: { file } });
  }
  const tools = (query: Partial<typeof ALL>) => {
    const { captures, total } = log.list({ ...ALL, ...query }, 'PUBLIC');
    return [captures.map(({ file }) => file), total];
  };
  expect(tools({})).toEqual([['한글.ts', '', 'src/a.ts'], 3]);
  expect(tools({ limit: 1 })).toEqual([['한글.ts'], 3]);
  expect(tools({ tool: 'READ' })).toEqual([['한글.ts', 'src/a.ts'], 2]);
  expect(tools({ file: '한글'.normalize('NFD') })).toEqual([['한글.ts'], 1]);
});

it('says what an action was about on one line', async () => {
  const { log } = logs();
  const inputs = [
    { command: 'npm test\n• you' },
    { query: 'redis' },
    { filePath: 'x' },
    'text',
    null,
    3,
    undefined,
  ];
  for (const input of inputs) await log.add({ ...ACTION, input });
  const summaries = log.list(ALL, 'PUBLIC').captures.map(({ summary }) => summary);
  expect(summaries.toSorted()).toEqual(
    ['npm test • you', 'redis', '{"filePath":"x"}', 'text', 'null', '3', ''].toSorted(),
  );
  await log.add({ ...ACTION, input: { command: '가'.repeat(9999) } });
  expect([
    ...(log.list({ ...ALL, limit: 500 }, 'PUBLIC').captures.find(({ summary }) => summary.startsWith('가'))
      ?.summary ?? ''),
  ]).toHaveLength(200);
});

it('says of an edit what was written rather than its input, which names a place on this machine', async () => {
  const { log } = logs();
  for (const name of ['new_string', 'newString', 'new_source', 'newCode', 'content', 'patch'])
    await log.add({
      ...ACTION,
      input: { file_path: '/home/me/a.ts', old_string: 'x', [name]: `the ${name}` },
    });
  expect(
    log
      .list(ALL, 'PUBLIC')
      .captures.map(({ summary }) => summary)
      .toSorted(),
  ).toEqual(
    [
      'the content',
      'the newCode',
      'the newString',
      'the new_source',
      'the new_string',
      'the patch',
    ].toSorted(),
  );
});

it('keeps no secret', async () => {
  const { log, dir } = logs();
  for (const { text, secret } of TOKEN_SAMPLES) {
    await log.add({ ...ACTION, input: { command: text } });
    expect(bytesUnder(dir)).not.toContain(secret);
  }
});

it('keeps the same action once in five minutes, whichever process saw it', async () => {
  const { all, open, clock } = logs(3);
  for (const log of all) await log.add(ACTION);
  expect(open().list(ALL, 'PUBLIC').total).toBe(1);
  clock.time += 5 * 60_000 - 1;
  await open().add(ACTION);
  expect(open().list(ALL, 'PUBLIC').total).toBe(1);
  clock.time += 1;
  await open().add(ACTION);
  await open().add({ ...ACTION, session: 'other' });
  expect(open().list(ALL, 'PUBLIC').total).toBe(3);
});

it('keeps the newest five hundred', async () => {
  const { log, clock } = logs();
  for (let n = 0; n < 520; n++) {
    clock.time += 1;
    await log.add({ ...ACTION, input: { n } });
  }
  const { captures, total } = log.list(ALL, 'PUBLIC');
  expect(total).toBe(500);
  expect(captures[0]?.summary).toBe('{"n":519}');
});

it('is cleared for good, also of what other processes hold and of the future', async () => {
  const { all, open, clock } = logs(2);
  const [one, two] = all as [CaptureLog, CaptureLog];
  await one.add(ACTION);
  clock.time += 3_600_000;
  await two.add({ ...ACTION, input: 2 });
  clock.time = START;
  expect(open().clear(['PUBLIC'])).toBe(2);
  await one.add({ ...ACTION, session: 'x' });
  expect(open().list(ALL, 'RESTRICTED').total).toBe(0);
  clock.time += 3_600_001;
  await one.add({ ...ACTION, input: 'later' });
  expect(
    open()
      .list(ALL, 'PUBLIC')
      .captures.map(({ summary }) => summary),
  ).toEqual(['later']);
});

it('shows and clears up to the reader’s level, and keeps nothing that would have to be sealed', async () => {
  const { log, dir } = logs();
  await log.add(ACTION);
  await log.add({ ...ACTION, level: 'INTERNAL', input: 'internal' });
  await log.add({ ...ACTION, level: 'CONFIDENTIAL', input: 'confidential' });
  expect(log.list(ALL, 'PUBLIC').total).toBe(1);
  expect(log.list(ALL, 'RESTRICTED').total).toBe(2);
  expect(bytesUnder(dir)).not.toContain('confidential');
  expect(log.clear(['PUBLIC'])).toBe(1);
  expect(log.list(ALL, 'INTERNAL').total).toBe(1);
});

it('is not harmed by damage', async () => {
  const { log, dir, open } = logs();
  await log.add(ACTION);
  writeFileSync(
    join(dir, '00000000-1-00000000.json'),
    JSON.stringify({
      captures: [null, 1, {}, { ...ACTION, at: START, hash: 'h', summary: 'a\nb', tool: 4 }],
      cleared: { PUBLIC: 'x' },
    }),
  );
  expect(open().list(ALL, 'PUBLIC').total).toBe(1);
  expect(readdirSync(dir)).toHaveLength(2);
});
