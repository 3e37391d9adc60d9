/** Keeps the newest forecasts. The harbour asked for longest ago leaves first. */
export class ForecastCache<T> {
  readonly #entries = new Map<string, { value: T; storedAt: number }>();

  constructor(
    private readonly capacity = 500,
    private readonly maxAgeMs = 15 * 60_000,
  ) {}

  get(harbour: string, now = Date.now()): T | undefined {
    const entry = this.#entries.get(harbour);
    if (!entry) return undefined;
    this.#entries.delete(harbour);
    if (now - entry.storedAt > this.maxAgeMs) return undefined;
    // A Map keeps insertion order: put back, the entry counts as used last.
    this.#entries.set(harbour, entry);
    return entry.value;
  }

  set(harbour: string, value: T, now = Date.now()): void {
    this.#entries.delete(harbour);
    this.#entries.set(harbour, { value, storedAt: now });
    if (this.#entries.size > this.capacity) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
  }
}
