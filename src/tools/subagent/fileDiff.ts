/** One file's part of a patch, as lines that can be shown. */
import type { DiffHunk, DiffLine, FileDiff } from '../../subagentProtocol.ts';

/** What a panel shows of one file; the editor's own diff shows all. */
const MOST_LINES = 5_000;
const MOST_LINE = 2_000;

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

/**
 * The part of a git patch at a position among its files.
 * @param index which file of the patch, from 0: a patch and the list of its files have the same order, and names in
 *   a patch are quoted in ways that are better not read
 */
export function fileDiff(patch: string, index: number, path: string): FileDiff {
  const lines = sectionLines(patch, index);
  const hunks: DiffHunk[] = [];
  let left = MOST_LINES;
  let rest = { old: 0, new: 0 };
  let truncated = false;
  for (const line of lines) {
    const inside = rest.old > 0 || rest.new > 0;
    const head = inside ? null : HUNK.exec(line);
    if (head) {
      const [, oldStart, oldLines = '1', newStart, newLines = '1', header = ''] = head;
      rest = { old: Number(oldLines), new: Number(newLines) };
      hunks.push({
        ...{ header, oldStart: Number(oldStart), newStart: Number(newStart) },
        ...{ oldLines: rest.old, newLines: rest.new, lines: [] },
      });
      continue;
    }
    const hunk = hunks.at(-1);
    if (hunk === undefined) continue;
    if (left-- <= 0) {
      truncated = true;
      break;
    }
    const shown = hunk.lines as DiffLine[];
    if (line.startsWith('\\')) {
      const last = shown.pop();
      if (last) shown.push({ ...last, noNewline: true });
      continue;
    }
    if (!inside) continue;
    const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'context';
    if (kind !== 'added') rest.old--;
    if (kind !== 'removed') rest.new--;
    shown.push({ kind, text: line.slice(1, MOST_LINE) });
  }
  const binary = hunks.length === 0 && lines.some((line) => /^(GIT binary patch|Binary files )/.test(line));
  return { path, binary, truncated, hunks };
}

/** The lines of one file's part. A line of a file's content never begins with `diff --git`: it has a sign in front. */
function sectionLines(patch: string, index: number): readonly string[] {
  const starts = [...patch.matchAll(/^diff --git /gm)].map(({ index: at }) => at);
  const from = starts[index];
  if (from === undefined) return [];
  return patch
    .slice(from, starts[index + 1])
    .replace(/\n$/, '')
    .split('\n');
}
