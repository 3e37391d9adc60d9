/** What the parent and its children agree on. */

/** The session keys: two chats of ours, and one of an agent that runs its own loop. */
export const KEYS = { a: 'a', b: 'b', observed: 'mcp-1' } as const;

/** What is sent, each with an id of its own. */
export const SENDS = [
  { id: 'one', from: 'a', to: 'b' },
  { id: 'two', from: 'b', to: 'a' },
  { id: 'three', from: 'a', to: 'observed' },
  { id: 'four', from: 'a', to: 'b' },
] as const;

export interface ChildOptions {
  readonly dir: string;
  readonly keys: string;
  /** A line for each side effect that a tool had. */
  readonly effects: string;
  /** Only goes on with what was left. */
  readonly isLast: boolean;
  /** The process kills itself at this step of its way to the disk, to the model, or in a tool. */
  readonly death?: number | undefined;
}
