/** A session that folds, whose process is killed. */
import { spawn } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { Tiktoken } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeyRing } from '../../../../src/journal/keys.ts';
import type { ModelRequest } from '../../../../src/session/chatModel.ts';
import { createFolding } from '../../../../src/session/folding/folding.ts';
import { rebuild } from '../../../../src/session/folding/rebuild.ts';
import type { Message } from '../../../../src/session/messages.ts';
import { idOf } from '../../../../src/session/sessionId.ts';
import { followTranscript } from '../../../../src/session/transcript.ts';
import { viewOf } from '../../../../src/session/view.ts';
import { SessionService } from '../../../../src/worker/sessions.ts';
import { KEY, runScript, type ScriptOptions, type Shown, WINDOW } from './script.ts';

const ID = idOf(KEY);
const root = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'lodeline-folding-'));
const program = join(root, 'child.mjs');
const keys = join(root, 'keys');
const seen = join(root, 'seen.json');
let folders = 0;

beforeAll(() =>
  build({
    ...{ entryPoints: [join(import.meta.dirname, 'child.ts')], outfile: program, bundle: true },
    ...{ platform: 'node', format: 'esm', logLevel: 'silent' },
  }),
);
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** One life of one process; answers how many steps its folds took, undefined when it was killed. */
function live(options: Omit<ScriptOptions, 'keys' | 'seen'>): Promise<number | undefined> {
  const child = spawn(process.execPath, [program, JSON.stringify({ keys, seen, ...options })], {
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

function newFolder(): string {
  return join(root, `store-${folders++}`, 'sessions');
}

function service(dir: string): SessionService {
  return new SessionService({ dir, keys: new KeyRing({ dir: keys }), defaultLevel: 'PUBLIC', now: Date.now });
}

function viewIn(dir: string): readonly Message[] {
  const at = {
    dir,
    id: ID,
    keys: new KeyRing({ dir: keys }),
    defaultLevel: 'PUBLIC',
    now: Date.now,
  } as const;
  return viewOf(followTranscript(at).read().records).messages();
}

/** What a model is shown of a conversation that nothing is known of but its messages. */
async function shownOf(messages: readonly Message[]): Promise<string> {
  const compactor = createFolding({
    folds: {
      foldOpen: async () => ({ opened: [], density: 1 }),
      foldCommit: async () => {},
      foldRead: async () => ({ text: '', next: undefined }),
    },
    place: { key: 'elsewhere' },
    windowOf: () => ({ contextWindow: WINDOW, maxOutputTokens: 1 }),
  });
  const tools = [
    { name: 'read', description: 'Read a file', inputSchema: { type: 'object' } },
    ...(compactor.tools?.specs() ?? []),
  ];
  const model = { name: 'folder', async *send() {} };
  const signal = new AbortController().signal;
  const prepared = await compactor.before({
    system: 'Be brief.',
    messages,
    tools,
    model,
    usage: undefined,
    signal,
  });
  return JSON.stringify(prepared.messages);
}

const encoding = new Tiktoken(cl100k);
const counted = new Map<string, number>();

function tokensOf({ system, messages, tools }: ModelRequest): number {
  let tokens = 0;
  for (const part of [
    system,
    JSON.stringify(tools),
    ...messages.map((message) => JSON.stringify(message.content)),
  ]) {
    const known = counted.get(part) ?? encoding.encode(part, 'all').length;
    counted.set(part, known);
    tokens += known;
  }
  return tokens;
}

describe('a session of 400 turns in a window of 32,000 tokens', () => {
  const dir = newFolder();
  const shown: (Shown & { tokens: number })[] = [];
  const note = (each: Shown, request: ModelRequest) => shown.push({ ...each, tokens: tokensOf(request) });
  const run = (from: number, to: number) => runScript({ dir, keys, seen, from, to }, note);

  it('shows after a kill what it showed before, to the byte, also with its folders gone', {
    timeout: 240_000,
  }, async () => {
    expect(await live({ dir, from: 0, to: 400, dieIn: 203 })).toBeUndefined();
    const before = readFileSync(seen, 'utf8');
    expect(rebuild(viewIn(dir), []).folded.length).toBeGreaterThan(3);
    expect(await shownOf(structuredClone(viewIn(dir)))).toBe(before);
    rmSync(join(dir, ID, 'folds'), { recursive: true });
    await run(203, 204);
    // The turn that broke is told of at the end; all before it is as it was.
    const [first] = shown;
    expect(first?.turn).toBe(203);
    const after = JSON.parse(await shownOf(viewIn(dir))) as unknown[];
    const was = JSON.parse(before) as Message[];
    const same = was.filter((message, at) => JSON.stringify(message) === JSON.stringify(after[at])).length;
    expect(same).toBeGreaterThanOrEqual(was.length - 1);
    const folds = await service(dir).folds(ID, { level: 'PUBLIC' });
    expect(folds.length).toBeGreaterThan(3);
    expect(readdirSync(join(dir, ID, 'folds', 'tier1')).length).toBeGreaterThan(3);
  });

  it('goes on to its end, within the window, and gets room again soon after it was told', {
    timeout: 240_000,
  }, async () => {
    const other = newFolder();
    await runScript({ dir: other, keys, seen, from: 0, to: 203 }, note);
    await run(204, 400);
    expect(Math.max(...shown.map(({ tokens }) => tokens))).toBeLessThanOrEqual(WINDOW * 0.95);
    expect(Math.max(...shown.map(({ estimated }) => estimated))).toBeLessThanOrEqual(WINDOW * 0.95);
    const nudges = shown.filter(({ isNudged }) => isNudged);
    expect(nudges.length).toBeGreaterThan(8);
    for (const nudge of nudges) {
      const at = shown.indexOf(nudge);
      const next = shown.slice(at + 1).filter(({ turn }) => turn <= nudge.turn + 3 && turn >= nudge.turn);
      if (next.length === 0) continue;
      expect(Math.min(...next.map(({ estimated }) => estimated))).toBeLessThan(WINDOW * 0.75);
      expect(Math.min(...next.map(({ tokens }) => tokens))).toBeLessThan(WINDOW * 0.75);
    }
    const tiers = (await service(dir).folds(ID, { level: 'PUBLIC' })).map(({ tier }) => tier);
    expect(new Set(tiers)).toContain(2);
  });

  it('has the original of every fold', { timeout: 60_000 }, async () => {
    const sessions = service(dir);
    for (const { block, tier } of await sessions.folds(ID, { level: 'PUBLIC' })) {
      const text = await sessions.foldShow(ID, block, { level: 'PUBLIC' });
      expect(text).toContain(`block: "${block}"`);
      if (tier === 1) expect(text).toMatch(/line 0: const value/);
    }
    const all = await Promise.all(
      (await sessions.folds(ID, { level: 'PUBLIC' }))
        .filter(({ tier }) => tier === 1)
        .map(({ block }) => sessions.foldShow(ID, block, { level: 'PUBLIC' })),
    );
    // Every turn's result is in some original.
    const { cores, blocks } = rebuild(viewIn(dir), []);
    const folded = new Set(blocks.all.flatMap(({ refs }) => refs));
    const missing = cores.filter(
      ({ ref, block }) =>
        folded.has(ref) &&
        block.type === 'tool_result' &&
        !all.some((text) =>
          text.includes(block.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')),
        ),
    );
    expect(missing).toEqual([]);
  });
});

describe('a process that dies within a fold', () => {
  it('leaves a session that shows what it showed, and folds again', { timeout: 240_000 }, async () => {
    const whole = newFolder();
    const steps = await live({ dir: whole, from: 0, to: 26 });
    expect(steps).toBeGreaterThanOrEqual(9);
    for (let dieAt = 1; dieAt <= 9; dieAt++) {
      const dir = newFolder();
      expect(await live({ dir, from: 0, to: 26, dieAt })).toBeUndefined();
      // Nothing is folded whose result is not recorded.
      const view = viewIn(dir);
      expect(rebuild(view, []).folded).toEqual([]);
      const requests: ModelRequest[] = [];
      await runScript({ dir, keys, seen, from: 26, to: 27 }, (_, request) => requests.push(request));
      expect(JSON.stringify(requests).includes('were not as they were written')).toBe(false);
      expect(rebuild(viewIn(dir), []).folded.length).toBe(1);
      const sessions = service(dir);
      expect(await sessions.foldShow(ID, 'b1', { level: 'PUBLIC' })).toMatch(/line 0: const value/);
      const names = readdirSync(join(dir, ID, 'folds'), { recursive: true, encoding: 'utf8' });
      expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
    }
  });
});

describe('a process that dies while it makes the files again', () => {
  it('at any of its steps leaves what the next one makes whole', { timeout: 240_000 }, async () => {
    const first = newFolder();
    await runScript({ dir: first, keys, seen, from: 0, to: 26 });
    const was = JSON.stringify(viewIn(first));
    const damaged = (): string => {
      const dir = newFolder();
      cpSync(first, dir, { recursive: true });
      const tier = join(dir, ID, 'folds', 'tier1');
      appendFileSync(join(tier, readdirSync(tier)[0] ?? ''), 'x');
      return dir;
    };
    const steps = await live({ dir: damaged(), from: 26, to: 26, resumes: true });
    // Three steps for each of an original, the state and the manifest, and three for the swap.
    expect(steps).toBeGreaterThanOrEqual(12);
    for (let dieAt = 1; dieAt <= (steps ?? 0); dieAt++) {
      const dir = damaged();
      expect(await live({ dir, from: 26, to: 26, resumes: true, dieAt })).toBeUndefined();
      expect(JSON.stringify(viewIn(dir))).toBe(was);
      const sessions = service(dir);
      const { report } = await sessions.sessionResume(ID, { level: 'PUBLIC' });
      // Until the swap what was altered is still there; from then on all is as it was written.
      expect(report.includes('was altered'), `${dieAt}: ${report}`).toBe(dieAt <= (steps ?? 0) - 2);
      expect(await sessions.foldShow(ID, 'b1', { level: 'PUBLIC' })).toMatch(/line 0: const value/);
      sessions.close();
      expect(readdirSync(join(dir, ID)).filter((name) => name.startsWith('folds'))).toEqual(['folds']);
      const [name = ''] = readdirSync(join(dir, ID, 'folds', 'tier1'));
      const archive = ['folds', 'tier1', name];
      expect(readFileSync(join(dir, ID, ...archive), 'utf8')).toBe(
        readFileSync(join(first, ID, ...archive), 'utf8'),
      );
      rmSync(dir, { recursive: true });
    }
  });
});

describe('files that are not what was written', () => {
  it('are made again from the conversation, which the next turn is told once', {
    timeout: 240_000,
  }, async () => {
    const dir = newFolder();
    expect(await live({ dir, from: 0, to: 27, dieIn: 26 })).toBeUndefined();
    const folds = join(dir, ID, 'folds');
    const [name = ''] = readdirSync(join(folds, 'tier1'));
    const archive = join(folds, 'tier1', name);
    const before = readFileSync(archive, 'utf8');
    const damages: [string, () => void][] = [
      ['altered', () => appendFileSync(archive, 'x')],
      ['missing', () => rmSync(archive)],
      ['state.json was altered', () => appendFileSync(join(folds, 'state.json'), 'x')],
      ['manifest.json was altered', () => appendFileSync(join(folds, 'manifest.json'), 'x')],
      ['their folder was missing', () => rmSync(folds, { recursive: true })],
    ];
    let turn = 26;
    for (const [says, damage] of damages) {
      damage();
      const sessions = service(dir);
      const { report } = await sessions.sessionResume(ID, { level: 'PUBLIC' });
      expect(report).toContain(says);
      sessions.close();
      expect(readFileSync(archive, 'utf8')).toBe(before);
      await runScript({ dir, keys, seen, from: turn, to: ++turn });
      const again = service(dir);
      expect((await again.sessionResume(ID, { level: 'PUBLIC' })).report).not.toContain(says);
      again.close();
    }
  });
});
