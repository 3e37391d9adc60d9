/** Processes that keep memories on a server are killed, and the server comes and goes: each item arrives once, in order. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KeyRing } from '../../../src/journal/keys.ts';
import { RetainSpool } from '../../../src/worker/retainSpool.ts';
import { type HindsightServer, type Mode, startHindsight } from '../../contract/hindsight/server.ts';
import { randomFrom } from '../journal/common.ts';
import type { ChildOptions } from './child.ts';

const SOAK = process.env.LODELINE_SOAK === '1';
const ITEMS = SOAK ? 5_000 : 240;
/** So many processes are killed, each within so many milliseconds of its first item. */
const DEATHS = SOAK ? 60 : 5;
const KILL_WITHIN = 400;
const MODES: readonly Mode[] = ['ok', 'ok', 'down', 'refusing', 'half', 'slow'];
const SHARED_MEMORY = '/dev/shm';

const root = mkdtempSync(join(existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir(), 'lodeline-server-'));
const program = join(root, 'program.mjs');
const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
let server: HindsightServer;

beforeAll(async () => {
  server = await startHindsight();
  await build({
    ...{ entryPoints: [join(import.meta.dirname, 'child.ts')], outfile: program, bundle: true },
    ...{ platform: 'node', format: 'esm', logLevel: 'silent', banner: { js: banner } },
  });
});
afterAll(async () => {
  await server.stop();
  rmSync(root, { recursive: true, force: true });
});

/** One life. Answers the number after the last item that it was told is queued. */
async function live(options: ChildOptions, killAfter: number | undefined): Promise<number> {
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  let next = options.from;
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (killAfter !== undefined && next === options.from)
      setTimeout(() => child.kill('SIGKILL'), killAfter).unref();
    next = Number(line) + 1;
  });
  await new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL' || code === 0) resolve();
      else reject(new Error(`ended with ${code}: ${said}`));
    });
  });
  return next;
}

test('whatever happens on the way, each item arrives once, in order', async () => {
  const random = randomFrom(20_260_712);
  let next = 0;
  for (let death = 0; death < DEATHS && next < ITEMS; death++) {
    const mode = MODES[Math.floor(random() * MODES.length)] ?? 'ok';
    await server.set(mode, { status: random() < 0.5 ? 503 : 401, delay: 200 });
    const share = Math.ceil(((ITEMS - next) * 2) / (DEATHS - death + 1));
    const life = { folder: root, url: server.url, from: next, to: next + share, isLast: false };
    next = await live(life, Math.floor(random() * KILL_WITHIN));
    const spool = new RetainSpool({
      ...{ dir: join(root, 'retain'), keys: new KeyRing({ dir: join(root, 'keys') }) },
      ...{ defaultLevel: 'PUBLIC', now: Date.now },
    });
    const { waiting } = await spool.spoolLook();
    spool.close();
    // What anybody was told is queued is on the server, or waits where everybody can see it.
    expect(server.documents('lodeline').length + waiting).toBeGreaterThanOrEqual(next);
  }
  await server.set('ok');
  next = await live({ folder: root, url: server.url, from: next, to: ITEMS, isLast: true }, undefined);
  expect(next).toBe(ITEMS);
  expect(server.documents('lodeline').map(({ id }) => Number(id))).toEqual(
    Array.from({ length: ITEMS }, (_, at) => at),
  );
  expect(
    server.documents('lodeline').every(({ id, content }) => content === `content of ${Number(id)}`),
  ).toBe(true);
}, 3_600_000);
