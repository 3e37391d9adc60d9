import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';
import type { ChildOptions } from './common.ts';

const SOAK = process.env.LODELINE_SOAK === '1';
/** How many deaths are tried. */
export const POINTS = SOAK ? 200 : 8;
export const TIMEOUT_MS = SOAK ? 3_600_000 : 240_000;

/** A short run stays in memory where that is to be had. */
const SHARED_MEMORY = '/dev/shm';

/** A folder of this test file, and a program beside it that is run in it as often as is wanted. */
export function useLives(entry: string) {
  const root = mkdtempSync(join(existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir(), 'lodeline-messages-'));
  const program = join(root, 'program.mjs');
  beforeAll(() =>
    build({
      ...{ entryPoints: [join(import.meta.dirname, entry)], outfile: program, bundle: true },
      ...{ platform: 'node', format: 'esm', logLevel: 'silent' },
    }),
  );
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  /** One life of one process; answers how many steps it took, undefined when it was killed. */
  function live(options: ChildOptions): Promise<number | undefined> {
    const child = spawn(process.execPath, [program, JSON.stringify(options)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => {
        if (signal === 'SIGKILL') resolve(undefined);
        else if (code === 0) resolve(Number(/steps (\d+)$/.exec(said)?.[1]));
        else reject(new Error(`ended with ${code}: ${said}`));
      });
    });
  }
  return { root, live };
}
