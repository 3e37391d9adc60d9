/** The original of a folded part as a document to read. The editor keeps no copy of it on disk, as of one to write. */
import * as vscode from 'vscode';
import type { Person } from './person.ts';

const SCHEME = 'lodeline-fold';

interface FoldPlace {
  /** Its id. */
  readonly session: string;
  /** Such as `b3`. */
  readonly block: string;
}

/** Lets the editor read these documents. */
export function registerFoldDocuments(person: Person): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: async ({ query }) => {
      const input = Object.fromEntries(new URLSearchParams(query));
      return (await person.invoke('fold_show', input, { door: 'palette' })).text;
    },
  });
}

export function foldUri({ session, block }: FoldPlace): vscode.Uri {
  const query = new URLSearchParams({ session, block }).toString();
  return vscode.Uri.from({ scheme: SCHEME, path: `/${block}.md`, query });
}
