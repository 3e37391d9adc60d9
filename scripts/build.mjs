/** Builds dist/: the bundles with their shared chunks, sql.js's WebAssembly and the panels. `--minify` for the package. */
import { existsSync } from 'node:fs';
import { copyFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildWebview } from './build-webview.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Bundles and their entry points. A thread's script is looked for beside whichever chunk starts it. */
const ENTRIES = {
  extension: 'src/extension.ts',
  mcp: 'src/mcp/main.ts',
  cli: 'src/cli/main.ts',
  worker: 'src/worker/thread.ts',
  searchWorker: 'src/subagent/workspace/searchThread.ts',
};

/** CommonJS dependencies look for these, which ES modules do not have. */
const COMMONJS_GLOBALS = [
  `import { createRequire as __createRequire } from 'node:module';`,
  `import { fileURLToPath as __toPath } from 'node:url';`,
  `const require = __createRequire(import.meta.url);`,
  `const __filename = __toPath(import.meta.url);`,
  `const __dirname = __toPath(new URL('.', import.meta.url));`,
].join('\n');

/** zod re-exports its messages in fifty languages, which we never set; its English is imported apart. */
const withoutZodLocales = {
  name: 'without-zod-locales',
  setup(/** @type {import('esbuild').PluginBuild} */ { onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: 'export {};' }));
  },
};

/**
 * Bundles everything that runs in Node.
 * @param {{ minify: boolean, write: boolean }} options
 * @returns {Promise<import('esbuild').Metafile>} what went into the bundles
 */
export async function bundle({ minify, write }) {
  process.chdir(ROOT);
  const { metafile } = await build({
    entryPoints: Object.fromEntries(Object.entries(ENTRIES).filter(([, entry]) => existsSync(entry))),
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Flat, because `new URL('./worker.js', import.meta.url)` may end up in any chunk.
    chunkNames: '[name]-[hash]',
    external: ['vscode'],
    banner: { js: COMMONJS_GLOBALS },
    plugins: [withoutZodLocales],
    minify,
    write,
    // Errors are told apart by their class's name.
    keepNames: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}

/**
 * Builds everything.
 * @param {{ minify: boolean }} options
 * @returns {Promise<import('esbuild').Metafile>}
 */
export async function buildAll({ minify }) {
  const metafile = await bundle({ minify, write: true });
  await copyFile('node_modules/sql.js/dist/sql-wasm.wasm', 'dist/sql-wasm.wasm');
  await buildWebview({ minify });
  await removeStale(metafile);
  return metafile;
}

/**
 * Removes chunks of earlier builds. Not the whole folder before the build, so that what runs from it keeps running.
 * @param {import('esbuild').Metafile} metafile
 */
async function removeStale({ outputs }) {
  const files = (await readdir('dist')).filter((name) => /\.js(\.map)?$/.test(name));
  await Promise.all(
    files.filter((name) => !(`dist/${name}` in outputs)).map((name) => rm(join('dist', name))),
  );
}

/**
 * Bytes that loading an output loads with it: itself and its static imports.
 * @param {import('esbuild').Metafile} metafile
 * @param {string} output
 */
function eagerBytes(metafile, output, seen = new Set()) {
  if (seen.has(output)) return 0;
  seen.add(output);
  const { bytes, imports } = metafile.outputs[output] ?? { bytes: 0, imports: [] };
  let total = bytes;
  for (const { path, kind } of imports) {
    if (kind === 'import-statement' && path in metafile.outputs) total += eagerBytes(metafile, path, seen);
  }
  return total;
}

/** @param {import('esbuild').Metafile} metafile */
function report(metafile) {
  const kilobytes = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(0).padStart(6)} kB`;
  for (const [path, { bytes }] of Object.entries(metafile.outputs)) {
    const isEntry = path.slice('dist/'.length, -'.js'.length) in ENTRIES;
    const loaded = isEntry ? ` (loads ${kilobytes(eagerBytes(metafile, path)).trim()})` : '';
    if (isEntry || bytes > 100_000) console.log(`${kilobytes(bytes)}  ${path}${loaded}`);
  }
  const all = Object.values(metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0);
  console.log(`${kilobytes(all)}  all bundles`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  report(await buildAll({ minify: process.argv.includes('--minify') }));
}
