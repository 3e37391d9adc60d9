import * as vscode from 'vscode';
import { readSetting } from './ports.ts';

const ENABLED = 'mcp.enabled';

/**
 * Offers the MCP server to the editor's own agents where the person turned that on. It is off by default: they have
 * the same tools already, as language model tools.
 */
export function registerMcpServers(extension: vscode.Extension<unknown>): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  return vscode.Disposable.from(
    changed,
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`lodeline.${ENABLED}`)) changed.fire();
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(() => changed.fire()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => changed.fire()),
    vscode.lm.registerMcpServerDefinitionProvider('lodeline.mcp', {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: () => servers(extension),
    }),
  );
}

function servers(extension: vscode.Extension<unknown>): vscode.McpServerDefinition[] {
  if (readSetting(ENABLED) !== true || !vscode.workspace.isTrusted) return [];
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const script = vscode.Uri.joinPath(extension.extensionUri, 'dist', 'mcp.js').fsPath;
  return folders.map(
    ({ name, uri }) =>
      new vscode.McpStdioServerDefinition(
        folders.length === 1 ? 'Lodeline' : `Lodeline (${name})`,
        process.execPath,
        [script, '--root', uri.fsPath],
        { ELECTRON_RUN_AS_NODE: '1' },
        String(extension.packageJSON.version),
      ),
  );
}
