import { join } from 'node:path';
import { z } from 'zod';
import { whereOf } from './place.ts';
import type { SearchThreads } from './searches.ts';
import { type WorkspaceTool, workspaceTool } from './tool.ts';
import type { Workspace } from './workspace.ts';

const DEFAULT_LIMIT = 200;
/** As many are found at most. */
const MOST = 50_000;

export const glob = z.string().min(1).max(1000);

/** Finds files by their paths. */
export function findTool(
  workspace: Workspace,
  threads: SearchThreads,
  isHidden: (path: string) => boolean,
): WorkspaceTool {
  return workspaceTool({
    name: 'find',
    description:
      'Find files by a glob, such as "src/**/*.test.ts"; one without "/" matches names in every folder. Leaves out what git ignores, node_modules and symbolic links.',
    exclusive: false,
    effect: 'read',
    input: z.object({
      glob: glob.describe('For example "*.md" or "src/**/*.{ts,tsx}".'),
      path: z.string().optional().describe('Folder to look in, relative to the workspace.'),
      limit: z.int().min(1).max(1000).optional().describe('Most paths, 200 unless given.'),
    }),
    async run({ glob, path = '.', limit = DEFAULT_LIMIT }, signal) {
      const where = whereOf(workspace, path);
      // Those that may not be told take nobody's place.
      const { lines: all, tally } = await threads.run({ type: 'find', ...where, glob, limit: MOST }, signal);
      const lines: string[] = [];
      for (const line of all) {
        if (lines.length > limit) break;
        if (!isHidden(join(workspace.root, line))) lines.push(line);
      }
      const isMore = lines.length > limit;
      const notes = [
        tally === undefined
          ? 'The time was up before everything was looked at: give a folder as "path".'
          : '',
        isMore ? `There are more than ${limit}: use a narrower glob or a folder.` : '',
      ].filter(Boolean);
      const found =
        lines.length === 0
          ? ['No file matches. What git ignores is not looked at; list shows it.']
          : lines.slice(0, limit);
      return [...found, ...notes.map((note) => `(${note})`)].join('\n');
    },
  });
}
