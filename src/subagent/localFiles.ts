/** `local://`: notes that the subagents of a session share, reached with the same tools as the workspace. */
import type { LoopCallInput, LoopTools } from '../session/turnCalls.ts';

const SCHEME = 'local://';

/** The workspace's tools, with those of another folder for paths that begin with `local://`. */
export function withLocalFiles(workspace: LoopTools, local: LoopTools): LoopTools {
  const shared = new Set(local.specs().map(({ name }) => name));
  return {
    specs: () => workspace.specs(),
    isExclusive: (name) => workspace.isExclusive(name),
    call: (call, signal) => {
      const inner = localCall(call);
      if (inner === undefined) return workspace.call(call, signal);
      if (shared.has(call.name)) return local.call(inner, signal);
      return Promise.resolve({
        text: `${call.name} does not work on ${SCHEME}. Use read, write, edit, list, find or search.`,
        isError: true,
      });
    },
  };
}

/** The call as the other folder's tools take it; undefined for one that means the workspace. */
function localCall(call: LoopCallInput): LoopCallInput | undefined {
  const { input } = call;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  const { path } = input;
  if (typeof path !== 'string' || !path.startsWith(SCHEME)) return undefined;
  return { ...call, input: { ...input, path: path.slice(SCHEME.length) || '.' } };
}
