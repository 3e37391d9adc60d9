import { oneLine } from '../../memory/line.ts';

/** Folders and files of the top, and folders one below: enough to see how a project is laid out. */
const MOST_LINES = 60;
const MOST_INSIDE = 12;

/**
 * A project's structure from its files' paths (with slashes):
 * ```
 * src/ (120 files): git, memory, tools
 * package.json
 * ```
 */
export function treeOf(files: readonly string[]): string {
  const folders = new Map<string, { count: number; inside: Set<string> }>();
  const top: string[] = [];
  for (const file of files) {
    const [first = '', second, ...rest] = file.split('/');
    if (second === undefined) {
      top.push(first);
      continue;
    }
    const folder = folders.get(first) ?? { count: 0, inside: new Set() };
    folder.count++;
    if (rest.length > 0) folder.inside.add(second);
    folders.set(first, folder);
  }
  const lines = [
    ...[...folders].sort(byName).map(([name, { count, inside }]) => {
      const names = [...inside].sort();
      const shown = names.slice(0, MOST_INSIDE).map(oneLine).join(', ');
      const more = names.length > MOST_INSIDE ? `, … ${names.length - MOST_INSIDE} more` : '';
      return `- ${oneLine(name)}/ (${count} ${count === 1 ? 'file' : 'files'})${shown === '' ? '' : `: ${shown}${more}`}`;
    }),
    ...top.sort().map((name) => `- ${oneLine(name)}`),
  ];
  if (lines.length === 0) return '- No files';
  if (lines.length <= MOST_LINES) return lines.join('\n');
  return [...lines.slice(0, MOST_LINES), `- … ${lines.length - MOST_LINES} more`].join('\n');
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
