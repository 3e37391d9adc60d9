import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { version } from '../../package.json';
import { createApp } from '../app.ts';
import { keepStanding } from '../standing.ts';
import { stderrLog, terminalPorts } from '../terminal.ts';
import { MCP_HELP, parseMcpOptions } from './options.ts';
import { clientOf, createMcpServer } from './server.ts';
import { claimStdout } from './stdout.ts';

/** Longest message taken in; a longer one ends the connection. The SDK's own limit is 10 MB. */
const MAX_MESSAGE = 32 * 1024 * 1024;
/** A process whose store does not close must not stay behind. */
const PATIENCE = 10_000;

/** Runs the MCP server on standard input and output until the client closes them or the process is told to end. */
export async function serve(args: readonly string[]): Promise<void> {
  const options = parseMcpOptions(args);
  if (options === 'help' || options === 'version') {
    console.log(options === 'help' ? MCP_HELP : version);
    return;
  }
  const output = claimStdout();
  const app = createApp({ root: options.root, ports: terminalPorts(options.root) });
  const files = app.keepFiles((report) => {
    for (const { file, kind, detail } of report.problems) stderrLog.warn(`${file}: ${kind}: ${detail}`);
    if (report.missing.length > 0)
      stderrLog.warn(
        `${report.missing.length} memory files are gone; nothing is forgotten until that is said in the editor.`,
      );
  });
  files.look();
  const ended = new AbortController();
  const { server, idle } = createMcpServer(app, options, ended.signal);
  const standing = keepStanding({
    app: async () => app,
    session: () => ({
      key: options.session,
      agent: clientOf(server),
      level: options.classification,
    }),
    warn: (message) => stderrLog.warn(message),
  });
  const transport = new StdioServerTransport(process.stdin, output, { maxBufferSize: MAX_MESSAGE });

  // Calls that run are finished and answered, so that nothing the client was told of, or may be, is lost.
  async function end(): Promise<void> {
    if (ended.signal.aborted) return;
    ended.abort();
    setTimeout(() => process.exit(1), PATIENCE).unref();
    await idle();
    standing.end();
    await server.close();
    await app.close();
    process.stdin.destroy();
  }
  const stop = (): void => {
    end().catch((error: unknown) => {
      stderrLog.error(`the store was not closed cleanly: ${String(error)}`);
      process.exit(1);
    });
  };

  server.oninitialized = () => void standing.beat();
  server.onerror = (error) => stderrLog.error(error.message);
  server.onclose = stop;
  process.stdin.once('end', stop);
  process.stdin.once('close', stop);
  output.once('error', stop);
  process.stdout.once('error', stop);
  // Nobody reads the log any more; the connection may still work.
  process.stderr.on('error', () => {});
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  // One call's fault must not end the others' server.
  process.on('uncaughtException', (error) => stderrLog.error(error.stack ?? error.message));
  process.on('unhandledRejection', (error) => {
    stderrLog.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  });
  await server.connect(transport);
}
