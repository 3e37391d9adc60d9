/**
 * The stable paths of the MCP server, the hook and the command line: `lodeline-mcp`, `lodeline-hook` and `lodeline` in
 * `~/.lodeline/bin`. The extension's own folder changes with every update, and other agents' configurations must not.
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

/** A program that has a launcher. */
interface Program {
  readonly name: string;
  /** Its bundle in the extension's `dist`. */
  readonly bundle: string;
  /** Arguments before those that it is started with. */
  readonly args: readonly string[];
  /** Exit code where the extension is gone: a hook must not stand in its agent's way. */
  readonly missing: number;
}

const SERVER: Program = { name: 'lodeline-mcp', bundle: 'mcp.js', args: [], missing: 1 };
const HOOK: Program = { name: 'lodeline-hook', bundle: 'cli.js', args: ['hook'], missing: 0 };
const COMMAND_LINE: Program = { name: 'lodeline', bundle: 'cli.js', args: [], missing: 1 };

/** Writes the launchers' files where they differ from what they should be, and returns the server's, to be started. */
export async function refreshLauncher(target: LauncherTarget): Promise<string> {
  const bin = join(homedir(), '.lodeline', 'bin');
  await mkdir(bin, { recursive: true, mode: 0o700 });
  for (const program of [SERVER, HOOK, COMMAND_LINE]) {
    const script = join(bin, `${program.name}.mjs`);
    await writeIfChanged(script, findingScript(target.extensionDir, program));
    await writeIfChanged(join(bin, program.name), shellScript(target.execPath, script));
    await writeIfChanged(join(bin, `${program.name}.cmd`), batchFile(target.execPath, program));
  }
  return join(bin, process.platform === 'win32' ? `${SERVER.name}.cmd` : SERVER.name);
}

/** Starts the program of the folder that was written down, or of the newest one beside it when that one is gone. */
function findingScript(extensionDir: string, { bundle, args, missing }: Program): string {
  return `// Written by Lodeline. Changes are overwritten.
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const program = (folder) => join(folder, 'dist', ${JSON.stringify(bundle)});
let extension = ${JSON.stringify(extensionDir)};
if (!existsSync(program(extension))) {
  const parent = dirname(extension);
  const name = basename(extension).replace(/-\\d+\\..*$/, '-');
  const newest = (existsSync(parent) ? readdirSync(parent) : [])
    .filter((folder) => folder.startsWith(name) && existsSync(program(join(parent, folder))))
    .sort(new Intl.Collator('en', { numeric: true }).compare)
    .at(-1);
  if (newest === undefined) {
    console.error('lodeline: the Lodeline extension is not installed any more. Install it and open the editor once.');
    process.exit(${missing});
  }
  extension = join(parent, newest);
}
process.argv.splice(2, 0, ...${JSON.stringify(args)});
await import(pathToFileURL(program(extension)).href);
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
function batchFile(execPath: string, { name }: Program): string {
  const lines = [
    '@echo off',
    'rem Written by Lodeline. Changes are overwritten.',
    'setlocal DisableDelayedExpansion',
    'chcp 65001 >nul',
    `set "node=${execPath.replaceAll('%', '%%')}"`,
    'if not exist "%node%" set "node=node"',
    'set ELECTRON_RUN_AS_NODE=1',
    `"%node%" "%~dp0${name}.mjs" %*`,
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
