/** Reads a setting by the seed's own key, such as `task.simple`; undefined when the person set nothing. */
export interface Settings {
  get(key: string): unknown;
  /** Sets a value in the person's own settings; absent where there is no place for it. */
  set?(key: string, value: unknown): Promise<void>;
}

export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** What the app needs from its host. */
export interface Ports {
  readonly settings: Settings;
  readonly log: Log;
  /** Epoch milliseconds. */
  now(): number;
  /** Whether the person trusts this workspace folder; untrusted folders are read only. */
  trusted(): boolean;
}
