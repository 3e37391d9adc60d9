import { join } from 'node:path';
import { z } from 'zod';
import { oneLine, orAborted, WorkspaceError, type WorkspaceTool, workspaceTool } from './tool.ts';
import type { Workspace } from './workspace.ts';

const MAX_PATHS = 100;
const MAX_SHOWN = 300;

/** What an editor says is wrong in a file. */
export interface Diagnostic {
  /** From the workspace folder, with slashes. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly severity: 'error' | 'warning' | 'information' | 'hint';
  readonly message: string;
  /** Who says so, such as `ts`. */
  readonly source?: string | undefined;
}

/** Asks the host for the diagnostics of files or folders; of the whole workspace folder for an empty list. */
export type DiagnosticsOf = (paths: readonly string[]) => Promise<readonly Diagnostic[]>;

/** Answers the editor's errors and warnings. */
export function diagnosticsTool(
  workspace: Workspace,
  of: DiagnosticsOf | undefined,
  isHidden: (path: string) => boolean,
): WorkspaceTool {
  return workspaceTool({
    name: 'diagnostics',
    description:
      'Errors and warnings that the editor has for files or folders, or for the whole workspace folder. Files that no one opened may have none.',
    exclusive: false,
    effect: 'read',
    input: z.object({
      paths: z.array(z.string()).max(MAX_PATHS).optional().describe('Relative to the workspace folder.'),
    }),
    async run({ paths = [] }, signal) {
      if (of === undefined)
        throw new WorkspaceError(
          'There is no editor here that knows errors. Use run with the project’s own checks, or read the code.',
        );
      const places = paths.map((path) => workspace.locate(path, 'read').path);
      const all = await orAborted(of(places), signal);
      const found = all.filter(({ path }) => !isHidden(join(workspace.root, path)));
      if (found.length === 0) return 'No errors or warnings are known.';
      const lines = found
        .slice(0, MAX_SHOWN)
        .map(({ path, line, severity, message, source }) =>
          oneLine(`${path}:${line}: ${severity}${source === undefined ? '' : ` (${source})`}: ${message}`),
        );
      const more = found.length - lines.length;
      return [...lines, ...(more > 0 ? [`(${more} more: name fewer paths.)`] : [])].join('\n');
    },
  });
}
