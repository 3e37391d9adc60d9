// @ts-check
/** Bundles the panels' scripts. One file a panel: the panels' policy admits only the script with the nonce. */
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const PANELS = ['memory', 'todo', 'checkpoint', 'subagents', 'sessions'];
const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * @param {{ outdir?: string, minify?: boolean }} [options]
 * @returns {Promise<import('esbuild').Metafile>} what went into the bundles
 */
export async function buildWebview({ outdir = join(root, 'dist', 'webview'), minify = true } = {}) {
  const result = await build({
    entryPoints: Object.fromEntries(PANELS.map((panel) => [panel, join(root, 'webview', panel, 'main.ts')])),
    outdir,
    bundle: true,
    minify,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    tsconfig: join(root, 'webview', 'tsconfig.json'),
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  return result.metafile;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  await buildWebview();
