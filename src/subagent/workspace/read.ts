import { z } from 'zod';
import { numbered, textOf } from './text.ts';
import { quote, WorkspaceError, type WorkspaceTool, workspaceTool } from './tool.ts';
import type { Workspace } from './workspace.ts';

const DEFAULT_LINES = 2000;
/** Leaves room for the note below the lines. In UTF-16 units. */
const MAX_TEXT = 98_000;

/** Field of the tools that take one path. */
export const path = z.string().describe('Path relative to the workspace folder, such as "src/index.ts".');

/** Reads a text file by lines. */
export function readTool(workspace: Workspace): WorkspaceTool {
  return workspaceTool({
    name: 'read',
    description:
      'Read a text file. Answers its lines with their numbers, at most 2000 from "offset" on; the number and the tab before each line are not part of the file. Read a file before you write it.',
    exclusive: false,
    effect: 'read',
    input: z.object({
      path,
      offset: z.int().min(1).optional().describe('First line, from 1.'),
      limit: z.int().min(1).max(10_000).optional().describe('How many lines.'),
    }),
    async run({ path: asked, offset = 1, limit = DEFAULT_LINES }) {
      const place = workspace.locate(asked, 'read');
      const content = await workspace.read(place);
      const { text, damaged } = textOf(place, content);
      const { lines, total } = pick(text, offset, limit);
      if (total === 0) return `${quote(place.path)} is empty.`;
      if (lines.length === 0)
        throw new WorkspaceError(`${quote(place.path)} has ${total} lines. Use an offset up to that.`);
      const last = offset + lines.length - 1;
      const notes = [
        damaged ? 'Some bytes are not UTF-8 and are shown as \uFFFD; edit refuses this file.' : '',
        last < total ? `Lines ${offset}-${last} of ${total}. Go on with offset ${last + 1}.` : '',
      ].filter(Boolean);
      return [...lines, ...(notes.length > 0 ? [`(${notes.join(' ')})`] : [])].join('\n');
    },
  });
}

/** Numbered lines from `offset` on, as many as are asked for and fit, and how many the text has. */
function pick(text: string, offset: number, limit: number): { lines: string[]; total: number } {
  const lines: string[] = [];
  const begin = text.startsWith('\uFEFF') ? 1 : 0;
  let room = MAX_TEXT;
  let total = 0;
  for (let at = begin; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const next = end === -1 ? text.length : end;
    total++;
    if (total >= offset && lines.length < limit && room > 0) {
      const line = numbered(text.slice(at, next), total);
      room -= line.length + 1;
      if (room > 0 || lines.length === 0) lines.push(line);
    }
    at = next + 1;
  }
  return { lines, total };
}
