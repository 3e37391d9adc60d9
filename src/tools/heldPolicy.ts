/**
 * Settings as they count for a session that was left under stricter ones: until the person agrees, what the session
 * does, and all that it starts, goes by those.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Settings } from '../ports.ts';
import type { PolicyValues } from '../session/effects.ts';
import { stricterOf } from '../session/resume/policy.ts';

export class HeldPolicies {
  /** The host's settings, as they count for whoever asks. */
  readonly settings: Settings;
  /** Those that the host has. */
  readonly own: Settings;
  readonly #held = new Map<string, PolicyValues>();
  /** Keys of the sessions for which something is done, the one that began it first. */
  readonly #doing = new AsyncLocalStorage<readonly string[]>();

  constructor(own: Settings) {
    this.own = own;
    const set = own.set?.bind(own);
    this.settings = { get: (key) => this.#get(key), ...(set && { set }) };
  }

  /** From now on these values count for a session; undefined: those that the settings have. */
  hold(session: string, values: PolicyValues | undefined): void {
    if (values === undefined) this.#held.delete(session);
    else this.#held.set(session, values);
  }

  /** Does something for a session. */
  within<T>(session: string, work: () => T): T {
    // Most sessions hold nothing, and then there is nothing to remember.
    if (this.#held.size === 0) return work();
    const doing = this.#doing.getStore() ?? [];
    return doing.at(-1) === session ? work() : this.#doing.run([...doing, session], work);
  }

  #get(key: string): unknown {
    const value = this.own.get(key);
    if (this.#held.size === 0) return value;
    return (this.#doing.getStore() ?? []).reduce<unknown>((counts, session) => {
      const held = this.#held.get(session);
      return held === undefined || !Object.hasOwn(held, key) ? counts : stricterOf(key, held[key], counts);
    }, value);
  }
}
