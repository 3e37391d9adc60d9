/** How long the gate takes, as a span: whoever wants to know subscribes; otherwise it costs nothing. */
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';

/** Carries a `GateSpan` for each call. */
const GATE_CHANNEL = 'lodeline.gate';

export interface GateSpan {
  readonly tool: string;
  /** From the call's arrival to the decision, without checking the input and without waiting for a person. */
  readonly milliseconds: number;
  /** What checking the input took, which every call needs, whoever decides about it. */
  readonly validationMilliseconds: number;
  readonly isDenied: boolean;
}

const gate = channel(GATE_CHANNEL);

/** Times one call's way through the gate. */
export class GateClock {
  readonly #started = performance.now();
  #validation = 0;

  /** Does what the call needs but the gate does not. */
  validating<T>(work: () => T): T {
    const started = performance.now();
    try {
      return work();
    } finally {
      this.#validation += performance.now() - started;
    }
  }

  /** Says that the gate has decided. */
  end(tool: string, isDenied: boolean): void {
    if (!gate.hasSubscribers) return;
    const milliseconds = performance.now() - this.#started - this.#validation;
    const validationMilliseconds = this.#validation;
    gate.publish({ tool, milliseconds, validationMilliseconds, isDenied } satisfies GateSpan);
  }
}

/** Called with the gate's time for each call in this process. Returns the unsubscribe function. */
export function onGateSpan(listener: (span: GateSpan) => void): () => void {
  const receive = (message: unknown): void => listener(message as GateSpan);
  subscribe(GATE_CHANNEL, receive);
  return () => unsubscribe(GATE_CHANNEL, receive);
}
