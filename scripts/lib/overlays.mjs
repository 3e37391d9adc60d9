// @ts-check
/** Gets this machine ready for the tests of overlays, where that can be done. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const INSTALLER = 'apt-get';
const PACKAGES = ['fuse-overlayfs', 'fuse3'];
/** One run of the package manager, milliseconds: tests must not wait for a network that does not answer. */
const PATIENCE = 90_000;
/** How long it waits for another run of itself, and for each server, seconds. */
const OPTIONS = [
  '-o',
  'DPkg::Lock::Timeout=20',
  '-o',
  'Acquire::http::Timeout=20',
  '-o',
  'Acquire::Retries=1',
];

/**
 * Installs fuse-overlayfs where it is missing, on Linux, as root, with apt-get. Never fails.
 * @returns {string | undefined} why overlays cannot be tested; undefined when they can
 */
export function prepareOverlays() {
  const before = problem();
  if (before === undefined || !isInstallable()) return before;
  console.log(`Installing ${PACKAGES.join(' and ')} for the tests of overlays…`);
  if (!install() && aptGet('update', '-qq')) install();
  return problem();
}

/** @returns {string | undefined} */
function problem() {
  if (process.platform !== 'linux') return 'fuse-overlayfs is for Linux only';
  if (!isAccessible('/dev/fuse', constants.R_OK | constants.W_OK)) return '/dev/fuse cannot be used';
  if (!isProgram('fuse-overlayfs')) return 'fuse-overlayfs is not installed';
  return isProgram('fusermount3') || isProgram('fusermount') ? undefined : 'fusermount3 is not installed';
}

/** Without the device a program to use it is of no use. */
function isInstallable() {
  return (
    process.platform === 'linux' &&
    isAccessible('/dev/fuse', constants.R_OK | constants.W_OK) &&
    process.getuid?.() === 0 &&
    isProgram(INSTALLER)
  );
}

function install() {
  return aptGet('install', '-y', '-qq', '--no-install-recommends', ...PACKAGES);
}

/** @param {string[]} args */
function aptGet(...args) {
  const { status } = spawnSync(INSTALLER, [...OPTIONS, ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: 'ignore',
    timeout: PATIENCE,
  });
  return status === 0;
}

/** @param {string} name */
function isProgram(name) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  return folders.some((folder) => isAccessible(join(folder, name), constants.X_OK));
}

/**
 * @param {string} path
 * @param {number} mode
 */
function isAccessible(path, mode) {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
