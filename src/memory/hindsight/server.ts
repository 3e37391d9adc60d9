/** Calls to a Hindsight server, through its official client. Nothing here logs, and no error holds the token. */
import type { RecallRequest, ReflectRequest } from '@vectorize-io/hindsight-client';
import type { BackendHit } from '../backend.ts';
import { clip } from '../line.ts';
import type { DocumentPage, ServerDocument } from './documents.ts';
import { type Answer, failureOf, ServerError } from './serverError.ts';
import { phrase } from './texts.ts';
import { wholeFetch } from './wholeAnswer.ts';

/** How long each call may take, in milliseconds; the server thinks longest before it reflects. */
const PATIENCE = { request: 30_000, recall: 30_000, retain: 60_000, reflect: 120_000 };

/** Longest name, type or date that is told on, in characters. */
const NAME = 200;

/** As many documents as are read at a time. */
const DOCUMENTS = 50;

export interface ServerOptions {
  /** Without a slash at its end. */
  readonly url: string;
  /** The person's token at this moment; undefined where there is none. It goes to this server alone. */
  token?(): Promise<string | undefined>;
  /** As which program it is called. */
  readonly userAgent: string;
  /** Milliseconds each kind of call may take; tests have less patience. */
  readonly patience?: Partial<typeof PATIENCE> | undefined;
}

/** What is kept of one memory; undefined fields are not sent. */
export interface ServerItem {
  readonly content: string;
  readonly context?: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  readonly document_id: string;
  readonly tags?: readonly string[] | undefined;
  /** ISO time at which it was said. */
  readonly timestamp: string;
}

export interface NewModel {
  readonly id: string;
  readonly name: string;
  readonly source_query: string;
  readonly tags: readonly string[];
  readonly max_tokens: number;
}

type Sdk = typeof import('@vectorize-io/hindsight-client')['sdk'];
type Client = import('@vectorize-io/hindsight-client').Client;

interface Given {
  readonly sdk: Sdk;
  readonly client: Client;
  readonly headers: Record<string, string>;
  /** Heeds the call's signal. */
  readonly fetch: typeof fetch;
}

export class HindsightServer {
  readonly #options: ServerOptions;
  #client: Promise<{ sdk: Sdk; client: Client }> | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  /** Creates a bank, or gives it these missions. What is undefined stays as the bank has it. */
  async putBank(
    bank: string,
    missions: { readonly reflect?: string | undefined; readonly retain?: string | undefined },
    signal: AbortSignal,
  ): Promise<void> {
    await this.#call('putBank', 'request', signal, ({ sdk, ...given }) =>
      sdk.createOrUpdateBank({
        ...given,
        path: { bank_id: bank },
        body: pruned({ reflect_mission: missions.reflect, retain_mission: missions.retain }),
      }),
    );
  }

  /** Hands memories over; the server makes of them what it makes of them later. */
  async retain(bank: string, items: readonly ServerItem[], signal: AbortSignal): Promise<void> {
    const sent = items.map(({ metadata, tags, ...item }) => ({
      ...pruned(item),
      metadata: { ...metadata },
      ...(tags !== undefined && { tags: [...tags] }),
    }));
    const answer = await this.#call('retain', 'retain', signal, ({ sdk, ...given }) =>
      sdk.retainMemories({ ...given, path: { bank_id: bank }, body: { items: sent, async: true } }),
    );
    // Whatever answers at an address may say 200: only what the server says it has is taken off the disk.
    if (fieldsOf(answer).success !== true) throw strange('retain');
  }

  async recall(bank: string, request: RecallRequest, signal: AbortSignal): Promise<readonly BackendHit[]> {
    const answer = await this.#call('recall', 'recall', signal, ({ sdk, ...given }) =>
      sdk.recallMemories({ ...given, path: { bank_id: bank }, body: pruned(request) }),
    );
    return listIn('recall', answer, 'results').flatMap((each) => {
      const { id, text, type, mentioned_at: mentionedAt } = fieldsOf(each);
      if (typeof text !== 'string') return [];
      return [
        {
          ...{ id: nameOr(id), text: text.toWellFormed() },
          ...{ type: nameOr(type), mentionedAt: nameOr(mentionedAt) },
        },
      ];
    });
  }

  async reflect(bank: string, request: ReflectRequest, signal: AbortSignal): Promise<string> {
    const answer = await this.#call('reflect', 'reflect', signal, ({ sdk, ...given }) =>
      sdk.reflect({ ...given, path: { bank_id: bank }, body: pruned(request) }),
    );
    const { text } = fieldsOf(answer);
    if (typeof text !== 'string') throw strange('reflect');
    return text.toWellFormed();
  }

  /** The bank's mental models, with their texts. */
  async models(bank: string, signal: AbortSignal): Promise<readonly MentalModel[]> {
    const answer = await this.#call('mentalModels', 'request', signal, ({ sdk, ...given }) =>
      sdk.listMentalModels({ ...given, path: { bank_id: bank }, query: { detail: 'content' } }),
    );
    return listIn('mentalModels', answer, 'items').flatMap((each) => {
      const { id, name, content, source_query: query } = fieldsOf(each);
      if (typeof id !== 'string') return [];
      return [{ id, name: textOr(name) || id, content: textOr(content), query: textOr(query) }];
    });
  }

  async createModel(bank: string, model: NewModel, signal: AbortSignal): Promise<void> {
    const trigger = { mode: 'delta' as const, refresh_after_consolidation: true };
    await this.#call('createMentalModel', 'request', signal, ({ sdk, ...given }) =>
      sdk.createMentalModel({
        ...given,
        path: { bank_id: bank },
        body: { ...model, tags: [...model.tags], trigger },
      }),
    );
  }

  /** Some of a bank's documents that have one of the tags or none, from an offset on. */
  async documents(
    bank: string,
    { offset, tags }: { readonly offset: number; readonly tags: readonly string[] | undefined },
    signal: AbortSignal,
  ): Promise<DocumentPage> {
    const query = {
      ...{ offset, limit: DOCUMENTS },
      ...(tags !== undefined && { tags: [...tags], tags_match: 'any' }),
    };
    const answer = await this.#call('listDocuments', 'request', signal, ({ sdk, ...given }) =>
      sdk.listDocuments({ ...given, path: { bank_id: bank }, query }),
    );
    const ids = listIn('listDocuments', answer, 'items').map((each) => textOr(fieldsOf(each).id));
    const documents: ServerDocument[] = [];
    for (const id of ids) documents.push(...(id === '' ? [] : await this.#document(bank, id, signal)));
    const { total } = fieldsOf(answer);
    return { documents, listed: ids.length, total: typeof total === 'number' ? total : offset + ids.length };
  }

  /** A document, or nothing where it went meanwhile. */
  async #document(bank: string, id: string, signal: AbortSignal): Promise<readonly ServerDocument[]> {
    try {
      const answer = await this.#call('getDocument', 'request', signal, ({ sdk, ...given }) =>
        sdk.getDocument({ ...given, path: { bank_id: bank, document_id: id } }),
      );
      const { original_text: text, created_at: created, retain_params: how } = fieldsOf(answer);
      const at = Date.parse(textOr(created));
      return [
        {
          ...{ id, text: textOr(text), context: textOr(fieldsOf(how).context) },
          ...(Number.isFinite(at) && { at }),
        },
      ];
    } catch (error) {
      if (error instanceof ServerError && error.statusCode === 404) return [];
      throw error;
    }
  }

  async #call(
    name: string,
    patience: keyof typeof PATIENCE,
    signal: AbortSignal,
    send: (given: Given) => Promise<Answer>,
  ): Promise<unknown> {
    signal.throwIfAborted();
    const wait = this.#options.patience?.[patience] ?? PATIENCE[patience];
    this.#client ??= open(this.#options);
    const client = await this.#client;
    const token = await this.#token();
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const ended = new AbortController();
    const stop = (): void => ended.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      ended.abort();
    }, wait);
    let answer: Answer;
    try {
      answer = await send({ ...client, headers, fetch: wholeFetch(ended.signal) });
    } catch (error) {
      answer = { error };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
    signal.throwIfAborted();
    if (answer.data !== undefined && answer.response?.ok === true) return answer.data;
    throw failureOf(name, answer, {
      waited: isLate ? wait : undefined,
      clean: (text) => (token === undefined ? text : text.replaceAll(token, '[token]')),
    });
  }

  async #token(): Promise<string | undefined> {
    const token = (await this.#options.token?.())?.trim();
    if (token === undefined || token === '') return undefined;
    if (/^[\x21-\x7e]+$/.test(token)) return token;
    throw new ServerError(
      phrase(
        'The token of the memory server holds blanks or characters that no token has. Nothing was sent. Copy it anew, then set it again.',
      ),
      'refused',
    );
  }
}

export interface MentalModel {
  readonly id: string;
  readonly name: string;
  readonly content: string;
  /** What it was made to answer. */
  readonly query: string;
}

async function open({ url, userAgent }: ServerOptions): Promise<{ sdk: Sdk; client: Client }> {
  const { createClient, createConfig, sdk } = await import('@vectorize-io/hindsight-client');
  const client = createClient(
    createConfig({
      baseUrl: url,
      headers: { 'User-Agent': userAgent },
      // A redirect could take the token, or a memory, elsewhere.
      redirect: 'error',
      parseAs: 'json',
    }),
  );
  return { sdk, client };
}

/** Without fields that say nothing. */
function pruned<T extends object>(value: T): Told<T> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Told<T>;
}

type Told<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** @throws ServerError where there is no list, as nothing that is not said is taken for nothing being there */
function listIn(name: string, answer: unknown, field: string): readonly unknown[] {
  const list = fieldsOf(answer)[field];
  if (!Array.isArray(list)) throw strange(name);
  return list;
}

/** Something answered, with nothing that a server of this kind says. */
function strange(name: string): ServerError {
  return new ServerError(
    phrase('{0} failed: what answers at this address does not answer as a Hindsight server does', name),
    'busy',
  );
}

/** A name in one line. */
function nameOr(value: unknown): string {
  return clip(textOr(value), NAME);
}

function textOr(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
