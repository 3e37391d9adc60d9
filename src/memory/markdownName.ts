/** Names of the Markdown files that entries are kept in: `User Role!` → `user-role.md`. */

/** In UTF-8 bytes: some file systems write a Hangul syllable with three times as many, and 255 is the end. */
const MAX_SLUG = 72;
/** Names that Windows keeps for devices, and the index's own where case makes no difference. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|memory)$/;
const EXTENSION = '.md';
export const INDEX_FILE = 'MEMORY.md';

/** Letters and digits of every script in lower case, with dashes between them; a key without any has none. */
export function slugOf(key: string): string {
  const words = key
    .toWellFormed()
    .normalize('NFC')
    .toLowerCase()
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return cut(words, MAX_SLUG);
}

/**
 * The name for an entry's file.
 * @param id the entry's id, which makes a name of its own where the slug alone would be no good one
 * @param isTaken whether a name, as `foldName` has it, is another entry's
 */
export function fileNameOf(key: string, id: string, isTaken: (folded: string) => boolean): string {
  const slug = slugOf(key);
  const plain = `${slug}${EXTENSION}`;
  if (slug !== '' && !RESERVED.test(slug) && !isTaken(foldName(plain))) return plain;
  const own = `${slug === '' ? 'entry' : slug}-${id}`;
  for (let number = 1; ; number++) {
    const name = `${own}${number === 1 ? '' : `-${number}`}${EXTENSION}`;
    if (!isTaken(foldName(name))) return name;
  }
}

/** Equal for names that are one file on some file system. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC');
}

/** Whether a name in the folder is that of an entry's file. */
export function isEntryFile(name: string): boolean {
  const folded = foldName(name);
  return folded.endsWith(EXTENSION) && !folded.startsWith('.') && folded !== foldName(INDEX_FILE);
}

/** The key of a file that names none. */
export function keyOfFile(name: string): string {
  return name.slice(0, -EXTENSION.length).normalize('NFC').trim();
}

function cut(text: string, bytes: number): string {
  let length = 0;
  let end = 0;
  for (const character of text) {
    length += Buffer.byteLength(character);
    if (length > bytes) break;
    end += character.length;
  }
  return text.slice(0, end).replace(/-+$/, '');
}
