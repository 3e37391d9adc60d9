/** `bench mcp`: how fast memory of a given size is for an agent that speaks to the server over standard input. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { percentile } from './benchMetrics.ts';
import { makeNotes, makeQuestions, type Note } from './benchNotes.ts';
import { bareAppend, fill, times } from './benchScale.ts';
import { temporaryFolder } from './benchStore.ts';

export interface McpReport {
  readonly entries: number;
  /** A line as long as a record, appended and synced, without any server. */
  readonly bareAppendP50Ms: number;
  readonly rememberP50Ms: number;
  readonly rememberP95Ms: number;
  readonly recallP50Ms: number;
  readonly recallP95Ms: number;
  readonly smartRecallP50Ms: number;
}

const CALLS = 200;
const WARM_UP = 20;

/** Fills a store with tagged notes, starts the server on it, and times its tools. */
export async function benchMcp(entries: number): Promise<McpReport> {
  const { folder, remove } = await temporaryFolder();
  try {
    const notes = makeNotes(entries);
    await fill(folder, notes);
    const server = new Server(folder);
    try {
      const asked = makeQuestions(notes, CALLS + WARM_UP);
      const saved = makeNotes(entries + CALLS + WARM_UP).slice(entries);
      return { entries, bareAppendP50Ms: await bareAppend(folder), ...(await measure(server, asked, saved)) };
    } finally {
      await server.end();
    }
  } finally {
    await remove();
  }
}

async function measure(server: Server, asked: readonly string[], saved: readonly Note[]) {
  const remember = ({ key, content, tags }: Note) =>
    server.call('memory_remember', { category: 'knowledge', key, content, tags: tags.join(';') });
  const recall = (query: string) => server.call('memory_recall', { query });
  const smart = (intent: string) => server.call('memory_smart_recall', { intent });
  await server.start();
  for (const note of saved.slice(0, WARM_UP)) await remember(note);
  for (const question of asked.slice(0, WARM_UP)) await recall(question);
  const remembers = await times(saved.slice(WARM_UP), remember);
  const recalls = await times(asked.slice(WARM_UP), recall);
  const smarts = await times(asked.slice(WARM_UP), smart);
  return {
    rememberP50Ms: percentile(remembers, 0.5),
    rememberP95Ms: percentile(remembers, 0.95),
    recallP50Ms: percentile(recalls, 0.5),
    recallP95Ms: percentile(recalls, 0.95),
    smartRecallP50Ms: percentile(smarts, 0.5),
  };
}

interface Reply {
  readonly id?: number;
  readonly result?: { readonly isError?: boolean };
  readonly error?: { readonly message: string };
}

/** The server that ships beside this program, in a home of its own. */
class Server {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  readonly #ended: Promise<void>;
  #lastId = 0;

  constructor(root: string) {
    const home = join(root, 'home');
    const script = fileURLToPath(new URL('./mcp.js', import.meta.url));
    this.#process = spawn(process.execPath, [script, '--root', root], {
      env: { ...process.env, HOME: home, USERPROFILE: home },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#ended = new Promise((resolve) => {
      this.#process.once('close', () => {
        for (const answer of this.#waiting.values()) answer({ error: { message: 'the server ended' } });
        resolve();
      });
    });
    if (this.#process.stdout !== null)
      createInterface({ input: this.#process.stdout }).on('line', (line) => {
        const reply = JSON.parse(line) as Reply;
        if (reply.id !== undefined) this.#waiting.get(reply.id)?.(reply);
      });
  }

  async start(): Promise<void> {
    const clientInfo = { name: 'bench', version: '1' };
    await this.#request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    this.#write({ method: 'notifications/initialized' });
  }

  /** Calls a tool. @throws Error when it answers with one. */
  async call(name: string, input: object): Promise<void> {
    const { result, error } = await this.#request('tools/call', { name, arguments: input });
    if (result === undefined || result.isError === true)
      throw new Error(`${name}: ${error?.message ?? JSON.stringify(result)}`);
  }

  async end(): Promise<void> {
    this.#process.stdin?.end();
    await this.#ended;
  }

  #request(method: string, params: object): Promise<Reply> {
    const id = ++this.#lastId;
    this.#write({ id, method, params });
    return new Promise((resolve) => {
      this.#waiting.set(id, (reply) => {
        this.#waiting.delete(id);
        resolve(reply);
      });
    });
  }

  #write(message: object): void {
    this.#process.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}
