import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files under a folder with their bytes. Processes may be at work in it: what goes while it is looked for is not there. */
export function filesUnder(folder: string): { path: string; bytes: Buffer }[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return unlessGone(() => filesUnder(path)) ?? [];
    const bytes = entry.isFile() ? unlessGone(() => readFileSync(path)) : undefined;
    return bytes === undefined ? [] : [{ path, bytes }];
  });
}

/** Everything in the files under a folder, one character a byte, to look for what must not be there. */
export function bytesUnder(folder: string): string {
  return filesUnder(folder)
    .map(({ bytes }) => bytes.toString('latin1'))
    .join('\n');
}

function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
