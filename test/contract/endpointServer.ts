/** A server on this machine that answers as a test wrote down, and the model behind it. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { endpointModel, type ModelSettings } from '../../src/chatEndpoint.ts';
import type { ModelPart, ModelRequest } from '../../src/session/chatModel.ts';

/** What tests read of a request's body. */
interface AskedBody {
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | null;
    readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[];
  }[];
}

export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: AskedBody;
}

/** Starts a server for one test. `answer` is called for every request. */
export async function serve(answer: (response: ServerResponse, asked: Asked) => void) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      const body = JSON.parse(Buffer.concat(chunks).toString()) as AskedBody;
      const one = { path, headers, body };
      asked.push(one);
      answer(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, asked };
}

/** Events of a stream as a server sends them, `[DONE]` at the end. */
export function events(...chunks: readonly object[]): string {
  return [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]']
    .map((data) => `data: ${data}\n\n`)
    .join('');
}

/** One event with a piece of an answer. */
export function delta(piece: object, finish_reason: string | null = null): object {
  return { choices: [{ index: 0, delta: piece, finish_reason }] };
}

/** Sends a stream in one go. */
export function stream(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).end(text);
}

export const REQUEST: ModelRequest = {
  system: 'Be brief.',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  tools: [],
};

export interface AskOptions extends Partial<ModelSettings> {
  readonly request?: ModelRequest;
  readonly signal?: AbortSignal;
  readonly silenceMs?: number;
}

/** All parts of one answer. */
export async function ask(url: string, options: AskOptions = {}): Promise<ModelPart[]> {
  const { request = REQUEST, signal = new AbortController().signal, silenceMs, ...settings } = options;
  const model = endpointModel({ url, model: 'test-1', key: 'sk-test-key', ...settings }, silenceMs);
  const parts: ModelPart[] = [];
  for await (const part of model.send(request, signal)) parts.push(part);
  return parts;
}
