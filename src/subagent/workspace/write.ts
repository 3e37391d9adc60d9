import { z } from 'zod';
import { configuresPrograms } from './names.ts';
import { planChange, plannedBytes } from './planned.ts';
import { path } from './read.ts';
import { isBinary, isCrlf, toCrlf } from './text.ts';
import {
  type Approve,
  orAborted,
  quote,
  sizeText,
  WorkspaceError,
  type WorkspaceTool,
  workspaceTool,
} from './tool.ts';
import type { Content, Place, Workspace } from './workspace.ts';

/** Creates a text file or replaces it whole. */
export function writeTool(workspace: Workspace, approve: Approve): WorkspaceTool {
  return workspaceTool({
    name: 'write',
    description:
      'Create a text file, with its folders, or replace a whole file that you have read. To change part of a file use edit.',
    exclusive: true,
    effect: 'write',
    input: z.object({ path, content: z.string().describe('The whole text of the file.') }),
    async evidence({ path: asked, content }, planned) {
      const place = workspace.locate(asked, 'write');
      const before = await plannedBytes(workspace, place, planned);
      return { file: planChange(workspace, place, before, textAfter(before, content), planned) };
    },
    async run({ path: asked, content }, signal) {
      const place = workspace.locate(asked, 'write');
      if (place.kind === 'folder')
        throw new WorkspaceError(`${quote(place.path)} is a folder. Give the path of a file.`);
      const before = await workspace.peek(place);
      if (before !== undefined && !workspace.hasSeen(place))
        throw new WorkspaceError(
          `${quote(place.path)} exists and you have not read it. Read it first; then write replaces it.`,
        );
      const isWellFormed = content.isWellFormed();
      const text = textAfter(before?.bytes, content);
      const size = await save(workspace, place, text, before, approve, signal);
      const verb = before === undefined ? 'Created' : 'Replaced';
      const note = isWellFormed ? '' : ' Halves of characters were replaced by \uFFFD.';
      return `${verb} ${quote(place.path)} (${sizeText(size)}).${note}`;
    },
  });
}

/** What is written: in the line ends of the file that it replaces. */
function textAfter(before: Buffer | undefined, content: string): string {
  const keepsCrlf = before !== undefined && !isBinary(before) && isCrlf(before.toString('utf8'));
  return keepsCrlf ? toCrlf(content) : content;
}

/**
 * Writes the text of a file after the checks that every change needs.
 * @returns the file's size in bytes
 * @throws WorkspaceError when the file changed since it was read, is read-only, or the person said no.
 */
export async function save(
  workspace: Workspace,
  place: Place,
  text: string,
  before: Content | undefined,
  approve: Approve,
  signal: AbortSignal,
): Promise<number> {
  if (before !== undefined) {
    workspace.checkSeen(place, before);
    if ((before.mode & 0o200) === 0)
      throw new WorkspaceError(`${quote(place.path)} is read-only. Leave it, or say that it must change.`);
  }
  if (configuresPrograms(place.names)) await askFor(place, approve, signal);
  signal.throwIfAborted();
  const bytes = Buffer.from(text.toWellFormed());
  await workspace.write(place, bytes, before);
  return bytes.length;
}

async function askFor(place: Place, approve: Approve, signal: AbortSignal): Promise<void> {
  const question = {
    title: `Let a subagent change ${quote(place.path)}?`,
    detail: 'Editors and agents take from this file what they run.',
  };
  const answer = await orAborted(approve(question), signal);
  if (answer === 'approved') return;
  const why = answer === 'declined' ? 'the person declined' : 'nobody can be asked here';
  throw new WorkspaceError(
    `${quote(place.path)} decides what editors and agents run, so a person must agree, and ${why}. Nothing was written. Describe the change in your result instead.`,
  );
}
