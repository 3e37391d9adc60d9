import type { HostMessage, PANEL_TOOLS, PanelMessage } from '../../src/protocol.ts';

export type PanelTool = (typeof PANEL_TOOLS)[number];
export type HostEvent = Exclude<HostMessage, { type: 'result' }>;

/** What a panel may send; each panel names the tools it calls. */
type Sent<Tool extends string> =
  | Exclude<PanelMessage, { type: 'invoke' }>
  | {
      readonly type: 'invoke';
      readonly seq: number;
      readonly tool: Tool;
      readonly input: Record<string, unknown>;
    };

interface VsCodeApi {
  postMessage(message: Sent<string>): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): VsCodeApi;

/** The host refused or failed a call; the message is for the person. */
class HostError extends Error {
  override readonly name = 'HostError';
}

export interface InvokeOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds; 0 waits for as long as it takes, for calls that ask the person. */
  readonly timeout?: number;
}

/** What a tool answered. */
export interface Answered<T> {
  readonly text: string;
  readonly data: T;
  /** Between these moments of the host's clock it was done; that clock may be another machine's. */
  readonly began: number;
  readonly ended: number;
}

interface Waiting {
  resolve(answer: Answered<unknown>): void;
  reject(reason: unknown): void;
}

const DEFAULT_TIMEOUT = 30_000;

/** The extension host as a panel sees it. One per document: the editor hands out its API once. */
export class Host<Tool extends string = PanelTool> {
  readonly #api = acquireVsCodeApi();
  readonly #waiting = new Map<number, Waiting>();
  readonly #timeoutText: () => string;
  #seq = 0;

  constructor(onEvent: (event: HostEvent) => void, timeoutText: () => string) {
    this.#timeoutText = timeoutText;
    window.addEventListener('message', ({ data }: MessageEvent<HostMessage>) => {
      if (data.type === 'result') this.#settle(data);
      else onEvent(data);
    });
  }

  post(message: Sent<Tool>): void {
    this.#api.postMessage(message);
  }

  /** Calls a tool and answers its data. The host is trusted to send what the protocol promises. */
  async invoke<T>(tool: Tool, input: Record<string, unknown>, options: InvokeOptions = {}): Promise<T> {
    return (await this.call<T>(tool, input, options)).data;
  }

  /** `invoke`, with the tool's text beside its data. */
  call<T>(tool: Tool, input: Record<string, unknown>, options: InvokeOptions = {}): Promise<Answered<T>> {
    const { signal, timeout = DEFAULT_TIMEOUT } = options;
    const seq = this.#seq++;
    return new Promise<Answered<T>>((resolve, reject) => {
      signal?.throwIfAborted();
      const timer =
        timeout > 0
          ? setTimeout(() => end(() => reject(new HostError(this.#timeoutText()))), timeout)
          : undefined;
      const abort = () => end(() => reject(signal?.reason));
      const end = (settle: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#waiting.delete(seq);
        settle();
      };
      signal?.addEventListener('abort', abort);
      this.#waiting.set(seq, {
        resolve: (answer) => end(() => resolve(answer as Answered<T>)),
        reject: (reason) => end(() => reject(reason)),
      });
      this.post({ type: 'invoke', seq, tool, input });
    });
  }

  get state(): unknown {
    return this.#api.getState();
  }

  set state(state: unknown) {
    this.#api.setState(state);
  }

  #settle(result: Extract<HostMessage, { type: 'result' }>): void {
    const waiting = this.#waiting.get(result.seq);
    if (result.ok) waiting?.resolve(result);
    else waiting?.reject(new HostError(result.error));
  }
}

/** What to tell the person about a failure. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether a call ended because its caller no longer wants the answer. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
