import { ForecastCache } from './cache.js';

export interface Forecast {
  harbour: string;
  highWater: string;
  lowWater: string;
  heightMetres: number;
}

const RETRIES = 3;
const FIRST_WAIT_MS = 250;

export class ForecastApi {
  readonly #cache = new ForecastCache<Forecast>();

  constructor(private readonly baseUrl: string) {}

  async forecast(harbour: string): Promise<Forecast> {
    const cached = this.#cache.get(harbour);
    if (cached) return cached;
    const fresh = await this.#fetch(harbour);
    this.#cache.set(harbour, fresh);
    return fresh;
  }

  async #fetch(harbour: string): Promise<Forecast> {
    for (let attempt = 0; ; attempt += 1) {
      const response = await fetch(`${this.baseUrl}/forecast/${encodeURIComponent(harbour)}`);
      if (response.ok) return (await response.json()) as Forecast;
      if (response.status !== 503 || attempt === RETRIES) {
        throw new Error(`The forecast service answered ${response.status} for ${harbour}.`);
      }
      await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT_MS * 2 ** attempt));
    }
  }
}
