import type * as vscode from 'vscode';
import type { SealShown } from '../tools/sealing.ts';
import type { Person } from './person.ts';

/** Whether a folder's store is sealed. */
export async function sealOf(
  person: Person,
  folder: vscode.WorkspaceFolder | undefined,
  signal?: AbortSignal,
): Promise<SealShown> {
  const { data } = await person.invoke(
    'seal_show',
    {},
    { door: 'palette', folder, ...(signal && { signal }) },
  );
  return data as SealShown;
}
