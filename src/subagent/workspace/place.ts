import { placesAround } from '../../journal/sealedPlaces.ts';
import { quote, WorkspaceError } from './tool.ts';
import type { Workspace } from './workspace.ts';

/**
 * The folder, or the one file, that a search looks in.
 * @throws WorkspaceError when nothing is there.
 */
export function whereOf(workspace: Workspace, path: string) {
  const { names, kind, path: shown } = workspace.locate(path, 'read');
  if (kind === 'missing')
    throw new WorkspaceError(`There is no ${quote(shown)}. Leave "path" out to look everywhere.`);
  const isFolder = kind === 'folder';
  return {
    root: workspace.root,
    names: isFolder ? names : names.slice(0, -1),
    file: isFolder ? undefined : names.at(-1),
    descriptorPaths: workspace.descriptorPaths,
    sealed: placesAround(workspace.root),
  };
}
