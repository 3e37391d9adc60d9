// @ts-check
/** Starting a process that cannot outlive its parent, and ending it with everything it started. */
import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const SUPERVISOR = fileURLToPath(new URL('./supervise.mjs', import.meta.url));

/**
 * @typedef {object} Supervised
 * @property {() => string} output          what it has printed so far
 * @property {Promise<number | null>} exited  its exit code
 * @property {() => void} kill              ends it and every descendant, at once
 */

/**
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Supervised}
 */
export function supervise(command, args, env) {
  const child = spawn(process.execPath, [SUPERVISOR, command, ...args], {
    detached: true,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  /** @param {Buffer} chunk */
  const collect = (chunk) => {
    output = (output + chunk).slice(-200_000);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  child.stdin.on('error', () => {});
  const exited = new Promise((resolve) => {
    child.on('error', () => resolve(null));
    child.on('exit', (code) => resolve(code));
  });
  return {
    output: () => output,
    exited,
    kill: () => {
      if (child.pid !== undefined) killTree(child.pid);
    },
  };
}

/** The group, and also what left the group (terminals start their own). @param {number} pid */
function killTree(pid) {
  for (const target of [-pid, ...descendants(pid)]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

/** @param {number} root @returns {number[]} */
function descendants(root) {
  const { stdout } = spawnSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const rows = (stdout ?? '')
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number));
  /** @type {number[]} */
  const found = [];
  const queue = [root];
  while (queue.length > 0) {
    const parent = queue.pop();
    for (const [pid, ppid] of rows) {
      if (ppid !== parent) continue;
      found.push(pid);
      queue.push(pid);
    }
  }
  return found;
}

/** @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}
