/** `npm run package`: builds for release and packs lodeline.vsix. Fails when it grew beyond what an install may cost. */
import { spawnSync } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildAll } from './build.mjs';

const VSIX = 'lodeline.vsix';
const MAX_BYTES = 3_000_000;

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

await buildAll({ minify: true });
rmSync(VSIX, { force: true });
// Everything is bundled, so no dependency is packed. It lists what it packs.
const pack = [
  'node_modules/@vscode/vsce/vsce',
  'package',
  '--no-dependencies',
  '--no-rewrite-relative-links',
  '--out',
  VSIX,
];
const { status } = spawnSync(process.execPath, pack, { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
const { size } = statSync(VSIX);
console.log(`${VSIX}: ${(size / 1e6).toFixed(2)} MB`);
if (size > MAX_BYTES) {
  console.error(`${VSIX} is larger than ${MAX_BYTES / 1e6} MB.`);
  process.exit(1);
}
