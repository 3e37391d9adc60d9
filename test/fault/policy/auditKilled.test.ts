/** Processes that raise sessions are killed: what one of them acknowledged counts, and every chain verifies. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { KeyRing } from '../../../src/journal/keys.ts';
import { AuditLog } from '../../../src/policy/auditLog.ts';
import { Taint } from '../../../src/policy/taint.ts';

const ROUNDS = process.env.LODELINE_SOAK === '1' ? 60 : 4;
const AT_ONCE = 2;
/** Records of a child before it is killed, so that it dies in the middle of its work. */
const LEAST = 5;
const KILL_WITHIN_MS = 40;

const folder = mkdtempSync(join(tmpdir(), 'lodeline-audit-'));
const program = join(folder, 'child.mjs');
beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, 'auditChild.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The keys that a child acknowledged before it was killed. */
async function killed(round: number): Promise<string[]> {
  const child: ChildProcess = spawn(process.execPath, [program, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  let isDying = false;
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString('latin1');
    if (isDying || said.split('\n').length <= LEAST) return;
    isDying = true;
    setTimeout(() => child.kill('SIGKILL'), (round * 7) % KILL_WITHIN_MS);
  });
  await new Promise((resolve) => child.on('close', resolve));
  return said.split('\n').slice(0, -1);
}

it('keeps what was acknowledged, whenever its process is killed', async () => {
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const keys = await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => killed(round * AT_ONCE + at)));
    acknowledged.push(...keys.flat());
  }
  const keys = new KeyRing({ dir: join(folder, 'keys') });
  const log = new AuditLog({ dir: join(folder, 'audit'), keys, defaultLevel: 'PUBLIC', now: Date.now });
  const taint = new Taint({ dir: join(folder, 'taint'), keys: () => keys, audit: { record() {} } });
  expect(acknowledged.length).toBeGreaterThanOrEqual(ROUNDS * AT_ONCE * LEAST);
  expect(log.verify().problems).toEqual([]);
  const recorded = new Set(
    log.page({ limit: Number.POSITIVE_INFINITY }, 'RESTRICTED')?.records.map(({ session }) => session),
  );
  for (const key of acknowledged) {
    expect(recorded.has(key), key).toBe(true);
    expect(taint.levelOf({ key, start: 'PUBLIC' })).toBe('CONFIDENTIAL');
  }
  // A rise that nobody was told of either counts or left a draft.
  for (const name of readdirSync(join(folder, 'taint')))
    expect(name).toMatch(/^[0-9a-f]{32}-[12](\.[0-9a-f]{12}\.tmp)?$/);
});
