/** The program of a child process of these tests, built when they begin. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

export interface Program {
  readonly file: string;
  remove(): void;
}

/** Bundles `child.ts`. */
export async function buildChild(): Promise<Program> {
  // Inside the project, where what stays outside of the bundle is found.
  const folder = mkdtempSync(join(import.meta.dirname, '../../../node_modules/.fault-git-'));
  const file = join(folder, 'child.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'child.ts')],
    outfile: file,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  });
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
