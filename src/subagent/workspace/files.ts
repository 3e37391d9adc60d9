import { SearchThreads } from './searches.ts';
import { Workspace } from './workspace.ts';

/** More is no list that anybody looks through. */
const MOST = 50_000;
/** So long a listing is worth waiting for, milliseconds. */
const PATIENCE = 5_000;

/**
 * Paths of the files in a folder, with slashes, in a fixed order: without links, what git ignores and
 * `node_modules`. What was found when the time is up is the answer. `entry`: the search thread's script.
 */
export async function listFiles(root: string, entry: URL, signal: AbortSignal): Promise<readonly string[]> {
  const workspace = new Workspace(root);
  const { lines } = await new SearchThreads(entry, PATIENCE).run(
    {
      ...{ type: 'find', root: workspace.root, descriptorPaths: workspace.descriptorPaths },
      ...{ names: [], file: undefined, glob: undefined, limit: MOST },
    },
    signal,
  );
  return lines;
}
