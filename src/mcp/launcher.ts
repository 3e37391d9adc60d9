/**
 * The stable path of the MCP server, `~/.lodeline/bin/lodeline-mcp`. The extension's own folder changes with every
 * update, and other agents' configurations must not.
 */
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface LauncherTarget {
  /** Folder of the installed extension. */
  readonly extensionDir: string;
  /** The editor's own Node: its executable. */
  readonly execPath: string;
}

/** Writes the launcher's three files where they differ from what they should be, and returns the one to start. */
export async function refreshLauncher(target: LauncherTarget): Promise<string> {
  const bin = join(homedir(), '.lodeline', 'bin');
  await mkdir(bin, { recursive: true, mode: 0o700 });
  const script = join(bin, 'lodeline-mcp.mjs');
  const shell = join(bin, 'lodeline-mcp');
  const batch = join(bin, 'lodeline-mcp.cmd');
  await writeIfChanged(script, findingScript(target.extensionDir));
  await writeIfChanged(shell, shellScript(target.execPath, script));
  await writeIfChanged(batch, batchFile(target.execPath));
  return process.platform === 'win32' ? batch : shell;
}

/** Starts the server of the folder that was written down, or of the newest one beside it when that one is gone. */
function findingScript(extensionDir: string): string {
  return `// Written by Lodeline. Changes are overwritten.
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const server = (folder) => join(folder, 'dist', 'mcp.js');
let extension = ${JSON.stringify(extensionDir)};
if (!existsSync(server(extension))) {
  const parent = dirname(extension);
  const name = basename(extension).replace(/-\\d+\\..*$/, '-');
  const newest = (existsSync(parent) ? readdirSync(parent) : [])
    .filter((folder) => folder.startsWith(name) && existsSync(server(join(parent, folder))))
    .sort(new Intl.Collator('en', { numeric: true }).compare)
    .at(-1);
  if (newest === undefined) {
    console.error('lodeline: the Lodeline extension is not installed any more. Install it and open the editor once.');
    process.exit(1);
  }
  extension = join(parent, newest);
}
await import(pathToFileURL(server(extension)).href);
`;
}

/** For a POSIX shell. Where an update took the editor's executable away, a Node on the path does as well. */
function shellScript(execPath: string, script: string): string {
  return `#!/bin/sh
# Written by Lodeline. Changes are overwritten.
node=${shellQuote(execPath)}
[ -x "$node" ] || node=node
ELECTRON_RUN_AS_NODE=1
export ELECTRON_RUN_AS_NODE
exec "$node" ${shellQuote(script)} "$@"
`;
}

/** For Windows. `chcp` lets the paths hold any letters, and a percent sign is doubled. */
function batchFile(execPath: string): string {
  const lines = [
    '@echo off',
    'rem Written by Lodeline. Changes are overwritten.',
    'setlocal DisableDelayedExpansion',
    'chcp 65001 >nul',
    `set "node=${execPath.replaceAll('%', '%%')}"`,
    'if not exist "%node%" set "node=node"',
    'set ELECTRON_RUN_AS_NODE=1',
    '"%node%" "%~dp0lodeline-mcp.mjs" %*',
    '',
  ];
  return lines.join('\r\n');
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Atomic, because an agent may be starting the launcher at this moment, and another window writing it. */
async function writeIfChanged(file: string, content: string): Promise<void> {
  if ((await readFile(file, 'utf8').catch(() => undefined)) === content) {
    await chmod(file, 0o700);
    return;
  }
  const temporary = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(temporary, content, { mode: 0o700, flag: 'wx' });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
