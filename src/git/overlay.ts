/** Mounts over a folder that is only read: what is written lies in another, and each mount has its own. Linux only. */
import { spawn } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const MOUNT = 'fuse-overlayfs';
const UNMOUNT = ['fusermount3', 'fusermount'] as const;
/** What parts options and folders in a mount's options. */
const UNFIT = /[,:\\\n]/;

/** An overlay cannot be mounted or unmounted; the message says why. */
export class OverlayError extends Error {
  override readonly name = 'OverlayError';
}

export interface Overlay {
  /** Where it is mounted. */
  readonly path: string;
  readonly lower: string;
  readonly upper: string;
  readonly work: string;
}

/** Why overlays cannot be mounted on this machine; undefined when they can, as far as can be seen. */
export function overlayProblem(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (process.platform !== 'linux') return 'fuse-overlayfs is for Linux only';
  const missing = [MOUNT, UNMOUNT].find((names) => findProgram([names].flat(), env) === undefined);
  if (missing !== undefined) return `${[missing].flat()[0]} is not installed`;
  return isAccessible('/dev/fuse', constants.R_OK | constants.W_OK) ? undefined : '/dev/fuse cannot be used';
}

/**
 * Mounts an overlay.
 * @throws {OverlayError}
 */
export async function mountOverlay({ path, lower, upper, work }: Overlay): Promise<void> {
  if ([path, lower, upper, work].some((folder) => UNFIT.test(folder))) {
    throw new OverlayError(
      `An overlay cannot be mounted where a name has a comma, colon or backslash: ${path}`,
    );
  }
  await run(MOUNT, ['-o', `lowerdir=${lower},upperdir=${upper},workdir=${work}`, path]);
  if (!isMounted(path)) throw new OverlayError(`${MOUNT} did not mount ${path}`);
}

/**
 * Unmounts what is mounted at a folder; nothing mounted is fine.
 * @throws {OverlayError}
 */
export async function unmountOverlay(path: string): Promise<void> {
  if (!isMounted(path)) return;
  const program = findProgram(UNMOUNT, process.env) ?? UNMOUNT[0];
  try {
    await run(program, ['-u', path]);
  } catch {
    // A process still has its folder there; it keeps its view, and the folder is free.
    await run(program, ['-u', '-z', path]);
  }
  if (isMounted(path))
    throw new OverlayError(`${path} is still mounted: end what works in it, then try again.`);
}

/** Whether something is mounted at a folder. */
export function isMounted(path: string): boolean {
  if (process.platform !== 'linux') return false;
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return lines.some((line) => unescaped(line.split(' ')[4] ?? '') === path);
}

/** The kernel writes blanks and the like as three octal digits, byte by byte. */
function unescaped(text: string): string {
  const bytes = Buffer.from(text).toString('latin1');
  const plain = bytes.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return Buffer.from(plain, 'latin1').toString();
}

function findProgram(names: readonly string[], env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  const files = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return files.find((file) => isAccessible(file, constants.X_OK));
}

function isAccessible(file: string, mode: number): boolean {
  try {
    accessSync(file, mode);
    return true;
  } catch {
    return false;
  }
}

/** Waits for the program itself: the mount's server goes on behind it and keeps its output open. */
function run(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(findProgram([program], process.env) ?? program, args, {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new OverlayError(error.message)));
    child.on('exit', (code) => {
      child.stderr.destroy();
      if (code === 0) resolve();
      else reject(new OverlayError(`${program} ended with ${code}: ${said.trim()}`));
    });
  });
}
