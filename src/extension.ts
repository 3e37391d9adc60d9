import type { ExtensionContext } from 'vscode';
import { type Editor, openEditor } from './vscode/editor.ts';

let editor: Editor | undefined;

/** Called by the editor once, after it has started. */
export function activate(context: ExtensionContext): void {
  editor = openEditor(context);
}

/** Called by the editor before it ends; it waits for the stores to be closed. */
export async function deactivate(): Promise<void> {
  await editor?.close();
}
