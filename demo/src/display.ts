import type { Forecast } from './api.js';

/** One line of 40 characters, which is all that the display can show. */
export function displayLine({ harbour, highWater, lowWater, heightMetres }: Forecast): string {
  const name = harbour.padEnd(14).slice(0, 14);
  return `${name} ▲${highWater} ▼${lowWater} ${heightMetres.toFixed(1)} m`.slice(0, 40);
}
