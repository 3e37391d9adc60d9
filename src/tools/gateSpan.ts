/** How long the gate takes, as a span: whoever wants to know subscribes; otherwise it costs nothing. */
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';

/** Carries a `GateSpan` for each call. */
const GATE_CHANNEL = 'lodeline.gate';

export interface GateSpan {
  readonly tool: string;
  /** From the call's arrival to the decision, without waiting for a person. */
  readonly milliseconds: number;
  readonly isDenied: boolean;
}

const gate = channel(GATE_CHANNEL);

/** Says that the gate has decided about a call that arrived at `started` (`performance.now()`). */
export function endGateSpan(tool: string, started: number, isDenied: boolean): void {
  if (gate.hasSubscribers)
    gate.publish({ tool, milliseconds: performance.now() - started, isDenied } satisfies GateSpan);
}

/** Called with the gate's time for each call in this process. Returns the unsubscribe function. */
export function onGateSpan(listener: (span: GateSpan) => void): () => void {
  const receive = (message: unknown): void => listener(message as GateSpan);
  subscribe(GATE_CHANNEL, receive);
  return () => unsubscribe(GATE_CHANNEL, receive);
}
