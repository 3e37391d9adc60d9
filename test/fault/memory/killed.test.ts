/** Agents share one memory over MCP and their servers are killed: whatever one of them was told is saved, is saved. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, it } from 'vitest';
import { openTestStore } from '../../unit/support/folder.ts';

const SOAK = process.env.LODELINE_SOAK === '1';
const WRITERS = 4;
const REMEMBERS = SOAK ? 500 : 60;
/** Violent deaths of each writer, 0–300 ms after its first acknowledged write. */
const DEATHS = SOAK ? 52 : 2;
const KILL_WITHIN_MS = 300;
const SERVER = join(import.meta.dirname, '../../../dist/mcp.js');

const folder = mkdtempSync(join(tmpdir(), 'lodeline-killed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A fixed sequence of numbers in [0, 1) (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

/** One server process; a call resolves to undefined when the server died before it answered. */
class AgentServer {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, (answer: Answer | undefined) => void>();
  #nextId = 1;
  dead = false;

  constructor(root: string, home: string) {
    this.#process = spawn(process.execPath, [SERVER, '--root', root], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...process.env, HOME: home, USERPROFILE: home },
    });
    this.#process.stdin?.on('error', () => {});
    this.#process.on('close', () => {
      this.dead = true;
      for (const resolve of this.#waiting.values()) resolve(undefined);
    });
    createInterface({ input: this.#process.stdout as NonNullable<ChildProcess['stdout']> }).on(
      'line',
      (line) => {
        const { id, result } = JSON.parse(line) as {
          id: number;
          result: { content?: { text: string }[]; isError?: boolean };
        };
        this.#waiting.get(id)?.({ text: result.content?.[0]?.text ?? '', isError: result.isError === true });
        this.#waiting.delete(id);
      },
    );
    void this.#request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'agent', version: '1' },
    });
  }

  call(name: string, input: object): Promise<Answer | undefined> {
    return this.#request('tools/call', { name, arguments: input });
  }

  kill(): boolean {
    return this.#process.kill('SIGKILL');
  }

  end(): void {
    this.#process.stdin?.end();
  }

  #request(method: string, params: object): Promise<Answer | undefined> {
    if (this.dead) return Promise.resolve(undefined);
    const id = this.#nextId++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#process.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  }
}

it(
  'keeps every acknowledged memory, and each once, while four agents write, two recall and servers are killed',
  async () => {
    const root = join(folder, 'project');
    execFileSync('git', ['init', '-q', root]);
    const home = join(folder, 'home');
    const acknowledged = new Map<string, string>();
    let kills = 0;
    let writing = true;

    const write = async (slot: number): Promise<void> => {
      const random = randomFrom(slot + 1);
      let number = 0;
      let saved = 0;
      for (let life = 0; life < DEATHS || saved < REMEMBERS; life++) {
        const server = new AgentServer(root, home);
        let killer: NodeJS.Timeout | undefined;
        while (!server.dead && (life < DEATHS || saved < REMEMBERS)) {
          const key = `agent-${slot}-note-${number++}`;
          const content = `note ${number} of agent ${slot} in its life ${life}`;
          const answer = await server.call('memory_remember', { category: 'knowledge', key, content });
          if (answer === undefined) break;
          expect(answer).toMatchObject({ isError: false });
          acknowledged.set(key, content);
          saved++;
          if (life < DEATHS) {
            killer ??= setTimeout(() => {
              if (server.kill()) kills++;
            }, random() * KILL_WITHIN_MS);
          }
        }
        clearTimeout(killer);
        server.end();
      }
    };

    const recall = async (): Promise<number> => {
      const server = new AgentServer(root, home);
      let answers = 0;
      while (writing) {
        const answer = await server.call('memory_recall', { query: `note of agent ${answers % WRITERS}` });
        expect(answer).toMatchObject({ isError: false });
        answers++;
      }
      server.end();
      return answers;
    };

    const recalling = [recall(), recall()];
    await Promise.all(Array.from({ length: WRITERS }, (_, slot) => write(slot))).finally(() => {
      writing = false;
    });
    expect(Math.min(...(await Promise.all(recalling)))).toBeGreaterThan(0);
    expect(kills).toBeGreaterThanOrEqual(SOAK ? 200 : WRITERS * DEATHS);
    expect(acknowledged.size).toBeGreaterThanOrEqual(WRITERS * REMEMBERS);
    console.info(`${acknowledged.size} acknowledged, ${kills} kills`);

    const store = openTestStore(root, { time: Date.now() }, { dir: join(root, '.git', 'lodeline') });
    const entries = await store.exportAll({ level: 'PUBLIC' });
    const found = new Map(entries.map((entry) => [entry.key, entry]));
    expect(found.size).toBe(entries.length);
    expect([...acknowledged].filter(([key, content]) => found.get(key)?.content !== content)).toEqual([]);
    expect(entries.filter(({ revisions }) => revisions.length > 0)).toEqual([]);
    expect((await store.damage()).filter(({ reason }) => reason !== 'torn')).toEqual([]);
  },
  SOAK ? 3_600_000 : 240_000,
);
