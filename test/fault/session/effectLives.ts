/** Sessions whose process is killed in the midst of a turn, and the one that goes on with them. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { KeyRing } from '../../../src/journal/keys.ts';
import { textOf } from '../../../src/session/messages.ts';
import { followTranscript } from '../../../src/session/transcript.ts';
import type { ScriptedModel } from '../../unit/session/turnKit.ts';
import { ID } from './common.ts';
import type { Life } from './effectChild.ts';
import { EffectLoop } from './effectKit.ts';

export const root = mkdtempSync(join(tmpdir(), 'lodeline-effects-'));
const program = join(root, 'child.mjs');

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, 'effectChild.ts')],
    outfile: program,
    ...{ bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' },
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;

/** A folder with a workspace in it. */
export function place(): { folder: string; work: string } {
  const folder = join(root, `f${folders++}`);
  const work = join(folder, 'work');
  mkdirSync(work, { recursive: true });
  return { folder, work };
}

/** Lets a process live until it kills itself. */
export async function live(life: Life): Promise<void> {
  const file = join(life.folder, 'life.json');
  writeFileSync(file, JSON.stringify(life));
  const child = spawn(process.execPath, [program, file], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const signal = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (_, name) => resolve(name));
  });
  expect(signal, said).toBe('SIGKILL');
}

export function goOn(
  folder: string,
  settings: Record<string, unknown> = {},
  instance = 'second',
): EffectLoop {
  const loop = new EffectLoop({ folder, instance, settings });
  onTestFinished(() => loop.sessions.close());
  return loop;
}

/** What the model is told beside what was said: the notes of the system in its first request. */
export function notes(model: ScriptedModel, request = 0): string {
  const told = model.seen(request).filter(({ role }) => role === 'system');
  return told.map(textOf).join('\n');
}

export function records(folder: string) {
  const reader = followTranscript({
    ...{ dir: join(folder, 'store', 'sessions'), id: ID, defaultLevel: 'PUBLIC', now: Date.now },
    keys: new KeyRing({ dir: join(folder, 'keys') }),
  });
  return reader.read().records;
}

export const write = (path: string, content: string, id = 'w1') => ({
  id,
  name: 'write',
  input: { path, content },
});
