import { Console } from 'node:console';
import { Writable } from 'node:stream';

/**
 * Takes standard output for the protocol: one stray line of a library would break the connection, so whatever else
 * is written there goes to standard error.
 */
export function claimStdout(): Writable {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  globalThis.console = new Console(process.stderr, process.stderr);
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      write(chunk, done);
    },
  });
}
