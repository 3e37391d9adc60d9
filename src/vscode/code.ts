/** What the editor's language services know of a folder's code. */
import * as vscode from 'vscode';
import type { Code, CodePlace, CodeSymbol } from '../ports.ts';
import { isInside } from './fileReference.ts';

const MOST = 200;

/** The language services of the editor, for one workspace folder: nothing outside of it is told. */
export function codeOf(folder: vscode.WorkspaceFolder): Code {
  const placeOf = (uri: vscode.Uri, { line, character }: vscode.Position): CodePlace[] => {
    if (uri.scheme !== 'file' || !isInside(folder.uri.fsPath, uri.fsPath)) return [];
    return [{ path: pathOf(uri), line: line + 1, column: character + 1 }];
  };
  return {
    currentFile() {
      const uri = vscode.window.activeTextEditor?.document.uri;
      return uri && placeOf(uri, new vscode.Position(0, 0))[0]?.path;
    },
    async symbolsNamed(name) {
      const found = await ask<vscode.SymbolInformation[]>('vscode.executeWorkspaceSymbolProvider', name);
      return found
        .filter((symbol) => bareName(symbol.name) === name)
        .flatMap(({ location }) => placeOf(location.uri, location.range.start))
        .map((place): CodeSymbol => ({ ...place, name }));
    },
    async symbolsIn(path) {
      const uri = vscode.Uri.joinPath(folder.uri, path);
      const found = await ask<(vscode.DocumentSymbol | vscode.SymbolInformation)[]>(
        'vscode.executeDocumentSymbolProvider',
        uri,
      );
      return found.flatMap((symbol) => {
        const { start } = 'selectionRange' in symbol ? symbol.selectionRange : symbol.location.range;
        return placeOf(uri, start).map((place): CodeSymbol => ({ ...place, name: bareName(symbol.name) }));
      });
    },
    async usesOf({ path, line, column }) {
      const at = new vscode.Position(line - 1, column - 1);
      const uri = vscode.Uri.joinPath(folder.uri, path);
      const found = await ask<vscode.Location[]>('vscode.executeReferenceProvider', uri, at);
      return found
        .flatMap(({ uri: used, range }) => placeOf(used, range.start))
        .filter((place) => place.path !== path || place.line !== line);
    },
  };

  function pathOf(uri: vscode.Uri): string {
    return vscode.workspace.asRelativePath(uri, false).replaceAll('\\', '/');
  }
}

/** Some language services give `name(parameters)`. */
function bareName(name: string): string {
  return name.replace(/\(.*$/s, '');
}

/** What a provider answers: nothing where there is none. */
async function ask<Found extends readonly unknown[]>(command: string, ...args: unknown[]): Promise<Found> {
  const found = (await vscode.commands.executeCommand<Found | undefined>(command, ...args)) ?? [];
  return found.slice(0, MOST) as unknown as Found;
}
