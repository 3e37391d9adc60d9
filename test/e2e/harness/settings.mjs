// @ts-check
/** The user settings of one editor, before and while it runs. */
import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

/**
 * @typedef {object} Settings
 * @property {() => Promise<Record<string, unknown>>} read
 * @property {(changes: Record<string, unknown>) => Promise<void>} update  null removes a setting
 */

/**
 * @param {string} file       the editor's settings.json
 * @param {string} requests   where the bridge extension looks for changes
 * @param {() => boolean} hasWindow
 * @returns {Settings}
 */
export function userSettings(file, requests, hasWindow) {
  const read = async () => {
    const text = await readFile(file, 'utf8').catch(() => '{}');
    return /** @type {Record<string, unknown>} */ (JSON.parse(text || '{}'));
  };

  /** @param {Record<string, unknown>} changes */
  const isDone = async (changes) => {
    // The editor may be writing at this moment.
    const current = await read().catch(() => undefined);
    return (
      current &&
      Object.entries(changes).every(([key, value]) => isDeepStrictEqual(current[key] ?? null, value))
    );
  };

  return {
    read,
    async update(changes) {
      if (!hasWindow()) {
        const merged = Object.entries({ ...(await read()), ...changes }).filter(
          ([, value]) => value !== null,
        );
        await writeFile(file, JSON.stringify(Object.fromEntries(merged), null, 2));
        return;
      }
      // Asked for twice is two requests: the person may have changed it between them.
      const request = JSON.stringify({ id: randomUUID(), changes });
      await writeFile(`${requests}.new`, request);
      await rename(`${requests}.new`, requests);
      const isTaken = async () =>
        (await readFile(`${requests}.done`, 'utf8').catch(() => '')) === request && (await isDone(changes));
      for (const deadline = Date.now() + 120_000; !(await isTaken()); await sleep(50)) {
        if (Date.now() > deadline)
          throw new Error(`The editor did not take the settings ${JSON.stringify(changes)}.`);
      }
    },
  };
}
