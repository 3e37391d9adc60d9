// @ts-check
/** Finds a Chromium to drive the editor with, and installs one where that can be done without asking. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { EditorUnavailable, run } from './install.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/**
 * @param {{ log?: (line: string) => void }} [options]
 * @returns {Promise<string>} the path of the browser
 */
export async function ensureChromium({ log = (line) => process.stderr.write(`[editor] ${line}\n`) } = {}) {
  const given = process.env.CHROME_PATH;
  if (given) {
    if (existsSync(given)) return given;
    throw new EditorUnavailable(`CHROME_PATH points at ${given}, which does not exist.`);
  }
  const missing = [];
  if (!onPath(NAMES)) missing.push('chromium');
  if (canInstall()) {
    // Without them the pictures show rows of boxes.
    if (!hasFont(':lang=ko')) missing.push('fonts-noto-cjk');
    if (!hasFont(':charset=1f9e0')) missing.push('fonts-noto-color-emoji');
  }
  if (missing.length > 0 && canInstall()) await aptInstall(missing, log);
  const found = onPath(NAMES);
  if (found) return found;
  throw new EditorUnavailable(
    'No Chromium was found. Install Chromium or Google Chrome, or set CHROME_PATH to one.',
  );
}

/** @param {string[]} names */
function onPath(names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((file) => existsSync(file));
}

function canInstall() {
  return process.platform === 'linux' && process.getuid?.() === 0 && onPath(['apt-get']) !== undefined;
}

/** @param {string} pattern  what it must be able to draw */
function hasFont(pattern) {
  return /\S/.test(spawnSync('fc-list', [pattern], { encoding: 'utf8' }).stdout ?? '');
}

/** @param {string[]} packages @param {(line: string) => void} log */
async function aptInstall(packages, log) {
  log(`installing ${packages.join(', ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Two runs may start at once: the second waits for the first one's lock instead of failing.
  const options = ['-o', 'DPkg::Lock::Timeout=300', '-qq'];
  await run('apt-get', [...options, 'update'], { env });
  const { code, output } = await run(
    'apt-get',
    [...options, 'install', '-y', '--no-install-recommends', ...packages],
    { env },
  );
  if (code !== 0) log(`apt-get failed:\n${output.slice(-1000)}`);
}
