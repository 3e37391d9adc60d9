/**
 * A Hindsight server on this machine, written from the types of the official client. It keeps documents by bank and id,
 * answers recall by shared words, and can be down, slow, refusing, or break off its answers.
 */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type {
  BankProfileResponse,
  CreateMentalModelResponse,
  DocumentResponse,
  ListDocumentsResponse,
  MentalModelResponse,
  RecallRequest,
  RecallResponse,
  RecallResult,
  ReflectRequest,
  ReflectResponse,
  RetainRequest,
  RetainResponse,
} from '@vectorize-io/hindsight-client';

/** `half`: it does what it is asked, and cuts its answer. */
export type Mode = 'ok' | 'down' | 'slow' | 'refusing' | 'half';

export interface ModeOptions {
  /** Of a refusing server. */
  readonly status?: number;
  /** What a refusing server says. */
  readonly detail?: unknown;
  /** Where it sends whoever asks, with a status that does so. */
  readonly location?: string;
  /** Which requests a refusing server refuses; all without it. */
  readonly when?: (request: Logged) => boolean;
  /** How long a slow one takes, in milliseconds. */
  readonly delay?: number;
}

export interface Logged {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** What was answered; 0 where nothing was, or only a part. */
  status: number;
}

export interface KeptDocument {
  readonly bank: string;
  readonly id: string;
  readonly content: string;
  readonly context: string | null;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
}

export interface HindsightServer {
  readonly url: string;
  /** Every request that came, in order. */
  readonly requests: Logged[];
  /** What came, in order, again where it came again. */
  readonly arrivals: KeptDocument[];
  /** What is kept of a bank, in the order in which each id first came. */
  documents(bank: string): readonly KeptDocument[];
  mentalModels(bank: string): readonly MentalModelResponse[];
  addMentalModel(bank: string, model: Pick<MentalModelResponse, 'id' | 'name'> & { content?: string }): void;
  /** What recall answers, in the place of what is kept. */
  hits: readonly RecallResult[] | undefined;
  /** What reflect answers. */
  reflection: string;
  set(mode: Mode, options?: ModeOptions): Promise<void>;
  /** Ends it and starts it again at the same port; what it keeps stays. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const ROUTE = /^\/v1\/default\/banks\/([^/?]+)(\/[^?]*)?(?:\?(.*))?$/;
const ECHOED = 120;

/** Starts a server. @param port 0 or absent: a free one */
export async function startHindsight({ port = 0, mode = 'ok' as Mode } = {}): Promise<HindsightServer> {
  const server = new TestServer();
  await server.listen(port);
  await server.set(mode);
  return server;
}

class TestServer implements HindsightServer {
  readonly requests: Logged[] = [];
  readonly arrivals: KeptDocument[] = [];
  hits: readonly RecallResult[] | undefined;
  reflection = 'A conclusion.';
  readonly #banks = new Map<string, Map<string, KeptDocument>>();
  readonly #models = new Map<string, MentalModelResponse[]>();
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;
  #mode: Mode = 'ok';
  #options: ModeOptions = {};

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  documents(bank: string): readonly KeptDocument[] {
    return [...(this.#banks.get(bank)?.values() ?? [])];
  }

  mentalModels(bank: string): readonly MentalModelResponse[] {
    return this.#models.get(bank) ?? [];
  }

  addMentalModel(bank: string, model: Pick<MentalModelResponse, 'id' | 'name'> & { content?: string }): void {
    this.#modelsOf(bank).push({ bank_id: bank, tags: [], ...model });
  }

  async set(mode: Mode, options: ModeOptions = {}): Promise<void> {
    this.#mode = mode;
    this.#options = options;
    if (mode === 'down') await this.stop();
    else if (this.#server === undefined) await this.listen(this.#port);
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.listen(this.#port);
  }

  async listen(port: number): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const { method = '', url: path = '', headers } = request;
        const body: unknown = text === '' ? undefined : JSON.parse(text);
        this.#take({ method, path, headers, body, status: 0 }, response);
      });
    });
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
  }

  #take(asked: Logged, response: ServerResponse): void {
    this.requests.push(asked);
    const { status = 500, detail = 'refused', location, when = () => true, delay = 60_000 } = this.#options;
    if (this.#mode === 'refusing' && when(asked)) {
      if (location !== undefined) response.setHeader('location', `${location}${asked.path}`);
      send(asked, response, status, { detail });
      return;
    }
    if (this.#mode === 'slow') {
      setTimeout(() => this.#answer(asked, response), delay).unref();
      return;
    }
    this.#answer(asked, response);
  }

  #answer(asked: Logged, response: ServerResponse): void {
    const { status, body } = this.#handle(asked);
    if (this.#mode !== 'half') {
      send(asked, response, status, body);
      return;
    }
    const text = JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': text.length });
    response.write(text.slice(0, text.length / 2), () => response.destroy());
  }

  #handle({ method, path, body }: Logged): { status: number; body: unknown } {
    if (path === '/version') return { status: 200, body: { api_version: '0.9.1', features: {} } };
    const [, encoded = '', rest = '', query = ''] = ROUTE.exec(path) ?? [];
    const bank = decodeURIComponent(encoded);
    switch (`${method} ${rest}`) {
      case 'PUT ':
        this.#documentsOf(bank);
        return ok({
          ...{ bank_id: bank, name: bank, mission: '' },
          disposition: { skepticism: 3, literalism: 3, empathy: 3 },
        } satisfies BankProfileResponse);
      case 'POST /memories':
        return ok(this.#retain(bank, body as RetainRequest));
      case 'POST /memories/recall':
        return ok(this.#recall(bank, body as RecallRequest));
      case 'POST /reflect':
        return ok({ text: this.#reflect(body as ReflectRequest) } satisfies ReflectResponse);
      case 'GET /documents':
        return ok(this.#list(bank, new URLSearchParams(query)));
      case 'GET /mental-models':
        return this.#banks.has(bank) ? ok({ items: this.mentalModels(bank) }) : notFound(bank);
      case 'POST /mental-models':
        return this.#banks.has(bank) ? this.#createModel(bank, body as MentalModelResponse) : notFound(bank);
      default:
        if (method === 'GET' && rest.startsWith('/documents/')) return this.#document(bank, rest);
        return { status: 404, body: { detail: `no such route: ${method} ${path.slice(0, ECHOED)}` } };
    }
  }

  #retain(bank: string, { items, async = false }: RetainRequest): RetainResponse {
    const kept = this.#documentsOf(bank);
    for (const { content, context = null, document_id, tags, metadata } of items) {
      const id = document_id ?? `unnamed-${this.arrivals.length}`;
      const document = { bank, id, content, context, tags: tags ?? [], metadata: metadata ?? {} };
      this.arrivals.push(document);
      kept.set(id, document);
    }
    return { success: true, bank_id: bank, items_count: items.length, async, operation_id: 'op-1' };
  }

  #list(bank: string, query: URLSearchParams): ListDocumentsResponse {
    const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 100)];
    const tags = query.getAll('tags');
    const of = this.documents(bank).filter(
      (each) => tags.length === 0 || each.tags.length === 0 || each.tags.some((tag) => tags.includes(tag)),
    );
    const items = of.slice(offset, offset + limit).map(({ id, tags: own }) => ({ id, tags: [...own] }));
    return { items, total: of.length, limit, offset };
  }

  #document(bank: string, rest: string): { status: number; body: unknown } {
    const id = decodeURIComponent(rest.slice('/documents/'.length));
    const kept = this.documents(bank).find((each) => each.id === id);
    if (kept === undefined) return { status: 404, body: { detail: `no document ${id}` } };
    return ok({
      ...{ id, bank_id: bank, original_text: kept.content, content_hash: null, memory_unit_count: 1 },
      ...{ created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' },
      ...{ tags: [...kept.tags], retain_params: { context: kept.context } },
    } satisfies DocumentResponse);
  }

  #recall(bank: string, { query, tags, tags_match }: RecallRequest): RecallResponse {
    if (this.hits !== undefined) return { results: [...this.hits] };
    const asked = wordsOf(query);
    const isWanted = (of: readonly string[]): boolean =>
      tags == null || of.some((tag) => tags.includes(tag)) || (tags_match === 'any' && of.length === 0);
    const found = this.documents(bank).filter(
      ({ content, tags: of }) => isWanted(of) && wordsOf(content).some((word) => asked.includes(word)),
    );
    return {
      results: found.map(({ id, content, tags: of }) => ({
        ...{ id: `unit-${id}`, text: content, type: 'world', document_id: id, tags: [...of] },
        mentioned_at: '2026-01-01',
      })),
    };
  }

  #reflect({ query }: ReflectRequest): string {
    return this.reflection.replace('{query}', query);
  }

  #createModel(bank: string, model: MentalModelResponse): { status: number; body: unknown } {
    const models = this.#modelsOf(bank);
    if (models.some(({ id }) => id === model.id)) return { status: 409, body: { detail: 'already there' } };
    const made: MentalModelResponse = { ...model, bank_id: bank, content: '', tags: model.tags ?? [] };
    models.push(made);
    return ok({ mental_model_id: made.id, operation_id: 'op-2' } satisfies CreateMentalModelResponse);
  }

  #documentsOf(bank: string): Map<string, KeptDocument> {
    const kept = this.#banks.get(bank) ?? new Map<string, KeptDocument>();
    this.#banks.set(bank, kept);
    return kept;
  }

  #modelsOf(bank: string): MentalModelResponse[] {
    const models = this.#models.get(bank) ?? [];
    this.#models.set(bank, models);
    return models;
  }
}

function ok(body: unknown): { status: number; body: unknown } {
  return { status: 200, body };
}

function notFound(bank: string): { status: number; body: unknown } {
  return { status: 404, body: { detail: `no bank ${bank}` } };
}

function send(asked: Logged, response: ServerResponse, status: number, body: unknown): void {
  asked.status = status;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 2);
}
