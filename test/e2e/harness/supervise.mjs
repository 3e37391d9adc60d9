// @ts-check
/**
 * Runs one command for as long as the process that started it lives. The parent holds the other end
 * of stdin; when that closes (the parent ended, however it ended) the whole process group goes.
 * Usage: node supervise.mjs COMMAND ARGS… (started detached, so that it leads its own group).
 */
import { spawn } from 'node:child_process';

const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });

function endGroup() {
  process.kill(-process.pid, 'SIGKILL');
}

// A parent that died has also closed the pipes behind stdout and stderr.
process.on('SIGPIPE', () => {});
process.stdin.on('end', endGroup).on('close', endGroup).on('error', endGroup).resume();
child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(127);
});
child.on('exit', (code) => process.exit(code ?? 1));
