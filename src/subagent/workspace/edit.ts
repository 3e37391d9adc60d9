import { z } from 'zod';
import { planChange, plannedBytes } from './planned.ts';
import { path } from './read.ts';
import { nearMiss, occurrences } from './replace.ts';
import { excerpt, isCrlf, lineAt, textOf, toCrlf } from './text.ts';
import { type Approve, quote, start, WorkspaceError, type WorkspaceTool, workspaceTool } from './tool.ts';
import type { Workspace } from './workspace.ts';
import { save } from './write.ts';

/** Lines that are shown around a change. */
const AROUND = 3;
const MAX_SHOWN = 4000;
const MAX_LISTED = 10;

/** Replaces an exact text in a file. */
export function editTool(workspace: Workspace, approve: Approve): WorkspaceTool {
  return workspaceTool({
    name: 'edit',
    description:
      'Replace an exact text in a file. "old" must occur once, with its white space and without line numbers; give more lines around it to make it unique, or "all": true to replace every occurrence.',
    exclusive: true,
    effect: 'write',
    input: z.object({
      path,
      old: z
        .string()
        .min(1, 'is empty: give the text to replace, or use write')
        .describe('Text that is there.'),
      new: z.string().describe('Text that takes its place.'),
      all: z.boolean().optional().describe('Replace every occurrence.'),
    }),
    async evidence({ path: asked, old, new: replacement }, planned) {
      const place = workspace.locate(asked, 'write');
      const before = await plannedBytes(workspace, place, planned);
      const text = before?.toString('utf8') ?? '';
      const match = matching(text, old, replacement);
      return {
        file: planChange(workspace, place, before, text.split(match.old).join(match.new), planned),
      };
    },
    async run({ path: asked, old, new: replacement, all = false }, signal) {
      if (old === replacement) throw new WorkspaceError('"old" and "new" are the same: nothing to change.');
      const place = workspace.locate(asked, 'write');
      const before = place.kind === 'file' ? await workspace.peek(place) : await workspace.read(place);
      if (before === undefined)
        throw new WorkspaceError(`${quote(place.path)} is gone. Look for it with find or list.`);
      workspace.checkSeen(place, before);
      const { text, damaged } = textOf(place, before);
      if (damaged)
        throw new WorkspaceError(
          `${quote(place.path)} is not all UTF-8: editing would damage it. Leave it, or convert it first.`,
        );
      const match = matching(text, old, replacement);
      const count = match.at.length;
      if (count === 0) throw new WorkspaceError(missing(place.path, text, old));
      if (count > 1 && !all) throw new WorkspaceError(ambiguous(place.path, text, match.at));
      const first = lineAt(text, match.at[0] ?? 0);
      const changed = text.split(match.old).join(match.new);
      await save(workspace, place, changed, before, approve, signal);
      const to = first + match.new.split('\n').length - 1 + AROUND;
      const shown = start(excerpt(changed, Math.max(1, first - AROUND), to), MAX_SHOWN);
      const times = count === 1 ? '' : ` in ${count} places; the first`;
      return `Changed ${quote(place.path)}${times}:\n${shown}`;
    },
  });
}

/** Where `old` stands in the text, in the spelling of the file's line ends. */
function matching(text: string, old: string, replacement: string) {
  const exact = { old, new: replacement, at: occurrences(text, old) };
  if (!text.includes('\r\n')) return exact;
  const crlf = { old: toCrlf(old), new: toCrlf(replacement) };
  if (!isCrlf(text) && exact.at.length > 0) return exact;
  return { ...crlf, at: occurrences(text, crlf.old) };
}

function missing(path: string, text: string, old: string): string {
  const near = nearMiss(text, old);
  const hint =
    near === undefined
      ? 'Nothing there looks like it.'
      : `The nearest text differs in ${near.why}:\n${start(excerpt(text, near.from, near.to), MAX_SHOWN)}\n`;
  return `"old" was not found in ${quote(path)}. ${hint} Read the file again and copy the text exactly, without line numbers.`;
}

function ambiguous(path: string, text: string, at: readonly number[]): string {
  const lines = at.slice(0, MAX_LISTED).map((offset) => lineAt(text, offset));
  const more = at.length > MAX_LISTED ? ' and more' : '';
  return `"old" was found ${at.length} times in ${quote(path)}, in lines ${lines.join(', ')}${more}. Nothing was changed. Give more of the lines around the one you mean, or "all": true.`;
}
