/** In which workspace folders files were laid down for spawned sessions, so that a store that is sealed finds them. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { claimFile } from '../journal/disk.ts';
import { makeDir } from '../journal/folder.ts';
import { sealPlace } from '../journal/sealedPlaces.ts';
import type { StoreKeys } from '../journal/sealSwitch.ts';
import { realPathOf } from '../policy/realPath.ts';

/** The folder in a store: one file for each workspace folder, which holds its path. */
export const ATTACHED_FOLDER = 'attachments';
/** Where the files lie, from the workspace folder. */
export const ATTACHMENTS = ['.lodeline', 'attachments'] as const;

/** @param root the workspace folder's real path. @throws what the file system says */
export function noteAttached(store: string, root: string): void {
  const dir = join(store, ATTACHED_FOLDER);
  makeDir(dir);
  claimFile(join(dir, createHash('sha256').update(root).digest('hex').slice(0, 32)), root);
}

/**
 * Says that the small files of a store are sealed where it is, and with them those that are laid down in a workspace
 * folder. To be called before anything is read or written there.
 */
export function sealFolders(of: StoreKeys, root: string): void {
  for (const dir of new Set([of.store, realPathOf(of.store) ?? of.store])) sealPlace({ dir, name: '', of });
  const at = realPathOf(root) ?? root;
  sealPlace({ dir: join(at, ...ATTACHMENTS), name: ATTACHED_FOLDER, of });
}
