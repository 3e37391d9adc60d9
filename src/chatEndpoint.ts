/** The chat model behind an OpenAI-compatible endpoint that the person configured. */
import { AnswerReader } from './chatEndpointAnswer.ts';
import { requestBody } from './chatEndpointBody.ts';
import { EndpointFailures } from './chatEndpointFailures.ts';
import { type ChatModel, ModelError, type ModelPart, type ModelRequest } from './session/chatModel.ts';

/** As the environment has it: `LODELINE_MODEL_URL`, `LODELINE_MODEL`, `LODELINE_MODEL_KEY`. */
export interface ModelSettings {
  /** Ends in `/v1`, or wherever the server has its `/chat/completions`. */
  readonly url: string | undefined;
  readonly model: string | undefined;
  /** Servers on the person's own machine need none. */
  readonly key: string | undefined;
}

/** A server that says nothing for so long will not say anything any more. There is no other limit. */
const SILENCE_MS = 5 * 60_000;

/**
 * The model that the settings name.
 * @param silenceMs how long the server may say nothing
 * @throws ModelError when something is missing or cannot be used; its message names the variables to set
 */
export function endpointModel(settings: ModelSettings, silenceMs = SILENCE_MS): ChatModel {
  const { url, model } = settings;
  if (!url || !model)
    throw new ModelError(
      'No chat model is configured. Set LODELINE_MODEL_URL (an OpenAI-compatible address that ends in /v1), LODELINE_MODEL (the model’s name) and, where the server wants one, LODELINE_MODEL_KEY in the environment, then start again.',
    );
  const target = completionsUrl(url);
  const key = usableKey(settings.key);
  const failures = new EndpointFailures({ origin: target.origin, model, key });
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream, application/json',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };

  async function* send(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    signal.throwIfAborted();
    const silence = new Silence(silenceMs);
    try {
      const response = await fetch(target, {
        method: 'POST',
        headers,
        body: requestBody(model as string, request),
        // A redirect would hand the conversation, and perhaps the key, to somebody else.
        redirect: 'manual',
        signal: AbortSignal.any([signal, silence.signal]),
      });
      silence.restart();
      const chunks = textChunks(response, silence);
      if (!response.ok) throw await failures.ofResponse(response, chunks);
      const reader = new AnswerReader((error) => failures.ofError(error));
      const isObject = response.headers.get('content-type')?.includes('json') === true;
      yield* isObject ? reader.object(chunks) : reader.stream(chunks);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (silence.signal.aborted) throw failures.ofSilence(silenceMs);
      throw error instanceof ModelError ? error : failures.ofNetwork(error);
    } finally {
      // Also when nobody reads on, so that the model stops.
      silence.end();
    }
  }
  return { name: model, send };
}

function completionsUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !['http:', 'https:'].includes(parsed.protocol))
    throw new ModelError(
      'LODELINE_MODEL_URL is no http or https address. It looks like https://example.com/v1.',
    );
  if (parsed.username !== '' || parsed.password !== '')
    throw new ModelError(
      'LODELINE_MODEL_URL has a name or password in it. Put the key into LODELINE_MODEL_KEY instead.',
    );
  parsed.pathname = `${parsed.pathname.replace(/\/+$/, '')}/chat/completions`;
  return parsed;
}

/** Errors about a header quote it, so what cannot stand in one must never get there. */
function usableKey(key: string | undefined): string | undefined {
  const trimmed = key?.trim();
  if (!trimmed) return undefined;
  if (!/^[\x21-\x7E]+$/.test(trimmed))
    throw new ModelError('LODELINE_MODEL_KEY holds blanks or characters that no key has. Copy the key anew.');
  return trimmed;
}

/** Ends a request when the other side has been silent for too long. */
class Silence {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly signal = this.#controller.signal;

  constructor(milliseconds: number) {
    this.#timer = setTimeout(() => this.#controller.abort(), milliseconds);
  }

  restart(): void {
    this.#timer.refresh();
  }

  /** Lets the connection go. */
  end(): void {
    clearTimeout(this.#timer);
    this.#controller.abort();
  }
}

async function* textChunks({ body }: Response, silence: Silence): AsyncGenerator<string> {
  if (body === null) return;
  const decoder = new TextDecoder();
  // Typed without its iterator where the types of browsers are used.
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    silence.restart();
    yield decoder.decode(chunk, { stream: true });
  }
  yield decoder.decode();
}
