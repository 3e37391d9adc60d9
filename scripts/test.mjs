/**
 * `npm test`: installs what a fresh clone lacks, builds and packs the extension, and runs every test (those of overlays
 * where fuse-overlayfs is there or can be installed). The last line of the output is
 * `N passed, N failed`. `--soak`: the fault tests at their full counts. Other arguments go to vitest.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareOverlays } from './lib/overlays.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const SHARED_MEMORY = '/dev/shm';
/** Several times what the tests hold at once, bytes. */
const ROOM = 4 * 1024 ** 3;
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

/**
 * Temporary files of tests stay in memory where that is to be had: syncing them to a disk is much of what tests wait for.
 * What a run that was broken off has left there goes.
 * @returns {string | undefined} a folder of its own
 */
function memoryFolder() {
  try {
    for (const name of readdirSync(SHARED_MEMORY)) {
      const [, pid] = /^lodeline-test-(\d+)$/.exec(name) ?? [];
      if (pid !== undefined && !isAlive(Number(pid))) remove(join(SHARED_MEMORY, name));
    }
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    if (bavail * bsize < ROOM) return undefined;
    const folder = join(SHARED_MEMORY, `lodeline-test-${process.pid}`);
    mkdirSync(folder);
    return folder;
  } catch {
    // Not on this system.
    return undefined;
  }
}

/** @param {string} folder */
const remove = (folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
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
// The long tests are to meet a real disk.
const memory = soak ? undefined : memoryFolder();
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
  { ...process.env, ...(soak && { LODELINE_SOAK: '1' }), ...(memory && { TMPDIR: memory }) },
);
if (memory !== undefined) remove(memory);
if (modified(REPORT) === 0) finish(0, 1);
const { passed, failed } = count();
if (noOverlays !== undefined) console.log(`Skipped: the tests of overlays, because ${noOverlays}.`);
// An error outside of tests fails the run, too.
finish(passed, status !== 0 ? Math.max(failed, 1) : failed);
