/** Processes that write while a store is sealed and opened, and are killed at any moment. */
import { spawn } from 'node:child_process';
import { readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { beforeAll, expect, it } from 'vitest';
import { readArtifact } from '../../../src/subagent/artifacts.ts';
import { BatchFiles } from '../../../src/subagent/batchFiles.ts';
import { temporaryFolder } from '../../unit/support/folder.ts';
import { randomFrom } from '../journal/common.ts';
import { contents, filesWith, fill, MARKS, openAll } from './kit.ts';
import { artifactsOf, notesOf } from './works.ts';

const SOAK = process.env.LODELINE_SOAK === '1';
const WRITERS = 4;
const ROUNDS = SOAK ? 40 : 2;
const KILL_WITHIN_MS = 400;
/** Drafts of processes that were killed are left alone for some seconds, in case somebody still writes on them. */
const LONG_AGO = new Date(Date.now() - 60_000);
/** The parts of every text that the processes write. */
const WRITTEN = 'mark-of-';

const program = join(import.meta.dirname, `.child-${process.pid}.mjs`);

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, 'child.ts')],
    ...{ outfile: program, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' },
    banner: { js: "import { createRequire as cr } from 'node:module'; const require = cr(import.meta.url);" },
  });
  return () => rmSync(program, { force: true });
});

/** Runs a process until it ends or, at some moment after the first thing it said, is killed. */
function live(options: object, said: string[], killAfter: number | undefined): Promise<number | null> {
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let killer: NodeJS.Timeout | undefined;
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    said.push(line);
    if (killAfter !== undefined) killer ??= setTimeout(() => child.kill('SIGKILL'), killAfter);
  });
  return new Promise((resolve, reject) => {
    child.on('close', (code, signal) => {
      clearTimeout(killer);
      if (code === 0 || signal === 'SIGKILL') resolve(code);
      else reject(new Error(`a process failed (${code ?? signal}): ${errors}`));
    });
  });
}

function age(dir: string): void {
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    const file = join(dir, name);
    if (name.endsWith('.tmp') && statSync(file).isFile()) utimesSync(file, LONG_AGO, LONG_AGO);
  }
}

/** What the next process finds: everything acknowledged, and after it has sealed, nothing in the clear. */
async function expectWhole(folder: string, said: readonly string[]): Promise<void> {
  age(join(folder, 'store'));
  const opened = openAll(folder);
  const outcome = await opened.sealing.seal();
  expect(outcome).toMatchObject({ state: 'sealed', others: 0 });
  const { entries, sessions, verdict } = await contents(opened);
  const keys = new Set(entries.map(({ key }) => key));
  const acknowledged = (kind: string) =>
    said.flatMap((line) => (line.startsWith(`${kind} `) ? [line.slice(kind.length + 1)] : []));
  expect(acknowledged('entry').filter((key) => !keys.has(key))).toEqual([]);
  const { size } = new Set(acknowledged('chat'));
  const found = await Promise.all(
    acknowledged('chat').map(
      async (text) =>
        (await opened.sessions.searchTranscripts(text, { level: 'RESTRICTED' } as never, 200)).length > 0,
    ),
  );
  expect(found.filter(Boolean).length).toBe(size);
  expect(sessions.length).toBeGreaterThanOrEqual(size > 0 ? 1 : 0);
  expect(verdict).toBe(true);
  await expectWorks(join(folder, 'store'), said);
  expect(await opened.store.damage()).toEqual([]);
  await opened.close();
  expect(filesWith(folder, [WRITTEN, ...MARKS])).toEqual([]);
}

/** Every artifact that was acknowledged is there, and of what is written again and again the last word or a later one. */
async function expectWorks(store: string, said: readonly string[]): Promise<void> {
  const last = new Map<string, number>();
  for (const line of said) {
    const [kind = '', label = '', n = ''] = line.split(' ');
    if (kind === 'artifact')
      expect(await readArtifact(artifactsOf(store, label), `${n}-W`)).toBe(`mark-of-artifact-${label}-${n}`);
    if (kind === 'batch' || kind === 'note') last.set(`${kind} ${label}`, Number(n));
  }
  const batches = await new BatchFiles(join(store, 'batches'), Date.now).list();
  const numberIn = (text: string) => Number(text.split('-').at(-1));
  for (const [name, n] of last) {
    const [kind, label = ''] = name.split(' ');
    const notes = notesOf(store, label);
    const text =
      kind === 'batch'
        ? batches.find(({ id }) => id === `batch-${label}`)?.context
        : (await notes.read(notes.locate('note.md', 'read'))).bytes.toString();
    expect(numberIn(text ?? '')).toBeGreaterThanOrEqual(n);
  }
}

it(
  'keeps what was acknowledged, and nothing in the clear, when writers and the one who switches are killed',
  async () => {
    const folder = temporaryFolder();
    const random = randomFrom(7);
    const first = openAll(folder);
    await fill(folder, first, { audits: false });
    await first.close();
    const said: string[] = [];
    const states: string[] = [];
    const stop = join(folder, 'stop');
    let kills = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const runs = Array.from({ length: WRITERS }, (_, slot) =>
        live({ folder, role: 'write', label: `${round}-${slot}`, stop }, said, random() * KILL_WITHIN_MS),
      );
      runs.push(live({ folder, role: 'switch', label: 's', stop }, states, random() * KILL_WITHIN_MS));
      kills += (await Promise.all(runs)).filter((code) => code === null).length;
      await expectWhole(folder, said);
      if (round % 2 === 0) {
        const opened = openAll(folder);
        await opened.sealing.unseal();
        await opened.close();
      }
    }
    console.info(`${said.length} acknowledged, ${kills} kills, ${states.length} switches`);
    expect(kills).toBe(ROUNDS * (WRITERS + 1));
    expect(states.length).toBeGreaterThan(0);
  },
  SOAK ? 3_600_000 : 180_000,
);

it('lets living processes follow while a store is sealed and opened', async () => {
  const folder = temporaryFolder();
  const said: string[] = [];
  const stop = join(folder, 'stop');
  const runs = [0, 1].map((slot) =>
    live({ folder, role: 'write', label: `w-${slot}`, stop }, said, undefined),
  );
  while (said.length < 20) await new Promise((resolve) => setTimeout(resolve, 50));
  const opened = openAll(folder);
  expect(await opened.sealing.seal()).toMatchObject({ state: 'sealed', others: 0 });
  const before = said.length;
  expect(filesWith(folder, [WRITTEN])).toEqual([]);
  while (said.length < before + 20) await new Promise((resolve) => setTimeout(resolve, 50));
  expect(filesWith(folder, [WRITTEN])).toEqual([]);
  writeFileSync(stop, '');
  await Promise.all(runs);
  await opened.close();
  await expectWhole(folder, said);
});

const STEPS = ['start', 'switched', 'part 0', 'part 1', 'part 2', 'part 3', 'rewritten', 'finished'];

it.each(STEPS)('is readable after a crash at "%s", and goes on with it', async (step) => {
  const folder = temporaryFolder();
  const first = openAll(folder);
  await fill(folder, first, { audits: false });
  const before = await contents(first);
  await first.close();
  const stop = join(folder, 'stop');
  expect(
    await live({ folder, role: 'switch', label: 's', stop, dieAt: `seal: ${step}` }, [], undefined),
  ).toBe(null);
  const next = openAll(folder);
  expect((await contents(next)).entries.map(({ content }) => content)).toEqual(
    before.entries.map(({ content }) => content),
  );
  // What was begun is finished without anybody asking.
  await next.sealing.tidy();
  expect((await next.sealing.sealStatus()).state).toBe(step === 'start' ? 'plain' : 'sealed');
  await next.close();
  await expectWhole(folder, []);
});
