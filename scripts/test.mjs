/**
 * `npm test`: installs what a fresh clone lacks, builds and packs the extension, and runs every test (those of overlays
 * where fuse-overlayfs is there or can be installed). The last line of the output is
 * `N passed, N failed`. `--soak`: the fault tests at their full counts. Other arguments go to vitest.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareOverlays } from './lib/overlays.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const REPORT = join('test-results', 'report.json');

/** @param {string} path */
const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args, env = process.env) {
  // npm is a batch file on Windows, which only a shell starts.
  const shell = process.platform === 'win32' && command === 'npm';
  return spawnSync(command, args, { stdio: 'inherit', env, shell }).status ?? 1;
}

/**
 * @param {number} passed
 * @param {number} failed
 * @returns {never}
 */
function finish(passed, failed) {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed > 0 || passed === 0 ? 1 : 0);
}

/** Tests and files that could not be loaded, as vitest's JSON reporter tells of them. */
function count() {
  /** @type {{ success: boolean, numPassedTests: number, numFailedTests: number, testResults: { status: string, assertionResults: { status: string }[] }[] }} */
  const report = JSON.parse(readFileSync(REPORT, 'utf8'));
  const broken = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((one) => one.status === 'failed'),
  );
  return { passed: report.numPassedTests, failed: report.numFailedTests + broken.length };
}

const args = process.argv.slice(2);
const soak = args.includes('--soak');
const selected = soak ? ['--project', 'fault'] : [];

if (modified('node_modules/.package-lock.json') < modified('package-lock.json') && run('npm', ['ci']) !== 0)
  finish(0, 1);
if (run(process.execPath, ['scripts/package.mjs']) !== 0) finish(0, 1);

const noOverlays = prepareOverlays();
mkdirSync('test-results', { recursive: true });
rmSync(REPORT, { force: true });
const status = run(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${REPORT}`,
    ...selected,
    ...args.filter((arg) => arg !== '--soak'),
  ],
  soak ? { ...process.env, LODELINE_SOAK: '1' } : process.env,
);
if (modified(REPORT) === 0) finish(0, 1);
const { passed, failed } = count();
if (noOverlays !== undefined) console.log(`Skipped: the tests of overlays, because ${noOverlays}.`);
// An error outside of tests fails the run, too.
finish(passed, status !== 0 ? Math.max(failed, 1) : failed);
