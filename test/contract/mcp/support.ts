/** Starts the built MCP server in a home and a folder of its own, and talks to it. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult, ClientCapabilities } from '@modelcontextprotocol/sdk/types.js';
import { onTestFinished } from 'vitest';

export const DIST = fileURLToPath(new URL('../../../dist/', import.meta.url));
export const SERVER = join(DIST, 'mcp.js');
if (!existsSync(SERVER)) throw new Error('dist/mcp.js is missing: run "npm run build" first');

export interface Place {
  readonly home: string;
  readonly root: string;
}

/** An empty home and an empty folder, removed after the test. */
export function newPlace(): Place {
  const base = mkdtempSync(join(tmpdir(), 'lodeline-mcp-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  return { home: mkdtempSync(join(base, 'home-')), root: mkdtempSync(join(base, 'root-')) };
}

/** The environment of a process whose home is `home`. */
export function environment({ home }: Place): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: home, USERPROFILE: home };
}

/** Connects the SDK's own client to a new server process. */
export async function connect(
  place: Place,
  args: readonly string[] = [],
  capabilities: ClientCapabilities = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Client> {
  const client = new Client({ name: 'contract-test', version: '1.0.0' }, { capabilities });
  onTestFinished(() => client.close());
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [SERVER, '--root', place.root, ...args],
      env: { ...environment(place), ...env },
      stderr: 'ignore',
    }),
  );
  return client;
}

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  readonly data: Record<string, unknown> | undefined;
}

/** Calls a tool and takes its answer apart. */
export async function call(client: Client, name: string, input: Record<string, unknown>): Promise<Answer> {
  const result = (await client.callTool({ name, arguments: input })) as CallToolResult;
  const [block] = result.content;
  if (block?.type !== 'text') throw new Error(`${name} answered without text`);
  return { text: block.text, isError: result.isError === true, data: result.structuredContent };
}

/** The entry in what `memory_remember` returns. */
export function entryOf(data: Answer['data']): { level: string; session: string } {
  return data?.entry as { level: string; session: string };
}

interface Reply {
  readonly id?: number;
  readonly result?: { readonly content: readonly { readonly text: string }[]; readonly isError?: boolean };
  readonly error?: { readonly code: number };
}

/** A server process and the bare lines it speaks. */
export class RawServer {
  readonly process: ChildProcessWithoutNullStreams;
  /** Every line of standard output. */
  readonly lines: string[] = [];
  stderr = '';
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #nextId = 1;

  constructor(place: Place, args: readonly string[] = []) {
    this.process = spawn(process.execPath, [SERVER, '--root', place.root, ...args], {
      env: environment(place),
    });
    this.process.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.process.stdin.on('error', () => {});
    createInterface({ input: this.process.stdout }).on('line', (line) => {
      this.lines.push(line);
      const reply = JSON.parse(line) as Reply;
      if (reply.id !== undefined) this.#waiting.get(reply.id)?.(reply);
    });
    this.ended = new Promise((resolve) =>
      this.process.on('close', (code, signal) => resolve({ code, signal })),
    );
    onTestFinished(() => {
      this.process.kill('SIGKILL');
    });
  }

  /** Sends a request and waits for its answer. */
  request(method: string, params: object): Promise<Reply> {
    const id = this.#nextId++;
    const reply = new Promise<Reply>((resolve) => this.#waiting.set(id, resolve));
    this.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return reply;
  }

  write(text: string): void {
    this.process.stdin.write(text);
  }

  async initialize(): Promise<void> {
    await this.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    });
    this.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  }

  /** Text of a tool's answer. */
  async call(name: string, input: Record<string, unknown>): Promise<string> {
    const { result } = await this.request('tools/call', { name, arguments: input });
    return result?.content[0]?.text ?? '';
  }
}
