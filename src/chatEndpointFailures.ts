/** What went wrong with a model server, in words that say what a person can do. */
import { ModelError } from './session/chatModel.ts';
import { isOverflow } from './session/overflow.ts';

/** So much of what a server says about an error is read, and shown. */
const MAX_READ = 64 * 1024;
const MAX_SHOWN = 500;

export interface Endpoint {
  readonly origin: string;
  readonly model: string;
  /** Never in a message, also where a server repeats it. */
  readonly key: string | undefined;
}

export class EndpointFailures {
  readonly #endpoint: Endpoint;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  /** Of a response that is no success. `chunks`: its body. */
  async ofResponse(response: Response, chunks: AsyncIterable<string>): Promise<ModelError> {
    const { status, headers } = response;
    if (status >= 300 && status < 400) return this.#ofRedirect(headers.get('location'));
    let body = '';
    for await (const chunk of chunks) {
      body += chunk;
      if (body.length > MAX_READ) break;
    }
    const { message, names } = errorIn(body);
    if (isOverflow({ status, names, text: message })) return this.#ofOverflow(status, this.#shown(message));
    return this.#ofStatus(status, this.#shown(message), retryAfter(headers.get('retry-after')));
  }

  /** Of the error that a server puts into an answer that began well. */
  ofError(error: unknown): ModelError {
    const code = Number(field(error, 'code') ?? field(error, 'status'));
    const status = Number.isInteger(code) ? code : 0;
    const text = messageOfError(error);
    if (isOverflow({ status, names: namesOf(error), text }))
      return this.#ofOverflow(status, this.#shown(text));
    return this.#ofStatus(status, this.#shown(text), undefined);
  }

  ofSilence(milliseconds: number): ModelError {
    return new ModelError(
      `The model server at ${this.#endpoint.origin} has said nothing for ${Math.round(milliseconds / 1000)} seconds. Check that it still works, then try again.`,
    );
  }

  /** Of a request that got no response, or whose response broke off. */
  ofNetwork(error: unknown): ModelError {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const code = field(cause, 'code');
    const why = typeof code === 'string' ? code : cause instanceof Error ? cause.message : String(cause);
    return new ModelError(
      `The model server at ${this.#endpoint.origin} cannot be reached (${this.#shown(why)}). Check that it runs and that LODELINE_MODEL_URL is right.`,
      { isTransient: true },
    );
  }

  #ofRedirect(location: string | null): ModelError {
    const { origin } = this.#endpoint;
    const target =
      location !== null && URL.canParse(location, origin) ? new URL(location, origin) : undefined;
    const where =
      target === undefined ? 'another address' : this.#shown(`${target.origin}${target.pathname}`);
    return new ModelError(
      `The model server at ${origin} points to ${where}, and your key is not sent on. If you trust it, set LODELINE_MODEL_URL to the new address.`,
    );
  }

  #ofOverflow(status: number, said: string): ModelError {
    return new ModelError(
      `The conversation is longer than the window of the model ${this.#endpoint.model}${reasonOf(status, said)}. Start a new one, or choose a model with a larger window.`,
      { isOverflow: true },
    );
  }

  #ofStatus(status: number, said: string, retryAfterMs: number | undefined): ModelError {
    const { model } = this.#endpoint;
    const reason = reasonOf(status, said);
    if (status === 401)
      return new ModelError(`The model server refused the key${reason}. Check LODELINE_MODEL_KEY.`);
    if (status === 403)
      return new ModelError(
        `The model server does not allow this${reason}. Check that LODELINE_MODEL_KEY may use the model ${model}.`,
      );
    if (status === 404)
      return new ModelError(
        `The model server has no such model or address${reason}. Check LODELINE_MODEL (${model}) and that LODELINE_MODEL_URL ends in /v1.`,
      );
    if (status === 429)
      return new ModelError(
        `The model server is asked too often, or a quota is used up${reason}. Wait, or check your plan.`,
        { isTransient: true, retryAfterMs },
      );
    if (status === 408 || status >= 500)
      return new ModelError(`The model server failed${reason}. Try again later.`, {
        isTransient: true,
        retryAfterMs,
      });
    return new ModelError(`The model server refused the request${reason}.`);
  }

  /** What a server said, on one line, short and without the key. */
  #shown(text: string): string {
    const { key } = this.#endpoint;
    const hidden = key === undefined ? text : text.replaceAll(key, '[key]');
    const line = hidden.replace(/[\p{C}\s]+/gu, ' ').trim();
    return line.length <= MAX_SHOWN ? line : `${line.slice(0, MAX_SHOWN)}…`;
  }
}

function reasonOf(status: number, said: string): string {
  return `${said === '' ? '' : `: ${said}`}${status === 0 ? '' : ` (${status})`}`;
}

/** The error in a body. Pages of proxies and other texts tell a person nothing. */
function errorIn(body: string): { readonly message: string; readonly names: readonly unknown[] } {
  try {
    const json: unknown = JSON.parse(body);
    const error = field(json, 'error') ?? json;
    return { message: messageOfError(error), names: namesOf(error) };
  } catch {
    return { message: /^\s*</.test(body) ? '' : body, names: [] };
  }
}

function namesOf(error: unknown): readonly unknown[] {
  return [field(error, 'code'), field(error, 'type')];
}

function messageOfError(error: unknown): string {
  if (typeof error === 'string') return error;
  const message = field(error, 'message') ?? field(error, 'detail');
  return typeof message === 'string' ? message : (JSON.stringify(error) ?? '');
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Seconds, or a date. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const milliseconds = /^\s*\d+(\.\d+)?\s*$/.test(header)
    ? Number(header) * 1000
    : Date.parse(header) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}
