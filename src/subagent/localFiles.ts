/** `local://`: notes that the subagents of a session share, reached with the same tools as the workspace. */
import { effectOf, type LoopCallInput, type LoopTools, wrapping } from '../session/turnCalls.ts';

const SCHEME = 'local://';

/** The workspace's tools, with those of another folder for paths that begin with `local://`. */
export function withLocalFiles(workspace: LoopTools, local: LoopTools): LoopTools {
  const shared = new Set(local.specs().map(({ name }) => name));
  return wrapping(workspace, {
    call: (call, signal) => {
      const inner = localCall(call);
      if (inner === undefined) return workspace.call(call, signal);
      if (shared.has(call.name)) return local.call(inner, signal);
      return Promise.resolve({
        text: `${call.name} does not work on ${SCHEME}. Use read, write, edit, list, find or search.`,
        isError: true,
      });
    },
    effectOf: (call) => {
      const inner = localCall({ ...call, id: '' });
      if (inner === undefined) return effectOf(workspace, call);
      return shared.has(call.name) ? effectOf(local, inner) : 'read';
    },
    evidenceOf: async (call, planned) => {
      const inner = localCall(call);
      const tools = inner === undefined ? workspace : local;
      return tools.evidenceOf?.(inner ?? call, planned);
    },
  });
}

/** The call as the other folder's tools take it; undefined for one that means the workspace. */
function localCall(call: LoopCallInput): LoopCallInput | undefined {
  const { input } = call;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  const { path } = input;
  if (typeof path !== 'string' || !path.startsWith(SCHEME)) return undefined;
  return { ...call, input: { ...input, path: path.slice(SCHEME.length) || '.' } };
}
