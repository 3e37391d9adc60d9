/** Names that mean one plain file on every file system. */
import { isGitName, isOwnName, parsePath } from '../subagent/workspace/names.ts';

/** Lies beside the files and tells of them. */
export const MANIFEST = '.manifest.json';
/** Of UTF-8, as most file systems count. */
const MOST_NAME_BYTES = 255;

/** The name as it is written (NFC), or why it is none; `problem` continues the sentence that it begins. */
export function attachmentName(text: string): string | { readonly problem: string } {
  const name = text.isWellFormed() ? text.normalize('NFC') : text;
  if (name === '') return { problem: 'is empty' };
  if (/[\\/]/.test(name)) return { problem: 'is a path: give a file name' };
  if (/[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/u.test(name))
    return { problem: 'contains characters that cannot be seen' };
  if (name.trim() !== name) return { problem: 'begins or ends with a space' };
  if (Buffer.byteLength(name) > MOST_NAME_BYTES)
    return { problem: `is longer than ${MOST_NAME_BYTES} bytes` };
  if (name === '.' || !isPlain(name)) return { problem: 'is a name that a system gives another meaning' };
  const folded = foldedName(name);
  // In our own folder the last of these is where memory lies, which no subagent reads.
  if (
    isGitName(name) ||
    isOwnName(name) ||
    ['.gitignore', '.gitattributes', MANIFEST, 'store'].includes(folded)
  )
    return { problem: 'is reserved: choose another' };
  return name;
}

/** Equal for names that some file system takes for the same. */
export function foldedName(name: string): string {
  return name.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC');
}

/** As Windows sees it, which has the most to say against names. */
function isPlain(name: string): boolean {
  try {
    return parsePath(name, 'win32').length === 1;
  } catch {
    return false;
  }
}
