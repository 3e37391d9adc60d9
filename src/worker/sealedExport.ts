/** Texts that leave a sealed store, each with the level of what it holds. */
import type { KeyRing } from '../journal/keys.ts';
import { isSealedFile, openedBytes, sealedBytes } from '../journal/sealedFile.ts';
import { parseLevel } from '../policy/level.ts';
import { phrase, StoreError } from './api.ts';
import type { OpenedExport } from './sealingApi.ts';

/** The name that they are sealed under, wherever they lie. */
const NAME = 'export';

/** One line of ASCII. @throws KeyError */
export function sealedExport(keys: KeyRing, { text, level }: OpenedExport): string {
  return sealedBytes(keys, NAME, Buffer.from(`${level}\n${text}`, 'utf8'))
    .toString('latin1')
    .trimEnd();
}

/** Undefined for a text that is no sealed one. @throws StoreError where it cannot be opened here */
export function openedExport(keys: KeyRing, given: string): OpenedExport | undefined {
  const bytes = Buffer.from(given, 'utf8');
  if (!isSealedFile(bytes)) return undefined;
  // Somebody may have put its key here.
  keys.lookAgain();
  const said = openedBytes(keys, NAME, bytes)?.toString('utf8');
  const [, word = '', text] = /^([A-Z]+)\n([\s\S]*)$/.exec(said ?? '') ?? [];
  const level = parseLevel(word);
  if (level !== undefined && text !== undefined) return { text, level };
  throw new StoreError(
    phrase(
      'This export is encrypted, and its key is not here, or it was altered. Set LODELINE_KEY to the 64 hexadecimal digits of the key that its store had.',
    ),
  );
}
