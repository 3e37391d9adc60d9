import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { Level } from '../policy/level.ts';
import { parseClassification, parseRoot, UsageError } from '../terminal.ts';

/** How an MCP server was started. */
export interface McpOptions {
  readonly root: string;
  /** Identity of the calling session. */
  readonly session: string;
  /** Undefined: the folder's default level. */
  readonly classification: Level | undefined;
  readonly profile: 'core' | 'full';
  /** The agent runs in a sandbox: of sessions it may see only those of its own making. */
  readonly sandboxed?: boolean | undefined;
}

export const MCP_HELP = `Usage: lodeline mcp [options]    (the same as: node dist/mcp.js [options])

Serves the folder's memory to an agent over MCP on standard input and output.

  --root DIR              the workspace folder (default: the current one)
  --session KEY           the session that calls belong to (default: one of its own per process)
  --classification LEVEL  PUBLIC, INTERNAL, CONFIDENTIAL or RESTRICTED: the highest level it may read, and the level
                          of what it writes (default: the folder's)
  --profile core|full     which tools it offers (default: full)
  --sandboxed             the agent runs in a sandbox: of the folder's sessions it sees only its own and those that it
                          started, whatever tools.sessions.visibility says, and it cannot spawn sessions, which would
                          run outside the sandbox
  --help, --version

Settings: .lodeline/config.json in the folder, over ~/.lodeline/config.json.

Subagents need a chat model, an OpenAI-compatible endpoint: LODELINE_MODEL_URL (ends in /v1), LODELINE_MODEL and
LODELINE_MODEL_KEY in the environment. No process that is started from here gets the key.`;

/** Reads the command line; undefined when it asks for help or the version. Throws for anything it does not know. */
export function parseMcpOptions(args: readonly string[]): McpOptions | 'help' | 'version' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      root: { type: 'string' },
      session: { type: 'string' },
      classification: { type: 'string' },
      profile: { type: 'string', default: 'full' },
      sandboxed: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  });
  if (values.help === true) return 'help';
  if (values.version === true) return 'version';
  const { profile, session } = values;
  if (profile !== 'core' && profile !== 'full')
    throw new UsageError(`--profile: "${profile}" is neither core nor full.`);
  if (session !== undefined && !/^[\x21-\x7E]{1,200}$/.test(session)) {
    throw new UsageError('--session: a key has 1 to 200 letters, digits and signs, and no spaces.');
  }
  return {
    root: parseRoot(values.root),
    session: session ?? `agent:main:mcp:${randomUUID()}`,
    classification: parseClassification(values.classification),
    profile,
    sandboxed: values.sandboxed,
  };
}
