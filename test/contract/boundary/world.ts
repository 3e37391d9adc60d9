/** A folder with everything that answers a session in it, and with what happens above that session. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { onTestFinished } from 'vitest';
import type { App } from '../../../src/appApi.ts';
import { createMcpServer } from '../../../src/mcp/server.ts';
import { CaptureLog } from '../../../src/memory/capture.ts';
import type { Level } from '../../../src/policy/level.ts';
import type { TaintedSession } from '../../../src/policy/taint.ts';
import type { Code } from '../../../src/ports.ts';
import type { ChatModel, ModelRequest } from '../../../src/session/chatModel.ts';
import type { ToolCall } from '../../../src/tools/tool.ts';
import { openTestTools, START, temporaryFolder } from '../../unit/support/folder.ts';
import { FOLDERS } from './inputs.ts';

const SETTINGS = {
  ...{ 'checkpoint.enabled': true, 'memory.capture.enabled': true, 'memory.summaries': true },
  'classification.files': Object.fromEntries(
    Object.entries(FOLDERS).map(([level, folder]) => [`${folder}/**`, level]),
  ),
};

/** What a gist that comes from elsewhere holds. */
const GIST = {
  lodeline: 1,
  entries: [
    {
      key: 'twin',
      category: 'bug',
      content: 'redis pool timeout zanzibar',
      tags: ['redis'],
      links: ['use-zod'],
    },
    { key: 'from-a-gist', category: 'pattern', content: 'always use zod [[twin]]' },
  ],
};

const CODE: Code = {
  currentFile: () => 'src/a.ts',
  symbolsNamed: async (name) => [{ name, path: 'src/a.ts', line: 1, column: 1 }],
  symbolsIn: async () => [{ name: 'useZod', path: 'src/a.ts', line: 1, column: 1 }],
  usesOf: async () => [{ path: 'src/deep/b.ts', line: 2, column: 3 }],
};

/** The same, which also knows what files above the session define and use. */
function codeWith(above: readonly string[]): Code {
  const places = above.map((path) => ({ path, line: 1, column: 1 }));
  return {
    currentFile: CODE.currentFile,
    symbolsNamed: async (name) => [
      ...places.map((place) => ({ ...place, name })),
      ...(await CODE.symbolsNamed(name)),
    ],
    symbolsIn: CODE.symbolsIn,
    usesOf: async (symbol) => [...places, ...(await CODE.usesOf(symbol))],
  };
}

/** Who makes a call, and what the person answers when asked about it. */
export interface Caller {
  readonly level: Level;
  readonly session: string;
  readonly actor: 'person' | 'agent';
  readonly door: 'editor' | 'mcp' | 'cli';
  readonly answer: 'approved' | 'declined' | 'unavailable';
}

export class World {
  readonly #folder = temporaryFolder();
  readonly #clock = { time: START };
  readonly #defaultLevel: Level;
  readonly #low: Level;
  readonly #captures: CaptureLog;
  #tools: ReturnType<typeof openTestTools>;
  #client: Client | undefined;
  /** What the person, a model or GitHub was told since the last answer. */
  #told: string[] = [];
  #github = '';
  readonly #above: string[] = [];

  /** `low`: the level of the sessions that this world is seen from. */
  constructor(defaultLevel: Level, low: Level) {
    this.#defaultLevel = defaultLevel;
    this.#low = low;
    for (const name of ['src/deep', 'docs']) mkdirSync(join(this.#folder, name), { recursive: true });
    // A real store is no part of what the folder's files are.
    writeFileSync(join(this.#folder, '.gitignore'), '.lodeline\n');
    writeFileSync(join(this.#folder, 'src/a.ts'), 'export const useZod = 1;\n');
    writeFileSync(join(this.#folder, 'src/deep/b.ts'), 'useZod;\n');
    writeFileSync(join(this.#folder, 'docs/é.md'), '# Redis\n');
    this.#captures = new CaptureLog({
      ...{
        dir: join(this.#folder, '.lodeline', 'store', 'captured'),
        defaultLevel,
        now: () => this.#clock.time,
      },
    });
    this.#tools = this.#open();
  }

  /** Writes a file above the session. */
  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.#folder, file)), { recursive: true });
    writeFileSync(join(this.#folder, file), text);
    this.#above.push(file);
    this.#tools.code.code = codeWith(this.#above);
  }

  /** Lets time pass, in milliseconds. */
  wait(ms: number): void {
    this.#clock.time += ms;
  }

  /** Goes on in another process, which finds what this one left. The first one lives on. */
  async reopen(): Promise<void> {
    await this.#client?.close();
    this.#client = undefined;
    await this.tidy();
    this.#tools = this.#open();
  }

  async tidy(): Promise<void> {
    await this.#tools.store.tidy();
    await this.#tools.sessions.tidy();
  }

  /** Everything that comes back from a call, and what others were told on its way, as one text. */
  async call(name: string, input: unknown, { answer, ...caller }: Caller): Promise<string> {
    await this.#reachGithub();
    this.#told = [];
    const as: Partial<ToolCall> = {
      ...caller,
      source: caller.door === 'editor' ? 'copilot' : 'claude-code',
      approve: async (question) => {
        this.#told.push(`asked ${JSON.stringify(question)}`);
        return answer;
      },
    };
    const outcome = await this.#tools.call(name, input, as);
    // Subagents of one call work side by side, in no order.
    return this.#comparable({ outcome, told: this.#told.toSorted() });
  }

  /** The answer of the MCP server of a session at the level `low`, errors included. */
  async ask(what: { resource: string } | { prompt: string; text: string } | 'lists'): Promise<string> {
    this.#client ??= await this.#connect();
    const client = this.#client;
    try {
      if (what === 'lists')
        return this.#comparable([
          await client.listResources(),
          await client.listResourceTemplates(),
          await client.listPrompts(),
          await client.listTools(),
        ]);
      if ('resource' in what) return this.#comparable(await client.readResource({ uri: what.resource }));
      const { prompt, text } = what;
      return this.#comparable(
        await client.getPrompt({
          name: prompt,
          arguments: prompt === 'save' ? { about: text } : { task: text },
        }),
      );
    } catch (error) {
      return this.#comparable(error instanceof Error ? error.message : error);
    }
  }

  /** By which a session at the level `low` is told of changes. */
  async version(): Promise<number> {
    return this.#tools.store.care.version({ level: this.#low });
  }

  async attend({ level, session, door }: Caller, file: string): Promise<void> {
    const { sessions } = this.#tools;
    const agent = door === 'editor' ? 'copilot' : 'claude-code';
    await sessions.attend({ key: session, agent, level, branch: 'main', root: this.#folder, files: [file] });
  }

  async capture(
    { level, session, door }: Caller,
    tool: string,
    command: string,
    file: string,
  ): Promise<void> {
    const agent = door === 'editor' ? 'copilot' : 'claude-code';
    await this.#captures.add({ level, session, agent, branch: 'main', tool, input: { command }, file });
  }

  /** A turn of a chat whose loop is ours, with a transcript of its own. */
  async turn({ level, session }: Caller, text: string): Promise<void> {
    const { sessions } = this.#tools;
    const owner = { key: `chat-${session}`, kind: 'participant', source: 'participant', level } as const;
    const message = { role: 'user', content: [{ type: 'text', text }] } as const;
    const { id } = await sessions.turnBegin(owner, [{ type: 'message', message }]);
    await sessions.turnEnd(id, [], { reason: 'aborted' });
  }

  #open(): ReturnType<typeof openTestTools> {
    const tools = openTestTools(this.#folder, this.#clock, SETTINGS, {
      defaultLevel: this.#defaultLevel,
      place: '.lodeline',
    });
    const model: ChatModel = { name: 'model', send: (request) => this.#answer(request) };
    tools.models.model = model;
    tools.code.code = this.#above.length === 0 ? CODE : codeWith(this.#above);
    tools.github.api = this.#github;
    tools.github.secret = 'the-token';
    return tools;
  }

  /** Hands over at once. What it was told is part of what is compared. */
  async *#answer(request: ModelRequest) {
    this.#told.push(`model ${JSON.stringify(request.messages)}`, `system ${request.system}`);
    const data = { seen: request.messages.length };
    yield {
      type: 'tool_use',
      id: `call-${request.messages.length}`,
      name: 'yield',
      input: { result: { data } },
    } as const;
  }

  async #reachGithub(): Promise<void> {
    if (this.#github !== '') return;
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      if (request.method === 'POST') this.#told.push(`sent ${body}`);
      const id = 'a1b2c3d4e5f60718293a';
      const files = { 'lodeline-memory.json': { content: JSON.stringify(GIST) } };
      response.end(JSON.stringify({ id, html_url: `https://gist.github.com/${id}`, files }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    this.#github = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#tools.github.api = this.#github;
  }

  async #connect(): Promise<Client> {
    const { registry, store, taint } = this.#tools;
    const app = {
      registry,
      ...{ root: this.#folder, defaultLevel: this.#defaultLevel },
      settings: { get: (key: string) => Object(SETTINGS)[key] },
      news: {
        onMemory: () => () => {},
        memoryVersion: async (session: TaintedSession) =>
          store.care.version({ level: taint.levelOf(session) }),
      },
    } as unknown as App;
    const ended = new AbortController();
    const options = {
      root: this.#folder,
      session: 'mcp-low',
      classification: this.#low,
      profile: 'full',
      sandboxed: false,
    } as const;
    const { server } = createMcpServer(app, options, ended.signal);
    const [here, there] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'claude-code', version: '1' });
    onTestFinished(async () => {
      ended.abort();
      await client.close();
    });
    await server.connect(there);
    await client.connect(here);
    return client;
  }

  /**
   * What differs between any two folders: their paths, four digits in the name of a copy of memory, the ids of batches,
   * of messages and of calls, their keys, and what is sealed, of which the length must be the same. All of it is made of chance,
   * and of nothing that was saved.
   */
  #comparable(value: unknown): string {
    return JSON.stringify(value, null, 1)
      .replaceAll(this.#folder, '<folder>')
      .replaceAll(this.#github || '<none>', '<github>')
      .replace(/((?:memory|snapshot)-\d{4}-\d\d-\d\dT[\d-]{12})-[0-9a-f]{4}\.jsonl/g, '$1.jsonl')
      .replace(/\b[0-9a-f]{8}(?=\.key\b|, it cannot be recovered)/g, '<key>')
      .replace(/(key\\*": ?\\*")[0-9a-f]{8}(?=\\*")/g, '$1<key>')
      .replace(/(box\\*": ?\\*")([A-Za-z0-9+/=]{40,})/g, (_, before, box) => `${before}<${box.length}>`)
      .replace(/\bcall_[0-9a-f]{32}\b/g, '<call>')
      .replace(/\b[0-9a-z]{8}-[0-9a-f]{12}\b/g, '<batch>')
      .replace(/\b[0-9a-f]{12}(-\d+)\b/g, '<log>$1')
      .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uuid>');
  }
}
