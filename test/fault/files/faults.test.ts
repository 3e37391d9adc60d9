/** Memory and its files are matched while the process dies or the disk fails: nothing is lost, and both come to the same. */
import { spawn } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import type { FilesReport } from '../../../src/worker/filesApi.ts';
import { temporaryFolder } from '../../unit/support/folder.ts';
import { randomFrom } from '../journal/common.ts';
import type { ChildOptions } from './child.ts';
import { ageLocks, disagree, filesIn, openFolder, outcomeOf, TEXTS } from './kit.ts';

const SOAK = process.env.LODELINE_SOAK === '1';
/** Moments of each kind. */
const POINTS = SOAK ? 200 : 6;

const program = join(import.meta.dirname, `.child-${process.pid}.mjs`);

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, 'child.ts')],
    ...{ outfile: program, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' },
    banner: { js: "import { createRequire as cr } from 'node:module'; const require = cr(import.meta.url);" },
  });
  return () => rmSync(program, { force: true });
});

interface Answer {
  readonly report?: FilesReport;
  readonly error?: string;
  readonly count: number;
}

/** Runs a process that matches once; undefined when it was killed. */
function match(options: ChildOptions): Promise<Answer | undefined> {
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve(undefined);
      else if (code === 0) resolve(JSON.parse(said) as Answer);
      else reject(new Error(`a process failed (${code ?? signal})`));
    });
  });
}

type Outcome = Awaited<ReturnType<typeof outcomeOf>>;

function everyText({ entries, files }: Outcome): string {
  return [
    ...entries.flatMap(({ content, revisions }) => [content, ...revisions]),
    ...Object.values(files),
  ].join('\n');
}

/** A place that can be set back to where memory and files disagree; what is kept about files is for this path. */
async function newScene() {
  const [folder, template] = [temporaryFolder(), temporaryFolder()];
  await disagree(folder);
  cpSync(folder, template, { recursive: true });
  const before = filesIn(folder);
  const reset = (): void => {
    rmSync(folder, { recursive: true });
    cpSync(template, folder, { recursive: true });
  };
  const look = async (act?: (store: ReturnType<typeof openFolder>) => Promise<void>): Promise<Outcome> => {
    const store = openFolder(folder);
    try {
      await act?.(store);
      return await outcomeOf(folder, store);
    } finally {
      await store.close();
    }
  };
  /** Looks until nothing is left to do. */
  const settle = (): Promise<Outcome> =>
    look(async (store) => {
      ageLocks(folder);
      const first = await store.files.filesSync({ branch: 'main' });
      expect(first).toMatchObject({ isBusy: false, missing: [] });
      const { written, removed, created, changed, restored, forgotten } = await store.files.filesSync({
        branch: 'main',
      });
      expect([written, removed, created, changed, restored, forgotten].flat()).toEqual([]);
    });
  const whole = await match({ folder, fault: 'none', at: 0 });
  const expected = await settle();
  return { folder, before, reset, look, settle, expected, steps: whole?.count ?? 0, whole };
}

describe('memory and its files', () => {
  it('come to what each of them says', async () => {
    const { whole, expected } = await newScene();
    expect(whole?.report).toMatchObject({
      created: expect.arrayContaining(['crlf', 'fresh one', '한글']),
      changed: expect.arrayContaining(['both', 'edited', 'mine']),
      forgotten: ['gone-file'],
      removed: ['erased.md', 'gone-entry.md'],
    });
    expect(whole?.report?.problems).toMatchObject([{ kind: 'conflict', file: 'conflict.md' }]);
    const all = everyText(expected);
    expect(TEXTS.filter((text) => !all.includes(text))).toEqual([]);
    expect(all).not.toContain('Erased for good');
    // What an agent wrote and nobody has read goes into no file.
    expect(Object.values(expected.files).join('\n')).not.toContain('Both by an agent');
    expect(expected.entries.find(({ key }) => key === 'both')).toMatchObject({
      content: 'Both by hand',
      revisions: expect.arrayContaining(['true agent Both by an agent']),
      confirmed: false,
    });
  });

  it.each(['dies', 'torn', 'full'] as const)('lose nothing and come to the same: %s', async (fault) => {
    const { folder, before, reset, look, settle, expected, steps } = await newScene();
    const random = randomFrom(11);
    const every = Array.from({ length: steps }, (_, at) => at + 1);
    const points = POINTS >= steps ? every : every.sort(() => random() - 0.5).slice(0, POINTS);
    expect(steps).toBeGreaterThan(20);
    for (const at of points) {
      reset();
      const answer = await match({ folder, fault, at });
      // After the last write there is nothing to tear, and room enough.
      if (fault === 'dies') expect(answer, `at ${at}`).toBeUndefined();
      if (answer?.error !== undefined)
        expect(answer.error).toMatch(/^StoreError: .*ENOSPC.*[Ff]ree disk space/);
      const between = await look();
      const texts = everyText(between);
      expect(
        TEXTS.filter((text) => !texts.includes(text)),
        `lost at ${at}`,
      ).toEqual([]);
      // A file is as it was or as it is to be; the index may be one of a part of the files.
      for (const [name, text] of Object.entries(between.files))
        if (name !== 'MEMORY.md')
          expect([before[name], expected.files[name]], `${name} at ${at}`).toContain(text);
      // Nobody has confirmed what only a file says.
      for (const { content, confirmed } of between.entries)
        if (/by hand|Side of|Fresh|분해된|Windows/.test(content)) expect(confirmed).toBe(false);
      expect(await settle(), `at ${at}`).toEqual(expected);
    }
  });

  it('take in what files say where the folder may not be written, and say so', async () => {
    const { folder, before, reset, look, settle, expected } = await newScene();
    reset();
    const answer = await match({ folder, fault: 'read-only', at: 0 });
    expect(answer?.error).toMatch(/^StoreError: .*EROFS.*check the folder/);
    // Said the same way each time, so that it is told once.
    expect(answer?.error).not.toContain('.tmp');
    const between = await look();
    expect(between.files).toEqual(before);
    const keys = between.entries.map(({ key, content }) => `${key}: ${content}`);
    expect(keys).toEqual(expect.arrayContaining(['edited: Edited by hand', 'fresh one: Fresh file']));
    expect(await settle()).toEqual(expected);
  });
});
