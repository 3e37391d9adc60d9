/** Tools of a loop of ours that tell other sessions which files they touch, and their agent who else touched them. */
import { isAbsolute, join } from 'node:path';
import { type LoopCallInput, type LoopTools, wrapping } from '../session/turnCalls.ts';

const URL_START = /^[a-z]+:\/\//i;
const FILE_TOOLS: ReadonlySet<string> = new Set(['read', 'write', 'edit']);

export interface Attending {
  /** Told of each file that a tool has touched, as an absolute path. */
  touched(path: string): void;
  /** What the agent has to be told of others that touched such a file; undefined when nothing. */
  others?(path: string): Promise<string | undefined>;
}

/**
 * The same tools. What is to be told of others stands at the end of a result, of reading as well: agents read a file
 * before they change it, and then there is time to think.
 * @param root the folder that paths are relative to
 */
export function attending(tools: LoopTools, root: string, { touched, others }: Attending): LoopTools {
  return wrapping(tools, {
    call: async (call, signal) => {
      const named = pathOf(call);
      if (named === undefined) return tools.call(call, signal);
      const path = isAbsolute(named) ? named : join(root, named);
      const result = await tools.call(call, signal);
      if (result.isError) return result;
      // A result is there, whatever can be told beside it.
      const note = await others?.(path).catch(() => undefined);
      touched(path);
      return note === undefined ? result : { ...result, text: `${result.text}\n\n${note}` };
    },
  });
}

function pathOf({ name, input }: LoopCallInput): string | undefined {
  if (!FILE_TOOLS.has(name) || typeof input !== 'object' || input === null || Array.isArray(input))
    return undefined;
  const { path } = input;
  // `agent://` and `local://` are no files of the folder.
  return typeof path === 'string' && !URL_START.test(path) ? path : undefined;
}
