import { z } from 'zod';
import { glob } from './find.ts';
import { whereOf } from './place.ts';
import type { Searched, SearchThreads } from './searches.ts';
import { type WorkspaceTool, workspaceTool } from './tool.ts';
import type { Workspace } from './workspace.ts';

const DEFAULT_LIMIT = 100;

/** Searches in files. */
export function searchTool(workspace: Workspace, threads: SearchThreads): WorkspaceTool {
  return workspaceTool({
    name: 'search',
    description:
      'Search in text files with a regular expression (JavaScript), or for a text as it is with "literal". Answers the matching lines with their numbers, by file. Leaves out what git ignores, node_modules and files over 2 MB.',
    exclusive: false,
    effect: 'read',
    input: z.object({
      pattern: z.string().min(1).max(1000).describe('Regular expression, or text with "literal": true.'),
      literal: z.boolean().optional().describe('Take the pattern as plain text.'),
      ignore_case: z.boolean().optional(),
      path: z.string().optional().describe('Folder or file to look in, relative to the workspace.'),
      glob: glob.optional().describe('Only files that match, such as "*.ts".'),
      context: z.int().min(0).max(10).optional().describe('Lines to show around each match.'),
      limit: z.int().min(1).max(1000).optional().describe('Most matching lines, 100 unless given.'),
    }),
    async run({ pattern, literal = false, ignore_case: ignoreCase = false, path = '.', ...rest }, signal) {
      const { glob, context = 0, limit = DEFAULT_LIMIT } = rest;
      const where = whereOf(workspace, path);
      const job = { type: 'search', ...where, pattern, literal, ignoreCase, glob, context, limit } as const;
      const found = await threads.run(job, signal);
      const lines = found.lines.length === 0 ? ['No match.'] : found.lines;
      const text = [...lines, ...notesOn(found).map((note) => `(${note})`)].join('\n');
      return { text, files: found.files };
    },
  });
}

function notesOn({ tally }: Searched): readonly string[] {
  if (tally === undefined)
    return ['The time was up before everything was searched: use a simpler pattern, a folder or a glob.'];
  return [
    tally.stopped === 'limit'
      ? 'Stopped here; there may be more. Use a narrower pattern, a folder or a glob.'
      : '',
    tally.stopped === 'files' ? `Stopped after ${tally.files} files: give a folder as "path".` : '',
    tally.large > 0 ? `${tally.large} files over 2 MB were not searched.` : '',
  ].filter(Boolean);
}
