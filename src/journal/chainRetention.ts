/** Keeps the chains of ended writers within bounds. */
import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { listChains, parseChainLine } from './chainFile.ts';
import { readFrom, removeFile } from './disk.ts';
import { scan } from './frame.ts';
import { isAlive } from './liveness.ts';

/** Some hundred thousand records. */
const MAX_TOTAL_BYTES = 32 * 1024 * 1024;
/** Hooks are short-lived processes: each that records something leaves a file. */
const MAX_TOTAL_FILES = 4096;
/** Of a writer on another machine nobody can ask whether it lives: silence of a day says that it does not. */
export const SILENT_MS = 24 * 60 * 60 * 1000;
/** More than a header takes. */
const HEADER_BYTES = 64 * 1024;

/**
 * Removes whole chains of ended writers, the longest silent first, until the rest is within bounds. A part of a chain
 * is never removed, so that what stays verifies to its beginning.
 * @param now unix milliseconds
 * @returns the names of the files that are gone
 * @throws when the folder cannot be read
 */
export function removeEndedChains(
  dir: string,
  now: number,
  maxTotalBytes = MAX_TOTAL_BYTES,
  alive: (pid: number) => boolean = isAlive,
): string[] {
  const chains = new Map<string, { names: string[]; bytes: number; last: number }>();
  for (const { name, writer } of listChains(dir)) {
    const stat = statSync(join(dir, name), { throwIfNoEntry: false });
    const chain = chains.get(writer) ?? { names: [], bytes: 0, last: 0 };
    chain.names.push(name);
    chain.bytes += stat?.size ?? 0;
    chain.last = Math.max(chain.last, stat?.mtimeMs ?? 0);
    chains.set(writer, chain);
  }
  let bytes = [...chains.values()].reduce((sum, chain) => sum + chain.bytes, 0);
  let files = [...chains.values()].reduce((sum, chain) => sum + chain.names.length, 0);
  const dropped: string[] = [];
  for (const chain of [...chains.values()].sort((a, b) => a.last - b.last)) {
    if (bytes <= maxTotalBytes && files <= MAX_TOTAL_FILES) break;
    if (now - chain.last <= SILENT_MS && !chainHasEnded(join(dir, chain.names[0] ?? ''), alive)) continue;
    bytes -= chain.bytes;
    files -= chain.names.length;
    for (const name of chain.names) removeFile(join(dir, name));
    dropped.push(...chain.names);
  }
  return dropped;
}

/** Whether the writer that the first file of a chain names is known to have ended. */
export function chainHasEnded(file: string, alive: (pid: number) => boolean): boolean {
  const bytes = readFrom(file, 0, HEADER_BYTES)?.bytes;
  let ended = false;
  if (bytes === undefined) return false;
  scan(bytes, false, {
    body(start, end) {
      const line = parseChainLine(bytes.toString('utf8', start, end));
      if (line?.kind === 'header') ended = line.header.host === hostname() && !alive(line.header.pid);
      return line !== undefined;
    },
    damage() {},
  });
  return ended;
}
