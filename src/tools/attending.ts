/** Tools of a loop of ours that tell other sessions which files they touch. */
import { isAbsolute, join } from 'node:path';
import type { LoopCallInput, LoopTools } from '../session/turnCalls.ts';

const URL_START = /^[a-z]+:\/\//i;
const FILE_TOOLS: ReadonlySet<string> = new Set(['read', 'write', 'edit']);

/**
 * The same tools; each file that one of them has touched is told to `attend` as an absolute path.
 * @param root the folder that paths are relative to
 */
export function attending(tools: LoopTools, root: string, attend: (path: string) => void): LoopTools {
  return {
    specs: () => tools.specs(),
    isExclusive: (name) => tools.isExclusive(name),
    call: async (call, signal) => {
      const result = await tools.call(call, signal);
      const path = pathOf(call);
      if (!result.isError && path !== undefined) attend(isAbsolute(path) ? path : join(root, path));
      return result;
    },
  };
}

function pathOf({ name, input }: LoopCallInput): string | undefined {
  if (!FILE_TOOLS.has(name) || typeof input !== 'object' || input === null || Array.isArray(input))
    return undefined;
  const { path } = input;
  // `agent://` and `local://` are no files of the folder.
  return typeof path === 'string' && !URL_START.test(path) ? path : undefined;
}
