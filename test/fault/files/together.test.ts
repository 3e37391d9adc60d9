/** Several processes match one memory with one folder while a person edits files and processes are killed. */
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { beforeAll, expect, it } from 'vitest';
import { temporaryFolder } from '../../unit/support/folder.ts';
import { randomFrom } from '../journal/common.ts';
import { ageLocks, filesIn, memoryDir, openFolder } from './kit.ts';

const PROCESSES = 2;
const DEATHS = process.env.LODELINE_SOAK === '1' ? 50 : 3;
const KILL_WITHIN_MS = 500;

const program = join(import.meta.dirname, `.together-${process.pid}.mjs`);

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, 'togetherChild.ts')],
    ...{ outfile: program, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' },
    banner: { js: "import { createRequire as cr } from 'node:module'; const require = cr(import.meta.url);" },
  });
  return () => rmSync(program, { force: true });
});

/** Runs a process until it ends or, at some moment after the first thing it saved, is killed. */
function live(
  folder: string,
  label: string,
  saved: string[],
  killAfter: number | undefined,
): Promise<boolean> {
  const child = spawn(process.execPath, [program, JSON.stringify({ folder, label })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let killer: NodeJS.Timeout | undefined;
  createInterface({ input: child.stdout }).on('line', (line) => {
    saved.push(line);
    if (killAfter !== undefined) killer ??= setTimeout(() => child.kill('SIGKILL'), killAfter);
  });
  return new Promise((resolve, reject) => {
    child.on('close', (code, signal) => {
      clearTimeout(killer);
      if (code === 0 || signal === 'SIGKILL') resolve(signal === 'SIGKILL');
      else reject(new Error(`a process failed (${code ?? signal})`));
    });
  });
}

it('loses no text that was saved or written by hand, and both are the same in the end', async () => {
  const folder = temporaryFolder();
  const dir = memoryDir(folder);
  mkdirSync(dir, { recursive: true });
  const random = randomFrom(5);
  const saved: string[] = [];
  const byHand: string[] = [];
  let isOver = false;

  const edit = async (): Promise<void> => {
    for (let n = 0; !isOver; n++) {
      const text = `By hand ${n}`;
      writeFileSync(join(dir, `손-${n % 7}.md`), `---\nname: 손 ${n % 7}\n---\n\n${text}\n`);
      await sleep(40);
      byHand.push(text);
    }
  };
  const editing = edit();
  let kills = 0;
  const slot = async (at: number): Promise<void> => {
    for (let life = 0; life < DEATHS; life++)
      if (await live(folder, `${at}-${life}`, saved, random() * KILL_WITHIN_MS)) kills++;
  };
  await Promise.all(Array.from({ length: PROCESSES }, (_, at) => slot(at)));
  const rest = [0, 1].map((at) => live(folder, `last-${at}`, saved, undefined));
  await sleep(1_000);
  isOver = true;
  await editing;
  writeFileSync(join(folder, 'stop'), '');
  await Promise.all(rest);
  expect(kills).toBe(PROCESSES * DEATHS);

  const store = openFolder(folder);
  ageLocks(folder);
  expect((await store.files.filesSync({ branch: 'main' })).isBusy).toBe(false);
  expect(await store.files.filesSync({ branch: 'main' })).toMatchObject({
    ...{ written: [], removed: [], created: [], changed: [], restored: [], forgotten: [] },
    ...{ missing: [], problems: [] },
  });
  const entries = await store.exportAll({ level: 'RESTRICTED' });
  await store.close();
  expect(entries.filter(({ status }) => status !== 'active')).toEqual([]);
  const kept = new Set(
    entries.flatMap(({ content, revisions }) => [content, ...revisions.map(({ text }) => text)]),
  );
  expect(saved.filter((text) => !kept.has(text))).toEqual([]);
  // What was overwritten before anybody looked was never there for long; what stayed is memory.
  expect(byHand.slice(-7).filter((text) => !kept.has(text))).toEqual([]);
  const files = filesIn(folder);
  const names = Object.keys(files).filter((name) => name.endsWith('.md') && name !== 'MEMORY.md');
  expect(names).toHaveLength(entries.length);
  for (const { content } of entries)
    expect(Object.values(files).filter((text) => text.includes(`\n${content}\n`))).toHaveLength(1);
  for (const name of names) expect(files['MEMORY.md']).toContain(`](${name})`);
});
