/** What the doors without an editor give the app: settings from files, the log on stderr, trust by being started. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ModelSettings } from './chatEndpoint.ts';
import { readSettings } from './fileSettings.ts';
import { LEVELS, type Level, parseLevel } from './policy/level.ts';
import type { Log, Ports } from './ports.ts';

/** A wrong command line; its message says how to put it right. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Standard output belongs to results and to the protocol. */
export const stderrLog: Log = {
  info: (message) => console.error(`lodeline: ${message}`),
  warn: (message) => console.error(`lodeline: warning: ${message}`),
  error: (message) => console.error(`lodeline: error: ${message}`),
};

/**
 * Whoever starts the program in a folder trusts that folder. To be called once, before anything else is started:
 * it takes the model's key.
 */
export function terminalPorts(root: string): Ports {
  const model = takeModelSettings(process.env);
  const token = takeHindsightToken(process.env);
  return {
    settings: readSettings(root, stderrLog),
    log: stderrLog,
    now: Date.now,
    trusted: () => true,
    door: 'mcp',
    github: {
      // What GitHub's own tools call an enterprise server's address.
      api: process.env.GITHUB_API_URL || 'https://api.github.com',
      token: async () => process.env.GITHUB_TOKEN || undefined,
    },
    hindsightToken: async () => token,
    chatModel: async (name = model.model) => {
      const { endpointModel } = await import('./chatEndpoint.ts');
      return endpointModel({ ...model, model: name });
    },
  };
}

/** Reads which chat model there is, and takes its key out of the environment, so that no child process has it. */
export function takeModelSettings(env: NodeJS.ProcessEnv): ModelSettings {
  const { LODELINE_MODEL_URL: url, LODELINE_MODEL: model, LODELINE_MODEL_KEY: key } = env;
  delete env.LODELINE_MODEL_KEY;
  return { url, model, key };
}

/** Takes the token of the memory server out of the environment, so that no child process has it. */
export function takeHindsightToken(env: NodeJS.ProcessEnv): string | undefined {
  const { HINDSIGHT_API_TOKEN: token } = env;
  delete env.HINDSIGHT_API_TOKEN;
  return token || undefined;
}

/** The folder that `--root` names, the current one without it. */
export function parseRoot(path: string | undefined): string {
  const root = resolve(path ?? '.');
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UsageError(`--root: there is no folder "${root}".`);
  }
  return root;
}

/** The level that `--classification` names. */
export function parseClassification(name: string | undefined): Level | undefined {
  if (name === undefined) return undefined;
  const level = parseLevel(name);
  if (level === undefined)
    throw new UsageError(`--classification: "${name}" is none of ${LEVELS.join(', ')}.`);
  return level;
}

/** Runs a program and turns its failure into a message and an exit code: 2 for a wrong command line, else 1. */
export async function runProgram(program: () => Promise<void>): Promise<void> {
  try {
    await program();
  } catch (error) {
    const usage = error instanceof UsageError || isArgumentError(error);
    console.error(`lodeline: ${error instanceof Error ? error.message : String(error)}`);
    if (usage) console.error('Run it with --help to see its options.');
    process.exitCode = usage ? 2 : 1;
  }
}

/** An option that `util.parseArgs` does not know. */
function isArgumentError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
}
