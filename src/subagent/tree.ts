/** The layout of a workspace in a few lines, the one thing a subagent is told of it without asking. */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { holdsOnlyHidden, type IsHidden } from './hiddenFolders.ts';
import { oneLine } from './text.ts';

const DEPTH = 3;
const LINES = 200;
/** Of one folder, so that a folder of thousands does not hide the others. */
const PER_FOLDER = 40;
/** What tools make, not people. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', '.lodeline', 'node_modules', '.DS_Store']);

/**
 * Folders and files, indented, folders first; bounded, and it says where it was cut.
 * @param isHidden what it covers is neither named nor counted, nor is a folder that holds nothing else
 */
export async function describeTree(root: string, isHidden: IsHidden = () => false): Promise<string> {
  const lines: string[] = [];
  await describe(root, 0, lines, isHidden);
  return lines.length <= LINES ? lines.join('\n') : [...lines.slice(0, LINES), '… cut'].join('\n');
}

async function describe(folder: string, depth: number, lines: string[], isHidden: IsHidden): Promise<void> {
  const kept: Dirent[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    if (SKIPPED.has(entry.name) || isHidden(path)) continue;
    if (!entry.isDirectory() || !(await holdsOnlyHidden(path, isHidden))) kept.push(entry);
  }
  kept.sort((a, b) => Number(b.isDirectory()) - Number(a.isDirectory()) || (a.name < b.name ? -1 : 1));
  const indent = '  '.repeat(depth);
  for (const entry of kept.slice(0, PER_FOLDER)) {
    if (lines.length > LINES) return;
    lines.push(`${indent}${oneLine(entry.name)}${entry.isDirectory() ? '/' : ''}`);
    if (entry.isDirectory() && depth + 1 < DEPTH)
      await describe(join(folder, entry.name), depth + 1, lines, isHidden);
  }
  if (kept.length > PER_FOLDER) lines.push(`${indent}… and ${kept.length - PER_FOLDER} more`);
}
