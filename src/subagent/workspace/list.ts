import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { lookAt } from '../../journal/disk.ts';
import { holdsOnlyHidden, type IsHidden } from '../hiddenFolders.ts';
import { isGitName } from './names.ts';
import { path } from './read.ts';
import { oneLine, quote, sizeText, WorkspaceError, type WorkspaceTool, workspaceTool } from './tool.ts';
import type { Workspace } from './workspace.ts';

const MAX_ENTRIES = 500;
/** Of a folder with more, only so many are looked at. */
const MAX_READ = 5000;

/** Lists a folder. */
export function listTool(workspace: Workspace, isHidden: IsHidden): WorkspaceTool {
  return workspaceTool({
    name: 'list',
    description:
      'List what is in a folder: folders end with "/", files have their size, "@" marks symbolic links. At most 500 entries. Use find to look below it.',
    exclusive: false,
    effect: 'read',
    input: z.object({ path: path.optional().describe('Folder relative to the workspace; "." is its top.') }),
    async run({ path: asked = '.' }) {
      const place = workspace.locate(asked, 'read');
      if (place.kind === 'missing')
        throw new WorkspaceError(`There is no folder ${quote(place.path)}. Look for it with find.`);
      if (place.kind !== 'folder')
        throw new WorkspaceError(`${quote(place.path)} is a file. Use read to see what it holds.`);
      const folder = workspace.hold(place.names);
      try {
        const all = await folder.someEntries(MAX_READ);
        const entries: Dirent[] = [];
        for (const entry of all) {
          const at = join(workspace.root, place.path, entry.name);
          if (isGitName(entry.name) || isHidden(at)) continue;
          if (!entry.isDirectory() || !(await holdsOnlyHidden(at, isHidden))) entries.push(entry);
        }
        entries.sort(
          (a, b) => Number(b.isDirectory()) - Number(a.isDirectory()) || (a.name < b.name ? -1 : 1),
        );
        if (entries.length === 0) return `${quote(place.path)} is empty.`;
        const lines = entries.slice(0, MAX_ENTRIES).map((entry) => describe(entry, folder.at(entry.name)));
        const more = entries.length - lines.length;
        const count = all.length === MAX_READ ? 'Many' : `${more}`;
        if (more > 0) lines.push(`(${count} more. Use find with a pattern.)`);
        return lines.join('\n');
      } finally {
        folder.close();
      }
    },
  });
}

function describe(entry: Dirent, at: string): string {
  const name = oneLine(entry.name);
  if (entry.isDirectory()) return `${name}/`;
  if (entry.isSymbolicLink()) return `${name}@`;
  const stats = lookAt(at);
  return stats === undefined ? name : `${name}  ${sizeText(stats.size)}`;
}
