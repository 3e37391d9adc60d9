/** `npm run check`: everything that can be checked without running the product. Runs all, then says what failed. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const TSC = 'node_modules/typescript/bin/tsc';

/** @type {readonly (readonly [name: string, ...command: string[]])[]} */
const CHECKS = [
  ['types', TSC, '--noEmit', '-p', '.'],
  // The oldest editor we run in decides what we may use; the newest must accept it, too.
  ['types, newest editor', TSC, '--noEmit', '-p', '.', '--types', 'node,vscode-types-latest'],
  ['types, panels', TSC, '--noEmit', '-p', 'webview'],
  ['types, panel tests', TSC, '--noEmit', '-p', 'test/webview'],
  ['types, scripts and editor tests', TSC, '--noEmit', '-p', 'test/e2e'],
  [
    'lint',
    'node_modules/@biomejs/biome/bin/biome',
    'ci',
    '--diagnostic-level=warn',
    '--error-on-warnings',
    '.',
  ],
  [
    'dependency rules',
    'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
    '--config',
    '.dependency-cruiser.mjs',
    'src',
    'webview',
  ],
  ['unused code', 'node_modules/knip/bin/knip.js', '--no-config-hints'],
  ['contributions and translations', 'scripts/contributions.mjs', '--check'],
  ['third-party notices', 'scripts/notices.mjs', '--check'],
];

const failed = CHECKS.filter(([name, ...command]) => {
  const started = performance.now();
  const { status } = spawnSync(process.execPath, command, { stdio: 'inherit' });
  console.log(`${status === 0 ? '✓' : '✗'} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  return status !== 0;
});
if (failed.length > 0) {
  console.error(`Failed: ${failed.map(([name]) => name).join(', ')}`);
  process.exitCode = 1;
}
