import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';
import type { JsonValue } from '../../../../src/journal/record.ts';
import { createWorkspaceTools, type WorkspacePorts } from '../../../../src/subagent/workspace/tools.ts';

export const TOOLS = ['read', 'list', 'find', 'search', 'write', 'edit', 'diagnostics', 'run', 'fetch'];

/** A folder that the test's end removes, with the files that are named. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lodeline-workspace-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** The tools of one subagent. `call` answers the text; `wrong` too, and expects an error. */
export function openTools(
  root: string,
  {
    settings = {},
    allowed = TOOLS,
    ...ports
  }: Partial<Omit<WorkspacePorts, 'settings'>> & {
    settings?: Record<string, unknown>;
    allowed?: readonly string[];
  } = {},
) {
  const questions: string[] = [];
  const tools = createWorkspaceTools({
    root,
    allowed,
    ports: {
      settings: { get: (key) => settings[key] },
      searchThread: new URL('file:///no-search-thread-in-this-test.js'),
      ...ports,
      approve: async (question) => {
        questions.push(question.detail);
        return (await ports.approve?.(question)) ?? 'unavailable';
      },
    },
  });
  const answer = async (name: string, input: JsonValue, isError: boolean, signal?: AbortSignal) => {
    const result = await tools.call({ id: 'c-1', name, input }, signal ?? new AbortController().signal);
    if (result.isError !== isError) throw new Error(`${name} unexpectedly: ${result.text}`);
    return result.text;
  };
  return {
    tools,
    questions,
    call: (name: string, input: JsonValue, signal?: AbortSignal) => answer(name, input, false, signal),
    wrong: (name: string, input: JsonValue, signal?: AbortSignal) => answer(name, input, true, signal),
  };
}

/** Builds the search thread's script as the package does; call it once for a test file. */
export async function buildSearchThread(): Promise<{ url: URL; remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'lodeline-thread-'));
  const outfile = join(folder, 'searchWorker.mjs');
  await build({
    entryPoints: ['src/subagent/workspace/searchThread.ts'],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
  return { url: pathToFileURL(outfile), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
