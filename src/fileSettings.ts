/** Settings of the doors without an editor: flat keys in two JSON files, such as `{"task.simple": "brief"}`. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { tightened } from './policy/tightened.ts';
import type { Log, Settings } from './ports.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * Reads `~/.lodeline/config.json` and, over it, the folder's `.lodeline/config.json`. The folder's file comes with a
 * repository and so from anybody: it does not decide who may see and do what, except where it tightens.
 */
export function readSettings(root: string, log: Log): Settings {
  const own = readValues(join(homedir(), '.lodeline', 'config.json'), log);
  const folder = readValues(join(root, '.lodeline', 'config.json'), log);
  return { get: (key) => tightened(key, own[key], folder[key]) };
}

/** What the folder's own settings file says to one setting; for those that loosen nothing. */
export function folderSetting(root: string, key: string, log: Log): unknown {
  return readValues(join(root, '.lodeline', 'config.json'), log)[key];
}

/** The values of a settings file. A missing one has none; a broken one is reported and has none. */
function readValues(file: string, log: Log): Values {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      log.warn(`${file} cannot be read: ${reason(error)}. Its settings are ignored.`);
    return {};
  }
  try {
    const values: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (typeof values !== 'object' || values === null || Array.isArray(values))
      throw new Error('it holds no object');
    // Without a prototype, so that only what the file says is found.
    return Object.assign(Object.create(null), values);
  } catch (error) {
    log.warn(`${file} is not valid: ${reason(error)}. Its settings are ignored.`);
    return {};
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
