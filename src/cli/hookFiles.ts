/** Which files a tool was given, by the words that editors' and agents' tools have for them. */
import { fileIn } from '../session/presencePath.ts';

const PATH_FIELDS = ['filePath', 'file_path', 'path', 'notebook_path', 'notebookPath', 'uri', 'file'];
const LIST_FIELDS = ['filePaths', 'file_paths', 'paths', 'files', 'edits', 'replacements'];
/** A patch names its files on lines of their own; Codex hands it over as a command. */
const PATCH_FIELDS = ['input', 'patch', 'patchText', 'command'];
const PATCH_LINE = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;
const MAX_FILES = 100;

/**
 * The files in a tool's input, as presence names them; those outside the root are none of its business.
 * @param cwd where relative paths begin
 */
export function filesIn(input: unknown, root: string, cwd: string): string[] {
  const files = new Set<string>();
  for (const path of pathsIn(input)) {
    if (files.size >= MAX_FILES) break;
    const file = fileIn(root, path, cwd);
    if (file !== undefined) files.add(file);
  }
  return [...files];
}

function* pathsIn(input: unknown, depth = 0): Generator<string> {
  if (typeof input !== 'object' || input === null || depth > 2) return;
  const fields = input as Readonly<Record<string, unknown>>;
  for (const name of PATH_FIELDS) {
    const path = fields[name];
    if (typeof path === 'string') yield path;
  }
  for (const name of PATCH_FIELDS) {
    const patch = fields[name];
    if (typeof patch === 'string')
      for (const [, path] of patch.matchAll(PATCH_LINE)) yield path?.trim() ?? '';
  }
  for (const name of LIST_FIELDS) {
    const list = fields[name];
    if (!Array.isArray(list)) continue;
    for (const each of list.slice(0, MAX_FILES)) {
      if (typeof each === 'string') yield each;
      else yield* pathsIn(each, depth + 1);
    }
  }
}
